//! Tax numbers of companies and self-employed people.

use super::checks::id;
use crate::rules::letters::{compact, digits};
use crate::rules::rule::{Rule, Verdict};

pub(super) fn rules() -> Vec<Rule> {
    vec![
        id("us-ein", "An employer number of the USA.", 0.0)
            .shape("[0-9]{2}-[0-9]{7}")
            .only_near(["ein", "employer identification", "employer id", "tax id", "federal tax", "fein", "tin"], 0.9),
        id("eu-vat", "A value added tax number of a country in Europe.", 0.2)
            .shape(concat!(
                "(?i)(?:AT ?U|BE ?[01]?|BG|CHE|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT|RO|SE",
                "|SI|SK|XI)[ -]?[0-9A-Z]{0,2}[ .-]?(?:[0-9][ .-]?){7,11}(?:B[0-9]{2}|[A-Z]{1,2})?",
            ))
            .filtered(vat)
            .near(
                ["vat", "ust-id", "ustid", "ust-idnr", "tva", "iva", "btw", "umsatzsteuer", "moms"],
                0.93,
            ),
    ]
}

fn vat(text: &str) -> Verdict {
    let code = compact(text);
    if (8..=12).contains(&digits(&code).count()) && (10..=15).contains(&code.len()) {
        Verdict::Unsure
    } else {
        Verdict::Invalid
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn companies() {
        finds(
            "us-ein",
            &[
                "EIN [[12-3456789]]",
                "tax id: [[98-7654321]]",
                "FEIN [[12-3456789]].",
                "employer id [[12-3456789]]",
                "federal tax [[12-3456789]]",
            ],
        );
        ignores(
            "us-ein",
            &["12-3456789", "EIN 12-345678", "EIN 123456789", "EIN 12-34567890", "being 12-3456789"],
        );
        finds(
            "eu-vat",
            &[
                "VAT number [[DE123456789]]",
                "USt-IdNr. [[ATU12345678]]",
                "TVA [[FR 12 345678901]]",
                "btw [[NL123456789B01]]",
                "VAT: [[GB 123 4567 89]]",
            ],
        );
        ignores(
            "eu-vat",
            &["DE123456789", "VAT 123456789", "VAT DE12345", "private DE123456789", "VAT XX123456789"],
        );
    }
}
