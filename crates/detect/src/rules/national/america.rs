//! North and South America.

use super::checks::{id, is_day, may, must, number};
use crate::rules::checksum::{luhn, weighted};
use crate::rules::letters::{all_same, compact, digits, exact_digits};
use crate::rules::rule::{Rule, Verdict};

pub(super) fn rules() -> Vec<Rule> {
    vec![
        id("us-ssn", "A social security number of the USA.", 0.4)
            .shape("[0-9]{3}-[0-9]{2}-[0-9]{4}")
            .shape("[0-9]{3} [0-9]{2} [0-9]{4}")
            .checked("SSN areas", ssn, 0.87)
            .near(SSN, 0.95),
        id("us-ssn-plain", "A social security number of the USA without dashes.", 0.0)
            .shape("[0-9]{9}")
            .filtered(ssn)
            .only_near(SSN, 0.9),
        id("us-ssn-tail", "The last digits of a social security number.", 0.85)
            .shape(r"[Xx]{3}-[Xx]{2}-[0-9]{4}")
            .shape(r"[*]{3}-[*]{2}-[0-9]{4}")
            .shape_at(&["xxx"], r"[Xx]{3}-[Xx]{2}-[0-9]{4}"),
        id("us-itin", "A taxpayer number of the USA.", 0.85)
            .shape("9[0-9]{2}[- ](?:5[0-9]|6[0-5]|7[0-9]|8[0-8]|9[0-24-9])[- ][0-9]{4}")
            .near(["itin", "taxpayer", "tax id", "tin"], 0.95),
        id("canada-sin", "A social insurance number of Canada.", 0.2)
            .shape("[1-79][0-9]{2}[ -][0-9]{3}[ -][0-9]{3}")
            .checked("SIN", |text| must(luhn(text) && !all_same(text)), 0.6)
            .near(["sin", "social insurance", "nas", "canada", "canadian"], 0.93),
        id("canada-sin-plain", "A social insurance number of Canada without spaces.", 0.0)
            .shape("[1-79][0-9]{8}")
            .filtered(|text| must(luhn(text)))
            .only_near(["sin", "social insurance", "nas"], 0.9),
        id("brazil-cpf", "A taxpayer number of Brazil.", 0.5)
            .shape(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}")
            .checked("CPF", |text| may(cpf(text)), 0.95)
            .near(["cpf"], 0.9),
        id("brazil-cpf-plain", "A taxpayer number of Brazil without dots.", 0.0)
            .shape("[0-9]{9}-?[0-9]{2}")
            .filtered(|text| must(cpf(text)))
            .only_near(["cpf", "contribuinte", "cadastro de pessoas"], 0.92),
        id("brazil-cnpj", "A tax number of a company in Brazil.", 0.7)
            .shape(r"[0-9]{2}\.[0-9]{3}\.[0-9]{3}/[0-9]{4}-[0-9]{2}")
            .checked("CNPJ", |text| may(cnpj(text)), 0.95)
            .near(["cnpj"], 0.9),
        id("mexico-curp", "A personal number of Mexico.", 0.8)
            .shape("(?i)[A-Z][AEIOUX][A-Z]{2}[0-9]{6}[HMX][A-Z]{2}[B-DF-HJ-NP-TV-Z]{3}[0-9A-Z][0-9]")
            .checked("CURP", |text| may(curp(text)), 0.97)
            .near(["curp"], 0.95),
        id("chile-rut", "A tax number of Chile.", 0.3)
            .shape(r"[0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9Kk]")
            .shape("[0-9]{7,8}-[0-9Kk]")
            .checked("RUT", |text| may(rut(text)), 0.75)
            .near(["rut", "run", "chile"], 0.9),
        id("argentina-cuit", "A taxpayer number of Argentina.", 0.2)
            .shape("(?:20|2[347]|30|3[34])-[0-9]{8}-[0-9]")
            .checked("CUIT", |text| must(cuit(text)), 0.85)
            .near(["cuit", "cuil"], 0.93),
    ]
}

const SSN: [&str; 9] = [
    "ssn",
    "social security",
    "social security number",
    "social",
    "ss#",
    "soc sec",
    "social-security",
    "ss number",
    "s.s.n",
];

