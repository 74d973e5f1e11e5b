//! Telephone numbers.
//!
//! There are too many notations for one pattern. A country code, an area code in brackets, the North American
//! format and a leading zero with groups are evidence on their own. Other numbers need a context word.

use super::letters::{all_same, digits};
use super::rule::{Edges, Rule, Verdict};
use crate::kind::Kind;

const CONTEXT: [&str; 55] = [
    "phone",
    "telephone",
    "tel",
    "tel.",
    "mobile",
    "cell",
    "cellphone",
    "call",
    "called",
    "calling",
    "dial",
    "fax",
    "ring",
    "contact",
    "text",
    "sms",
    "whatsapp",
    "signal",
    "hotline",
    "helpline",
    "voicemail",
    "landline",
    "ph",
    "mob",
    "ext",
    "reach",
    "handy",
    "telefon",
    "telefono",
    "teléfono",
    "téléphone",
    "telefoon",
    "telefone",
    "portable",
    "móvil",
    "phone number",
    "phone no",
    "tél",
    "celular",
    "mobil",
    "telefonnummer",
    "durchwahl",
    "rückruf",
    "erreichbar",
    "téléfax",
    "télécopie",
    "joindre",
    "cellulare",
    "telemóvel",
    "telefoonnummer",
    "mobiel",
    "bereikbaar",
    "gsm",
    "whatsapp-nummer",
    "numéro",
];

/// An extension: `ext. 12`, `x123`, `#4`.
const EXTENSION: &str = r"(?:,? ?(?:[Ee][Xx][Tt](?:\.|ension)?|[Xx]|#|[Pp]oste|[Dd]w\.?) ?[0-9]{1,6})?";

pub(super) fn rules() -> Vec<Rule> {
    let with_extension = |pattern: &str| format!("{pattern}{EXTENSION}");
    vec![
        Rule::new("phone-international", Kind::Phone, "A telephone number with its country code.", 0.6)
            .shape(with_extension(r"\(?\+ ?\(?[0-9]\)?(?:[ ./-]{0,2}\(?[0-9]\)?){5,14}"))
            .checked("country code", international, 0.93)
            .near(CONTEXT, 0.95)
            .edges(Edges::Word),
        Rule::new(
            "phone-double-zero",
            Kind::Phone,
            "A telephone number with 00 before its country code.",
            0.2,
        )
        .shape(with_extension(r"00[1-9](?:[ ./-]{0,2}\(?[0-9]\)?){7,14}"))
        .checked("country code after 00", double_zero, 0.7)
        .near(CONTEXT, 0.9),
        Rule::new("phone-north-american", Kind::Phone, "A telephone number of ten digits in groups.", 0.7)
            .shape(with_extension(r"(?:1[ .-]?)?\([2-9][0-9]{2}\) ?[.-]? ?[0-9]{3}[ .-]?[0-9]{4}"))
            .shape(with_extension(
                r"(?:1[ .-])?[0-9]{3}(?:-[0-9]{3}-|\.[0-9]{3}\.| [0-9]{3}[ -]|/[0-9]{3}-)[0-9]{4}",
            ))
            .checked("area code", north_american, 0.85)
            .near(CONTEXT, 0.95),
        Rule::new("phone-area", Kind::Phone, "A telephone number with its area code in brackets.", 0.65)
            .shape(with_extension(r"\(0?[0-9]{1,5}\)[ .-]?[0-9]{2,8}(?:[ ./-][0-9]{2,8}){0,4}"))
            .checked("area digit count", area, 0.75)
            .near(CONTEXT, 0.92),
        Rule::new("phone-national", Kind::Phone, "A telephone number with a leading zero, in groups.", 0.6)
            .shape(with_extension(r"0[0-9]{1,5}(?:[ ./-]{1,2}[0-9]{2,8}){1,5}"))
            .checked("national digit count", national, 0.72)
            .near(CONTEXT, 0.92),
        Rule::new(
            "phone-mobile",
            Kind::Phone,
            "A mobile number as one run of digits with a leading zero.",
            0.45,
        )
        .shape(with_extension(r"0[1-9][0-9]{8,10}"))
        .near(CONTEXT, 0.9),
        Rule::new("phone-mainland-china", Kind::Phone, "A mobile number of mainland China.", 0.45)
            .shape(r"1[3-9][0-9]{9}")
            .shape(r"1[3-9][0-9][ -][0-9]{4}[ -][0-9]{4}")
            .near(CONTEXT.into_iter().chain(["电话", "手机", "手机号", "联系"]), 0.9),
        Rule::new("phone-plain", Kind::Phone, "Digits near a word for telephone.", 0.0)
            .shape(with_extension(r"[0-9]{7,13}"))
            .shape(with_extension(r"[0-9]{2,5}(?:[ ./-][0-9]{2,5}){1,5}"))
            .filtered(plain)
            .only_near(CONTEXT, 0.8)
            .within(35),
    ]
}

