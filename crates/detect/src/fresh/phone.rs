//! Telephone numbers of 56 countries.

use super::Fresh;

/// A country: its calling code, what stands before a number at home, and shapes of numbers in groups.
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

// How often a country comes up, then the country.
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

impl Fresh {
    pub(super) fn phone(&mut self) -> String {
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

    use super::super::tests::fresh;

    #[test]
    fn numbers_have_enough_digits_and_many_shapes() {
        let mut fresh = fresh(1);
        let mut shapes = HashSet::new();
        for _ in 0..3000 {
            let phone = fresh.phone();
            let digits = phone.chars().filter(char::is_ascii_digit).count();
            assert!((7..=22).contains(&digits), "{phone}");
            shapes.insert(phone.replace(|c: char| c.is_ascii_digit(), "0"));
        }
        assert!(shapes.len() > 300, "{}", shapes.len());
    }
}
