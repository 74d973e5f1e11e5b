//! Shapes: what a surrogate keeps of the text that it replaces.

mod address;
mod calendar;
mod casing;
mod clock;
mod coarse;
mod coin;
mod coordinates;
#[cfg(test)]
mod exhaustive;
mod level;
mod money;
mod name;
mod network;
mod pattern;
mod phone;
mod reveals;
mod runs;
mod secret;
mod traits;

pub(crate) use address::AddressForm;
pub(crate) use calendar::DateForm;
pub(crate) use casing::Casing;
pub(crate) use clock::{Half, Spelling, TimeForm, Zone};
pub(crate) use coin::Coin;
pub(crate) use coordinates::{CoordinateForm, Notation};
pub use level::ShapeLevel;
pub(crate) use money::{MoneyForm, MoneyToken};
pub(crate) use name::{Case, NameForm, Word as NameWord};
pub(crate) use network::{IpForm, MacForm, UrlForm};
pub(crate) use pattern::{Pattern, Slot};
pub(crate) use phone::{Lead, PhoneForm};
pub(crate) use runs::{Alphabet, Run};
pub(crate) use secret::SecretForm;
pub(crate) use traits::{AgeForm, Length, Mass, TraitForm};

use inkveil_detect::Kind;
use inkveil_detect::special::GroupId;

/// The kind and the kept format of a text. A surrogate depends on nothing else of the text.
///
/// Only [`Shape::of`] reads the text. It keeps no part of it, except separators, currency signs and the
/// like from short lists in this crate. [`Shape::reveals`] states for every kind and level what is kept.
/// Texts of the same shape have the same distribution of surrogates, because the generator receives the
/// shape and never the text. So ε = 0 holds among texts of the same kind and shape, and among no others.
///
/// ```
/// use inkveil_detect::Kind;
/// use inkveil_surrogates::{Shape, ShapeLevel};
///
/// let shape = |text| Shape::of(text, &Kind::Date, ShapeLevel::Coarse);
/// assert_eq!(shape("12 March 1987"), shape("3 April 2001"));
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
    /// Alphabets and lengths of the runs of a code.
    Runs(Vec<Run>),
    Words(Casing),
    /// A word of a special category, by its group of interchangeable words.
    Group(GroupId, Casing),
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
    pub fn of(text: &str, kind: &Kind, level: ShapeLevel) -> Shape {
        let form = match level {
            ShapeLevel::Kind => Form::of("", kind),
            ShapeLevel::Coarse => Form::of(text, kind).coarse(kind),
            ShapeLevel::Exact => Form::of(text, kind),
        };
        Shape { kind: kind.clone(), form }
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.kind
    }

    pub(crate) fn form(&self) -> &Form {
        &self.form
    }
}

impl Form {
    /// Returns the exact form of a text of a kind.
    fn of(text: &str, kind: &Kind) -> Form {
        let pattern = |mask| Form::Pattern(Pattern::of(text, mask));
        let group = GroupId::of(kind, text).or_else(|| GroupId::first(kind).filter(|_| kind.is_special()));
        if let Some(group) = group {
            return Form::Group(group, Casing::of(text));
        }
        match kind {
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
            Kind::Plate => pattern("@@## @@@"),
            Kind::Id => Form::Pattern(Pattern::or_hexadecimal(text, "@@-######")),
            // Kinds of the user.
            _ => Form::Pattern(Pattern::or_hexadecimal(text, "&&&&&&")),
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
        (Kind::Health, &["pregnant", "bipolar"]),
        (Kind::Orientation, &["gay", "bisexual"]),
        (Kind::Belief, &["Catholic", "Muslim"]),
        (Kind::Family, &["husband", "brother"]),
        (Kind::Medication, &["Ibuprofen", "Metformin 500"]),
    ];

    #[test]
    fn texts_of_the_same_format_have_the_same_shape() {
        for (kind, texts) in ALIKE {
            for text in *texts {
                for level in ShapeLevel::ALL {
                    let shape = |text| Shape::of(text, kind, level);
                    assert_eq!(shape(text), shape(texts[0]), "{kind}, {level}: {text}");
                }
            }
        }
    }

    #[test]
    fn every_kind_has_a_shape_for_any_text_and_a_description() {
        for kind in Kind::ALL {
            for level in ShapeLevel::ALL {
                for text in ["", " ", "\0", "🦊", "Δ 12", "a\u{301}"] {
                    assert_eq!(Shape::of(text, kind, level).kind(), kind);
                }
                assert!(!Shape::reveals(kind, level).is_empty());
            }
        }
    }

    #[test]
    fn a_shape_of_the_kind_does_not_depend_on_the_text() {
        for kind in Kind::ALL.iter().chain([&Kind::Custom("ward".into())]) {
            for text in ["Ana Lima", "12", "dQw4w9WgXcQ", "£20", "ANA"] {
                let shape = |text| Shape::of(text, kind, ShapeLevel::Kind);
                assert_eq!(shape(text), shape(""), "{kind}");
            }
            assert_eq!(Shape::reveals(kind, ShapeLevel::Kind), "nothing");
        }
    }

    /// Each level keeps at most as much as the next.
    #[test]
    fn equal_exact_shapes_are_equal_at_every_level() {
        let texts = ALIKE.iter().flat_map(|(_, texts)| *texts);
        for kind in Kind::ALL {
            for text in texts.clone() {
                for other in texts.clone() {
                    let same = |level| Shape::of(text, kind, level) == Shape::of(other, kind, level);
                    assert!(!same(ShapeLevel::Exact) || same(ShapeLevel::Coarse), "{kind}: {text}, {other}");
                }
            }
        }
    }
}
