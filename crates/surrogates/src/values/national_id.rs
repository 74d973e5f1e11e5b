//! Numbers that states assign to people, with valid check digits if the scheme has them.

use super::bank::grouped;
use super::check_digits::{luhn, mod11_10, mod97, to_ten, verhoeff, weighted};
use crate::generator::Generator;
use crate::shape::Pattern;

impl Generator {
    /// Draws a social security number of the United States, from the assigned ranges.
    pub(crate) fn ssn(&mut self) -> String {
        let area = match self.dice.between(1, 898) {
            666 => 899,
            area => area,
        };
        let (group, serial) = (self.dice.between(1, 99), self.dice.between(1, 9999));
        match self.dice.below(10) {
            0..7 => format!("{area:03}-{group:02}-{serial:04}"),
            7 => format!("{area:03} {group:02} {serial:04}"),
            8 => format!("{area:03}.{group:02}.{serial:04}"),
            _ => format!("{area:03}{group:02}{serial:04}"),
        }
    }

    /// Draws a national identity number.
    pub(crate) fn national_id(&mut self) -> String {
        let day = self.dice.between(1, 28);
        let month = self.dice.between(1, 12);
        let year = self.dice.between(30, 99);
        match self.dice.below(24) {
            0 => self.ssn(),
            1 => self.nino(),
            2 => {
                let body = self.dice.fill("%########")[..8].to_owned();
                grouped(&format!("{body}{}", luhn(&body)), &[3, 3, 3], self.dice.one_of(&[" ", "-", ""])) // Canada
            }
            3 => {
                let body = self.dice.fill("^##########");
                grouped(&format!("{body}{}", verhoeff(&body)), &[4, 4, 4], self.dice.one_of(&[" ", "", "-"])) // India
            }
            4 => self.dice.fill("@@@P@####@"), // India, tax
            5 => {
                let body = self.dice.fill("%#########");
                format!("{body}{}", mod11_10(&body)) // Germany
            }
            6 => {
                let body =
                    format!("{}{year:02}{month:02}{}", self.dice.between(1, 2), self.dice.fill("########"));
                let plain = format!("{body}{:02}", 97 - mod97(&body)); // France
                if self.dice.chance(50) { plain } else { grouped(&plain, &[1, 2, 2, 2, 3, 3, 2], " ") }
            }
            7 => self.dice.fill("@@@@@@##@##@###@"), // Italy
            8..10 => {
                let body = self.dice.fill("########");
                format!("{body}{}{}", self.dice.one_of(&["", "", "-"]), spanish_letter(&body))
            }
            10 => self.dutch(),
            11..13 => self.cpf(),
            13 => {
                let body = self.dice.fill(&format!("{year:02}{month:02}{day:02}###"));
                let plain = format!("{body}{}", luhn(&body)); // Sweden
                if self.dice.chance(70) { grouped(&plain, &[6, 4], "-") } else { format!("19{plain}") }
            }
            14 => {
                let body = self.dice.fill(&format!("{year:02}{month:02}{day:02}####"));
                format!("{body}{}", to_ten(&body, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3])) // Poland
            }
            15 => self.dice.fill(&format!("{day:02}{month:02}{year:02}-####")), // Denmark
            16 => {
                let serial = self.dice.between(2, 899);
                let number = day * 10_000_000 + month * 100_000 + year * 1000 + serial;
                let letters = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
                let check = letters.get(number as usize % 31).map_or('0', |byte| char::from(*byte));
                format!("{day:02}{month:02}{year:02}-{serial:03}{check}") // Finland
            }
            17 => self.singapore(),
            18 => {
                let body = self.dice.fill("756#########");
                let check = to_ten(&body, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]);
                grouped(&format!("{body}{check}"), &[3, 4, 4, 2], self.dice.one_of(&[".", ".", ""])) // Switzerland
            }
            19 => {
                let body = self.dice.fill(&format!("{year:02}{month:02}{day:02}####08"));
                format!("{body}{}", luhn(&body)) // South Africa
            }
            20 => self.dice.fill(&format!("######19{year:02}{month:02}{day:02}###%")), // China
            21 => self.dice.fill(&format!("{year:02}{month:02}{day:02}-%######")),     // Korea
            22 => self.dice.fill(&format!("@@@@{year:02}{month:02}{day:02}H@@@@@##")), // Mexico
            _ => self.dice.fill_one(&[
                "#######@@",
                "#######@",
                "%##########",
                "#### #### ####",
                "##.###.###-#",
                "### ### ####",
            ]),
        }
    }

    /// Draws a number of the same pattern. If a known scheme has this pattern, its check digits are valid.
    pub(crate) fn national_id_like(&mut self, pattern: &Pattern) -> String {
        let any = |generator: &mut Generator| match generator.dice.below(4) {
            0 => generator.ssn(),
            1 => generator.tax_id(),
            _ => generator.national_id(),
        };
        match self.until(any, |number| Pattern::of(number, "#").matches(pattern)) {
            Some(number) if pattern.is_lower() => number.to_lowercase(),
            Some(number) => number,
            None => pattern.fill(&mut self.dice),
        }
    }

    pub(crate) fn tax_id(&mut self) -> String {
        match self.dice.below(10) {
            0..3 => self.dice.fill("%#-#######"),
            3 => self.dice.fill("9##-7#-####"),
            4 => self.dice.fill_one(&[
                "GB#########",
                "GB ### #### ##",
                "DE#########",
                "FR*#########",
                "IT###########",
            ]),
            5 => self.dice.fill_one(&[
                "ES@########",
                "NL#########B##",
                "IE#######@@",
                "PL##########",
                "ATU########",
            ]),
            6 => self.dice.fill_one(&["##/###/#####", "### ### ###", "##########", "##@@@@@####@#Z#"]),
            7 => self.cpf(),
            8 => self.national_id(),
            _ => {
                self.dice.fill_one(&["#########", "%##########", "@########", "##-########-#", "###-###-###"])
            }
        }
    }

    /// Draws a national insurance number of the United Kingdom.
    fn nino(&mut self) -> String {
        let first = self.dice.string_of(b"ABCEGHJKLMNOPRSTWXYZ", 1);
        let second = self.dice.string_of(b"ABCEGHJKLMNPRSTWXYZ", 1);
        let end = self.dice.string_of(b"ABCD", 1);
        let digits = self.dice.fill_one(&["######", " ## ## ## ", "######"]);
        format!("{first}{second}{digits}{end}")
    }

    /// Draws a tax number of Brazil (CPF) with its two check digits.
    fn cpf(&mut self) -> String {
        let check = |body: &str| {
            let weights: Vec<u32> = (2..=body.len() as u32 + 1).rev().collect();
            match weighted(body, &weights) % 11 {
                0 | 1 => '0',
                rest => char::from_digit(11 - rest, 10).unwrap_or('0'),
            }
        };
        let mut number = self.dice.fill("#########");
        number.push(check(&number));
        number.push(check(&number));
        match self.dice.chance(60) {
            true => format!("{}.{}.{}-{}", &number[..3], &number[3..6], &number[6..9], &number[9..]),
            false => number,
        }
    }

    /// Draws a citizen service number of the Netherlands with its check digit.
    fn dutch(&mut self) -> String {
        const WEIGHTS: [u32; 8] = [9, 8, 7, 6, 5, 4, 3, 2];
        let body = self.dice.fill("########");
        match weighted(&body, &WEIGHTS) % 11 {
            // There is no check digit for ten. Another first digit changes the sum.
            10 => {
                let first = if body.starts_with('9') { "0" } else { "9" };
                let body = format!("{first}{}", &body[1..]);
                format!("{body}{}", weighted(&body, &WEIGHTS) % 11)
            }
            check => format!("{body}{check}"),
        }
    }

    /// Draws an identity number of Singapore with its check letter.
    fn singapore(&mut self) -> String {
        let prefix = self.dice.one_of(&["S", "T"]);
        let body = self.dice.fill("#######");
        let sum = weighted(&body, &[2, 7, 6, 5, 4, 3, 2]) + if prefix == "T" { 4 } else { 0 };
        let check = b"JZIHGFEDCBA".get(sum as usize % 11).map_or('A', |byte| char::from(*byte));
        format!("{prefix}{body}{check}")
    }
}

