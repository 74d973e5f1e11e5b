//! Cards, accounts and banks.

use super::checksum::{luhn, mod97, weighted};
use super::letters::{all_same, compact, digits};
use super::rule::{Edges, Rule, Verdict};
use crate::kind::Kind;

const CARD: [&str; 18] = [
    "card",
    "credit card",
    "debit card",
    "visa",
    "mastercard",
    "amex",
    "american express",
    "maestro",
    "discover",
    "diners",
    "jcb",
    "cc",
    "pan",
    "card number",
    "kreditkarte",
    "carte",
    "tarjeta",
    "charged",
];

const BANK: [&str; 26] = [
    "bank",
    "account",
    "acct",
    "a/c",
    "account number",
    "account no",
    "konto",
    "kontonummer",
    "compte",
    "cuenta",
    "conto",
    "rekening",
    "deposit",
    "transfer",
    "iban",
    "wire",
    "checking",
    "savings",
    "payee",
    "beneficiary",
    "direct debit",
    "payment",
    "pay",
    "überweisung",
    "credited",
    "bank account",
];

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("credit-card", Kind::CreditCard, "A payment card number.", 0.2)
            .shape(r"[0-9](?:[ -]?[0-9]){11,18}")
            .checked("Luhn and issuer", card, 0.92)
            .near(CARD, 0.75),
        Rule::new("credit-card-masked", Kind::CreditCard, "A card number with its middle hidden.", 0.85)
            .shape_at(
                &["xxxx"],
                r"(?:[*]{4}|[xX]{4})[ -]?(?:[*]{4}[ -]?|[xX]{4}[ -]?){0,2}[*xX]{0,4}[ -]?[0-9]{3,4}",
            )
            .shape(r"[*]{8,12}[0-9]{4}")
            .shape(r"[0-9]{4}[ -]?(?:[0-9]{2}[*xX]{2}|[*xX]{4})[ -]?[*xX]{4}[ -]?[0-9]{4}")
            .near(CARD, 0.95)
            .edges(Edges::Word),
        Rule::new("card-code", Kind::CardCode, "A card's security code.", 0.9)
            .led(
                &["cvv", "cvc", "csc", "cvn"],
                r#"(?i)(?:\s+(?:code|number|no\.?|is|of|was))*["']?\s*[:=#-]?\s*["']?([0-9]{3,4})"#,
            ),
        Rule::new("card-security-code", Kind::CardCode, "A card's security code.", 0.8)
            .led(
                &["security", "verification"],
                r#"(?i)\s+(?:code|number)(?:\s+(?:is|on\s+the\s+back\s+is))?\s*[:=#]?\s*["']?([0-9]{3,4})"#,
            ),
        Rule::new("pin", Kind::CardCode, "A personal identification number.", 0.85).led(
            &["pin", "pincode"],
            r#"(?i)(?:\s*(?:code|number|no\.?|is|was|to|for\s+my\s+card))*["']?\s*[:=#]?\s*["']?([0-9]{4,6})"#,
        ),
        Rule::new("card-expiry", Kind::CardCode, "A card's expiry date.", 0.0)
            .shape(r"(?:0?[1-9]|1[0-2]) ?[/-] ?(?:20)?[2-4][0-9]")
            .only_near(["exp", "expiry", "expires", "expiration", "valid thru", "valid until", "valid to"], 0.85)
            .edges(Edges::Strict)
            .within(25),
        Rule::new("iban", Kind::Iban, "An international bank account number.", 0.4)
            .shape(r"[A-Za-z]{2}[0-9]{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?")
            .checked("IBAN mod 97", iban, 0.97)
            .near(["iban", "bank", "account", "konto", "transfer", "wire", "compte", "cuenta", "rekening"], 0.75)
            .edges(Edges::Word),
        Rule::new("bic", Kind::BankCode, "The code of a bank in international transfers (BIC).", 0.0)
            .shape(r"[A-Z]{6}[A-Z2-9][A-NP-Z0-9](?:[A-Z0-9]{3})?")
            .shape(r"[a-z]{6}[a-z2-9][a-np-z0-9](?:[a-z0-9]{3})?")
            .checked("country", bic, 0.0)
            .only_near(["bic", "swift", "swift code", "iban", "bank code", "bank identifier"], 0.9),
        Rule::new("bic-alone", Kind::BankCode, "The code of a bank in international transfers (BIC).", 0.15)
            .shape(r"[A-Z]{6}[0-9][A-NP-Z0-9](?:XXX|[A-Z0-9]{3})?")
            .shape(r"[A-Z]{6}[A-Z2-9][A-NP-Z0-9]XXX")
            .checked("country", bic, 0.6),
        Rule::new("us-routing", Kind::BankCode, "The routing number of a bank in the USA.", 0.0)
            .shape("[0-9]{9}")
            .checked("ABA", aba, 0.0)
            .only_near(["routing", "aba", "rtn", "routing number", "transit number", "ach", "wire"], 0.92),
        Rule::new("sort-code", Kind::BankCode, "The sort code of a bank in the United Kingdom.", 0.0)
            .shape("[0-9]{2}[ -]?[0-9]{2}[ -]?[0-9]{2}")
            .only_near(["sort code", "sort", "sortcode", "s/c", "branch code"], 0.92)
            .edges(Edges::Strict),
        Rule::new("bank-account", Kind::BankAccount, "The number of a bank account.", 0.0)
            .shape("[0-9]{6,17}")
            .shape("[0-9]{2,6}(?:[ -][0-9]{2,6}){1,4}")
            .filtered(account)
            .only_near(BANK, 0.75)
            .within(40)
            .edges(Edges::Strict),
    ]
}