/// Refuses numbers that are never assigned: areas 000, 666 and from 900, group 00 and serial 0000.
fn ssn(text: &str) -> Verdict {
    let all: Vec<u32> = digits(text).collect();
    if all.len() != 9 || all_same(text) {
        return Verdict::Invalid;
    }
    let (area, group, serial) = (number(&all[..3]), number(&all[3..5]), number(&all[5..]));
    // Numbers of advertisements, which are used as examples.
    let possible = area != 0 && area != 666 && area < 900 && group != 0 && serial != 0;
    match (possible, area) {
        (true, _) => Verdict::Valid,
        (false, 900..) => Verdict::Unsure,
        _ => Verdict::Invalid,
    }
}

/// Checks two digits modulo 11 with weights from 2 to `top`, repeated from the right.
fn double_mod11(text: &str, top: u32) -> bool {
    let all: Vec<u32> = digits(text).collect();
    let check = |upto: usize| {
        let sum: u32 =
            all[..upto].iter().rev().zip((2..=top).cycle()).map(|(digit, weight)| digit * weight).sum();
        match 11 - sum % 11 {
            10 | 11 => 0,
            digit => digit,
        }
    };
    all.len() > 2
        && !all_same(text)
        && check(all.len() - 2) == all[all.len() - 2]
        && check(all.len() - 1) == all[all.len() - 1]
}

fn cpf(text: &str) -> bool {
    double_mod11(text, 11)
}

fn cnpj(text: &str) -> bool {
    double_mod11(text, 9)
}

fn curp(text: &str) -> bool {
    const LETTERS: &str = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ";
    let code = compact(text);
    let Some(birth) = code.get(4..10).and_then(exact_digits::<6>) else { return false };
    let sum: usize = code
        .chars()
        .take(17)
        .enumerate()
        .map(|(place, c)| LETTERS.chars().position(|known| known == c).unwrap_or(0) * (18 - place))
        .sum();
    let check = (10 - sum % 10) % 10;
    is_day(number(&birth[4..6]), number(&birth[2..4])) && digits(&code).next_back() == Some(check as u32)
}

fn rut(text: &str) -> bool {
    let code = compact(text);
    let cut = code.len().saturating_sub(1);
    let Some((body, check)) = code.split_at_checked(cut) else { return false };
    let sum: u32 = digits(body).rev().zip((2..=7).cycle()).map(|(digit, weight)| digit * weight).sum();
    let expected = match 11 - sum % 11 {
        11 => "0".to_owned(),
        10 => "K".to_owned(),
        digit => digit.to_string(),
    };
    check == expected && !all_same(body)
}

