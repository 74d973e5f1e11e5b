//! Postal codes.

use crate::kind::Kind;
use crate::rules::letters::is_listed;
use crate::rules::rule::{Edges, Rule, Verdict};

const CONTEXT: [&str; 22] = [
    "zip",
    "zip code",
    "zipcode",
    "postcode",
    "post code",
    "postal code",
    "postal",
    "plz",
    "postleitzahl",
    "code postal",
    "código postal",
    "cap",
    "cep",
    "pincode",
    "pin code",
    "eircode",
    "postnummer",
    "address",
    "postnr",
    "c.p",
    "cod. postal",
    "wohnort",
];

pub(super) fn rules() -> Vec<Rule> {
    let code =
        |name: &'static str, about: &'static str, score: f32| Rule::new(name, Kind::PostalCode, about, score);
    vec![
        code("postcode-uk", "A postcode of the United Kingdom.", 0.8)
            .shape("(?:[A-Z][A-HJ-Y]?[0-9][A-Z0-9]?|GIR) ?[0-9][ABD-HJLNP-UW-Z]{2}")
            .shape("(?:[a-z][a-hj-y]?[0-9][a-z0-9]?) [0-9][abd-hjlnp-uw-z]{2}")
            .checked("postcode area", uk, 0.87)
            .near(CONTEXT, 0.95),
        code("postcode-canada", "A postal code of Canada.", 0.7)
            .shape("[ABCEGHJ-NPRSTVXY][0-9][ABCEGHJ-NPRSTV-Z][ -]?[0-9][ABCEGHJ-NPRSTV-Z][0-9]")
            .shape("[abceghj-nprstvxy][0-9][abceghj-nprstv-z] [0-9][abceghj-nprstv-z][0-9]")
            .near(CONTEXT, 0.95),
        code("zip-plus-four", "A ZIP code of the USA with its four more digits.", 0.75)
            .shape("[0-9]{5}-[0-9]{4}")
            .near(CONTEXT, 0.92),
        code("zip-state", "A ZIP code after a state of the USA.", 0.85)
            .led(&STATE_WORDS, r"\.?,? ([0-9]{5}(?:-[0-9]{4})?)")
            .edges(Edges::Number),
        code("postcode-town", "A postal code before a town.", 0.0)
            .shape(r"(?:[A-Z]{1,2}-)?[0-9]{4,5}")
            .shape("[0-9]{3} [0-9]{2}|[0-9]{2}-[0-9]{3}|[0-9]{4} [A-Z]{2}|[0-9]{4,5}-[0-9]{3}|[0-9]{6}")
            .filtered(not_a_year)
            .only_near(CONTEXT, 0.8)
            .within(35),
        code("postcode-netherlands", "A postal code of the Netherlands.", 0.6)
            .shape("[1-9][0-9]{3} [A-RT-Z][A-Z]")
            .filtered(dutch)
            .near(CONTEXT, 0.9),
        code("postcode-brazil", "A postal code of Brazil.", 0.4)
            .shape("[0-9]{5}-[0-9]{3}")
            .near(CONTEXT, 0.9),
    ]
}

/// Abbreviations of states, for the scan. Some are also words, such as `in` and `me`, but a five-digit number
/// must follow.
const STATE_WORDS: [&str; 51] = [
    "al",
    "ak",
    "az",
    "ar",
    "ca",
    "co",
    "ct",
    "de",
    "dc",
    "fl",
    "ga",
    "hi",
    "id",
    "il",
    "ia",
    "ks",
    "ky",
    "la",
    "me",
    "md",
    "ma",
    "mi",
    "mn",
    "ms",
    "mo",
    "mt",
    "ne",
    "nv",
    "nh",
    "nj",
    "nm",
    "ny",
    "nc",
    "nd",
    "oh",
    "pa",
    "pr",
    "ri",
    "sc",
    "sd",
    "tn",
    "tx",
    "ut",
    "vt",
    "va",
    "wa",
    "wv",
    "wi",
    "wy",
    "california",
    "texas",
];

/// Existing areas of one or two letters.
fn uk(text: &str) -> Verdict {
    const AREAS: &str = "\
        AB AL B BA BB BD BF BH BL BN BR BS BT BX CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT \
        DY E EC EH EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE \
        LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM \
        SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE GIR";
    let area: String =
        text.chars().take_while(char::is_ascii_alphabetic).map(|c| c.to_ascii_uppercase()).collect();
    if is_listed(AREAS, &area) { Verdict::Valid } else { Verdict::Invalid }
}

