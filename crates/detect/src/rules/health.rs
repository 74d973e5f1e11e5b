//! Numbers of patients and of health care providers.

use super::checksum::luhn;
use super::letters::{compact, digits, exact_digits};
use super::rule::{Edges, Rule, Verdict};
use crate::kind::Kind;

/// The text between a label and its value.
const IS: &str = r#"["']?\s{0,3}(?:\bis\b|[:=#.-])?\s{0,3}#?["']?"#;

pub(super) fn rules() -> Vec<Rule> {
    let value = |shortest: u32| format!("((?:[A-Za-z]{{1,5}}-?)?[0-9][A-Za-z0-9-]{{{shortest},15}})");
    let record_words = r"(?:[ _-](?:record|chart|number|no\.?|num|id|identifier|file))*(?:\s*\(mrn\))?";
    let number_word = r"[ _-]?(?:id|no\.?|number|num|#|identifier|mrn|policy)";
    let (letter, either) = ("[AC-HJKMNP-RT-Y]", "[0-9AC-HJKMNP-RT-Y]");
    vec![
        Rule::new("medical-record", Kind::MedicalRecord, "The number of a medical record.", 0.9)
            .led(
                &["mrn", "emr", "ehr", "medical", "chart", "hospital"],
                format!("(?i){record_words}{IS}{}", value(2)),
            )
            .checked("record number", record, 0.9)
            .edges(Edges::Word),
        Rule::new("patient-id", Kind::MedicalRecord, "The number of a patient.", 0.85)
            .led(
                &["patient", "pt", "pat", "encounter", "specimen", "accession", "admission"],
                format!("(?i){number_word}{IS}{}", value(2)),
            )
            .checked("record number", record, 0.88)
            .edges(Edges::Word),
        Rule::new("npi", Kind::MedicalRecord, "The number of a health care provider in the USA.", 0.0)
            .shape("[12][0-9]{9}")
            .checked("Luhn with prefix", npi, 0.0)
            .only_near(["npi", "provider", "physician", "national provider", "prescriber"], 0.92),
        Rule::new(
            "dea",
            Kind::MedicalRecord,
            "The number of a prescriber of controlled drugs in the USA.",
            0.2,
        )
        .shape("[A-HJ-NPRSTUX][A-Z9][0-9]{7}")
        .checked("DEA", dea, 0.6)
        .near(["dea", "dea number", "prescriber", "physician", "pharmacy"], 0.92),
        Rule::new("health-insurance", Kind::MedicalRecord, "The number of a member of a health plan.", 0.8)
            .led(
                &["member", "subscriber", "beneficiary", "insurance", "group"],
                format!("(?i){number_word}{IS}{}", value(4)),
            )
            .checked("record number", record, 0.8)
            .edges(Edges::Word),
        Rule::new(
            "us-medicare",
            Kind::MedicalRecord,
            "The number of a beneficiary of Medicare in the USA.",
            0.75,
        )
        .shape(format!("[1-9]{letter}{either}[0-9]-?{letter}{either}[0-9]-?{letter}{{2}}[0-9]{{2}}"))
        .near(["medicare", "mbi", "beneficiary", "medicare number"], 0.95),
    ]
}

fn record(text: &str) -> Verdict {
    let count = digits(text).count();
    // A date after the word is not the number of a record.
    let date = text.len() == 10 && count == 8 && text.matches('-').count() == 2;
    if count >= 3 && !date { Verdict::Valid } else { Verdict::Invalid }
}

/// Checks the last digit by Luhn with the prefix 80840, which adds 24.
fn npi(text: &str) -> Verdict {
    if luhn(&format!("80840{text}")) { Verdict::Valid } else { Verdict::Invalid }
}

/// Checks the last digit: the sum of the first, third and fifth digit plus twice the others.
fn dea(text: &str) -> Verdict {
    // The second letter may be a nine, which is not part of the number.
    let code = compact(text);
    let Some([a, b, c, d, e, f, check]) = code.get(2..).and_then(exact_digits) else {
        return Verdict::Invalid;
    };
    if (a + c + e + 2 * (b + d + f)) % 10 == check { Verdict::Valid } else { Verdict::Invalid }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn records() {
        finds(
            "medical-record",
            &[
                "MRN: [[00123456]]",
                "mrn [[A-445566]].",
                "medical record number [[7788990]]",
                "Medical Record #[[123-456]]",
                "chart no. [[55512]]",
            ],
        );
        ignores(
            "medical-record",
            &["MRN", "medical care", "chart 12", "medical record 2021-03-04", "hospital in 2021"],
        );
        finds(
            "patient-id",
            &[
                "Patient ID: [[P-10293]]",
                "patient no. [[44321]]",
                "patient_id=[[88776]]",
                "pt id [[9981]]",
                "Patient number is [[70012]].",
            ],
        );
        ignores(
            "patient-id",
            &["patient 44", "patients id 44321", "the patient is 441", "patient id", "impatient id 44321"],
        );
        finds(
            "health-insurance",
            &[
                "member ID: [[XYZ123456789]]",
                "subscriber no. [[884422110]]",
                "Member number [[A12345]]",
                "insurance policy [[H9988776]]",
                "group id [[778899]]",
            ],
        );
        ignores(
            "health-insurance",
            &["member 12345", "member id", "insurance is 12345", "members id 12345", "group of 12345"],
        );
    }

    #[test]
    fn numbers_with_a_check() {
        finds(
            "npi",
            &[
                "NPI [[1234567893]]",
                "npi: [[1245319599]]",
                "provider [[1234567893]]",
                "Physician NPI [[1245319599]].",
                "NPI #[[1234567893]]",
            ],
        );
        ignores(
            "npi",
            &["1234567893", "NPI 1234567890", "NPI 3234567893", "NPI 123456789", "NPI 12345678933"],
        );
        finds(
            "dea",
            &[
                "DEA [[AB1234563]]",
                "[[BJ6125341]].",
                "dea number: [[AP5836727]]",
                "prescriber [[AB1234563]]",
                "([[FW1234563]])",
            ],
        );
        ignores("dea", &["AB1234564", "AB123456", "AB12345633", "1B1234563", "ab1234563"]);
        finds(
            "us-medicare",
            &[
                "MBI [[1EG4-TE5-MK73]]",
                "[[1EG4TE5MK73]]",
                "medicare [[1EG4-TE5-MK72]]",
                "\"[[2AC3-DE4-FG56]]\"",
                "no [[9XY8-WV7-UT65]].",
            ],
        );
        ignores(
            "us-medicare",
            &["0EG4-TE5-MK73", "1SG4-TE5-MK73", "1EG4-TE5-MK7", "1EG4-TE5-MK734", "EG4-TE5-MK73"],
        );
    }
}