fn cuit(text: &str) -> bool {
    let sum = weighted(text, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]);
    digits(text).next_back() == Some((11 - sum % 11) % 11)
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn usa() {
        finds(
            "us-ssn",
            &[
                "[[123-45-6789]]",
                "SSN: [[536 22 1234]].",
                "a,[[219-09-9999]],b",
                "social [[078-05-1120]]",
                "ssn [[900-12-3456]]",
            ],
        );
        ignores(
            "us-ssn",
            &[
                "000-45-6789",
                "666-45-6789",
                "123-00-6789",
                "123-45-0000",
                "123-45-67890",
                "900-12-3456",
                "1-123-45-6789",
            ],
        );
        finds(
            "us-ssn-plain",
            &[
                "SSN [[123456789]]",
                "social security number: [[536221234]]",
                "ssn=[[219099999]]",
                "my social is [[123456789]].",
                "Social Security [[536221234]]",
            ],
        );
        ignores(
            "us-ssn-plain",
            &["123456789", "ssn 12345678", "ssn 000456789", "ssn 1234567890", "lesson 123456789"],
        );
        finds(
            "us-ssn-tail",
            &[
                "[[XXX-XX-1234]]",
                "ssn [[xxx-xx-9876]].",
                "[[***-**-1234]]",
                "([[xxx-xx-0001]])",
                "is [[XXX-XX-5555]],",
            ],
        );
        ignores("us-ssn-tail", &["XXX-XX", "XX-XX-1234", "xxx 1234", "***-1234", "XXX-XX-12345"]);
        finds(
            "us-itin",
            &[
                "[[912-70-1234]]",
                "ITIN [[999-88-1234]]",
                "[[900 50 1234]].",
                "itin: [[987-65-4321]]",
                "a,[[945-92-0001]],b",
            ],
        );
        ignores("us-itin", &["812-70-1234", "912-49-1234", "912-93-1234", "912-70-123", "912701234"]);
    }

    #[test]
    fn canada() {
        finds(
            "canada-sin",
            &[
                "[[130-692-544]]",
                "SIN [[193 456 787]]",
                "[[130 692 544]].",
                "sin: [[130-692-544]]",
                "([[193-456-787]])",
            ],
        );
        ignores(
            "canada-sin",
            &["130-692-545", "030-692-544", "130-692-5444", "111-111-111", "sin 130-692-545"],
        );
        finds(
            "canada-sin-plain",
            &[
                "SIN [[130692544]]",
                "social insurance number [[193456787]]",
                "sin: [[130692544]]",
                "NAS [[130692544]]",
                "SIN=[[193456787]]",
            ],
        );
        ignores(
            "canada-sin-plain",
            &["130692544", "sin 130692545", "since 130692544", "SIN 13069254", "SIN 1306925444"],
        );
    }

    #[test]
    fn brazil() {
        finds(
            "brazil-cpf",
            &[
                "[[529.982.247-25]]",
                "CPF [[111.444.777-35]].",
                "cpf: [[529.982.247-26]]",
                "([[111.444.777-35]])",
                "a [[529.982.247-25]] b",
            ],
        );
        ignores(
            "brazil-cpf",
            &["529.982.247", "52.982.247-25", "529.982.247-255", "529-982-247-25", "x529.982.247-25"],
        );
        finds(
            "brazil-cpf-plain",
            &[
                "CPF [[52998224725]]",
                "cpf: [[111444777-35]]",
                "cpf=[[52998224725]]",
                "CPF nº [[11144477735]]",
                "contribuinte [[52998224725]]",
            ],
        );
        ignores(
            "brazil-cpf-plain",
            &["52998224725", "CPF 52998224726", "CPF 00000000000", "CPF 5299822472", "CPF 529982247255"],
        );
        finds(
            "brazil-cnpj",
            &[
                "[[11.222.333/0001-81]]",
                "CNPJ [[11.222.333/0001-81]].",
                "[[11.222.333/0001-82]]",
                "cnpj: [[00.000.000/0001-91]]",
                "([[11.222.333/0001-81]])",
            ],
        );
        ignores(
            "brazil-cnpj",
            &[
                "11.222.333/0001",
                "11222333/0001-81",
                "1.222.333/0001-81",
                "11.222.333/0001-811",
                "11.222.333-0001-81",
            ],
        );
    }

    #[test]
    fn spanish_speaking() {
        finds(
            "mexico-curp",
            &[
                "[[HEGG560427MVZRRL04]]",
                "CURP: [[BOXW310820HNERXN09]].",
                "curp [[hegg560427mvzrrl04]]",
                "[[HEGG560427MVZRRL05]]",
                "([[BOXW310820HNERXN09]])",
            ],
        );
        ignores(
            "mexico-curp",
            &[
                "HEGG560427",
                "HEGG560427QVZRRL04",
                "HEGG560427MVZRRL0",
                "1EGG560427MVZRRL04",
                "HEGG560427MVZRRL041",
            ],
        );
        finds(
            "chile-rut",
            &[
                "[[12.345.678-5]]",
                "RUT [[12345678-5]].",
                "[[30.686.957-4]]",
                "rut: [[12.345.678-6]]",
                "RUN [[10.000.013-K]]",
            ],
        );
        ignores("chile-rut", &["12.345.678-6", "12.345.678", "12345678-55", "123.345.678-5", "12.345-5"]);
        finds(
            "argentina-cuit",
            &[
                "[[20-12345678-6]]",
                "CUIT [[20-12345678-6]].",
                "cuil: [[20-12345678-6]]",
                "([[20-12345678-6]])",
                "a,[[20-12345678-6]],b",
            ],
        );
        ignores(
            "argentina-cuit",
            &["20-12345678-7", "21-12345678-6", "20-1234567-6", "20-12345678-66", "20123456786"],
        );
    }
}
