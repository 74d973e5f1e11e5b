//! Quantities with units, such as doses. They are kept, because a changed dose is a false fact.

use inkveil_notation::{WrittenNumber, numbers};

const UNITS: &[&str] = &[
    "mg",
    "mcg",
    "µg",
    "ug",
    "g",
    "kg",
    "ml",
    "l",
    "dl",
    "cl",
    "iu",
    "units",
    "unit",
    "mmol",
    "mol",
    "mmhg",
    "bpm",
    "mg/dl",
    "mmol/l",
    "mg/kg",
    "ml/h",
    "mg/ml",
    "kcal",
    "kj",
    "cm",
    "mm",
    "m",
    "km",
    "%",
    "°c",
    "°f",
    "tablets",
    "tablet",
    "capsules",
    "capsule",
    "puffs",
    "drops",
    "doses",
    "dose",
    "times",
    "hours",
    "hrs",
    "h",
    "minutes",
    "min",
    "weeks",
    "days",
    "lb",
    "lbs",
    "oz",
    "stone",
    "ng",
    "pg",
    "nmol",
    "pmol",
    "u",
    "miu",
    "kpa",
    "msv",
    "cigarettes",
];
/// Names of measurements before a number.
const MEASUREMENTS: &[&str] =
    &["hba1c", "bp", "hr", "bmi", "crp", "psa", "inr", "egfr", "troponin", "tsh", "hb"];

/// How often a dose is taken.
const OFTEN: &[&str] = &["bd", "od", "tds", "qds", "prn", "nocte", "mane", "daily"];
/// The units of heights and weights of people.
const OF_PEOPLE: &[&str] = &["cm", "m", "kg", "lb", "lbs", "stone"];

/// Returns whether a word is a unit of measurement.
///
/// ```
/// assert!(inkveil_entities::is_unit("mg") && !inkveil_entities::is_unit("supported"));
/// ```
pub fn is_unit(word: &str) -> bool {
    let word = word.to_lowercase();
    let plain = word.trim_end_matches('.');
    let known = |unit: &str| UNITS.contains(&unit);
    // "ng/L" is a unit because both parts are.
    known(plain) || plain.split_once('/').is_some_and(|(one, other)| known(one) && known(other))
}

/// Returns whether a place of a text is a number with a unit after it: the 40 of "40 mg".
pub fn is_quantity(text: &str, range: std::ops::Range<usize>) -> bool {
    let after = text.get(range.end..).unwrap_or_default();
    let unit = after.trim_start_matches([' ', '\u{a0}']);
    let unit =
        unit.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')')).next().unwrap_or_default();
    let number = text.get(range).unwrap_or_default();
    let is_number = number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    is_number && !number.is_empty() && is_unit(unit)
}

/// Returns a quantity with its unit as it is, also one of several dimensions ("4 x 3 cm"); none if the text is not one.
pub(super) fn kept(text: &str) -> Option<String> {
    let found = numbers(text);
    let (first, number) = (found.first()?, found.last()?);
    let is_sign = |near: &[_]| match near {
        [one, other] => {
            let (one, other): (&WrittenNumber, &WrittenNumber) = (one, other);
            let sign = text.get(one.range().end..other.range().start).unwrap_or_default().trim();
            // "120/80" is a pressure; longer numbers with a slash are those of files.
            let is_short = |number: &WrittenNumber| number.range().len() <= 3;
            let is_pair = found.len() == 2 && is_short(one) && is_short(other);
            matches!(sign, "x" | "×" | "by") || sign == "/" && is_pair
        }
        _ => false,
    };
    if !found.windows(2).all(is_sign) {
        return None;
    }
    let before = text.get(..first.range().start)?.trim();
    let unit = text.get(number.range().end..)?.trim();
    // "500 mg BD"
    let unit = match unit.rsplit_once(' ') {
        Some((unit, often)) if OFTEN.contains(&often.to_lowercase().as_str()) => unit,
        _ => unit,
    };
    let named = before.is_empty() || MEASUREMENTS.contains(&before.to_lowercase().as_str());
    // "12/88 M" may be a month of birth and a gender.
    let is_pair = found.len() == 1 || !text.contains('/') || unit.len() > 1;
    // "HbA1c 71" needs no unit.
    let is_measured = is_unit(unit) || unit.is_empty() && !before.is_empty();
    (named && is_pair && is_measured).then(|| text.to_owned())
}

/// Returns a quantity that was taken for a trait of a person. A height and a weight identify somebody; "4 x 3 cm" is the
/// size of something.
pub(super) fn kept_as_trait(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let is_of_person = OF_PEOPLE.iter().any(|unit| lower.ends_with(unit));
    kept(text).filter(|text| !is_of_person || numbers(text).len() > 1)
}

/// Returns a quantity that was taken for the number of something. A letter after a number may be a part of it.
pub(super) fn kept_as_id(text: &str) -> Option<String> {
    let letters = text.chars().rev().take_while(|c| c.is_alphabetic() || matches!(c, '%' | '/')).count();
    kept(text).filter(|text| numbers(text).len() == 1 && (letters > 1 || text.ends_with('%')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_quantities_with_units_are_kept() {
        assert_eq!(kept("40 mg").as_deref(), Some("40 mg"));
        assert!(is_quantity("takes 40 mg.", 6..8) && is_quantity("40 mg", 0..2));
        assert!(!is_quantity("aged 40 and", 5..7) && !is_quantity("B mg", 0..1));
        assert_eq!(kept("0.5ml").as_deref(), Some("0.5ml"));
        assert_eq!(kept("312 ng/L").as_deref(), Some("312 ng/L"));
        assert_eq!(kept("4 x 3 cm").as_deref(), Some("4 x 3 cm"));
        assert_eq!(kept("13.2 mmol").as_deref(), Some("13.2 mmol"));
        assert_eq!(kept("4 and 3 cm"), None);
        assert_eq!(kept("HbA1c 68 mmol/mol").as_deref(), Some("HbA1c 68 mmol/mol"));
        assert_eq!(kept("HbA1c 71").as_deref(), Some("HbA1c 71"));
        assert!(!is_unit("ng/x") && !is_unit("/"));
        assert_eq!(kept("120/80 mmHg").as_deref(), Some("120/80 mmHg"));
        for id in ["2214/8831 G", "12/04/88 M", "8831 G", "12/88 M", "120/80 mmHg"] {
            assert_eq!(kept_as_id(id), None, "{id}");
        }
        assert_eq!(kept_as_trait("500 mg BD").as_deref(), Some("500 mg BD"));
        assert_eq!(kept_as_trait("4 x 3 cm").as_deref(), Some("4 x 3 cm"));
        assert!(["163 cm", "58 kg", "1.8 m"].into_iter().all(|text| kept_as_trait(text).is_none()));
        assert_eq!(kept_as_id("40 mg").as_deref(), Some("40 mg"));
        let measured = "HbA1c 68 mmol/mol";
        assert_eq!(kept_as_id(measured).as_deref(), Some(measured));
        for other in
            ["2214/8831 G", "12/04/88 M", "12/88 M", "40", "metformin 40 mg", "40 12", "patient 40", "mg", ""]
        {
            assert_eq!(kept(other), None, "{other}");
        }
    }
}
