//! The United Kingdom, Ireland, Australia, New Zealand and South Africa.

use super::checks::{id, is_day, must, number};
use crate::rules::checksum::{last_digit, luhn, weighted};
use crate::rules::letters::{all_same, compact, digits, exact_digits};
use crate::rules::rule::{Rule, Verdict};

pub(super) fn rules() -> Vec<Rule> {
    vec![
        id("uk-nino", "A national insurance number of the United Kingdom.", 0.6)
            .shape("(?i)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]")
            .shape("(?i)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]-[0-9]{2}-[0-9]{2}-[0-9]{2}-[A-D]")
            .checked("NINO prefix", nino, 0.93)
            .near(["nino", "national insurance", "ni number", "ni no", "n.i"], 0.96),
        id("uk-nhs", "A number of the National Health Service.", 0.0)
            .shape("[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}")
            .checked("NHS", |text| must(nhs(text)), 0.0)
            .only_near(["nhs", "nhs number", "nhs no", "health service", "patient"], 0.95),
        id("uk-utr", "A taxpayer reference of the United Kingdom.", 0.0)
            .shape("[0-9]{5} ?[0-9]{5}")
            .only_near(["utr", "unique taxpayer", "taxpayer reference", "self assessment"], 0.88),
        id("ireland-pps", "A personal public service number of Ireland.", 0.2)
            .shape("(?i)[0-9]{7} ?[A-W][A-IW]?")
            .checked("PPS", |text| must(pps(text)), 0.62)
            .near(["pps", "ppsn", "pps number", "personal public service"], 0.95),
        id("australia-tfn", "A tax file number of Australia.", 0.0)
            .shape("[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{2,3}")
            .checked("TFN", |text| must(tfn(text)), 0.0)
            .only_near(["tfn", "tax file", "tax file number"], 0.95),
        id("australia-medicare", "A Medicare number of Australia.", 0.0)
            .shape("[2-6][0-9]{3}[ -]?[0-9]{5}[ -]?[0-9](?:[/ -]?[0-9])?")
            .checked("Medicare", |text| must(medicare(text)), 0.0)
            .only_near(["medicare", "medicare number", "medicare card"], 0.93),
        id("australia-abn", "A business number of Australia.", 0.0)
            .shape("[0-9]{2} ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}")
            .checked("ABN", |text| must(abn(text)), 0.0)
            .only_near(["abn", "business number"], 0.93),
        id("new-zealand-ird", "A tax number of New Zealand.", 0.0)
            .shape("[0-9]{2,3}[ -]?[0-9]{3}[ -]?[0-9]{3}")
            .only_near(["ird", "ird number", "inland revenue"], 0.88),
        id("south-africa-id", "An identity number of South Africa.", 0.0)
            .shape("[0-9]{6} ?[0-9]{4} ?[01][0-9]{2}")
            .checked("South Africa ID", |text| must(south_africa(text)), 0.6)
            .near(
                ["id number", "identity number", "south africa", "south african", "rsa id", "id no", "sa id"],
                0.95,
            ),
    ]
}

/// Refuses prefixes that are never assigned, and letters that a prefix cannot have.
fn nino(text: &str) -> Verdict {
    let code = compact(text);
    let Some(prefix) = code.get(..2) else { return Verdict::Invalid };
    must(!matches!(prefix, "BG" | "GB" | "NK" | "KN" | "TN" | "NT" | "ZZ"))
}

fn nhs(text: &str) -> bool {
    let sum = weighted(text, &[10, 9, 8, 7, 6, 5, 4, 3, 2]);
    !all_same(text) && last_digit(text) == Some((11 - sum % 11) % 11)
}

/// Checks the first letter modulo 23. The second letter counts nine times.
fn pps(text: &str) -> bool {
    let code = compact(text);
    let letter = |place: usize| {
        let letter = code.as_bytes().get(place).copied().filter(u8::is_ascii_uppercase);
        letter.map(|letter| u32::from(letter - b'A') + 1)
    };
    let second = match letter(8) {
        None | Some(23) => 0,
        Some(value) => value,
    };
    let sum = weighted(&code, &[8, 7, 6, 5, 4, 3, 2]) + 9 * second;
    letter(7).is_some_and(|first| first % 23 == sum % 23)
}

fn tfn(text: &str) -> bool {
    let weights: &[u32] = match digits(text).count() {
        9 => &[1, 4, 3, 7, 5, 8, 6, 9, 10],
        _ => &[10, 7, 8, 4, 6, 3, 5, 1],
    };
    !all_same(text) && weighted(text, weights).is_multiple_of(11)
}

