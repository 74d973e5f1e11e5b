//! Kinds of sensitive information.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

macro_rules! kinds {
    ($($variant:ident $name:literal $family:ident $about:literal;)*) => {
        /// A kind of sensitive information. Every kind has one name in output, settings and receipts.
        ///
        /// ```
        /// use inkveil_detect::Kind;
        ///
        /// assert_eq!(Kind::CreditCard.name(), "credit-card");
        /// assert_eq!(Kind::named("credit-card"), Kind::CreditCard);
        /// assert_eq!(Kind::named("project-code").name(), "project-code"); // a kind of the user
        /// ```
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Kind {
            $(#[doc = $about] $variant,)*
            /// A kind that the user defines.
            Custom(Arc<str>),
        }

        impl Kind {
            /// All built-in kinds.
            pub const ALL: &'static [Kind] = &[$(Kind::$variant),*];

            /// Returns its name: lower-case words joined by hyphens.
            pub fn name(&self) -> &str {
                match self {
                    $(Kind::$variant => $name,)*
                    Kind::Custom(name) => name,
                }
            }

            /// Describes it in a few words.
            pub fn about(&self) -> &'static str {
                match self {
                    $(Kind::$variant => $about,)*
                    Kind::Custom(_) => "A kind of your own.",
                }
            }

            /// Returns the kind of this name. An unknown name is a kind of the user.
            pub fn named(name: &str) -> Self {
                match name {
                    $($name => Kind::$variant,)*
                    other => Kind::Custom(other.into()),
                }
            }

            /// Returns the family that it belongs to.
            pub fn family(&self) -> Family {
                match self {
                    $(Kind::$variant => Family::$family,)*
                    Kind::Custom(_) => Family::Other,
                }
            }
        }
    };
}

kinds! {
    Person "person" People "A person's name or a part of it.";
    Title "title" People "A form of address before or after a name.";
    Username "username" People "A user name or handle.";
    Job "job" People "An occupation, a job title or the area of a job.";
    Trait "trait" People "A trait of a person: gender, height, eye colour, origin, religion.";
    Age "age" People "A person's age.";
    Orientation "orientation" People "Sexual orientation, gender identity or sex life.";
    Ethnicity "ethnicity" People "Racial or ethnic origin.";
    Belief "belief" People "A religious or philosophical belief.";
    Politics "politics" People "A political opinion, or membership in a party or trade union.";
    Crime "crime" People "A conviction, an offence, or what someone suffered from one.";
    Family "family" People "A relation in a family or household: husband, divorced, custody.";
    Immigration "immigration" People "Immigration status or citizenship.";
    Organisation "organisation" Places "A company, an authority, a school, a hospital, a team.";
    Location "location" Places "A country, region, city or other named place.";
    Address "address" Places "A street address or a part of it: building, street, flat.";
    PostalCode "postal-code" Places "A postal code.";
    Coordinates "coordinates" Places "A latitude and a longitude.";
    Date "date" Times "A date or a part of it.";
    Time "time" Times "A time of day.";
    Email "email" Contact "An e-mail address.";
    Phone "phone" Contact "A telephone or fax number.";
    Url "url" Contact "A web address or a domain name.";
    IpAddress "ip-address" Contact "An IP address, version 4 or 6.";
    MacAddress "mac-address" Contact "The hardware address of a network card.";
    Imei "imei" Contact "The number of a mobile telephone (IMEI).";
    UserAgent "user-agent" Contact "The user agent of a browser or program.";
    CreditCard "credit-card" Money "The number of a payment card.";
    CardCode "card-code" Money "A card's security code, PIN or expiry date.";
    Iban "iban" Money "An international bank account number.";
    BankAccount "bank-account" Money "A bank account: its number or its name.";
    BankCode "bank-code" Money "A code of a bank or branch: BIC, routing number, sort code.";
    Money "money" Money "An amount of money or a currency.";
    Finance "finance" Money "Financial circumstances: debts, benefits, bankruptcy, salary.";
    Crypto "crypto" Money "An address of a crypto-currency.";
    NationalId "national-id" Identity "A number that a state assigns to a person: social security, tax, health insurance.";
    Passport "passport" Identity "A passport number.";
    DriverLicence "driver-licence" Identity "A driver licence number.";
    Plate "plate" Identity "A vehicle's registration plate.";
    Vin "vin" Identity "A vehicle identification number.";
    MedicalRecord "medical-record" Identity "The number of a patient or of a medical record.";
    Id "id" Identity "A number or code that identifies a person or thing.";
    Password "password" Secrets "A password.";
    Secret "secret" Secrets "A key, token or other machine secret.";
    Health "health" Health "A disease, symptom or other condition.";
    Medication "medication" Health "A drug or chemical.";
    Biometric "biometric" Health "Biometric or genetic data.";
}

impl Kind {
    /// Returns the placeholder that replaces a span of this kind, for example `[EMAIL]`.
    pub fn placeholder(&self) -> String {
        format!("[{}]", self.name().to_uppercase())
    }

    /// Returns whether it is a special category that word lists find and taggers know as [`Kind::Trait`].
    pub fn is_special(&self) -> bool {
        matches!(
            self,
            Kind::Orientation
                | Kind::Ethnicity
                | Kind::Belief
                | Kind::Politics
                | Kind::Crime
                | Kind::Family
                | Kind::Immigration
                | Kind::Finance
                | Kind::Biometric
        )
    }

    /// Returns whether the taggers know it only as [`Kind::Id`]. They were trained with this list.
    pub(crate) fn is_identifier(&self) -> bool {
        matches!(
            self,
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

/// A group of related kinds, which share a colour in reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Family {
    /// Names and traits of people.
    People,
    /// Places and organisations.
    Places,
    /// Dates and times.
    Times,
    /// Addresses and numbers for contact.
    Contact,
    /// Payment and money.
    Money,
    /// Identity numbers.
    Identity,
    /// Passwords and keys.
    Secrets,
    /// Health and medication.
    Health,
    /// Kinds of the user.
    Other,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 9] = [
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

    /// Returns its name in one lower-case word.
    pub fn name(self) -> &'static str {
        match self {
            Family::People => "people",
            Family::Places => "places",
            Family::Times => "times",
            Family::Contact => "contact",
            Family::Money => "money",
            Family::Identity => "identity",
            Family::Secrets => "secrets",
            Family::Health => "health",
            Family::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_lead_back_to_their_kind() {
        let names: HashSet<&str> = Kind::ALL.iter().map(Kind::name).collect();
        assert_eq!(names.len(), Kind::ALL.len());
        for kind in Kind::ALL {
            assert_eq!(&Kind::named(kind.name()), kind);
            assert!(kind.name().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'));
        }
    }

    #[test]
    fn only_kinds_of_the_user_are_in_the_family_other() {
        assert!(Kind::ALL.iter().all(|kind| kind.family() != Family::Other));
        assert_eq!(Kind::named("ticket").family(), Family::Other);
    }
}
