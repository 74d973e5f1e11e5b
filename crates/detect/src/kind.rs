//! What a piece of text is about.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

macro_rules! kinds {
    ($($variant:ident $name:literal $about:literal;)*) => {
        /// What a span holds. Every kind has one name, used in output, settings and receipts.
        ///
        /// ```
        /// use inkveil_detect::Kind;
        ///
        /// assert_eq!(Kind::CreditCard.name(), "credit-card");
        /// assert_eq!(Kind::named("credit-card"), Kind::CreditCard);
        /// assert_eq!(Kind::named("project-code").name(), "project-code"); // a kind of the user's
        /// ```
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Kind {
            $(#[doc = $about] $variant,)*
            /// A kind that the user's own rules name.
            Custom(Arc<str>),
        }

        impl Kind {
            /// Every kind that inkveil knows by itself.
            pub const ALL: &'static [Kind] = &[$(Kind::$variant),*];

            /// Its name: lower-case words joined by hyphens.
            pub fn name(&self) -> &str {
                match self {
                    $(Kind::$variant => $name,)*
                    Kind::Custom(name) => name,
                }
            }

            /// What it holds, in a few words.
            pub fn about(&self) -> &'static str {
                match self {
                    $(Kind::$variant => $about,)*
                    Kind::Custom(_) => "A kind of your own.",
                }
            }

            /// The kind of that name; a name that inkveil does not know is a kind of the user's.
            pub fn named(name: &str) -> Self {
                match name {
                    $($name => Kind::$variant,)*
                    other => Kind::Custom(other.into()),
                }
            }
        }
    };
}

kinds! {
    Person "person" "A person's name or a part of it.";
    Title "title" "A form of address before or after a name.";
    Username "username" "A user name or handle.";
    Job "job" "An occupation, a job title or the area of a job.";
    Trait "trait" "What someone is or looks like: gender, height, eye colour, origin, religion.";
    Age "age" "A person's age.";
    Organisation "organisation" "A company, an authority, a school, a hospital, a team.";
    Location "location" "A country, region, city or other place with a name.";
    Address "address" "A street address or a part of it: building, street, flat.";
    PostalCode "postal-code" "A postal code.";
    Coordinates "coordinates" "A latitude and a longitude.";
    Date "date" "A date or a part of it.";
    Time "time" "A time of day.";
    Email "email" "An e-mail address.";
    Phone "phone" "A telephone or fax number.";
    Url "url" "A web address or a domain name.";
    IpAddress "ip-address" "An address of the Internet Protocol, version 4 or 6.";
    MacAddress "mac-address" "The hardware address of a network card.";
    Imei "imei" "The number of a mobile telephone.";
    UserAgent "user-agent" "What a browser says of itself.";
    CreditCard "credit-card" "The number of a payment card.";
    CardCode "card-code" "A card's security code, PIN or date of expiry.";
    Iban "iban" "An international bank account number.";
    BankAccount "bank-account" "A bank account: its number or its name.";
    BankCode "bank-code" "What names a bank or branch: BIC, routing number, sort code.";
    Money "money" "An amount of money or a currency.";
    Crypto "crypto" "An address of a crypto-currency.";
    NationalId "national-id" "A number that a state gives to a person: social security, tax, health insurance.";
    Passport "passport" "A passport number.";
    DriverLicence "driver-licence" "A driver licence number.";
    Plate "plate" "A vehicle's registration plate.";
    Vin "vin" "A vehicle identification number.";
    MedicalRecord "medical-record" "The number of a patient or of a medical record.";
    Id "id" "A number or code that stands for someone or something.";
    Password "password" "A password.";
    Secret "secret" "A key, token or other machine secret.";
    Health "health" "A disease, symptom or other condition.";
    Medication "medication" "A drug or chemical.";
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Whether a kind is an identifier that the taggers know only as [`Kind::Id`]. The taggers learnt this list.
pub(crate) fn is_identifier(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Email
            | Kind::Url
            | Kind::IpAddress
            | Kind::MacAddress
            | Kind::Imei
            | Kind::UserAgent
            | Kind::CreditCard
            | Kind::Iban
            | Kind::BankCode
            | Kind::Crypto
            | Kind::NationalId
            | Kind::Passport
            | Kind::DriverLicence
            | Kind::Plate
            | Kind::Vin
            | Kind::MedicalRecord
            | Kind::Secret
            | Kind::Coordinates
    )
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_is_its_own_and_leads_back() {
        let names: HashSet<&str> = Kind::ALL.iter().map(Kind::name).collect();
        assert_eq!(names.len(), Kind::ALL.len());
        for kind in Kind::ALL {
            assert_eq!(&Kind::named(kind.name()), kind);
            assert!(kind.name().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'));
        }
    }
}
