//! Presidio's names of kinds, for interfaces that stand in for it.

use inkveil_detect::Kind;

/// Presidio's name of a kind. A kind that it does not know keeps its own, in capitals.
///
/// ```
/// use inkveil::detect::Kind;
///
/// assert_eq!(inkveil::presidio_name(&Kind::Email), "EMAIL_ADDRESS");
/// ```
pub fn presidio_name(kind: &Kind) -> String {
    let name = match kind {
        Kind::Person => "PERSON",
        Kind::Organisation => "ORGANIZATION",
        Kind::Location | Kind::Address | Kind::PostalCode | Kind::Coordinates => "LOCATION",
        Kind::Date | Kind::Time => "DATE_TIME",
        Kind::Email => "EMAIL_ADDRESS",
        Kind::Phone => "PHONE_NUMBER",
        Kind::Url => "URL",
        Kind::IpAddress => "IP_ADDRESS",
        Kind::MacAddress => "MAC_ADDRESS",
        Kind::CreditCard => "CREDIT_CARD",
        Kind::Iban => "IBAN_CODE",
        Kind::BankAccount => "US_BANK_NUMBER",
        Kind::Crypto => "CRYPTO",
        Kind::NationalId => "US_SSN",
        Kind::Passport => "US_PASSPORT",
        Kind::DriverLicence => "US_DRIVER_LICENSE",
        Kind::Trait => "NRP",
        Kind::MedicalRecord => "MEDICAL_LICENSE",
        Kind::Custom(name) => return name.to_string(),
        other => return other.name().to_uppercase().replace('-', "_"),
    };
    name.to_owned()
}

/// All of Presidio's names that detection finds, sorted.
pub fn presidio_names() -> Vec<String> {
    let mut names: Vec<String> = Kind::ALL.iter().map(presidio_name).collect();
    names.sort_unstable();
    names.dedup();
    names
}
