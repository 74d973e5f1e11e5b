//! Surrogates of postal codes.

use crate::generator::Generator;
use crate::shape::Pattern;

/// Areas of postcodes of the United Kingdom, with one letter and with two.
const ONE_LETTER: &[&str] = &["B", "E", "G", "L", "M", "N", "S", "W"];
const TWO_LETTERS: &[&str] = &[
    "AB", "BA", "BD", "BN", "BS", "CB", "CF", "CM", "CV", "DE", "DH", "EH", "EX", "GL", "GU", "HU", "IP",
    "KT", "LA", "LE", "LN", "LS", "ME", "MK", "NE", "NG", "NR", "OX", "PE", "PL", "PO", "RG", "SA", "SE",
    "SW", "TN", "WR", "YO",
];

/// Letters in the other parts of postcodes of the United Kingdom and Canada.
const BRITISH: &[u8] = b"ABDEFGHJLNPQRSTUWXYZ";
const CANADIAN: &[u8] = b"ABCEGHJKLMNPRSTVXY";

impl Generator {
    /// Draws a code of the same pattern with the letters that its country uses.
    pub(crate) fn postal_code_like(&mut self, pattern: &Pattern) -> String {
        let classes = pattern.classes();
        let code = match classes.as_str() {
            "A99AA" | "A999AA" | "A9A9AA" => {
                let area = self.dice.one_of(ONE_LETTER);
                self.british(area, classes.get(1..).unwrap_or_default())
            }
            "AA99AA" | "AA999AA" | "AA9A9AA" => {
                let area = self.dice.one_of(TWO_LETTERS);
                self.british(area, classes.get(2..).unwrap_or_default())
            }
            "A9A9A9" => classes.chars().map(|class| self.letter_or_digit(class, CANADIAN)).collect(),
            // Letters that form no unit or abbreviation: 1234 KM would be a distance.
            "9999AA" => {
                let letters = [b"NPRTVWXZ".as_slice(), b"BDFGHJKLNPRSTVWXZ"]
                    .map(|letters| self.dice.string_of(letters, 1));
                format!("{}{}", self.dice.fill("%###"), letters.concat())
            }
            _ => return pattern.fill(&mut self.dice),
        };
        pattern.pour(&code)
    }

    fn british(&mut self, area: &str, rest: &str) -> String {
        let rest: String = rest.chars().map(|class| self.letter_or_digit(class, BRITISH)).collect();
        format!("{area}{rest}")
    }

    fn letter_or_digit(&mut self, class: char, letters: &[u8]) -> char {
        self.dice.char_of(if class == '9' { b"0123456789" } else { letters })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::generator;

    #[test]
    fn surrogates_of_postal_codes_keep_their_pattern() {
        let mut generator = generator(1);
        for text in
            ["94110", "94110-1234", "SW1A 2AA", "m1 1ae", "K1A 0B1", "1234 AB", "D02 X285", "SE-123 45"]
        {
            let pattern = Pattern::of(text, "#");
            for _ in 0..50 {
                let code = generator.postal_code_like(&pattern);
                assert_eq!(Pattern::of(&code, "#").slots(), pattern.slots(), "{text}: {code}");
            }
        }
    }
}
