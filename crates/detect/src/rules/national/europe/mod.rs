//! Europe without the United Kingdom and Ireland.

use super::checks::{id, is_day, may, must, number};
use crate::rules::checksum::{last_digit, luhn, mod11_10, weighted};
use crate::rules::letters::{all_same, compact, digits, exact_digits};
use crate::rules::rule::{Edges, Rule};

pub(super) fn rules() -> Vec<Rule> {
    vec![
        id("germany-tax-id", "A tax number of a person in Germany.", 0.0)
            .shape("[1-9][0-9] ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}")
            .checked("mod 11-10", |text| must(mod11_10(text)), 0.0)
            .only_near(["steuer-id", "steuerid", "steuer", "idnr", "tax id", "tin", "steuernummer"], 0.95),
        id("germany-id-card", "An identity card of Germany.", 0.0)
            .shape("[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ0-9]{8}[0-9]?")
            .filtered(|text| must(digits(text).count() >= 2))
            .only_near(
                ["personalausweis", "ausweis", "ausweisnummer", "id card", "identity card", "perso"],
                0.9,
            ),
        id("germany-social", "A social security number of Germany.", 0.3)
            .shape("(?i)[0-9]{2} ?[0-3][0-9][01][0-9][0-9]{2} ?[A-Z] ?[0-9]{3}")
            .checked("Rentenversicherung", |text| may(german_social(text)), 0.9)
            .near(
                [
                    "sozialversicherungsnummer",
                    "sozialversicherung",
                    "rentenversicherungsnummer",
                    "rentenversicherung",
                    "versicherungsnummer",
                    "sv-nummer",
                    "rvnr",
                ],
                0.92,
            ),
        id("france-siren", "A company number of France: SIREN or SIRET.", 0.0)
            .shape("[0-9]{3} ?[0-9]{3} ?[0-9]{3}(?: ?[0-9]{5})?")
            .filtered(|text| must(luhn(text)))
            .only_near(["siren", "siret", "rcs", "naf"], 0.93),
        id("france-nir", "A social security number of France.", 0.2)
            .shape(concat!(
                "[1278] ?[0-9]{2} ?(?:0[1-9]|1[0-2]|[2-9][0-9]) ?(?:[0-9]{2}|2[ABab])",
                " ?[0-9]{3} ?[0-9]{3}(?: ?[0-9]{2})?",
            ))
            .checked("NIR", |text| may(nir(text)), 0.93)
            .near(
                ["nir", "sécurité sociale", "securite sociale", "numéro de sécu", "insee", "carte vitale"],
                0.85,
            ),
        id("spain-dni", "An identity number of Spain.", 0.3)
            .shape("(?i)[0-9]{8}[ -]?[A-HJ-NP-TV-Z]")
            .shape("(?i)[XYZ][ -]?[0-9]{7}[ -]?[A-HJ-NP-TV-Z]")
            .checked("DNI letter", |text| may(dni(text)), 0.92)
            .near(["dni", "nie", "nif", "documento nacional"], 0.85),
        id("spain-cif", "A tax number of a company in Spain.", 0.1)
            .shape("(?i)[ABCDEFGHJNPQRSUVW][ -]?[0-9]{7}[ -]?[0-9A-J]")
            .checked("CIF", |text| must(cif(text)), 0.6)
            .near(["cif", "nif", "c.i.f", "n.i.f"], 0.93),
        id("italy-vat", "A tax number of a company in Italy.", 0.0)
            .shape("[0-9]{11}")
            .filtered(|text| must(luhn(text)))
            .only_near(["partita iva", "p.iva", "p. iva", "piva", "p.i"], 0.94),
        id("italy-codice-fiscale", "A tax code of Italy.", 0.85)
            .shape(
                "(?i)[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]",
            )
            .checked("codice fiscale", |text| may(codice_fiscale(text)), 0.97)
            .near(["codice fiscale", "c.f"], 0.97),
        id("netherlands-bsn", "A citizen number of the Netherlands.", 0.0)
            .shape(r"[0-9]{4}[ .]?[0-9]{2}[ .]?[0-9]{3}|[0-9]{8}")
            .checked("BSN", |text| must(bsn(text)), 0.0)
            .only_near(["bsn", "burgerservicenummer", "sofinummer", "citizen service"], 0.95),
        id("belgium-national-number", "A national number of Belgium.", 0.1)
            .shape(r"[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{3}[.-][0-9]{2}")
            .shape(r"[0-9]{11}")
            .checked("NISS", |text| must(belgian(text)), 0.6)
            .near(["rijksregisternummer", "numéro national", "national number", "niss", "insz"], 0.95),
        id("portugal-nif", "A tax number of Portugal.", 0.0)
            .shape("[1-35-9][0-9]{2} ?[0-9]{3} ?[0-9]{3}")
            .checked("NIF", |text| must(nif(text)), 0.0)
            .only_near(["nif", "contribuinte", "número fiscal", "fiscal"], 0.93),
        id("portugal-citizen-card", "A citizen card of Portugal.", 0.3)
            .shape("(?i)[0-9]{8}[ -]?[0-9][ -]?[A-Z0-9]{2}[0-9]")
            .checked("cartão de cidadão", |text| must(citizen_card(text)), 0.7)
            .near(["cartão de cidadão", "cartao de cidadao", "cartão", "cidadão", "cc", "documento"], 0.93),
        id("poland-pesel", "A PESEL number of Poland.", 0.0)
            .shape("[0-9]{11}")
            .checked("PESEL", |text| must(pesel(text)), 0.55)
            .near(["pesel"], 0.96),
        id("sweden-personnummer", "A personal number of Sweden.", 0.2)
            .shape("(?:19|20)?[0-9]{6}[-+][0-9]{4}")
            .checked("personnummer", |text| must(swedish(text)), 0.88)
            .near(["personnummer", "personal number", "swedish", "sweden", "samordningsnummer"], 0.95),
        id("sweden-personnummer-plain", "A personal number of Sweden without a dash.", 0.0)
            .shape("(?:19|20)?[0-9]{10}")
            .filtered(|text| must(swedish(text)))
            .only_near(["personnummer", "samordningsnummer"], 0.93),
        id("finland-hetu", "A personal identity code of Finland.", 0.4)
            .shape("[0-3][0-9][01][0-9]{3}[-+A-FU-Y][0-9]{3}[0-9A-FHJ-NPR-Y]")
            .checked("mod 31", |text| must(hetu(text)), 0.95)
            .near(["hetu", "henkilötunnus", "personal identity code", "henkilö"], 0.97),
        id("norway-fodselsnummer", "A birth number of Norway.", 0.0)
            .shape("[0-9]{6} ?[0-9]{5}")
            .checked("two mod 11", |text| must(norwegian(text)), 0.6)
            .near(["fødselsnummer", "fodselsnummer", "personnummer", "fnr", "norwegian", "norway"], 0.95),
        id("denmark-cpr", "A personal number of Denmark.", 0.35)
            .shape("[0-3][0-9][01][0-9]{3}-[0-9]{4}")
            .checked("CPR birth date", |text| must(danish(text)), 0.7)
            .near(["cpr", "cpr-nummer", "cpr number", "personnummer", "danish"], 0.95),
        id("switzerland-ahv", "A social security number of Switzerland.", 0.6)
            .shape(r"756[. ]?[0-9]{4}[. ]?[0-9]{4}[. ]?[0-9]{2}")
            .checked("EAN-13", |text| must(ean13(text)), 0.95)
            .near(["ahv", "avs", "navs", "ahv-nummer"], 0.96)
            .edges(Edges::Number),
        id("austria-social", "A social security number of Austria.", 0.0)
            .shape("[1-9][0-9]{3} ?[0-3][0-9][01][0-9]{3}")
            .checked("SVNR", |text| must(svnr(text)), 0.0)
            .only_near(
                ["svnr", "sozialversicherungsnummer", "sozialversicherung", "versicherungsnummer"],
                0.93,
            ),
        id("czech-birth-number", "A birth number of Czechia or Slovakia.", 0.2)
            .shape("[0-9]{6}/[0-9]{3,4}")
            .checked("mod 11 and birth date", |text| may(czech(text)), 0.85)
            .near(["rodné číslo", "rodne cislo", "birth number", "rč"], 0.92),
        id("romania-cnp", "A personal number of Romania.", 0.0)
            .shape("[1-8][0-9]{12}")
            .checked("CNP", |text| must(cnp(text)), 0.6)
            .near(["cnp", "cod numeric personal"], 0.95),
        id("bulgaria-egn", "A personal number of Bulgaria.", 0.0)
            .shape("[0-9]{10}")
            .filtered(|text| must(egn(text)))
            .only_near(["egn", "егн"], 0.93),
        id("greece-amka", "A social security number of Greece.", 0.0)
            .shape("[0-3][0-9][01][0-9]{8}")
            .filtered(|text| must(luhn(text)))
            .only_near(["amka", "αμκα"], 0.94),
        id("croatia-oib", "A personal number of Croatia.", 0.0)
            .shape("[0-9]{11}")
            .filtered(|text| must(mod11_10(text)))
            .only_near(["oib"], 0.94),
    ]
}

