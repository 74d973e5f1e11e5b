//! Shapes: what a surrogate keeps of the text that it replaces.

mod address;
mod calendar;
mod casing;
mod clock;
mod coin;
mod coordinates;
mod money;
mod name;
mod network;
mod pattern;
mod phone;
mod secret;
mod traits;

pub(crate) use address::AddressForm;
pub(crate) use calendar::DateForm;
pub(crate) use casing::Casing;
pub(crate) use clock::{Half, Spelling, TimeForm, Zone};
pub(crate) use coin::Coin;
pub(crate) use coordinates::{CoordinateForm, Notation};
pub(crate) use money::{MoneyForm, MoneyToken};
pub(crate) use name::{Case, NameForm, Word as NameWord};
pub(crate) use network::{IpForm, MacForm, UrlForm};
pub(crate) use pattern::{Pattern, Slot};
pub(crate) use phone::{Lead, PhoneForm};
pub(crate) use secret::{Run, SecretForm};
pub(crate) use traits::{AgeForm, Length, Mass, TraitForm};

use inkveil_detect::Kind;

/// The kind and the format of a text. A surrogate depends on nothing else of the text.
///
/// Only [`Shape::of`] reads the text. It keeps no part of it, except separators, currency signs and the
/// like from short lists in this crate. [`Shape::reveals`] states for every kind what is kept. A surrogate
/// reveals the shape of the original and nothing else, because texts of the same shape have the same
/// distribution of surrogates.
///
/// ```
/// use inkveil_detect::Kind;
/// use inkveil_surrogates::Shape;
///
/// let shape = |text| Shape::of(text, &Kind::Date);
/// assert_eq!(shape("12 March 1987"), shape("30 April 2001"));
/// assert_ne!(shape("12 March 1987"), shape("1987-03-12"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    kind: Kind,
    form: Form,
}

/// The format that is kept of a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// Nothing.
    Any,
    Pattern(Pattern),
    Words(Casing),
    Name(NameForm),
    Title {
        dotted: bool,
        casing: Casing,
    },
    Username {
        handle: bool,
    },
    Trait(TraitForm),
    Age(AgeForm),
    /// A two-letter code of a state.
    StateCode,
    Address(AddressForm),
    Coordinates(CoordinateForm),
    Date(DateForm),
    Time(TimeForm),
    Phone(PhoneForm),
    Url(UrlForm),
    Ip(IpForm),
    Mac(MacForm),
    Money(MoneyForm),
    Coin(Coin),
    Secret(SecretForm),
    Password {
        length: usize,
    },
}