/// Returns whether the first digits and the length are those of a card scheme.
fn brand(number: &str) -> Option<&'static [usize]> {
    let start = |length: usize| number.get(..length).and_then(|start| start.parse::<u32>().ok()).unwrap_or(0);
    match (start(1), start(2), start(3), start(4)) {
        (4, ..) => Some(&[13, 16, 19]),
        (_, 51..=55, ..) | (_, _, _, 2221..=2720) => Some(&[16]),
        (_, 34 | 37, ..) => Some(&[15]),
        (_, 36 | 38 | 39, ..) | (_, _, 300..=305, _) => Some(&[14, 16]),
        (_, 65 | 60 | 62 | 64 | 81 | 82, ..) => Some(&[16, 17, 18, 19]),
        (_, _, _, 3528..=3589) => Some(&[16]),
        (_, 50 | 56..=58 | 61 | 63 | 66..=69, ..) => Some(&[12, 13, 14, 15, 16, 17, 18, 19]),
        (_, 22, ..) => Some(&[16]),
        _ => None,
    }
}

fn card(text: &str) -> Verdict {
    let number = compact(text);
    if all_same(&number) || !evenly_grouped(text) {
        return Verdict::Invalid;
    }
    let known = brand(&number);
    let issued = known.is_some_and(|lengths| lengths.contains(&number.len()));
    match (issued, luhn(&number)) {
        (true, true) => Verdict::Valid,
        _ if (13..=19).contains(&number.len()) => Verdict::Unsure,
        (true, false) => Verdict::Unsure,
        _ => Verdict::Invalid,
    }
}

/// Returns whether the groups are those of a card: fours, 4-6-5, 4-6-4, or one group.
fn evenly_grouped(text: &str) -> bool {
    let groups: Vec<usize> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).map(str::len).collect();
    match groups.as_slice() {
        [_] | [4, 6, 4 | 5] | [6, 13] => true,
        [front @ .., last] => front.iter().all(|group| *group == 4) && *last <= 4,
        [] => false,
    }
}

/// Countries with IBANs and their lengths, five bytes each.
const IBAN_LENGTHS: &str = "\
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 \
    EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 \
    JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 \
    NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 \
    TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";