/// Returns the last letter of a Spanish identity number.
fn spanish_letter(body: &str) -> char {
    let rest = body.parse::<usize>().unwrap_or(0) % 23;
    b"TRWAGMYFPDXBNJZSQVHLCKE".get(rest).map_or('T', |byte| char::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::generator;

    #[test]
    fn check_letters_of_known_numbers() {
        assert_eq!(spanish_letter("12345678"), 'Z');
    }

    #[test]
    fn brazilian_numbers_pass_their_check() {
        let mut generator = generator(1);
        for _ in 0..100 {
            let number: String = generator.cpf().chars().filter(char::is_ascii_digit).collect();
            assert_eq!(number.len(), 11);
            // Weighted from ten and eleven down, both sums times ten leave the check digit.
            for (length, start) in [(9, 10), (10, 11)] {
                let weights: Vec<u32> = (2..=start).rev().collect();
                let rest = weighted(&number[..length], &weights) * 10 % 11 % 10;
                assert_eq!(rest.to_string(), number[length..=length]);
            }
        }
    }

    #[test]
    fn surrogates_are_of_a_scheme_that_has_the_pattern() {
        let mut generator = generator(4);
        let mut like = |text: &str| generator.national_id_like(&Pattern::of(text, "#"));
        for _ in 0..50 {
            let number: String = like("046 454 286").chars().filter(char::is_ascii_digit).collect();
            assert_eq!(number.len(), 9);
            assert!(!like("078-05-1120").starts_with("000"));
            let spanish = like("12345678z");
            assert!(spanish.ends_with(|c: char| c.is_ascii_lowercase()), "{spanish}");
        }
        assert_eq!(like("A1-B2-C3-D4").len(), 11);
    }

    #[test]
    fn dutch_numbers_pass_their_check() {
        let mut generator = generator(3);
        for _ in 0..500 {
            let number = generator.dutch();
            assert_eq!(number.len(), 9);
            let last = number[8..].parse::<u32>().unwrap();
            assert_eq!(weighted(&number, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11, last, "{number}");
        }
    }

    #[test]
    fn social_security_numbers_are_of_ranges_in_use() {
        let mut generator = generator(2);
        for _ in 0..2000 {
            let digits: String = generator.ssn().chars().filter(char::is_ascii_digit).collect();
            assert_eq!(digits.len(), 9);
            assert!(!["000", "666"].contains(&&digits[..3]) && !digits.starts_with('9'), "{digits}");
            assert!(&digits[3..5] != "00" && &digits[5..] != "0000");
        }
    }
}
