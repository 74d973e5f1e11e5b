//! Families of kinds, which share a colour.

use inkveil_detect::Kind;
use inkveil_report::Colour;
use owo_colors::AnsiColors;

/// Kinds that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    People,
    Places,
    Times,
    Contact,
    Money,
    Identity,
    Secrets,
    Health,
    Other,
}

impl Family {
    pub(super) const ALL: [Family; 9] = [
        Family::People,
        Family::Places,
        Family::Times,
        Family::Contact,
        Family::Money,
        Family::Identity,
        Family::Secrets,
        Family::Health,
        Family::Other,
    ];

    pub(super) fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Person | Kind::Title | Kind::Username | Kind::Job | Kind::Trait | Kind::Age => Self::People,
            Kind::Organisation | Kind::Location | Kind::Address | Kind::PostalCode | Kind::Coordinates => {
                Self::Places
            }
            Kind::Date | Kind::Time => Self::Times,
            Kind::Email
            | Kind::Phone
            | Kind::Url
            | Kind::IpAddress
            | Kind::MacAddress
            | Kind::Imei
            | Kind::UserAgent => Self::Contact,
            Kind::CreditCard
            | Kind::CardCode
            | Kind::Iban
            | Kind::BankAccount
            | Kind::BankCode
            | Kind::Money
            | Kind::Crypto => Self::Money,
            Kind::NationalId
            | Kind::Passport
            | Kind::DriverLicence
            | Kind::Plate
            | Kind::Vin
            | Kind::MedicalRecord
            | Kind::Id => Self::Identity,
            Kind::Password | Kind::Secret => Self::Secrets,
            Kind::Health | Kind::Medication => Self::Health,
            _ => Self::Other,
        }
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::People => "people",
            Self::Places => "places",
            Self::Times => "times",
            Self::Contact => "contact",
            Self::Money => "money",
            Self::Identity => "identity",
            Self::Secrets => "secrets",
            Self::Health => "health",
            Self::Other => "other",
        }
    }

    /// Its colour in a terminal.
    pub(super) fn colour(self) -> AnsiColors {
        match self {
            Self::People => AnsiColors::Magenta,
            Self::Places => AnsiColors::Blue,
            Self::Times => AnsiColors::Cyan,
            Self::Contact => AnsiColors::Yellow,
            Self::Money => AnsiColors::Green,
            Self::Identity => AnsiColors::BrightYellow,
            Self::Secrets => AnsiColors::Red,
            Self::Health => AnsiColors::BrightMagenta,
            Self::Other => AnsiColors::BrightCyan,
        }
    }

    /// Its colour in a page.
    pub(super) fn page_colour(self) -> Colour {
        match self {
            Self::People => Colour::PINK,
            Self::Places => Colour::BLUE,
            Self::Times => Colour::SKY,
            Self::Contact => Colour::AMBER,
            Self::Money => Colour::GREEN,
            Self::Identity => Colour::OLIVE,
            Self::Secrets => Colour::RED,
            Self::Health => Colour::WINE,
            Self::Other => Colour::GREY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_ours_has_a_family() {
        for kind in Kind::ALL {
            assert_ne!(Family::of(kind), Family::Other, "{kind}");
        }
        assert_eq!(Family::of(&Kind::named("ticket")), Family::Other);
    }
}
