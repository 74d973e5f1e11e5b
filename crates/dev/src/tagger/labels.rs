//! Labels of the gold sets that are counted separately. The tool that measures other detectors
//! includes this file.

/// The labels of structured identifiers in the sets that label everything.
const STRUCTURED: [&str; 32] = [
    "credit_card",
    "phone_number",
    "email_address",
    "us_ssn",
    "iban_code",
    "ip_address",
    "domain_name",
    "us_driver_license",
    "creditcardnumber",
    "phonenumber",
    "email",
    "ssn",
    "iban",
    "ip",
    "ipv4",
    "ipv6",
    "mac",
    "url",
    "phoneimei",
    "vehiclevin",
    "vehiclevrm",
    "bitcoinaddress",
    "ethereumaddress",
    "litecoinaddress",
    "bic",
    "crypto",
    "mac-address",
    "ip-address",
    "imei",
    "credit-card",
    "vin",
    "phone",
];

pub(crate) fn is_structured(label: &str) -> bool {
    STRUCTURED.contains(&label)
}

pub(crate) fn is_person(label: &str) -> bool {
    matches!(label, "person" | "per" | "firstname" | "lastname" | "middlename")
}
