//! Telephone numbers of 56 countries.

use crate::generator::Generator;
use crate::shape::{Lead, PhoneForm};

/// A country: its calling code, its trunk prefix, and masks of numbers in groups.
struct Country {
    code: &'static str,
    trunk: &'static str,
    shapes: &'static [&'static str],
}

macro_rules! countries {
    ($($weight:literal $code:literal $trunk:literal [$($shape:literal),*];)*) => {
        const COUNTRIES: &[(usize, Country)] = &[
            $(($weight, Country { code: $code, trunk: $trunk, shapes: &[$($shape),*] })),*
        ];
    };
}

// The weight of a country, then the country.
countries! {
    40 "1" "" ["^## ^## ####"];
    12 "44" "0" ["20 #### ####", "7### ######", "7### ### ###", "1## ### ####", "1### ######", "1#### #####", "28 #### ####"];
    4 "49" "0" ["30 #######", "89 ########", "15# ########", "17# #######", "2## #######", "6### ######"];
    4 "33" "0" ["1 ## ## ## ##", "6 ## ## ## ##", "7 ## ## ## ##", "4 ## ## ## ##"];
    3 "34" "" ["6## ### ###", "9## ### ###", "6## ## ## ##"];
    3 "39" "" ["3## ### ####", "06 #### ####", "02 #######"];
    2 "31" "0" ["20 ### ####", "6 ########", "6 #### ####", "10 ### ## ##"];
    2 "32" "0" ["4## ## ## ##", "2 ### ## ##"];
    2 "41" "0" ["44 ### ## ##", "79 ### ## ##", "22 ### ## ##"];
    1 "43" "0" ["1 #######", "664 #######"];
    2 "46" "0" ["8 ### ### ##", "70 ### ## ##", "31 ### ## ##"];
    2 "47" "" ["## ## ## ##", "9## ## ###"];
    2 "45" "" ["## ## ## ##", "#### ####"];
    1 "358" "0" ["40 ### ####", "9 ### ####"];
    1 "354" "" ["### ####"];
    2 "48" "" ["### ### ###", "22 ### ## ##"];
    1 "420" "" ["### ### ###"];
    1 "421" "0" ["9## ### ###"];
    1 "36" "06" ["1 ### ####", "30 ### ####"];
    1 "40" "0" ["7## ### ###", "21 ### ####"];
    1 "359" "0" ["88 ### ####", "2 ### ####"];
    1 "30" "" ["21# ### ####", "69# ### ####"];
    2 "351" "" ["21 ### ####", "91 ### ## ##", "96# ### ###"];
    2 "353" "0" ["1 ### ####", "87 ### ####", "21 ### ####"];
    2 "7" "8" ["495 ###-##-##", "9## ###-##-##"];
    1 "380" "0" ["44 ### ## ##", "67 ### ## ##"];
    2 "90" "0" ["212 ### ## ##", "53# ### ## ##"];
    1 "972" "0" ["50 ### ####", "3 ### ####"];
    2 "971" "0" ["50 ### ####", "4 ### ####"];
    1 "966" "0" ["5# ### ####", "11 ### ####"];
    1 "20" "0" ["2 #### ####", "10 #### ####"];
    1 "212" "0" ["6## ######", "5## ## ## ##"];
    2 "234" "0" ["80# ### ####", "1 ### ####"];
    1 "254" "0" ["7## ######", "20 ### ####"];
    1 "233" "0" ["24 ### ####", "30 ### ####"];
    2 "27" "0" ["82 ### ####", "11 ### ####", "21 ### ####"];
    5 "91" "0" ["9#### #####", "8#########", "22 #### ####", "98## ### ###", "80 #### ####"];
    1 "92" "0" ["3## #######", "21 ########"];
    1 "880" "0" ["17## ######"];
    3 "86" "" ["13# #### ####", "10 #### ####", "186 #### ####"];
    1 "852" "" ["#### ####"];
    2 "81" "0" ["90 #### ####", "3 #### ####", "6 #### ####"];
    2 "82" "0" ["10 #### ####", "2 ### ####"];
    1 "65" "" ["6### ####", "9### ####"];
    1 "60" "0" ["12 ### ####", "3 #### ####"];
    1 "62" "0" ["812 #### ####", "21 #### ####"];
    1 "63" "0" ["917 ### ####", "2 #### ####"];
    1 "66" "0" ["8# ### ####", "2 ### ####"];
    1 "84" "0" ["9# ### ## ##", "24 #### ####"];
    4 "61" "0" ["4## ### ###", "2 #### ####", "3 #### ####", "7 #### ####"];
    1 "64" "0" ["21 ### ####", "9 ### ####"];
    2 "55" "" ["11 9####-####", "21 ####-####", "11 ####-####"];
    2 "52" "" ["55 #### ####", "33 #### ####", "81 #### ####"];
    1 "54" "0" ["11 ####-####", "9 11 ####-####"];
    1 "56" "" ["9 #### ####", "2 #### ####"];
    1 "57" "" ["3## ### ####", "1 ### ####"];
}