/// Returns the number of digits without an extension.
fn main_digits(text: &str) -> usize {
    let main = text.find(|c: char| c.is_ascii_alphabetic() || c == '#').map_or(text, |end| &text[..end]);
    digits(main).count()
}

fn brackets_close(text: &str) -> bool {
    let mut open = 0i32;
    text.chars().all(|c| {
        open += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (0..=1).contains(&open)
    }) && open == 0
}

/// Returns the length of the country code of a number, if it is assigned. No code is a prefix of another.
fn country_code(number: &str) -> Option<usize> {
    let code: u32 = number.get(..3).unwrap_or(number).parse().ok()?;
    let (one, two) = (code / 100, code / 10);
    let two_digits = matches!(two,
        20 | 27 | 30..=34 | 36 | 39..=41 | 43..=49 | 51..=58 | 60..=66 | 81 | 82 | 84 | 86 | 90..=95 | 98);
    let three_digits = matches!(code,
        211..=213 | 216 | 218 | 220..=269 | 290 | 291 | 297..=299 | 350..=359 | 370..=379 | 380..=383 | 385..=387 | 389
        | 420 | 421 | 423 | 500..=509 | 590..=599 | 670 | 672..=692 | 800 | 808 | 850 | 852 | 853 | 855 | 856 | 870 | 878
        | 880..=883 | 886 | 888 | 960..=968 | 970..=977 | 979 | 992..=996 | 998);
    match (one, two_digits, three_digits) {
        (1 | 7, ..) => Some(1),
        (_, true, _) => Some(2),
        (_, _, true) => Some(3),
        _ => None,
    }
}

fn international(text: &str) -> Verdict {
    let count = main_digits(text);
    // Brackets around the whole number belong to the sentence.
    let enclosed = text.starts_with('(') && text.find(')') == Some(text.len() - 1);
    if !(7..=15).contains(&count) || !brackets_close(text) || enclosed || all_same(text) {
        return Verdict::Invalid;
    }
    let number: String = text.chars().filter(char::is_ascii_digit).collect();
    match country_code(&number) {
        // After the country code: ten digits in North America and Russia, at least five elsewhere.
        Some(1) if count == 11 => Verdict::Valid,
        Some(code) if code > 1 && count >= code + 5 => Verdict::Valid,
        // The country code is unknown, but a plus and that many digits in groups are a telephone number.
        _ if text.contains([' ', '-', '(', '.']) && count >= 8 => Verdict::Unsure,
        Some(_) if count >= 9 => Verdict::Unsure,
        _ => Verdict::Invalid,
    }
}

fn double_zero(text: &str) -> Verdict {
    let grouped = text.contains([' ', '-', '(', '.', '/']);
    match text.get(2..).map(international) {
        Some(Verdict::Valid) if grouped => Verdict::Valid,
        Some(Verdict::Valid | Verdict::Unsure) => Verdict::Unsure,
        _ => Verdict::Invalid,
    }
}

fn north_american(text: &str) -> Verdict {
    let mut number: Vec<u32> = digits(text).collect();
    if number.first() == Some(&1) && main_digits(text) == 11 {
        number.remove(0);
    }
    if number.len() < 10 || all_same(text) {
        return Verdict::Invalid;
    }
    // Area codes and exchanges start with 2 to 9, but exchanges of made-up numbers often do not.
    match (number[0], number[3]) {
        (2..=9, 2..=9) => Verdict::Valid,
        _ => Verdict::Unsure,
    }
}

fn area(text: &str) -> Verdict {
    match main_digits(text) {
        9..=12 => Verdict::Valid,
        7 | 8 if text.contains([' ', '-']) => Verdict::Unsure,
        _ => Verdict::Invalid,
    }
}

fn national(text: &str) -> Verdict {
    let groups = text.split([' ', '.', '/', '-']).filter(|group| !group.is_empty()).count();
    let dotted = text.contains('.');
    match main_digits(text) {
        // `01.02.2020` and `01-02-2020` have eight digits: dates.
        9..=12 if !dotted || groups >= 4 || text.len() > 11 => Verdict::Valid,
        8 if text.contains([' ', '/'])
            && !dotted
            && groups != 3
            && groups <= 4
            && !text.starts_with("00") =>
        {
            Verdict::Unsure
        }
        _ => Verdict::Invalid,
    }
}

fn plain(text: &str) -> Verdict {
    let count = main_digits(text);
    let date = {
        let parts: Vec<&str> = text.split(['-', '/', '.']).collect();
        parts.len() == 3 && count <= 8 && (parts[0].len() == 4 || parts[2].len() == 4) && !text.contains(' ')
    };
    if (7..=13).contains(&count) && !date { Verdict::Unsure } else { Verdict::Invalid }
}

