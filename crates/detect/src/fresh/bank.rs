//! Cards, accounts and what names a bank.

use super::Fresh;
use super::check_digits::{iban, luhn, to_ten};
use super::lists::List;

/// Beginnings of card numbers and the length of the whole.
const CARDS: &[(usize, (&str, usize))] = &[
    (30, ("4", 16)),
    (2, ("4", 13)),
    (8, ("51", 16)),
    (8, ("53", 16)),
    (8, ("55", 16)),
    (4, ("2221", 16)),
    (4, ("2720", 16)),
    (7, ("34", 15)),
    (7, ("37", 15)),
    (4, ("6011", 16)),
    (4, ("65", 16)),
    (3, ("36", 14)),
    (3, ("3528", 16)),
    (3, ("62", 16)),
    (2, ("62", 19)),
    (2, ("5018", 16)),
    (1, ("6304", 18)),
];

/// Countries and the shape of what follows the check digits.
const IBANS: &[(&str, &str)] = &[
    ("AD", "########************"),
    ("AE", "###################"),
    ("AT", "################"),
    ("BE", "############"),
    ("BG", "@@@@######********"),
    ("BR", "#######################@*"),
    ("CH", "#####************"),
    ("CY", "########****************"),
    ("CZ", "####################"),
    ("DE", "##################"),
    ("DK", "##############"),
    ("EE", "################"),
    ("ES", "####################"),
    ("FI", "##############"),
    ("FR", "##########***********##"),
    ("GB", "@@@@##############"),
    ("GR", "#######****************"),
    ("HR", "#################"),
    ("HU", "########################"),
    ("IE", "@@@@##############"),
    ("IL", "###################"),
    ("IS", "######################"),
    ("IT", "@##########************"),
    ("LI", "#####************"),
    ("LT", "################"),
    ("LU", "###*************"),
    ("LV", "@@@@*************"),
    ("MT", "@@@@#####******************"),
    ("NL", "@@@@##########"),
    ("NO", "###########"),
    ("PL", "########################"),
    ("PT", "#####################"),
    ("RO", "@@@@****************"),
    ("SA", "##******************"),
    ("SE", "####################"),
    ("SI", "###############"),
    ("SK", "####################"),
    ("TR", "######****************"),
];

impl Fresh {
    /// A card number; four in five pass Luhn.
    pub(super) fn card(&mut self) -> String {
        let (start, length) = self.dice.pick_weighted(CARDS).copied().unwrap_or(("4", 16));
        let body = self.dice.fill(&format!("{start}{}", "#".repeat(length - 1 - start.len())));
        let check = if self.dice.chance(80) { luhn(&body) } else { self.dice.fill("#").remove(0) };
        let plain = format!("{body}{check}");
        let separator = match self.dice.below(10) {
            0..5 => return plain,
            5..8 => " ",
            8 => "-",
            _ => "",
        };
        match length {
            15 => grouped(&plain, &[4, 6, 5], separator),
            14 => grouped(&plain, &[4, 6, 4], separator),
            _ => grouped(&plain, &[4, 4, 4, 4, 4], separator),
        }
    }

    pub(super) fn cvv(&mut self) -> String {
        self.dice.fill_one(&["###", "###", "###", "####"])
    }

    pub(super) fn pin(&mut self) -> String {
        self.dice.fill_one(&["####", "####", "####", "######", "#####"])
    }

    pub(super) fn expiry(&mut self) -> String {
        let month = self.dice.between(1, 12);
        let year = self.dice.between(24, 39);
        match self.dice.below(6) {
            0..3 => format!("{month:02}/{year}"),
            3 => format!("{month:02}/20{year}"),
            4 => format!("{month:02}-{year}"),
            _ => format!("{month}/{year}"),
        }
    }

    /// An IBAN; four in five pass their check.
    pub(super) fn iban(&mut self) -> String {
        let (country, shape) = self.dice.pick(IBANS).copied().unwrap_or(("DE", "##################"));
        let body = self.dice.fill(shape);
        let check = if self.dice.chance(80) { iban(country, &body) } else { self.dice.fill("##") };
        let plain = format!("{country}{check}{body}");
        match self.dice.below(8) {
            0..5 => plain,
            5..7 => grouped(&plain, &[4; 9], " "),
            _ => grouped(&plain, &[4; 9], "-"),
        }
    }