impl Shape {
    /// Returns the shape of a text of a kind. A text that does not look like its kind has a default shape.
    pub fn of(text: &str, kind: &Kind) -> Shape {
        let pattern = |mask| Form::Pattern(Pattern::of(text, mask));
        let form = match kind {
            Kind::Person => Form::Name(NameForm::of(text)),
            Kind::Title => Form::Title { dotted: text.trim_end().ends_with('.'), casing: Casing::of(text) },
            Kind::Username => Form::Username { handle: text.trim_start().starts_with('@') },
            Kind::Trait => Form::Trait(TraitForm::of(text)),
            Kind::Age => Form::Age(AgeForm::of(text)),
            Kind::Location if is_state_code(text) => Form::StateCode,
            Kind::Job | Kind::Organisation | Kind::Location | Kind::Health | Kind::Medication => {
                Form::Words(Casing::of(text))
            }
            Kind::Vin if Casing::of(text) == Casing::Lower => Form::Words(Casing::Lower),
            Kind::Vin => Form::Words(Casing::Mixed),
            Kind::Address => Form::Address(AddressForm::of(text)),
            Kind::Coordinates => Form::Coordinates(CoordinateForm::of(text)),
            Kind::Date => Form::Date(DateForm::of(text)),
            Kind::Time => Form::Time(TimeForm::of(text)),
            Kind::Email | Kind::UserAgent => Form::Any,
            Kind::Phone => Form::Phone(PhoneForm::of(text)),
            Kind::Url => Form::Url(UrlForm::of(text)),
            Kind::IpAddress => Form::Ip(IpForm::of(text)),
            Kind::MacAddress => Form::Mac(MacForm::of(text)),
            Kind::Money => Form::Money(MoneyForm::of(text)),
            Kind::Crypto => Form::Coin(Coin::of(text)),
            Kind::Secret => Form::Secret(SecretForm::of(text)),
            Kind::Password => Form::Password { length: secret::password_length(text) },
            Kind::BankAccount if !text.chars().any(char::is_numeric) => Form::Words(Casing::of(text)),
            Kind::PostalCode => pattern("#####"),
            Kind::Imei => pattern("###############"),
            Kind::CreditCard => pattern("#### #### #### ####"),
            Kind::CardCode => pattern("###"),
            Kind::Iban => pattern("@@## #### #### #### #### ##"),
            Kind::BankAccount | Kind::MedicalRecord => pattern("########"),
            Kind::BankCode => pattern("@@@@@@@@"),
            Kind::NationalId => pattern("###-##-####"),
            Kind::Passport => pattern("@########"),
            Kind::DriverLicence => pattern("@#######"),
            Kind::Plate => pattern("@@@ ####"),
            Kind::Id => Form::Pattern(Pattern::or_hexadecimal(text, "@@-######")),
            // Kinds of the user.
            _ => Form::Pattern(Pattern::or_hexadecimal(text, "&&&&&&")),
        };
        Shape { kind: kind.clone(), form }
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.kind
    }

    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// Describes what a shape keeps of a text of a kind, and so what a surrogate reveals.
    pub fn reveals(kind: &Kind) -> &'static str {
        match kind {
            Kind::Person => {
                "the number of words (up to 5), which of them are initials, particles or suffixes, the case of each, \
                 and whether a comma follows the first"
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
            Kind::Job | Kind::Organisation | Kind::Health | Kind::Medication => "the case",
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
}

fn is_state_code(text: &str) -> bool {
    let text = text.trim();
    text.len() == 2 && text.bytes().all(|b| b.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of one kind that must have the same shape.
    const ALIKE: &[(Kind, &[&str])] = &[
        (Kind::Person, &["Anna Keller", "John Smith", "Þóra Óttarsdóttir"]),
        (Kind::Person, &["J. R. Keller", "A. M. Smith"]),
        (Kind::Title, &["Mr.", "Dr."]),
        (Kind::Username, &["river_fox92", "anna"]),
        (Kind::Job, &["nurse", "tax inspector"]),
        (Kind::Trait, &["5'11\"", "6 ft 2 in"]),
        (Kind::Trait, &["Sikh", "Peruvian"]),
        (Kind::Age, &["3-month-old", "47-year-old"]),
        (Kind::Organisation, &["Marlow & Finch Ltd", "Acme"]),
        (Kind::Location, &["Lisbon", "Ohio", "New Zealand"]),
        (Kind::Address, &["12 Elm Road, Leeds", "9B Oak Street, Springfield"]),
        (Kind::PostalCode, &["SW1A 2AA", "EC1V 9HQ"]),
        (Kind::Coordinates, &["40.7128, -74.0060", "-3.1415, 101.2345"]),
        (Kind::Date, &["31/12/1999", "28/01/2021"]),
        (Kind::Time, &["2:30 pm", "9:05 am"]),
        (Kind::Email, &["anna@keller.de", "x"]),
        (Kind::Phone, &["+44 20 7946 0018", "+49 30 1234 5678"]),
        (Kind::Url, &["https://a.org/b", "https://x.net/y/z?w=1"]),
        (Kind::IpAddress, &["10.0.0.1", "203.0.113.77"]),
        (Kind::MacAddress, &["00:1A:2B:3C:4D:5E", "AA:BB:CC:DD:EE:FF"]),
        (Kind::UserAgent, &["Mozilla/5.0 (X11)", "curl"]),
        (Kind::CreditCard, &["4111 1111 1111 1111", "5500 0055 5555 5559"]),
        (Kind::CardCode, &["123", "987"]),
        (Kind::Iban, &["DE89370400440532013000", "FR76300060000112345678"]),
        (Kind::BankAccount, &["Savings account", "Joint checking"]),
        (Kind::Money, &["$1,204.50", "$7,311.99"]),
        (Kind::Crypto, &["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"]),
        (Kind::NationalId, &["078-05-1120", "123-45-6789"]),
        (Kind::Vin, &["1HGCM82633A004352", "WDB1240511B123456"]),
        (Kind::Id, &["INV-2020-01", "ABC-1234-56"]),
        (Kind::Password, &["hunter22", "P@ssw0rd"]),
        (Kind::Secret, &["q7Rk2mZx9TbW", "W4cYh8LnD3vG"]),
        (Kind::Health, &["asthma", "type 2 diabetes"]),
        (Kind::Medication, &["Ibuprofen", "Metformin 500"]),
    ];

    #[test]
    fn texts_of_the_same_format_have_the_same_shape() {
        for (kind, texts) in ALIKE {
            for text in *texts {
                assert_eq!(Shape::of(text, kind), Shape::of(texts[0], kind), "{kind}: {text}");
            }
        }
    }

    #[test]
    fn every_kind_has_a_shape_for_any_text_and_a_description() {
        for kind in Kind::ALL {
            for text in ["", " ", "\0", "🦊", "Δ 12", "a\u{301}"] {
                assert_eq!(Shape::of(text, kind).kind(), kind);
            }
            assert!(!Shape::reveals(kind).is_empty());
        }
    }
}
