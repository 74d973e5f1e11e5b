//! Number plates and vehicle identification numbers.

use super::check_digits;
use crate::generator::Generator;
use crate::shape::{Pattern, Slot};

/// Masks of plates of Europe, the Americas, Asia, Africa and Australia, two or more for most countries.
const PLATES: &[&str] = &[
    "#@@@###",
    "@@@-####",
    "@@@ ####",
    "###-@@@",
    "@@@####",
    "### @@@",
    "@##-@@@",
    "@@ #####",
    "#@@ ###", // US
    "@@## @@@",
    "@@##@@@",
    "@### @@@",
    "@@@ ###@", // United Kingdom
    "@-@@ ###",
    "@@-@@ ####",
    "@@@-@ ##",
    "@ @@ ####", // Germany
    "@@-###-@@", // France, Italy with blanks
    "@@ ###@@",
    "#### @@@", // Spain
    "@@-##-##",
    "##-@@-##",
    "@@-###-@",
    "#-@@@-##", // Netherlands, Portugal
    "@@@ ##@",
    "@@@ ###",  // Sweden
    "@@ #####", // Norway, Denmark
    "@@@-###",  // Finland, Hungary
    "@@ #####",
    "@@@ ##@@",
    "@@# ####",  // Poland
    "##-@-####", // Ireland
    "@@ ## @@ ####",
    "@@##@@####",
    "@@-##-@-####", // India
    "@@@-#@##",
    "@@@#@##", // Brazil
    "@@@-##-##",
    "@@@-###-@", // Mexico
    "@@@@ ###",
    "@@@ ###@", // Canada
    "@@@ ## @",
    "#@@-#@@",
    "###·@@@", // Australia
    "@@ ## @@ @@",
    "@@ ### @@", // South Africa, Nigeria
    "@@@-###@@",
    "@### @@ ##", // Nigeria, Russia
    "## @@@ ##",
    "## @ ####", // Turkey
    "@ ####",
    "@@ ####",
    "S@@ #### @",
    "@ #####", // Gulf, Singapore
];

const VIN_LETTERS: &[u8] = b"ABCDEFGHJKLMNPRSTUVWXYZ0123456789";

impl Generator {
    pub(crate) fn plate(&mut self) -> String {
        self.dice.fill_one(PLATES)
    }

    /// Draws a plate of the same pattern, without the letters that many countries avoid.
    pub(crate) fn plate_like(&mut self, pattern: &Pattern) -> String {
        pattern.write(|slot| match slot {
            Slot::Digit => self.dice.char_of(b"0123456789"),
            Slot::Upper => self.dice.char_of(b"ABCDEFGHJKLMNOPRSTUVWXY"),
            Slot::Lower => self.dice.char_of(b"abcdefghjklmnoprstuvwxy"),
            Slot::Sign(sign) => sign,
        })
    }

    /// Draws a vehicle identification number; half of them pass the North American check.
    pub(crate) fn vin(&mut self) -> String {
        const MAKERS: &[&str] = &[
            "1HG", "1FT", "1G1", "2HG", "2T1", "3VW", "3FA", "4T1", "5YJ", "5NP", "JHM", "JT2", "JN1", "KMH",
            "KNA", "SAL", "SAJ", "VF1", "VSS", "WAU", "WBA", "WDB", "WVW", "WP0", "YV1", "ZFA", "ZFF", "TMB",
            "LRW", "9BW",
        ];
        let maker = self.dice.one_of(MAKERS);
        let body = self.dice.string_of(VIN_LETTERS, 8);
        let serial = self.dice.fill("######");
        let vin = format!("{maker}{body}{serial}");
        if self.dice.chance(50) { checked(vin) } else { vin }
    }

    /// Draws a vehicle identification number that passes the check.
    pub(crate) fn valid_vin(&mut self) -> String {
        checked(self.vin())
    }
}

/// Inserts the check digit. Its own weight is zero, so it can be computed last.
fn checked(mut vin: String) -> String {
    let check = check_digits::vin(&vin);
    vin.replace_range(8..9, check.encode_utf8(&mut [0; 4]));
    vin
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::generator;

    #[test]
    fn vins_have_17_characters_and_about_half_pass_the_check() {
        let mut generator = generator(1);
        let valid = (0..1000)
            .filter(|_| {
                let vin = generator.vin();
                assert!(vin.len() == 17 && !vin.contains(['I', 'O', 'Q']), "{vin}");
                vin.chars().nth(8) == Some(check_digits::vin(&vin))
            })
            .count();
        assert!((480..=600).contains(&valid), "{valid}");
        assert!((0..100).all(|_| {
            let vin = generator.valid_vin();
            vin.chars().nth(8) == Some(check_digits::vin(&vin))
        }));
    }
}
