//! Asia, and Turkey.

use super::checks::{id, is_day, may, must, number};
use crate::rules::checksum::{last_digit, verhoeff, weighted};
use crate::rules::letters::{all_same, compact, exact_digits};
use crate::rules::rule::Rule;

pub(super) fn rules() -> Vec<Rule> {
    vec![
        id("india-aadhaar", "An Aadhaar number of India.", 0.0)
            .shape("[2-9][0-9]{3}[ -][0-9]{4}[ -][0-9]{4}")
            .checked("Verhoeff", |text| may(verhoeff(text) && !all_same(text)), 0.7)
            .near(AADHAAR, 0.93),
        id("india-aadhaar-plain", "An Aadhaar number of India without spaces.", 0.0)
            .shape("[2-9][0-9]{11}")
            .only_near(AADHAAR, 0.9),
        id("india-pan", "A permanent account number of India.", 0.4)
            .shape("[A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z]")
            .shape("[a-z]{3}[abcfghjlpt][a-z][0-9]{4}[a-z]")
            .near(["pan", "permanent account", "income tax", "pan card", "pan number"], 0.95)
            .scored(0.7),
        id("singapore-nric", "An identity number of Singapore.", 0.4)
            .shape("(?i)[STFGM][0-9]{7}[A-Z]")
            .checked("NRIC", |text| may(nric(text)), 0.93)
            .near(["nric", "fin", "singapore", "identity card", "ic"], 0.85),
        id("south-korea-rrn", "A registration number of a person in South Korea.", 0.4)
            .shape("[0-9]{6}-[1-8][0-9]{6}")
            .checked("RRN birth date", |text| must(korean(text)), 0.85)
            .near(["rrn", "resident registration", "주민등록번호", "korea", "korean"], 0.95),
        id("japan-my-number", "An individual number of Japan.", 0.0)
            .shape("[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}")
            .checked("My Number", |text| must(my_number(text)), 0.0)
            .only_near(["my number", "mynumber", "individual number", "マイナンバー", "個人番号"], 0.95),
        id("china-resident-id", "An identity number of China.", 0.3)
            .shape("[1-8][0-9]{5}(?:18|19|20)[0-9]{9}[0-9Xx]")
            .checked("mod 11-2", |text| must(chinese(text)), 0.96)
            .near(["身份证", "resident identity", "id card", "china"], 0.97),
        id("hong-kong-id", "An identity number of Hong Kong.", 0.5)
            .shape(r"[A-Z]{1,2}[0-9]{6}\([0-9A]\)")
            .near(["hkid", "hong kong", "identity card"], 0.95),
        id("taiwan-id", "An identity number of Taiwan.", 0.1)
            .shape("[A-Z][12][0-9]{8}")
            .checked("Taiwan ID", |text| must(taiwanese(text)), 0.6)
            .near(["taiwan", "身分證", "national id", "id number"], 0.92),
        id("thailand-id", "An identity number of Thailand.", 0.1)
            .shape("[1-8]-[0-9]{4}-[0-9]{5}-[0-9]{2}-[0-9]")
            .checked("Thailand ID", |text| may(thai(text)), 0.95)
            .near(["thai", "thailand", "บัตรประชาชน"], 0.9),
        id("turkey-id", "An identity number of Turkey.", 0.0)
            .shape("[1-9][0-9]{10}")
            .checked("TCKN", |text| must(turkish(text)), 0.5)
            .near(["tc", "tckn", "kimlik", "tc kimlik", "t.c", "turkish id", "turkey"], 0.95),
        id("israel-id", "An identity number of Israel.", 0.0)
            .shape("[0-9]{9}")
            .filtered(|text| must(crate::rules::checksum::luhn(text)))
            .only_near(["teudat zehut", "israeli id", "תעודת זהות", "ת.ז"], 0.92),
    ]
}

const AADHAAR: [&str; 5] = ["aadhaar", "aadhar", "uidai", "uid", "आधार"];