/// Numbers that countries reserve for fiction: the country code, and the number without its trunk
/// prefix 0.
const FICTION: &[(&str, &str)] = &[
    ("44", "2079460###"),
    ("44", "7700900###"),
    ("44", "1632960###"),
    ("44", "1134960###"),
    ("33", "19900####"),
    ("33", "63998####"),
    ("61", "25550####"),
    ("61", "37010####"),
    ("49", "3023125###"),
    ("49", "2214710###"),
];

impl Generator {
    /// Draws a number in the same notation. It is from a range reserved for fiction if the country has one,
    /// and it never starts like an emergency number.
    pub(crate) fn phone_like(&mut self, form: &PhoneForm) -> String {
        let digits = match form.lead() {
            Lead::Country => self.with_country_code(form),
            Lead::Trunk => self.after_zero(form.digits()),
            Lead::Bare => self.without_lead(form.digits()),
        };
        let number = form.pattern.pour(&digits);
        match form.extension {
            Some((introduction, length)) => {
                format!("{number}{introduction}{}", self.dice.fill(&"#".repeat(length)))
            }
            None => number,
        }
    }

    /// Draws digits that start with a country code, which is as long as the first group if possible.
    fn with_country_code(&mut self, form: &PhoneForm) -> String {
        let (first, all) = (form.pattern.groups().first().copied().unwrap_or(0), form.digits());
        let code_fits = |code: &str| first > 3 || code.len() == first;
        if all == 11 && code_fits("1") {
            return format!("1{}", self.without_lead(10));
        }
        let of_length = |number: &str| number.chars().filter(|c| *c != ' ' && *c != '-').count();
        let fiction: Vec<String> = FICTION
            .iter()
            .filter(|(code, number)| code_fits(code) && code.len() + number.len() == all)
            .map(|(code, number)| format!("{code}{number}"))
            .collect();
        let others = COUNTRIES.iter().flat_map(|(_, country)| {
            let shapes = country
                .shapes
                .iter()
                .filter(|shape| code_fits(country.code) && country.code.len() + of_length(shape) == all);
            shapes.map(|shape| format!("{}{}", country.code, shape.replace([' ', '-'], "")))
        });
        let shapes = if fiction.is_empty() { others.collect() } else { fiction };
        match self.dice.pick(&shapes) {
            Some(shape) => self.dice.fill(shape),
            None => self.dice.fill(&format!("%{}", "#".repeat(all.saturating_sub(1)))),
        }
    }

    fn after_zero(&mut self, length: usize) -> String {
        let fiction: Vec<&str> =
            FICTION.iter().map(|(_, number)| *number).filter(|number| number.len() == length).collect();
        match self.dice.pick(&fiction) {
            Some(number) => self.dice.fill(number),
            // Not another zero: 000 is the emergency number in Australia.
            None => self.dice.fill(&format!("%{}", "#".repeat(length.saturating_sub(1)))),
        }
    }

    fn without_lead(&mut self, length: usize) -> String {
        match length {
            7 => self.dice.fill("55501##"),
            10 => format!("{}55501{}", self.area(), self.dice.fill("##")),
            11 => format!("1{}", self.without_lead(10)),
            // Emergency numbers start with 0, 1 or 9.
            _ => {
                let first = self.dice.string_of(b"2345678", 1);
                self.dice.fill(&format!("{first}{}", "#".repeat(length.saturating_sub(1))))
            }
        }
    }

    /// Draws an area code of North America. Codes that end in 11 are services, and some that start with 9
    /// are emergency numbers elsewhere.
    fn area(&mut self) -> String {
        let first = self.dice.string_of(b"2345678", 1);
        let rest = match self.dice.below(99) {
            11 => 99,
            rest => rest,
        };
        format!("{first}{rest:02}")
    }

    pub(crate) fn phone(&mut self) -> String {
        let Some(Country { code, trunk, shapes }) = self.dice.pick_weighted(COUNTRIES) else {
            return String::new();
        };
        let (code, trunk) = (*code, *trunk);
        let number = self.dice.fill_one(shapes);
        let number =
            if code == "1" { self.north_american(&number) } else { self.elsewhere(code, trunk, &number) };
        match self.dice.below(25) {
            0 => format!("{number}{}", self.dice.fill_one(&[" x###", "x###", " x####", " x#####", "x####"])),
            1 => format!(
                "{number}{}",
                self.dice.fill_one(&[" ext. ###", " ext ##", ", ext. ####", " extension ###"])
            ),
            _ => number,
        }
    }

