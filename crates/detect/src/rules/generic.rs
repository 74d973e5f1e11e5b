//! Numbers and codes after labels.

use super::letters::digits;
use super::rule::{Edges, Rule, Verdict};
use crate::kind::Kind;

/// Words at the end of labels of numbers.
const NUMBER: &str = concat!(
    r"(?:[ _-]?(?:number|no\.?|num\.?|nr\.?|id|code|ref(?:erence)?\.?|identifier|#)",
    "|[ _-](?:number|id) (?:is|was))",
);
/// A code with a digit.
const CODE: &str = "([A-Za-z]{0,6}[-_/]?[0-9](?:[A-Za-z0-9]|[-_/.][A-Za-z0-9]){2,30})";
/// The text between a label and its value.
const IS: &str = r#"["']?\s{0,3}(?:\bis\b|\bwas\b|[:=#]|№)?\s{0,3}#?["']?"#;

const LABELS: &[&str] = &[
    "order",
    "invoice",
    "customer",
    "client",
    "employee",
    "staff",
    "student",
    "case",
    "claim",
    "ticket",
    "booking",
    "reservation",
    "confirmation",
    "transaction",
    "policy",
    "contract",
    "serial",
    "tracking",
    "shipment",
    "parcel",
    "reference",
    "request",
    "incident",
    "docket",
    "file",
    "application",
    "badge",
    "membership",
    "loyalty",
    "account",
    "payment",
    "receipt",
    "purchase",
    "registration",
    "licence",
    "license",
    "certificate",
    "permit",
    "session",
    "device",
    "vendor",
    "supplier",
    "matriculation",
    "enrolment",
    "enrollment",
    "personnel",
    "subscription",
    "card",
    "profile",
    "record",
    "document",
    "bestellnummer",
    "rechnungsnummer",
    "kundennummer",
    "aktenzeichen",
    "kunden",
    "auftragsnummer",
    "vertragsnummer",
    "personalnummer",
    "matrikelnummer",
    "seriennummer",
    "fallnummer",
    "commande",
    "facture",
    "dossier",
    "matricule",
    "pedido",
    "factura",
    "expediente",
    "póliza",
    "ordine",
    "fattura",
    "pratica",
    "matricola",
    "polizza",
    "fatura",
    "apólice",
    "klantnummer",
    "factuurnummer",
    "factuur",
    "dossiernummer",
    "bestelling",
    "patent",
    "barcode",
];

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("uuid", Kind::Id, "A universally unique identifier (UUID).", 0.9)
            .shape("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
            .edges(Edges::Word),
        Rule::new("id-labelled", Kind::Id, "A code after a label such as order number or customer id.", 0.8)
            .led(LABELS, format!("(?i){NUMBER}{{1,2}}{IS}{CODE}"))
            .led(LABELS, format!(r"(?i)\s{{0,2}}[:=#]{IS}{CODE}"))
            .checked("code", code, 0.8)
            .edges(Edges::Strict),
        Rule::new("id-mentioned", Kind::Id, "A code after a word such as order or invoice.", 0.5)
            .led(
                &[
                    "order", "invoice", "ticket", "claim", "docket", "booking", "confirmation", "tracking", "serial",
                    "policy",
                ],
                concat!(
                    r#"(?i) ["']?((?:[A-Za-z]{1,6}[-_/]?[0-9]|[0-9][0-9A-Za-z]{2})"#,
                    "(?:[A-Za-z0-9]|[-_/][A-Za-z0-9]){2,24})",
                ),
            )
            .checked("long code", long_code, 0.6)
            .edges(Edges::Strict),
        Rule::new("id-reference", Kind::Id, "A code after a word such as ref or id.", 0.65)
            .led(
                &["ref", "id", "reference", "identifier", "sn", "uid", "guid", "az", "imsi", "iccid", "meid"],
                format!(
                    r#"(?i)(?:\.|[ _-]?(?:number|no\.?|code))?["']?\s{{0,3}}(?:\bis\b|[:=#.])\s{{0,3}}#?["']?{CODE}"#
                ),
            )
            .checked("code", code, 0.7)
            .edges(Edges::Strict),
        Rule::new("sim-card", Kind::Id, "The number of a SIM card.", 0.4)
            .shape("89[0-9]{16,18}")
            .near(["sim", "iccid", "esim"], 0.9),
    ]
}

fn code(text: &str) -> Verdict {
    let count = digits(text).count();
    let date = count == 8 && text.len() == 10 && text.matches(['-', '/', '.']).count() == 2;
    if count >= 2 && text.len() >= 3 && !date { Verdict::Valid } else { Verdict::Invalid }
}

/// Refuses years, dates and small numbers.
fn long_code(text: &str) -> Verdict {
    let count = digits(text).count();
    if count >= 4 && text.len() >= 6 { code(text) } else { Verdict::Invalid }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn uuid() {
        finds(
            "uuid",
            &[
                "[[123e4567-e89b-12d3-a456-426614174000]]",
                "id=[[ABCDEFAB-E89B-12D3-A456-426614174000]]",
                "{[[00000000-0000-4000-8000-000000000001]]}",
                "user [[f47ac10b-58cc-4372-a567-0e02b2c3d479]].",
                "/x/[[f47ac10b-58cc-4372-a567-0e02b2c3d479]]/y",
            ],
        );
        ignores(
            "uuid",
            &[
                "123e4567-e89b-12d3-a456",
                "g23e4567-e89b-12d3-a456-426614174000",
                "123e4567e89b12d3a456426614174000",
                "1-2-3-4-5",
                "x123e4567-e89b-12d3-a456-426614174000",
            ],
        );
    }

    #[test]
    fn labelled() {
        finds(
            "id-labelled",
            &[
                "order #[[84721]]",
                "Invoice no. [[INV-2021-0042]].",
                "customer id: [[C99812]]",
                "employee number [[E-10442]]",
                "policy number is [[PX/88-123]]",
                "ticket: [[AB1234]]",
            ],
        );
        ignores(
            "id-labelled",
            &[
                "order 12 pizzas",
                "in order to",
                "file 3",
                "policy number",
                "the account: closed",
                "border #84721",
                "order id ab",
            ],
        );
        finds(
            "id-mentioned",
            &[
                "order [[4711-0815]] is late",
                "ticket [[AB-12345]]",
                "invoice [[2021004711]]",
                "claim [[X99887766]]",
                "tracking [[1Z999AA10123456784]]",
            ],
        );
        ignores(
            "id-mentioned",
            &["order 2021", "order 12", "ticket of 2021-03-04", "claim 1234", "policy 99"],
        );
        finds(
            "id-reference",
            &[
                "Ref: [[AB123]]",
                "ref. [[99-1234]]",
                "ID: [[7781]]",
                "reference number: [[X1234]]",
                "id=[[u4711]]",
                "\"customer_id\": \"[[cus_9912]]\"",
            ],
        );
        ignores("id-reference", &["ref", "id 7781", "ref to 12", "idea: 1234", "ID: card"]);
        finds(
            "sim-card",
            &[
                "SIM [[8944110068012345678]]",
                "iccid: [[89441100680123456789]]",
                "sim card [[894411006801234567]]",
                "eSIM [[8949020000012345678]]",
                "the sim, [[8931440400012345678]]",
            ],
        );
        ignores(
            "sim-card",
            &[
                "8944110068012345678",
                "SIM 88441100680123",
                "sim 89",
                "SIM 8844110068012345678",
                "SIM A8944110068012345678",
            ],
        );
    }
}