/// Checks the letter with weights 2, 7, 6, 5, 4, 3, 2. It depends on the century and on citizenship.
fn nric(text: &str) -> bool {
    let code = compact(text);
    let [first, .., last] = code.as_bytes() else { return false };
    let sum = weighted(&code, &[2, 7, 6, 5, 4, 3, 2]);
    let (offset, letters) = match first {
        b'S' => (0, b"JZIHGFEDCBA"),
        b'T' => (4, b"JZIHGFEDCBA"),
        b'F' => (0, b"XWUTRQPNMLK"),
        b'G' => (4, b"XWUTRQPNMLK"),
        _ => (3, b"XWUTRQPNJLK"),
    };
    let place = (sum + offset) as usize % 11;
    // For M the letters are in reverse order.
    let place = if *first == b'M' { 10 - place } else { place };
    letters.get(place) == Some(last)
}

fn korean(text: &str) -> bool {
    exact_digits::<13>(text).is_some_and(|all| is_day(number(&all[4..6]), number(&all[2..4])))
}

fn my_number(text: &str) -> bool {
    let sum = weighted(text, &[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]);
    let check = match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    !all_same(text) && last_digit(text) == Some(check)
}

fn chinese(text: &str) -> bool {
    let code = compact(text);
    let Some((body, last)) = code.split_at_checked(17) else { return false };
    let Some(all) = exact_digits::<17>(body) else { return false };
    let sum = weighted(body, &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    let check = b"10X98765432"[sum as usize % 11];
    is_day(number(&all[12..14]), number(&all[10..12])) && last.as_bytes() == [check]
}

/// Checks the last digit. The first letter counts as two digits.
fn taiwanese(text: &str) -> bool {
    const LETTERS: &str = "ABCDEFGHJKLMNPQRSTUVXYWZIO";
    let mut rest = text.chars();
    let Some(letter) = rest.next().and_then(|first| LETTERS.find(first)) else { return false };
    let value = letter as u32 + 10;
    let sum = value / 10 + value % 10 * 9 + weighted(rest.as_str(), &[8, 7, 6, 5, 4, 3, 2, 1, 1]);
    sum.is_multiple_of(10)
}

fn thai(text: &str) -> bool {
    let sum = weighted(text, &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    last_digit(text) == Some((11 - sum % 11) % 10)
}

fn turkish(text: &str) -> bool {
    let Some(all) = exact_digits::<11>(text) else { return false };
    let odd: u32 = all[..9].iter().step_by(2).sum();
    let even: u32 = all[1..8].iter().step_by(2).sum();
    let tenth = (odd * 7 + 90 - even) % 10;
    tenth == all[9] && all[..10].iter().sum::<u32>() % 10 == all[10]
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn india() {
        finds(
            "india-aadhaar",
            &[
                "Aadhaar [[2341 2341 2346]]",
                "[[2341 2341 2346]].",
                "aadhar no [[2341-2341-2347]]",
                "uidai: [[9999 4105 7058]]",
                "([[9999 4105 7058]])",
            ],
        );
        ignores(
            "india-aadhaar",
            &["2341 2341 2347", "1341 2341 2346", "2341 2341 23466", "2341 2341", "2222 2222 2222"],
        );
        finds(
            "india-aadhaar-plain",
            &[
                "Aadhaar [[234123412346]]",
                "aadhar: [[999941057058]]",
                "UID [[234123412346]].",
                "aadhaar=[[234123412346]]",
                "uidai [[999941057058]]",
            ],
        );
        ignores(
            "india-aadhaar-plain",
            &[
                "234123412346",
                "aadhaar 134123412346",
                "aadhaar 23412341234",
                "aadhaar 2341234123466",
                "fluid 234123412346",
            ],
        );
        finds(
            "india-pan",
            &[
                "[[ABCPE1234F]]",
                "PAN [[AFZPK7190K]].",
                "pan: [[abcpe1234f]]",
                "([[ABCPE1234F]])",
                "a,[[AFZPK7190K]],b",
            ],
        );
        ignores("india-pan", &["ABCDE1234F", "ABCPE123F", "ABCPE12345F", "XABCPE1234F", "ABCPE1234"]);
    }

    #[test]
    fn east() {
        finds(
            "singapore-nric",
            &[
                "[[S1234567D]]",
                "NRIC [[T0123456G]].",
                "([[F1234567N]])",
                "nric: [[s1234567d]]",
                "NRIC [[S1234567A]]",
            ],
        );
        ignores("singapore-nric", &["S1234567A", "A1234567D", "S123456D", "S12345678D", "XS1234567D"]);
        finds(
            "south-korea-rrn",
            &[
                "[[900101-1234567]]",
                "RRN [[851231-2345678]].",
                "주민등록번호 [[900101-1234567]]",
                "([[011130-3456789]])",
                "a [[900101-1234567]] b",
            ],
        );
        ignores(
            "south-korea-rrn",
            &["901301-1234567", "900101-9234567", "900101-123456", "900101-12345678", "9001011234567"],
        );
        finds(
            "japan-my-number",
            &[
                "My Number [[1234 5678 9018]]",
                "マイナンバー[[123456789018]]",
                "my number: [[1234-5678-9018]]",
                "individual number [[123456789018]]",
                "個人番号 [[123456789018]]",
            ],
        );
        ignores(
            "japan-my-number",
            &[
                "123456789018",
                "my number 123456789019",
                "My Number 12345678901",
                "my number is 1234567890188",
                "my number 000000000000",
            ],
        );
        finds(
            "china-resident-id",
            &[
                "[[11010519491231002X]]",
                "身份证[[11010519491231002x]]。",
                "([[440524188001010014]])",
                "ID card [[440524188001010014]]",
                "a,[[11010519491231002X]],b",
            ],
        );
        ignores(
            "china-resident-id",
            &[
                "110105194912310021",
                "11010519491331002X",
                "11010519491231002",
                "91010519491231002X",
                "1101051949123100211",
            ],
        );
        finds(
            "hong-kong-id",
            &[
                "[[A123456(3)]]",
                "HKID [[AB987654(2)]].",
                "hkid: [[C668668(9)]]",
                "is [[G123456(A)]]",
                "a,[[A123456(3)]],b",
            ],
        );
        ignores("hong-kong-id", &["A123456", "A12345(3)", "ABC123456(3)", "A123456(33)", "a123456(3)"]);
        finds(
            "taiwan-id",
            &[
                "[[A123456789]]",
                "Taiwan [[A123456789]].",
                "national id: [[A123456789]]",
                "([[A123456789]])",
                "身分證 [[A123456789]]",
            ],
        );
        ignores("taiwan-id", &["A123456788", "A323456789", "A12345678", "A1234567899", "1123456789"]);
        finds(
            "thailand-id",
            &[
                "[[1-1017-00230-70-8]]",
                "Thai ID [[1-1017-00230-70-8]].",
                "thailand [[1-1017-00230-70-1]]",
                "([[1-1017-00230-70-8]])",
                "a,[[1-1017-00230-70-8]],b",
            ],
        );
        ignores(
            "thailand-id",
            &[
                "1-1017-00230-70-1",
                "9-1017-00230-70-8",
                "1-1017-00230-70",
                "1101700230708",
                "11-1017-00230-70-8",
            ],
        );
    }

    #[test]
    fn west() {
        finds(
            "turkey-id",
            &[
                "[[10000000146]]",
                "TC Kimlik [[10000000146]].",
                "TCKN: [[10000000146]]",
                "kimlik no [[10000000146]]",
                "([[10000000146]])",
            ],
        );
        ignores("turkey-id", &["10000000147", "00000000146", "1000000014", "100000001466", "TC 10000000147"]);
        finds(
            "israel-id",
            &[
                "Teudat Zehut [[123456782]]",
                "israeli ID: [[123456782]]",
                "ת.ז [[123456782]]",
                "תעודת זהות [[123456782]]",
                "Israeli ID [[123456782]].",
            ],
        );
        ignores(
            "israel-id",
            &[
                "123456782",
                "israeli id 123456783",
                "Israeli ID 12345678",
                "teudat 123456782",
                "Israeli ID 1234567822",
            ],
        );
    }
}