fn medicare(text: &str) -> bool {
    weighted(text, &[1, 3, 7, 9, 1, 3, 7, 9]) % 10 == digits(text).nth(8).unwrap_or(10)
}

/// Checks the number modulo 89, after subtracting one from the first digit.
fn abn(text: &str) -> bool {
    let sum = weighted(text, &[10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    sum.checked_sub(10).is_some_and(|sum| sum.is_multiple_of(89))
}

fn south_africa(text: &str) -> bool {
    let Some(all) = exact_digits::<13>(text) else { return false };
    is_day(number(&all[4..6]), number(&all[2..4])) && luhn(text)
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn kingdom() {
        finds(
            "uk-nino",
            &[
                "[[AB123456C]]",
                "NI number [[AB 12 34 56 C]].",
                "[[ab123456c]]",
                "nino: [[CE-12-34-56-D]]",
                "([[JG103759A]])",
            ],
        );
        ignores("uk-nino", &["DA123456C", "AB123456E", "GB123456A", "AB12345C", "XAB123456C", "AB1234567C"]);
        finds(
            "uk-nhs",
            &[
                "NHS number [[943 476 5919]]",
                "nhs no: [[9434765919]]",
                "NHS [[943-476-5919]].",
                "patient [[943 476 5919]]",
                "NHS: [[4010232137]]",
            ],
        );
        ignores(
            "uk-nhs",
            &["943 476 5919", "NHS 943 476 5918", "NHS 000 000 0000", "NHS 943 476 591", "NHS 943 476 59199"],
        );
        finds(
            "uk-utr",
            &[
                "UTR [[1234567890]]",
                "utr: [[12345 67890]]",
                "unique taxpayer reference [[9876543210]].",
                "UTR=[[1234567890]]",
                "self assessment [[1234567890]]",
            ],
        );
        ignores("uk-utr", &["1234567890", "utr 123456789", "UTR 12345678901", "future 1234567890", "utr"]);
    }

    #[test]
    fn ireland_and_australia() {
        finds(
            "ireland-pps",
            &[
                "[[1234567T]]",
                "PPS [[1234567FA]].",
                "ppsn: [[1234567t]]",
                "([[1234567T]])",
                "a,[[1234567T]],b",
            ],
        );
        ignores("ireland-pps", &["1234567A", "123456T", "12345678T", "PPS 1234567B", "x1234567T"]);
        finds(
            "australia-tfn",
            &[
                "TFN [[123 456 782]]",
                "tax file number: [[123456782]]",
                "tfn=[[876543210]]",
                "TFN [[123-456-782]].",
                "tax file [[123 456 782]]",
            ],
        );
        ignores(
            "australia-tfn",
            &["123 456 782", "TFN 123 456 783", "TFN 000 000 000", "TFN 12 345", "TFN 1234567820"],
        );
        finds(
            "australia-medicare",
            &[
                "Medicare [[2123 45670 1]]",
                "medicare: [[2123456701]]",
                "medicare number [[2123 45670 1/2]]",
                "Medicare card [[2123-45670-1]].",
                "medicare no [[21234567012]]",
            ],
        );
        ignores(
            "australia-medicare",
            &[
                "2123 45670 1",
                "Medicare 2123 45671 1",
                "Medicare 1123 45670 1",
                "medicare 2123",
                "Medicare 2123 45670",
            ],
        );
        finds(
            "australia-abn",
            &[
                "ABN [[51 824 753 556]]",
                "abn: [[51824753556]]",
                "ABN [[53 004 085 616]].",
                "business number [[51 824 753 556]]",
                "ABN=[[51824753556]]",
            ],
        );
        ignores(
            "australia-abn",
            &["51 824 753 556", "ABN 51 824 753 557", "ABN 51 824", "urban 51824753556", "ABN 518247535566"],
        );
    }

    #[test]
    fn south() {
        finds(
            "new-zealand-ird",
            &[
                "IRD [[49-091-850]]",
                "ird number: [[123-456-789]]",
                "IRD [[49091850]].",
                "inland revenue [[123 456 789]]",
                "ird=[[123456789]]",
            ],
        );
        ignores(
            "new-zealand-ird",
            &["49-091-850", "IRD 49-091", "bird 49-091-850", "IRD 49-0911-850", "third 123456789"],
        );
        finds(
            "south-africa-id",
            &[
                "[[8001015009087]]",
                "ID number [[800101 5009 087]]",
                "id no: [[8001015009087]]",
                "([[9202204720083]])",
                "SA ID [[8001015009087]].",
            ],
        );
        ignores(
            "south-africa-id",
            &["8001015009088", "8013015009087", "800101500908", "80010150090877", "8001015009287"],
        );
    }
}