#[cfg(test)]
mod tests {
    use super::country_code;
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn country_codes() {
        assert_eq!(country_code("14155550123"), Some(1));
        assert_eq!(country_code("442079460018"), Some(2));
        assert_eq!(country_code("35312345678"), Some(3));
        assert_eq!(country_code("2101234567"), None);
        assert_eq!(country_code("9991234567"), None);
    }

    #[test]
    fn international() {
        finds(
            "phone-international",
            &[
                "call [[+1 415 555 0123]] now",
                "([[+44 20 7946 0018]])",
                "[[+44 (0)20 7946 0018]] day or night",
                "[[+49-171-2345678]]",
                "[[+33.6.12.34.56.78]].",
                "tel:[[+14155550123]]",
                "[[+1 (415) 555-0123 ext. 12]]",
                "[[+1-415-555-0123x123]]",
                "[[(+351) 912 345 678]]",
                "[[+357 54-840-0487]]",
                "[[+49\u{a0}30\u{a0}901820]]",
            ],
        );
        ignores(
            "phone-international",
            &[
                "1+2",
                "+5",
                "+100",
                "a score of +12345",
                "+1 and +2",
                "+2021-03",
                "+0000000000",
                "x+442079460018",
            ],
        );
    }

    #[test]
    fn double_zero() {
        finds(
            "phone-double-zero",
            &[
                "[[0044 20 7946 0018]]",
                "[[0049-171-2345678]]",
                "[[0033 6 12 34 56 78]]",
                "phone [[00442079460018]]",
                "fax: [[0039 06 698 12345]].",
            ],
        );
        ignores("phone-double-zero", &["00442079460018", "000123", "0012", "00:30", "0044-20", "00999 1"]);
    }

    #[test]
    fn north_american() {
        finds(
            "phone-north-american",
            &[
                "[[415-555-0123]]",
                "at [[(415) 555-0123]].",
                "[[415.555.0123x99]]",
                "[[1-800-555-0199]]",
                "[[415 555 0123 ext. 7]]",
                "[[(212)555-0147]] or write",
                "one,[[555-123-4567]],two",
            ],
        );
        ignores(
            "phone-north-american",
            &[
                "4155550123",
                "123-45-6789",
                "415-555-01234",
                "2021-03-04",
                "415-5555-012",
                "000-000-0000",
                "978-3-16-148410-0",
                "9415-555-0123",
            ],
        );
    }

    #[test]
    fn area() {
        finds(
            "phone-area",
            &[
                "[[(020) 7946 0018]]",
                "ring [[(96) 627-277]] at ten",
                "[[(0171) 234567]]",
                "[[(030)901820]]",
                "[[(01) 23 45 67 89]]",
            ],
        );
        ignores(
            "phone-area",
            &["(2021) 34", "(1) 23", "(12) apples", "f(020) 7946 0018", "(1990) 1991-1992-1993-1994-1995"],
        );
    }

    #[test]
    fn national() {
        finds(
            "phone-national",
            &[
                "[[020 7946 0018]]",
                "[[0171-234567]]",
                "[[06 12 34 56 78]]",
                "[[06.12.34.56.78]]",
                "[[030/901820]]",
                "[[07700 900123]] is mine",
                "[[04 1234 5678]].",
            ],
        );
        ignores(
            "phone-national",
            &[
                "01.02.2020",
                "01-02-2020",
                "01/02/2020",
                "0.5",
                "007",
                "00 12 34",
                "0123",
                "01 02 03",
                "02:30",
            ],
        );
    }

    #[test]
    fn with_a_word_nearby() {
        finds(
            "phone-mobile",
            &[
                "mobile [[07700900123]]",
                "call [[0612345678]]",
                "Handy: [[01712345678]]",
                "tel [[0301234567]]",
                "text me on [[0412345678]]",
            ],
        );
        ignores(
            "phone-mobile",
            &["07700900123", "0612345", "call 0012345678", "id 0612345678", "0123456789012"],
        );
        finds(
            "phone-plain",
            &[
                "phone: [[5550123]]",
                "call me at [[4155550123]]",
                "dial [[555-0123]]",
                "fax [[12 34 56 78]]",
                "tel. [[22 123 45 67]]",
            ],
        );
        ignores(
            "phone-plain",
            &["5550123", "call on 2021-03-04", "phone 12", "call 12/03/1990", "text 123456"],
        );
        finds(
            "phone-mainland-china",
            &[
                "电话[[13812345678]]。",
                "手机:[[138 1234 5678]]",
                "call [[13912345678]]",
                "联系 [[15012345678]]",
                "phone [[186-1234-5678]]",
            ],
        );
        ignores(
            "phone-mainland-china",
            &["13812345678", "12812345678", "手机 1381234567", "138123456789", "138 1234"],
        );
    }
}