fn iban(text: &str) -> Verdict {
    let number = compact(text);
    let Some(country) = number.get(..2) else { return Verdict::Invalid };
    let length = IBAN_LENGTHS
        .as_bytes()
        .chunks(5)
        .find(|entry| entry.starts_with(country.as_bytes()))
        .map(|entry| usize::from(entry[2] - b'0') * 10 + usize::from(entry[3] - b'0'));
    let rotated = number.chars().skip(4).chain(number.chars().take(4));
    match length {
        Some(length) if length == number.len() && mod97(rotated) == 1 => Verdict::Valid,
        // A wrong digit may be a typing error. A wrong length may be something else.
        Some(length) if length == number.len() || number.len() >= 18 => Verdict::Unsure,
        _ => Verdict::Invalid,
    }
}

/// Countries of ISO 3166-1 with BICs, three bytes each.
const COUNTRIES: &str = "\
    AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BT BW BY BZ \
    CA CD CF CG CH CI CK CL CM CN CO CR CU CV CW CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FK FM \
    FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IQ IR IS \
    IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG \
    MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NG NI NL NO NP NR NU NZ OM PA PE PF PG \
    PH PK PL PM PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SK SL SM SN SO SR SS ST SV SX \
    SY SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT \
    ZA ZM ZW";

fn bic(text: &str) -> Verdict {
    let country = text.get(4..6).unwrap_or("--").to_ascii_uppercase();
    match COUNTRIES.as_bytes().chunks(3).any(|known| known.starts_with(country.as_bytes())) {
        true => Verdict::Valid,
        false => Verdict::Invalid,
    }
}

/// Checks a routing number of the American Bankers Association: weights 3, 7, 1 and an assigned prefix.
fn aba(text: &str) -> Verdict {
    let pair = digits(text).take(2).fold(0, |pair, digit| pair * 10 + digit);
    let in_use = matches!(pair, 0..=12 | 21..=32 | 61..=72 | 80);
    let fits = weighted(text, &[3, 7, 1, 3, 7, 1, 3, 7, 1]).is_multiple_of(10);
    if in_use && fits && !all_same(text) { Verdict::Valid } else { Verdict::Invalid }
}