    fn north_american(&mut self, number: &str) -> String {
        let (area, rest) = number.split_once(' ').unwrap_or(("", number));
        let joined = |separator: &str| number.replace(' ', separator);
        match self.dice.below(16) {
            0..3 => format!("({area}) {}", rest.replace(' ', "-")),
            3 => format!("({area}){}", rest.replace(' ', "-")),
            4..7 => joined("-"),
            7 => joined("."),
            8 => joined(" "),
            9 => joined(""),
            10 => format!("+1 {}", joined("-")),
            11 => format!("+1-{}", joined("-")),
            12 => format!("+1 ({area}) {}", rest.replace(' ', "-")),
            13 => format!("1-{}", joined("-")),
            14 => format!("+1{}", joined("")),
            _ => format!("1.{}", joined(".")),
        }
    }

    fn elsewhere(&mut self, code: &str, trunk: &str, number: &str) -> String {
        let (area, rest) = number.split_once(' ').unwrap_or(("", number));
        let separator = self.dice.one_of(&[" ", " ", " ", "-", ".", ""]);
        let joined = number.replace(' ', separator);
        let plain: String = number.chars().filter(char::is_ascii_digit).collect();
        match self.dice.below(16) {
            0..4 => format!("+{code} {joined}"),
            4 => format!("+{code}{plain}"),
            5 => format!("+{code}-{}", number.replace(' ', "-")),
            6 => format!("00{code} {joined}"),
            7 => format!("00{code}{plain}"),
            8 if !trunk.is_empty() => format!("+{code} ({trunk}) {joined}"),
            8 => format!("(+{code}) {joined}"),
            9 if !trunk.is_empty() => format!("+{code} ({trunk}){joined}"),
            10 if !area.is_empty() => format!("({trunk}{area}) {rest}"),
            11 if !area.is_empty() => format!("{trunk}{area}/{}", rest.replace(' ', "")),
            12 => format!("{trunk}{plain}"),
            13 if !area.is_empty() => format!("+{code} ({area}) {rest}"),
            _ => format!("{trunk}{joined}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::PhoneForm;
    use crate::testing::generator;

    #[test]
    fn surrogates_keep_their_form_and_are_no_emergency_numbers() {
        const EMERGENCY: [&str; 22] = [
            "000", "100", "101", "102", "103", "108", "110", "111", "112", "113", "115", "117", "118", "119",
            "122", "190", "191", "911", "933", "988", "995", "999",
        ];
        let mut generator = generator(2);
        for text in [
            "+44 20 7946 0018",
            "+1 (415) 555-0123 ext. 12",
            "+359 88 123 4567",
            "+999999999999999",
            "0044 20 7946 0018",
            "020 7946 0018",
            "0171/1234567",
            "(415) 555-0123x7",
            "1-800-FLOWERS",
            "12345",
            "112 345",
            "911",
            "98 76 54 32",
        ] {
            let form = PhoneForm::of(text);
            for _ in 0..300 {
                let phone = generator.phone_like(&form);
                assert_eq!(PhoneForm::of(&phone), form, "{text}: {phone}");
                let dialled: String = phone.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect();
                // North America dials 1 before the area code.
                let dialled = dialled.strip_prefix('1').filter(|rest| rest.len() == 10).unwrap_or(&dialled);
                assert!(EMERGENCY.iter().all(|number| !dialled.starts_with(number)), "{text}: {phone}");
            }
        }
    }

    #[test]
    fn surrogates_of_north_america_are_reserved_for_fiction() {
        let mut generator = generator(3);
        for _ in 0..100 {
            let phone = generator.phone_like(&PhoneForm::of("+1 212 867 5309"));
            assert!(
                phone.starts_with("+1 ") && &phone[6..12] == " 555 0" && !phone[3..6].ends_with("11"),
                "{phone}"
            );
        }
    }

    #[test]
    fn numbers_have_enough_digits_and_many_formats() {
        let mut generator = generator(1);
        let mut shapes = HashSet::new();
        for _ in 0..3000 {
            let phone = generator.phone();
            let digits = phone.chars().filter(char::is_ascii_digit).count();
            assert!((7..=22).contains(&digits), "{phone}");
            shapes.insert(phone.replace(|c: char| c.is_ascii_digit(), "0"));
        }
        assert!(shapes.len() > 300, "{}", shapes.len());
    }
}