/// Checks the last two digits modulo 97. The departments of Corsica are 2A and 2B.
fn nir(text: &str) -> bool {
    let code = compact(text);
    if code.len() != 15 {
        return false;
    }
    let (body, key) = code.split_at(13);
    let body = body.replace("2A", "19").replace("2B", "18");
    let (Ok(body), Ok(key)) = (body.parse::<u64>(), key.parse::<u64>()) else { return false };
    key == 97 - body % 97
}

/// Checks the last digit of a number with a birth date and a letter: digit sums of weighted digits, modulo 10.
fn german_social(text: &str) -> bool {
    const WEIGHTS: [u32; 12] = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
    let code = compact(text);
    let bytes = code.as_bytes();
    let (Some(letter), Some(check)) = (bytes.get(8).filter(|b| b.is_ascii_uppercase()), last_digit(&code))
    else {
        return false;
    };
    let letter = u32::from(letter - b'A') + 1;
    let mut all: Vec<u32> = digits(&code).collect();
    if all.len() != 11 || !is_day(number(&all[2..4]), number(&all[4..6])) {
        return false;
    }
    all.splice(8..8, [letter / 10, letter % 10]);
    let sum: u32 = all
        .iter()
        .zip(WEIGHTS)
        .map(|(digit, weight)| digit * weight)
        .map(|product| product / 10 + product % 10)
        .sum();
    sum % 10 == check
}