fn not_a_year(text: &str) -> Verdict {
    match text.parse::<u32>() {
        Ok(1900..=2100) if text.len() == 4 => Verdict::Invalid,
        _ => Verdict::Unsure,
    }
}

/// Refuses letters that were never assigned, and words after a year.
fn dutch(text: &str) -> Verdict {
    let letters = text.len().checked_sub(2).and_then(|start| text.get(start..)).unwrap_or_default();
    let number = text.get(..4).and_then(|number| number.parse::<u32>().ok());
    let year = number.is_some_and(|year| (1900..=2100).contains(&year));
    if year
        || matches!(
            letters,
            "SS" | "SD"
                | "SA"
                | "AD"
                | "BC"
                | "CE"
                | "AM"
                | "PM"
                | "KM"
                | "MB"
                | "GB"
                | "KB"
                | "US"
                | "UK"
                | "EU"
                | "CM"
                | "MM"
        )
    {
        Verdict::Invalid
    } else {
        Verdict::Unsure
    }
}

#[cfg(test)]
mod tests {
    use super::STATE_WORDS;
    use crate::rules::testing::{finds, ignores};

    const STATES: &str = "\
        AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM \
        NY NC ND OH OK OR PA PR RI SC SD TN TX UT VT VA WA WV WI WY";

    #[test]
    fn states_are_the_abbreviations() {
        for state in STATES.split(' ') {
            let word = state.to_lowercase();
            // These are words: `in 12345`, `or 12345`, `ok 12345`.
            assert!(
                STATE_WORDS.contains(&word.as_str()) || ["in", "or", "ok"].contains(&word.as_str()),
                "{word}"
            );
        }
    }

    #[test]
    fn kingdom_and_canada() {
        finds(
            "postcode-uk",
            &["[[SW1A 1AA]]", "London [[EC1V 9HQ]].", "[[m1 1ae]] uk", "[[B33 8TH]],", "([[CR26XH]])"],
        );
        ignores("postcode-uk", &["QQ1 1AA", "SW1A", "SW1A 1AAA", "XSW1A 1AA", "AB12 CDE", "E1 1", "b2 2ci"]);
        finds(
            "postcode-canada",
            &["[[K1A 0B1]]", "Ottawa [[K1A0B1]].", "[[h3z 2y7]]", "[[V6B-4Y8]],", "([[M5V 3L9]])"],
        );
        ignores("postcode-canada", &["D1A 0B1", "K1A", "K1A 0B", "K1A 0B11", "AK1A 0B1"]);
    }

    #[test]
    fn usa() {
        finds(
            "zip-plus-four",
            &[
                "[[12345-6789]]",
                "NY [[10001-0001]].",
                "zip [[90210-1234]]",
                "([[12345-6789]])",
                "a [[60601-1111]] b",
            ],
        );
        ignores("zip-plus-four", &["12345", "1234-5678", "12345-67890", "123456-7890", "1-12345-6789"]);
        finds(
            "zip-state",
            &[
                "Springfield, IL [[62704]]",
                "ca [[90210]]",
                "New York, NY [[10001-1234]].",
                "Austin, TX, [[73301]]",
                "Boston MA [[02101]]",
            ],
        );
        ignores("zip-state", &["IL 6270", "IL 627045", "in 12345", "ILL 62704", "NY-10001"]);
    }

    #[test]
    fn elsewhere() {
        finds(
            "postcode-town",
            &[
                "PLZ [[10115]]",
                "postcode: [[8001]]",
                "zip [[90210]]",
                "code postal [[75001]]",
                "Postal code [[00-950]]",
            ],
        );
        ignores("postcode-town", &["10115", "zip 2021", "zip file 12", "postcode 123", "unzip 10115"]);
        finds(
            "postcode-netherlands",
            &[
                "[[1012 AB]] Amsterdam",
                "postcode [[3511 LX]]",
                "[[9999 ZZ]],",
                "([[1234 KL]])",
                "te [[2511 CV]]",
            ],
        );
        ignores("postcode-netherlands", &["2021 AB", "1012 ab", "1012 SS", "0123 AB", "1012 ABC", "5000 KM"]);
        finds(
            "postcode-brazil",
            &[
                "CEP [[01310-100]]",
                "cep: [[20040-020]]",
                "postal [[01310-100]].",
                "código postal [[01310-100]]",
                "address [[01310-100]]",
            ],
        );
        ignores("postcode-brazil", &["01310-100", "1310-100", "01310-1000", "01310100", "CEP 0131-100"]);
    }
}
