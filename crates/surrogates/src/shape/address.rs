//! Forms of addresses.

/// The parts of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum AddressForm {
    /// Only a house number.
    Building,
    /// Only a flat, suite or floor.
    Unit,
    /// A post office box.
    Box,
    /// A street without a number.
    StreetName,
    /// A street with a number, and further parts.
    Street { number_first: bool, unit: bool, town: bool, code: bool, lines: bool },
}

const UNITS: &[&str] = &[
    "apt",
    "apartment",
    "appt",
    "suite",
    "ste",
    "unit",
    "flat",
    "floor",
    "room",
    "rm",
    "bldg",
    "building",
    "block",
    "lot",
    "level",
    "tower",
];

impl AddressForm {
    pub(crate) fn of(text: &str) -> Self {
        let lower = text.trim().to_lowercase();
        let segments: Vec<&str> =
            lower.split([',', '\n']).map(str::trim).filter(|segment| !segment.is_empty()).collect();
        let mut others = segments.iter().filter(|segment| !is_unit(segment));
        let Some(street) = others.next() else {
            return if segments.is_empty() { AddressForm::StreetName } else { AddressForm::Unit };
        };
        let digit = street.find(|c: char| c.is_numeric());
        // The letter of "12b" belongs to the number.
        let letter = street
            .split_whitespace()
            .find(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1)
            .and_then(|word| street.find(word));
        let towns: Vec<&&str> = others.collect();
        match (digit, letter) {
            _ if is_box(street) => AddressForm::Box,
            (Some(_), None) => AddressForm::Building,
            (None, _) => AddressForm::StreetName,
            (Some(digit), Some(letter)) => AddressForm::Street {
                number_first: digit < letter || street.starts_with(|c: char| c.is_numeric()),
                unit: lower.split_whitespace().any(is_unit_word),
                town: !towns.is_empty(),
                code: towns.iter().any(|town| town.chars().any(char::is_numeric)),
                lines: text.trim().contains('\n'),
            },
        }
    }
}

fn is_unit_word(word: &str) -> bool {
    let bare = word.trim_matches(['.', ',']);
    UNITS.contains(&bare) || (word.starts_with('#') && word.len() > 1)
}

/// Returns whether the segment is only a unit: its word and one or two more.
fn is_unit(segment: &str) -> bool {
    segment.split_whitespace().any(is_unit_word) && segment.split_whitespace().count() <= 3
}

fn is_box(street: &str) -> bool {
    let letters: String = street.chars().filter(|c| c.is_alphabetic()).collect();
    ["pobox", "postbox", "postofficebox", "gpobox", "postfach", "postbus"]
        .iter()
        .any(|name| letters.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_addresses() {
        let street = |number_first, unit, town, code, lines| AddressForm::Street {
            number_first,
            unit,
            town,
            code,
            lines,
        };
        for (text, form) in [
            ("12", AddressForm::Building),
            ("12b", AddressForm::Building),
            ("Apt. 4B", AddressForm::Unit),
            ("#12-04", AddressForm::Unit),
            ("P.O. Box 1234", AddressForm::Box),
            ("Elm Road", AddressForm::StreetName),
            ("", AddressForm::StreetName),
            ("12 Elm Road", street(true, false, false, false, false)),
            ("12B Elm Road, Flat 3", street(true, true, false, false, false)),
            ("Kerkstraat 4", street(false, false, false, false, false)),
            ("4 Elm Road, Springfield", street(true, false, true, false, false)),
            ("4 Elm Road, Suite 9, Springfield, IL 62701", street(true, true, true, true, false)),
            ("4 Elm Road\nLeeds\nLS1 4AP", street(true, false, true, true, true)),
        ] {
            assert_eq!(AddressForm::of(text), form, "{text}");
        }
    }
}
