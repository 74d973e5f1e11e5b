//! Passports and driver licences.

use super::letters::{compact, digits};
use super::rule::{Edges, Rule, Verdict};
use crate::kind::Kind;

const PASSPORT: [&str; 14] = [
    "passport",
    "passport number",
    "passport no",
    "reisepass",
    "passeport",
    "pasaporte",
    "passaporto",
    "paspoort",
    "passaporte",
    "travel document",
    "pass-nr",
    "passnummer",
    "pass",
    "paszport",
];
const LICENCE: [&str; 17] = [
    "driver",
    "driver's",
    "driver's license",
    "drivers license",
    "driver license",
    "driver licence",
    "driving licence",
    "driving license",
    "dl",
    "licence number",
    "license number",
    "license no",
    "licence no",
    "führerschein",
    "permis de conduire",
    "licencia de conducir",
    "permit",
];

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("passport", Kind::Passport, "A passport number.", 0.0)
            .shape("[A-Za-z]{1,2} ?[0-9]{6,8}[A-Za-z]?")
            .shape("[0-9]{8,9}")
            .shape("[0-9]{2} ?[A-Z]{2} ?[0-9]{5,6}")
            .shape("[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ0-9]{8}[0-9]?")
            .filtered(mostly_digits)
            .only_near(PASSPORT, 0.88),
        Rule::new("passport-zone", Kind::Passport, "A machine-readable line of a passport.", 0.95)
            .shape("[A-Z0-9<]{9}[0-9][A-Z]{3}[0-9]{7}[MFX<][0-9]{7}[A-Z0-9<]{14}[0-9<][0-9]")
            .edges(Edges::Word),
        Rule::new("driver-licence-uk", Kind::DriverLicence, "A driver licence of the United Kingdom.", 0.8)
            .shape("[A-Za-z9]{5}[0-9]{6}[A-Za-z9]{2}[A-Za-z0-9]{3}")
            .shape("[A-Za-z9]{5} [0-9]{6} [A-Za-z9]{2}[A-Za-z0-9]{3}")
            .checked("DVLA", dvla, 0.92)
            .near(LICENCE, 0.95),
        Rule::new("driver-licence", Kind::DriverLicence, "A driver licence number.", 0.0)
            .shape("[A-Za-z]{1,3}[ -]?[0-9]{3,14}(?:[ -][0-9]{2,6}){0,4}")
            .shape("[0-9]{7,12}")
            .shape("[0-9]{2,4}[ -][A-Za-z]{2}[ -]?[0-9]{4,7}")
            .shape("[A-Za-z][0-9A-Za-z]{9,13}")
            .filtered(mostly_digits)
            .only_near(LICENCE, 0.82)
            .within(35),
    ]
}

fn mostly_digits(text: &str) -> Verdict {
    if digits(text).count() >= 4 { Verdict::Unsure } else { Verdict::Invalid }
}

/// Checks the letters of the surname and the date of birth. For women, 50 is added to the month.
fn dvla(text: &str) -> Verdict {
    let code = compact(text);
    let Some(surname) = code.get(..5) else { return Verdict::Invalid };
    let number = |range: std::ops::Range<usize>| {
        code.get(range).and_then(|part| part.parse::<u32>().ok()).unwrap_or(99)
    };
    let (month, day) = (number(6..8), number(8..10));
    // A short surname is padded with nines.
    let padded =
        surname.trim_end_matches('9').bytes().all(|b| b.is_ascii_alphabetic()) && !surname.starts_with('9');
    let born = matches!(month, 1..=12 | 51..=62) && (1..=31).contains(&day);
    if padded && born { Verdict::Valid } else { Verdict::Invalid }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn passport() {
        finds(
            "passport",
            &[
                "passport [[C01X00T47]]",
                "Passport No: [[123456789]]",
                "my passport number is [[AB1234567]].",
                "Reisepass [[C4VR1K0M2]]",
                "passeport [[12AB34567]]",
                "passport: [[x1234567]]",
            ],
        );
        ignores(
            "passport",
            &["AB1234567", "123456789", "passport 12345", "passport photo", "compass 123456789"],
        );
        finds(
            "passport-zone",
            &[
                "[[L898902C36UTO7408122F1204159ZE184226B<<<<<10]]",
                "x\n[[AB12345671GBR8001014M3001019<<<<<<<<<<<<<<02]]",
                "\"[[L898902C36UTO7408122F1204159ZE184226B<<<<<10]]\"",
                "MRZ: [[L898902C36UTO7408122F1204159<<<<<<<<<<<<<<08]]",
                "([[L898902C36UTO7408122X1204159ZE184226B<<<<<10]])",
            ],
        );
        ignores(
            "passport-zone",
            &[
                "L898902C3",
                "L898902C36UTO",
                "<<<<<<<<<",
                "L898902C36UTO7408122Q1204159ZE184226B<<<<<10",
                "1L<2",
            ],
        );
    }

    #[test]
    fn licence() {
        finds(
            "driver-licence-uk",
            &[
                "[[MORGA657054SM9IJ]]",
                "licence [[MORGA 657054 SM9IJ]].",
                "[[KING9801015AB9XY]]",
                "dl [[smith512015jj9ab]]",
                "[[JONES710238AB9CD]],",
            ],
        );
        ignores(
            "driver-licence-uk",
            &[
                "MORGA699054SM9IJ",
                "MORGA657054SM9I",
                "9ORGA657054SM9IJ",
                "MO9GA657054SM9IJ",
                "MORGA657954SM9IJ",
            ],
        );
        finds(
            "driver-licence",
            &[
                "driver's license [[D1234567]]",
                "DL: [[A123 4567 8901]]",
                "driving licence no. [[12345678]]",
                "license number [[S530 4607 9123]]",
                "driver license: [[9999 AB 123456]]",
            ],
        );
        ignores(
            "driver-licence",
            &["D1234567", "the driver of bus 12", "driver AB12", "dll 12345678", "drove 1234567 miles"],
        );
    }
}
