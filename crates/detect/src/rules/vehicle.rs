//! Registration plates and vehicle identification numbers.

use super::letters::{compact, digits, exact_digits};
use super::rule::{Rule, Verdict};
use crate::kind::Kind;

const PLATE: [&str; 20] = [
    "plate",
    "license plate",
    "licence plate",
    "number plate",
    "registration",
    "reg",
    "reg.",
    "tag",
    "car",
    "vehicle",
    "van",
    "kennzeichen",
    "immatriculation",
    "matrícula",
    "targa",
    "kenteken",
    "vrm",
    "plates",
    "vehicle registration",
    "truck",
];

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("vin", Kind::Vin, "A vehicle identification number.", 0.3)
            .shape("[A-HJ-NPR-Za-hj-npr-z0-9]{17}")
            .checked("VIN", vin, 0.93)
            .near(
                ["vin", "vehicle", "chassis", "car", "vehicle identification", "fahrgestellnummer", "truck"],
                0.8,
            ),
        Rule::new("plate-uk", Kind::Plate, "A registration plate of Great Britain.", 0.55)
            .shape("[A-HJ-PR-Y][A-HJ-PR-Y][0-9]{2} ?[A-HJ-PR-Z]{3}")
            .shape("[a-hj-pr-y][a-hj-pr-y][0-9]{2} [a-hj-pr-z]{3}")
            .checked("plate year", current_plate, 0.58)
            .near(PLATE, 0.9),
        Rule::new("plate", Kind::Plate, "A registration plate.", 0.0)
            .shape("[A-Z0-9]{1,3}[ -][A-Z0-9]{2,4}(?:[ -][A-Z0-9]{1,4})?")
            .shape("[A-Z0-9]{5,8}")
            .shape("[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?[0-9]{1,4}[EH]?")
            .shape("[a-z]{3}[0-9]{3,4}|[0-9]{3,4}[a-z]{3}|[a-z]{2}[0-9]{2}[a-z]{3}")
            .filtered(letters_and_digits)
            .only_near(PLATE, 0.8)
            .within(30),
    ]
}

/// Checks the ninth character, which is a check digit in North America only.
fn vin(text: &str) -> Verdict {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let code = compact(text);
    let count = digits(&code).count();
    if code.len() != WEIGHTS.len()
        || !(3..17).contains(&count)
        || !code.ends_with(|c: char| c.is_ascii_digit())
    {
        return Verdict::Invalid;
    }
    let value = |c: char| match c {
        '0'..='9' => c.to_digit(10).unwrap_or(0),
        'A'..='H' => u32::from(c) - u32::from('A') + 1,
        'J'..='R' => u32::from(c) - u32::from('J') + 1,
        'S'..='Z' => u32::from(c) - u32::from('S') + 2,
        _ => 0,
    };
    let sum: u32 = code.chars().map(value).zip(WEIGHTS).map(|(value, weight)| value * weight).sum();
    let check = match sum % 11 {
        10 => Some('X'),
        rest => char::from_digit(rest, 10),
    };
    if code.chars().nth(8) == check { Verdict::Valid } else { Verdict::Unsure }
}

/// Checks the two digits: the year, or the year plus 50 for its second half.
fn current_plate(text: &str) -> Verdict {
    let year = exact_digits(text).map(|[tens, ones]| tens * 10 + ones);
    if matches!(year, Some(1..=29 | 51..=79)) { Verdict::Valid } else { Verdict::Unsure }
}

fn letters_and_digits(text: &str) -> Verdict {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let count = digits(text).count();
    if letters >= 1 && count >= 2 && (5..=8).contains(&(letters + count)) {
        Verdict::Unsure
    } else {
        Verdict::Invalid
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn vin() {
        finds(
            "vin",
            &[
                "[[1HGCM82633A004352]]",
                "VIN: [[1M8GDM9AXKP042788]].",
                "vin [[wvwzzz1jz3w386752]]",
                "chassis [[WDB1240511B123456]]",
                "\"[[1FTFW1ET9DFC10312]]\"",
            ],
        );
        ignores(
            "vin",
            &[
                "1HGCM82633A004353",
                "VIN 1HGCM82633A00435",
                "VIN 1HGCM82633AO04352",
                "12345678901234567",
                "internationalizat",
            ],
        );
    }

    #[test]
    fn plates() {
        finds(
            "plate-uk",
            &["[[AB12 CDE]]", "saw [[LM67XYZ]].", "reg [[ab12 cde]]", "[[YD05 KLM]],", "car ([[BD51SMR]])"],
        );
        ignores("plate-uk", &["AB12", "AI12 CDE", "AB1 CDE", "AB12 CD", "AB12 CDEF", "XAB12CDE"]);
        finds(
            "plate",
            &[
                "plate [[B-MW 1234]]",
                "license plate [[7ABC123]]",
                "Kennzeichen: [[HH-AB 123]]",
                "reg. [[AA-123-BB]]",
                "plate [[abc1234]]",
            ],
        );
        ignores(
            "plate",
            &[
                "B-MW 1234",
                "plate 12",
                "a plate of FOOD",
                "plate ABCDEF",
                "template 7ABC123",
                "plate 2021",
                "a car for 150 to go",
            ],
        );
    }
}