fn account(text: &str) -> Verdict {
    let count = digits(text).count();
    // A year or a date near the word account is not an account.
    let date = text.len() == 10 && count == 8 && (text.find('-') == Some(4) || text.find('-') == Some(2));
    if (6..=20).contains(&count) && !date { Verdict::Unsure } else { Verdict::Invalid }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores, score};

    #[test]
    fn credit_card() {
        finds(
            "credit-card",
            &[
                "[[4111 1111 1111 1111]]",
                "paid with [[5500-0055-5555-5559]] today",
                "amex [[378282246310005]]",
                "[[3782 822463 10005]]",
                "[[6011000990139424]].",
                "card [[4111 1111 1111 1112]] was refused",
                "a,[[30569309025904]],b",
                "[[4111 1111 1111 1111]] 12",
            ],
        );
        ignores(
            "credit-card",
            &[
                "4111 1111 1111 1112",
                "0000 0000 0000 0000",
                "41 11 11 11 11 11 11 11",
                "411111111111",
                "41111111111111111111",
                "order 1234567890123456",
                "A4111111111111111",
            ],
        );
        assert!(score("credit-card", "4111111111111111") > score("credit-card", "card 4111111111111112"));
    }

    #[test]
    fn masked_card() {
        finds(
            "credit-card-masked",
            &[
                "[[**** **** **** 1234]]",
                "card [[xxxx-xxxx-xxxx-1234]].",
                "[[XXXX XXXX XXXX 1234]]",
                "[[************1234]]",
                "[[4111 11** **** 1234]]",
                "ending [[****1234]]",
            ],
        );
        ignores("credit-card-masked", &["****", "** 12", "xxxx", "*1234", "**bold** 1234", "xxx 1234"]);
    }

    #[test]
    fn card_codes() {
        finds(
            "card-code",
            &[
                "CVV: [[123]]",
                "cvc is [[1234]]",
                "the CVV code [[987]].",
                "cvv=[[321]]",
                "\"cvc\": \"[[456]]\"",
            ],
        );
        ignores("card-code", &["CVV", "cvv of the card", "cvv 12", "cvv 12345", "cv 123"]);
        finds(
            "card-security-code",
            &[
                "security code [[123]]",
                "Security code: [[4321]]",
                "security code is [[999]]",
                "verification number [[123]]",
                "verification code: [[1234]]",
            ],
        );
        ignores(
            "card-security-code",
            &["security 123", "code 123", "security code", "security code 12", "verification code 123456"],
        );
        finds(
            "pin",
            &[
                "PIN: [[1234]]",
                "my pin is [[0071]].",
                "pin code [[445566]]",
                "PIN=[[9999]]",
                "pin number [[1234]]",
            ],
        );
        ignores("pin", &["pin 12", "spin 1234", "pin the 1234", "PIN 1234567", "pins and needles 1234"]);
        finds(
            "card-expiry",
            &[
                "exp [[12/27]]",
                "expires [[03/2028]].",
                "valid thru [[1/30]]",
                "Expiry: [[09-26]]",
                "expiration date [[11 / 29]]",
            ],
        );
        ignores("card-expiry", &["12/27", "exp 13/27", "expires 12/27/2028", "expires soon", "exp 12/99"]);
    }

    #[test]
    fn iban() {
        finds(
            "iban",
            &[
                "[[GB82 WEST 1234 5698 7654 32]]",
                "[[DE89370400440532013000]].",
                "to [[FR14 2004 1010 0505 0001 3M02 606]] please",
                "[[nl91abna0417164300]]",
                "IBAN [[DE88370400440532013000]]",
                "[[NO93 8601 1117 947]]",
                "[[CH93-0076-2011-6238-5295-7]]",
            ],
        );
        ignores(
            "iban",
            &[
                "DE88370400440532013000",
                "ZZ82 WEST 1234 5698 7654 32",
                "GB82 WEST",
                "XGB82WEST12345698765432",
                "AB12 3456 7890 1234",
            ],
        );
    }

    #[test]
    fn banks() {
        finds(
            "bic",
            &[
                "BIC [[DEUTDEFF]]",
                "SWIFT: [[NEDSZAJJXXX]]",
                "swift code [[chasus33]]",
                "IBAN, BIC: [[BNPAFRPP]]",
                "Swift [[HBUKGB4B]].",
            ],
        );
        ignores("bic", &["DEUTDEFF", "BIC HOUSEQQA", "swift DEUTDEF", "the swift response", "BIC DEUTDEFF5"]);
        finds(
            "bic-alone",
            &[
                "via [[CHASUS33]]",
                "[[DEUTDEFFXXX]]",
                "[[CHASUS33XXX]].",
                "bank [[BCEELULLXXX]]",
                "([[HSBCHKHHXXX]])",
            ],
        );
        ignores("bic-alone", &["HOSPITAL", "DEUTDEFF", "PASSWORD", "ABCDQQ33", "INTERNATION", "DEUTDE"]);
        finds(
            "us-routing",
            &[
                "routing number [[021000021]]",
                "ABA [[011401533]]",
                "RTN: [[122105278]]",
                "wire to [[026009593]]",
                "routing [[111000025]]",
            ],
        );
        ignores(
            "us-routing",
            &["021000021", "routing 021000022", "aba 000000000", "routing 0210000210", "routing 990000021"],
        );
        finds(
            "sort-code",
            &[
                "sort code [[12-34-56]]",
                "Sort code: [[123456]]",
                "sort code is [[20 00 00]].",
                "sortcode=[[40-47-84]]",
                "s/c [[09-01-26]]",
            ],
        );
        ignores(
            "sort-code",
            &["12-34-56", "sort the 12", "sort code 12-34-567", "sort code 1-2-3", "sort 12345"],
        );
        finds(
            "bank-account",
            &[
                "account number [[12345678]]",
                "acct [[000123456789]]",
                "my bank account is [[9876543210]].",
                "Konto [[1234567890]]",
                "account no. [[1234-567890]]",
            ],
        );
        ignores(
            "bank-account",
            &["12345678", "account 2021", "account of 2021-03-04", "account 12345", "bank holiday 12"],
        );
    }
}