/// Checks the last sign: a digit, or the letter at its place for some forms of companies.
fn cif(text: &str) -> bool {
    let code = compact(text);
    let Some(body) = code.get(1..8).and_then(exact_digits::<7>) else { return false };
    let odd: u32 = body.iter().step_by(2).map(|digit| digit * 2 / 10 + digit * 2 % 10).sum();
    let even: u32 = body.iter().skip(1).step_by(2).sum();
    let check = (10 - (odd + even) % 10) % 10;
    let letter = b"JABCDEFGHI".get(check as usize).copied();
    code.len() == 9
        && code.bytes().last().is_some_and(|last| Some(last) == letter || u32::from(last) == 48 + check)
}

/// Checks the last digit like Luhn, with letters as numbers from 10 on.
fn citizen_card(text: &str) -> bool {
    let code = compact(text);
    let values: Vec<u32> = code.chars().filter_map(|c| c.to_digit(36)).collect();
    let sum: u32 = values
        .iter()
        .rev()
        .enumerate()
        .map(|(place, &value)| match place % 2 {
            0 => value,
            _ if value * 2 > 9 => value * 2 - 9,
            _ => value * 2,
        })
        .sum();
    values.len() == 12 && code.contains(|c: char| c.is_ascii_alphabetic()) && sum.is_multiple_of(10)
}

fn dni(text: &str) -> bool {
    let code = compact(text);
    let Some(body) = code.len().checked_sub(1).and_then(|end| code.get(..end)) else { return false };
    let body = body.replacen('X', "0", 1).replacen('Y', "1", 1).replacen('Z', "2", 1);
    let Ok(body) = body.parse::<usize>() else { return false };
    code.as_bytes().last() == b"TRWAGMYFPDXBNJZSQVHLCKE".get(body % 23)
}

fn codice_fiscale(text: &str) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let code = compact(text);
    let value = |b: u8| if b.is_ascii_digit() { u32::from(b - b'0') } else { u32::from(b - b'A') };
    let sum: u32 = code
        .bytes()
        .take(15)
        .enumerate()
        .map(|(place, b)| if place % 2 == 0 { ODD[value(b) as usize] } else { value(b) })
        .sum();
    code.bytes().last().map(|b| u32::from(b).wrapping_sub(u32::from(b'A'))) == Some(sum % 26)
}