    pub(super) fn bic(&mut self) -> String {
        const COUNTRIES: &[&str] = &[
            "US", "GB", "DE", "FR", "ES", "IT", "NL", "BE", "CH", "AT", "SE", "NO", "DK", "FI", "PL", "CZ",
            "IE", "PT", "GR", "TR", "RO", "IN", "CN", "JP", "SG", "HK", "AU", "CA", "BR", "MX", "ZA", "AE",
            "SA", "KR",
        ];
        let country = self.dice.one_of(COUNTRIES);
        let place = self.dice.fill_one(&["@@", "@#", "#@", "##", "2L", "33", "HH"]);
        let branch = self.dice.fill_one(&["", "", "", "XXX", "###", "@@@", "@##"]);
        self.dice.fill(&format!("@@@@{country}{place}{branch}"))
    }

    /// A routing number of the United States, with its check digit.
    pub(super) fn routing(&mut self) -> String {
        let district = self.dice.between(1, 12) + if self.dice.chance(30) { 20 } else { 0 };
        let body = self.dice.fill(&format!("{district:02}######"));
        let check = to_ten(&body, &[3, 7, 1, 3, 7, 1, 3, 7]);
        format!("{body}{check}")
    }

    pub(super) fn sort_code(&mut self) -> String {
        self.dice.fill_one(&["##-##-##", "##-##-##", "######", "## ## ##", "###-###", "@@@@0######"])
    }

    pub(super) fn account(&mut self) -> String {
        self.dice.fill_one(&[
            "########",
            "########",
            "%#######",
            "##########",
            "%#########",
            "############",
            "#######",
            "######",
            "#########",
            "%##########",
            "%#############",
            "###########",
            "####-####-####",
            "#### #### ##",
            "##-####-#######-##",
            "%####-######",
            "###-######-#",
            "@@########",
        ])
    }

    pub(super) fn account_name(&mut self) -> String {
        let name = self.entry(List::AccountNames);
        match self.dice.below(8) {
            0 => {
                format!("{} {name}", self.dice.one_of(&["Personal", "Joint", "Primary", "Family", "Online"]))
            }
            1 => format!("{name} {}", self.dice.between(1, 4)),
            _ => name,
        }
    }
}

/// Splits ASCII text into groups; what is left over after the last group stays with it.
pub(super) fn grouped(text: &str, sizes: &[usize], separator: &str) -> String {
    let mut rest = text;
    let mut groups = Vec::new();
    for size in sizes {
        if rest.is_empty() {
            break;
        }
        let (group, after) = rest.split_at_checked(*size).unwrap_or((rest, ""));
        groups.push(group);
        rest = after;
    }
    let mut grouped = groups.join(separator);
    grouped.push_str(rest);
    grouped
}

#[cfg(test)]
mod tests {
    use super::super::check_digits::mod97;
    use super::super::tests::fresh;
    use super::*;

    #[test]
    fn most_cards_pass_luhn() {
        let mut fresh = fresh(1);
        let valid = (0..1000)
            .filter(|_| {
                let digits: String = fresh.card().chars().filter(char::is_ascii_digit).collect();
                let (body, check) = digits.split_at(digits.len() - 1);
                assert!((13..=19).contains(&digits.len()));
                check == luhn(body).to_string()
            })
            .count();
        assert!((780..=870).contains(&valid), "{valid}");
    }

    #[test]
    fn most_ibans_pass_their_check() {
        let mut fresh = fresh(2);
        let valid = (0..1000)
            .filter(|_| {
                let plain: String = fresh.iban().chars().filter(char::is_ascii_alphanumeric).collect();
                mod97(&format!("{}{}", &plain[4..], &plain[..4])) == 1
            })
            .count();
        assert!((760..=850).contains(&valid), "{valid}");
    }

    #[test]
    fn routing_numbers_pass_their_check() {
        let mut fresh = fresh(3);
        for _ in 0..100 {
            let number = fresh.routing();
            assert_eq!(to_ten(&number[..8], &[3, 7, 1, 3, 7, 1, 3, 7]).to_string(), number[8..]);
        }
    }

    #[test]
    fn groups_lose_nothing() {
        assert_eq!(grouped("123456789", &[4, 4], " "), "1234 56789");
        assert_eq!(grouped("12345", &[4, 4, 4], "-"), "1234-5");
    }
}
