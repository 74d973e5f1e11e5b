//! Coarse forms: what a surrogate keeps of an exact form by default.

use inkveil_detect::Kind;

use super::pattern::{Pattern, Slot};
use super::runs::Run;
use super::{Form, secret};

impl Form {
    /// Returns the coarse form. It is a function of the exact form, so it reveals at most as much.
    pub(super) fn coarse(self, kind: &Kind) -> Form {
        match self {
            Form::Pattern(pattern) => code(&pattern, kind),
            Form::Name(name) => Form::Name(name.coarse()),
            Form::Coordinates(form) => Form::Coordinates(form.coarse()),
            Form::Date(form) => Form::Date(form.coarse()),
            Form::Time(form) => Form::Time(form.coarse()),
            Form::Phone(form) => Form::Phone(form.coarse()),
            Form::Money(form) => Form::Money(form.coarse()),
            Form::Coin(coin) => Form::Coin(coin.coarse()),
            Form::Secret(form) => Form::Secret(form.coarse()),
            Form::Password { .. } => Form::Password { length: secret::PASSWORD },
            // A few classes each.
            form @ (Form::Any
            | Form::Runs(_)
            | Form::Words(_)
            | Form::Group(..)
            | Form::Title { .. }
            | Form::Username { .. }
            | Form::Trait(_)
            | Form::Age(_)
            | Form::StateCode
            | Form::Address(_)
            | Form::Url(_)
            | Form::Ip(_)
            | Form::Mac(_)) => form,
        }
    }
}

/// Codes with a format of their own get its most common form. All others keep their runs.
fn code(pattern: &Pattern, kind: &Kind) -> Form {
    let slash = pattern.slots().contains(&Slot::Sign('/'));
    match kind {
        Kind::CardCode if slash => Form::Pattern(Pattern::of("", "##/##")),
        Kind::BankCode if !pattern.has_letters() => {
            let mask = if pattern.places() == 6 { "##-##-##" } else { "#########" };
            Form::Pattern(Pattern::of("", mask))
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
        | Kind::Plate => Form::of("", kind),
        _ => Form::Runs(Run::coarse(pattern)),
    }
}
