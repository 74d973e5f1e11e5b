//! Payment cards, bank accounts and bank codes.

use super::check_digits::{iban, luhn, to_ten};
use crate::generator::Generator;
use crate::lists::List;
use crate::shape::{Pattern, Slot};

/// Weights, prefixes and lengths of card numbers.
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

/// Countries, and the mask of the part after the check digits.
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

/// Countries with lengths that no other country has. They are too rare for training data.
const RARE_IBANS: &[(&str, &str)] =
    &[("KW", "@@@@**********************"), ("LC", "@@@@************************")];

/// Countries in BICs.
const COUNTRIES: &[&str] = &[
    "US", "GB", "DE", "FR", "ES", "IT", "NL", "BE", "CH", "AT", "SE", "NO", "DK", "FI", "PL", "CZ", "IE",
    "PT", "GR", "TR", "RO", "IN", "CN", "JP", "SG", "HK", "AU", "CA", "BR", "MX", "ZA", "AE", "SA", "KR",
];

impl Generator {
    /// Draws a card number; four in five pass the Luhn check.
    pub(crate) fn card(&mut self) -> String {
        let (start, length) = self.dice.pick_weighted(CARDS).copied().unwrap_or(("4", 16));
        let body = self.card_body(start, length);
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

    /// Draws all digits but the check digit.
    fn card_body(&mut self, start: &str, length: usize) -> String {
        self.dice.fill(&format!("{start}{}", "#".repeat(length.saturating_sub(1 + start.len()))))
    }

    /// Draws a card number in the same groups that passes the Luhn check. If the pattern hides digits, only
    /// the visible ones are drawn.
    pub(crate) fn card_like(&mut self, pattern: &Pattern) -> String {
        let length = pattern.places();
        let hidden = pattern.has_letters() || pattern.slots().contains(&Slot::Sign('*'));
        if hidden || !(12..=19).contains(&length) {
            return pattern.write(|slot| match slot {
                Slot::Digit => self.dice.char_of(b"0123456789"),
                Slot::Upper => 'X',
                Slot::Lower => 'x',
                Slot::Sign(sign) => sign,
            });
        }
        let starts: Vec<(usize, &str)> = CARDS
            .iter()
            .filter(|(_, (_, of_length))| *of_length == length)
            .map(|(weight, (start, _))| (*weight, *start))
            .collect();
        // Maestro issues cards of all these lengths.
        let start = self.dice.pick_weighted(&starts).copied().unwrap_or("5018");
        let body = self.card_body(start, length);
        pattern.pour(&format!("{body}{}", luhn(&body)))
    }

    /// Draws an expiry date if the pattern is one of a month and a year, otherwise digits.
    pub(crate) fn card_code_like(&mut self, pattern: &Pattern) -> String {
        let (month, year) = (self.dice.between(1, 12), self.dice.between(26, 39));
        let slash = pattern.slots().iter().any(|slot| matches!(slot, Slot::Sign('/' | '-')));
        match pattern.groups().as_slice() {
            _ if !slash || pattern.has_letters() => pattern.fill(&mut self.dice),
            [1, 2] => pattern.pour(&format!("{}{year}", month.min(9))),
            [2, 2] => pattern.pour(&format!("{month:02}{year}")),
            [1, 4] => pattern.pour(&format!("{}20{year}", month.min(9))),
            [2, 4] => pattern.pour(&format!("{month:02}20{year}")),
            _ => pattern.fill(&mut self.dice),
        }
    }

    pub(crate) fn cvv(&mut self) -> String {
        self.dice.fill_one(&["###", "###", "###", "####"])
    }

    pub(crate) fn pin(&mut self) -> String {
        self.dice.fill_one(&["####", "####", "####", "######", "#####"])
    }

    pub(crate) fn expiry(&mut self) -> String {
        let month = self.dice.between(1, 12);
        let year = self.dice.between(24, 39);
        match self.dice.below(6) {
            0..3 => format!("{month:02}/{year}"),
            3 => format!("{month:02}/20{year}"),
            4 => format!("{month:02}-{year}"),
            _ => format!("{month}/{year}"),
        }
    }

    /// Draws an IBAN; four in five have valid check digits.
    pub(crate) fn iban(&mut self) -> String {
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

    /// Draws a valid IBAN in the same groups, of a country whose IBANs have the same length.
    pub(crate) fn iban_like(&mut self, pattern: &Pattern) -> String {
        let length = pattern.places();
        let countries: Vec<&(&str, &str)> =
            IBANS.iter().chain(RARE_IBANS).filter(|(_, shape)| 4 + shape.len() == length).collect();
        let (country, shape) = self.dice.pick(&countries).copied().unwrap_or(&("DE", "##################"));
        let body = self.dice.fill(shape);
        let plain = format!("{country}{}{body}", iban(country, &body));
        match countries.is_empty() {
            true => grouped(&plain, &[4; 9], " "),
            false => pattern.pour(&plain),
        }
    }

    /// Draws a bank code by its pattern: a BIC with a country, a routing number with its check digit, an
    /// Indian code with its zero, or any other.
    pub(crate) fn bank_code_like(&mut self, pattern: &Pattern) -> String {
        let classes = pattern.classes();
        let plain = match (classes.as_str(), classes.strip_prefix("AAAAAA")) {
            (_, Some(place)) if [2, 5].contains(&place.len()) => {
                let country = self.dice.one_of(COUNTRIES);
                // A location code that ends in 0 is a test BIC, one that ends in 1 is not connected. O is not used.
                let place: String = place
                    .chars()
                    .map(|class| {
                        self.dice.char_of(if class == '9' {
                            b"23456789"
                        } else {
                            b"ABCDEFGHJKLMNPQRSTUVWXYZ"
                        })
                    })
                    .collect();
                format!("{}{country}{place}", self.dice.fill("@@@@"))
            }
            ("999999999", _) if pattern.groups() == [9] => self.routing(),
            ("AAAA9999999", _) => self.dice.fill("@@@@0######"),
            _ => return pattern.fill(&mut self.dice),
        };
        pattern.pour(&plain)
    }

    pub(crate) fn bic(&mut self) -> String {
        let country = self.dice.one_of(COUNTRIES);
        let place = self.dice.fill_one(&["@@", "@#", "#@", "##", "2L", "33", "HH"]);
        let branch = self.dice.fill_one(&["", "", "", "XXX", "###", "@@@", "@##"]);
        self.dice.fill(&format!("@@@@{country}{place}{branch}"))
    }

    /// Draws a routing number of the United States, with its check digit.
    pub(crate) fn routing(&mut self) -> String {
        let district = self.dice.between(1, 12) + if self.dice.chance(30) { 20 } else { 0 };
        let body = self.dice.fill(&format!("{district:02}######"));
        let check = to_ten(&body, &[3, 7, 1, 3, 7, 1, 3, 7]);
        format!("{body}{check}")
    }

    pub(crate) fn sort_code(&mut self) -> String {
        self.dice.fill_one(&["##-##-##", "##-##-##", "######", "## ## ##", "###-###", "@@@@0######"])
    }

    pub(crate) fn account(&mut self) -> String {
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

    pub(crate) fn account_name(&mut self) -> String {
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

/// Splits ASCII text into groups. The last group also takes the rest.
pub(crate) fn grouped(text: &str, sizes: &[usize], separator: &str) -> String {
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
    use super::*;
    use crate::testing::generator;
    use crate::values::check_digits::mod97;

    #[test]
    fn most_cards_pass_luhn() {
        let mut generator = generator(1);
        let valid = (0..1000)
            .filter(|_| {
                let digits: String = generator.card().chars().filter(char::is_ascii_digit).collect();
                let (body, check) = digits.split_at(digits.len() - 1);
                assert!((13..=19).contains(&digits.len()));
                check == luhn(body).to_string()
            })
            .count();
        assert!((780..=870).contains(&valid), "{valid}");
    }

    #[test]
    fn most_ibans_pass_their_check() {
        let mut generator = generator(2);
        let valid = (0..1000)
            .filter(|_| {
                let plain: String = generator.iban().chars().filter(char::is_ascii_alphanumeric).collect();
                mod97(&format!("{}{}", &plain[4..], &plain[..4])) == 1
            })
            .count();
        assert!((760..=850).contains(&valid), "{valid}");
    }

    #[test]
    fn routing_numbers_pass_their_check() {
        let mut generator = generator(3);
        for _ in 0..100 {
            let number = generator.routing();
            assert_eq!(to_ten(&number[..8], &[3, 7, 1, 3, 7, 1, 3, 7]).to_string(), number[8..]);
        }
    }

    #[test]
    fn surrogates_keep_their_groups_and_pass_their_checks() {
        let mut generator = generator(4);
        let alike =
            |text: &str, drawn: &str| Pattern::of(text, "#").groups() == Pattern::of(drawn, "#").groups();
        for text in [
            "4111 1111 1111 1111",
            "3782-822463-10005",
            "123456789012",
            "12345678901234567",
            "1234567890123456789",
        ] {
            for _ in 0..200 {
                let card = generator.card_like(&Pattern::of(text, "#"));
                let digits: String = card.chars().filter(char::is_ascii_digit).collect();
                let (body, check) = digits.split_at(digits.len() - 1);
                assert!(check == luhn(body).to_string() && alike(text, &card), "{card}");
            }
        }
        for (country, _) in IBANS.iter().chain(RARE_IBANS) {
            let text =
                generator.until(Generator::iban, |iban| iban.starts_with(country)).unwrap_or("KW".repeat(15));
            let iban = generator.iban_like(&Pattern::of(&text.to_lowercase(), "#"));
            let plain: String = iban.chars().filter(char::is_ascii_alphanumeric).collect();
            assert_eq!(mod97(&format!("{}{}", &plain[4..], &plain[..4])), 1, "{iban}");
            assert!(alike(&text, &iban) && iban == iban.to_lowercase(), "{text} {iban}");
        }
    }

    #[test]
    fn surrogates_of_codes_follow_their_scheme() {
        let mut generator = generator(5);
        let mut code = |text: &str| generator.card_code_like(&Pattern::of(text, "#"));
        assert!(code("12/27").split_once('/').is_some_and(|(month, year)| {
            (1..=12).contains(&month.parse::<u32>().unwrap())
                && (26..=39).contains(&year.parse::<u32>().unwrap())
        }));
        assert_eq!(code("123").len(), 3);
        assert!(code("1/2030").contains("/20"));
        let mut bank = |text: &str| generator.bank_code_like(&Pattern::of(text, "#"));
        assert!((0..50).all(|_| COUNTRIES.contains(&&bank("DEUTDEFF500")[4..6])));
        assert_eq!(bank("SBIN0001234").chars().nth(4), Some('0'));
        assert_eq!(bank("12-34-56").matches('-').count(), 2);
        let routing = bank("021000021");
        assert_eq!(to_ten(&routing[..8], &[3, 7, 1, 3, 7, 1, 3, 7]).to_string(), routing[8..]);
    }

    #[test]
    fn grouping_keeps_all_characters() {
        assert_eq!(grouped("123456789", &[4, 4], " "), "1234 56789");
        assert_eq!(grouped("12345", &[4, 4, 4], "-"), "1234-5");
    }
}