/// Checks the number modulo 11. The last digit is subtracted.
fn bsn(text: &str) -> bool {
    let padded = format!("{:0>9}", compact(text));
    let sum = weighted(&padded, &[9, 8, 7, 6, 5, 4, 3, 2]);
    !all_same(text) && last_digit(&padded) == Some(sum % 11)
}

/// Checks the number modulo 97, with a 2 before it for births since 2000.
fn belgian(text: &str) -> bool {
    let Some(all) = exact_digits::<11>(text) else { return false };
    let (body, check) = (number(&all[..9]), number(&all[9..]));
    let possible = number(&all[2..4]) <= 12 && number(&all[4..6]) <= 31;
    possible && (97 - body % 97 == check || 97 - (2_000_000_000 + body) % 97 == check)
}

fn nif(text: &str) -> bool {
    let check = match weighted(text, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    last_digit(text) == Some(check)
}

/// Checks the last digit and the date. The month encodes the century: plus 20 since 2000, plus 80 before
/// 1900.
fn pesel(text: &str) -> bool {
    let Some(all) = exact_digits::<11>(text) else { return false };
    let sum = weighted(text, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
    is_day(number(&all[4..6]), number(&all[2..4]) % 20) && last_digit(text) == Some((10 - sum % 10) % 10)
}

/// Checks the last digit and the date. Coordination numbers add 60 to the day.
fn swedish(text: &str) -> bool {
    let all: Vec<u32> = digits(text).collect();
    let Some(ten) = all.len().checked_sub(10).map(|from| &all[from..]) else { return false };
    let written: String = ten.iter().filter_map(|digit| char::from_digit(*digit, 10)).collect();
    is_day(number(&ten[4..6]) % 60, number(&ten[2..4])) && luhn(&written)
}

/// Checks the last character. The century sign may have several bytes, so characters are counted.
fn hetu(text: &str) -> bool {
    const LETTERS: &[u8; 31] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    let mut body = text.chars();
    let check = body.next_back();
    let Some(all) = exact_digits::<9>(body.as_str()) else { return false };
    let expected = LETTERS[number(&all) as usize % LETTERS.len()];
    body.count() == 10 && is_day(number(&all[..2]), number(&all[2..4])) && check == Some(expected.into())
}

fn norwegian(text: &str) -> bool {
    let Some(all) = exact_digits::<11>(text) else { return false };
    let check = |weights: &[u32]| match 11 - weighted(text, weights) % 11 {
        11 => 0,
        digit => digit,
    };
    is_day(number(&all[..2]) % 40, number(&all[2..4]) % 40)
        && check(&[3, 7, 6, 1, 8, 9, 4, 5, 2]) == all[9]
        && check(&[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) == all[10]
}

fn danish(text: &str) -> bool {
    exact_digits::<10>(text).is_some_and(|all| is_day(number(&all[..2]), number(&all[2..4])))
}

fn ean13(text: &str) -> bool {
    let sum = weighted(text, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]);
    last_digit(text) == Some((10 - sum % 10) % 10)
}

/// Checks the fourth digit.
fn svnr(text: &str) -> bool {
    let sum = weighted(text, &[3, 7, 9, 0, 5, 8, 4, 2, 1, 6]);
    digits(text).nth(3) == Some(sum % 11)
}

fn czech(text: &str) -> bool {
    let code = compact(text);
    let Some(born) = code.get(2..6).and_then(exact_digits::<4>) else { return false };
    let month = number(&born[..2]) % 50;
    // Numbers before 1954 have nine digits and no check digit.
    let fits = match code.len() {
        9 => true,
        10 => code.parse::<u64>().is_ok_and(|code| code.is_multiple_of(11)),
        _ => false,
    };
    fits && is_day(number(&born[2..]), if month > 20 { month - 20 } else { month })
}

fn cnp(text: &str) -> bool {
    let Some(all) = exact_digits::<13>(text) else { return false };
    let check = match weighted(text, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11 {
        10 => 1,
        rest => rest,
    };
    is_day(number(&all[5..7]), number(&all[3..5])) && last_digit(text) == Some(check)
}

fn egn(text: &str) -> bool {
    last_digit(text) == Some(weighted(text, &[2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 % 10)
}

#[cfg(test)]
mod tests;
