//! What a shape keeps of an original, in words.

use inkveil_detect::Kind;

use super::{Shape, ShapeLevel};

impl Shape {
    /// Describes what a shape keeps of a text of a kind, and so what a surrogate reveals beside the
    /// kind.
    pub fn reveals(kind: &Kind, level: ShapeLevel) -> &'static str {
        match level {
            ShapeLevel::Kind => "nothing",
            ShapeLevel::Coarse => coarse(kind),
            ShapeLevel::Exact => exact(kind),
        }
    }
}

/// Describes a coarse shape.
fn coarse(kind: &Kind) -> &'static str {
    match kind {
        Kind::Person => {
            "whether it is one word or several, the case of the first name, and its script if that is not Latin"
        }
        Kind::Coordinates => "whether there are one or two, the notation and the separator",
        Kind::Date => {
            "the format: its parts, digits or names, separators and case, and the format of a time after it"
        }
        Kind::Time => {
            "the format: minutes, seconds and fractions, the spelling of am and pm, and the type of time zone"
        }
        Kind::Phone => "whether it starts with + or 00, with 0, or otherwise",
        Kind::Money => {
            "for an amount the rough number of digits (1–2, 3–4, 5–6 or more), signs and names of common \
             currencies, and words such as million; otherwise whether it is a code, a name or an amount in words"
        }
        Kind::Crypto => "the currency, if it is known",
        Kind::Secret => {
            "the runs between - _ . : and spaces, up to 6, each with its alphabet and rough length (1–2, 3–4, \
             5–8, 9–16, 17–32 or more); whether it is a PEM key"
        }
        Kind::CardCode => "whether it is a date of expiry",
        Kind::BankCode => "whether it has letters, and if not, whether it has six digits",
        Kind::Password
        | Kind::PostalCode
        | Kind::Imei
        | Kind::CreditCard
        | Kind::Iban
        | Kind::NationalId
        | Kind::Passport
        | Kind::DriverLicence
        | Kind::Plate => "nothing",
        Kind::BankAccount => {
            "for a number the runs between separators, up to 6, each with its alphabet and rough length (1–2, \
             3–4, 5–8, 9–16, 17–32 or more); for a name the case"
        }
        // The exact forms have only a few classes.
        Kind::Title
        | Kind::Username
        | Kind::Trait
        | Kind::Age
        | Kind::Location
        | Kind::Job
        | Kind::Organisation
        | Kind::Health
        | Kind::Medication
        | Kind::Vin
        | Kind::Address
        | Kind::Email
        | Kind::UserAgent
        | Kind::Url
        | Kind::IpAddress
        | Kind::MacAddress => exact(kind),
        kind if kind.is_special() => exact(kind),
        // Medical records, identifiers, and kinds of the user.
        _ => {
            "the runs between separators, up to 6, each with its alphabet and rough length (1–2, 3–4, 5–8, \
             9–16, 17–32 or more), and the separators"
        }
    }
}

/// Describes an exact shape.
fn exact(kind: &Kind) -> &'static str {
    match kind {
        Kind::Person => {
            "the number of words (up to 5), which of them are initials, particles or suffixes, the case of each, \
             whether a comma follows the first, and its script if that is not Latin"
        }
        Kind::Title => "the case, and whether it ends in a dot",
        Kind::Username => "whether it starts with @",
        Kind::Trait => {
            "whether it is a height, a weight (with the unit), a blood type, a gender, a marital status, a colour \
             or something else; the case of words"
        }
        Kind::Age => {
            "whether the number is in words, and the words after it; months, weeks and days become years"
        }
        Kind::Location => "the case, and whether it is a two-letter code",
        Kind::Job | Kind::Organisation => "the case",
        Kind::Health | Kind::Medication => {
            "the case, and for a word of the built-in lists the group of words that it can be exchanged with"
        }
        kind if kind.is_special() => "the case, and the group of words that it can be exchanged with",
        Kind::Vin => "whether its letters are lower-case",
        Kind::Address => {
            "its parts (number, street, unit, town, postal code, box), whether the number is first, and whether \
             there are line breaks"
        }
        Kind::Coordinates => {
            "whether there are one or two, the notation, the number of decimals and the separator"
        }
        Kind::Date => {
            "the format: its parts and their order, digits or names, separators and case, and the format of a \
             time after it"
        }
        Kind::Time => {
            "the format: digits of the hour, minutes, seconds and fractions, the spelling of am and pm, and the \
             type of time zone"
        }
        Kind::Email | Kind::UserAgent => "nothing",
        Kind::Phone => {
            "the groups of digits and their separators, whether it starts with +, 00 or 0, and the length of an \
             extension"
        }
        Kind::Url => "whether the scheme is http, another or missing, and whether there is a path",
        Kind::IpAddress => "the version, and whether a prefix length follows",
        Kind::MacAddress => "the separator and the case",
        Kind::Money => {
            "for an amount the number of digits, the separators, signs and names of common currencies, and words \
             such as million; otherwise whether it is a code, a name or an amount in words"
        }
        Kind::Crypto => "the currency, or the length if the currency is unknown",
        Kind::Secret => {
            "the lengths of the runs between - _ . : and spaces, up to 128 characters, and the alphabet of each; \
             whether it is a PEM key"
        }
        Kind::Password => "the length, from 8 to 32",
        Kind::BankAccount => {
            "for a number the pattern of digits, letters and separators, up to 128 characters; for a name the \
             case"
        }
        Kind::PostalCode
        | Kind::Imei
        | Kind::CreditCard
        | Kind::CardCode
        | Kind::Iban
        | Kind::BankCode
        | Kind::NationalId
        | Kind::Passport
        | Kind::DriverLicence
        | Kind::Plate
        | Kind::MedicalRecord => {
            "the pattern of digits, upper-case letters, lower-case letters and separators, up to 128 characters"
        }
        // Identifiers, and kinds of the user.
        _ => {
            "the pattern of digits, upper-case letters, lower-case letters and separators, up to 128 characters, \
             and whether all letters are hexadecimal"
        }
    }
}
