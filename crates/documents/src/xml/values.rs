//! Which values of attributes can be written although nobody has read them: numbers, colours and words of a standard.

use std::collections::HashSet;

use super::names::is_address;

/// The words that a standard defines.
pub(crate) struct Vocabulary {
    names: HashSet<&'static str>,
    values: HashSet<&'static str>,
}

impl Vocabulary {
    /// Reads lists of words.
    pub(crate) fn new(names: &'static str, values: &'static str, more: &[&'static str]) -> Self {
        let names = names.split_whitespace().chain(more.iter().copied()).collect();
        Self { names, values: values.split_whitespace().collect() }
    }

    /// Whether an element or attribute can have this name.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether a value says nothing but how something looks.
    pub(crate) fn is_structural(&self, value: &str) -> bool {
        /// Borders and the like have a few parts.
        const PARTS: usize = 8;
        let is_part = |part: &str| {
            is_measure(part) || is_colour(part) || self.values.contains(part) || is_language(part)
        };
        // Parts of a telephone number are numbers too.
        let digits = || {
            let plain = value
                .split_ascii_whitespace()
                .filter(|part| part.bytes().all(|b| b.is_ascii_digit() || b == b'+'));
            plain.map(str::len).sum::<usize>()
        };
        is_address(value)
            || (digits() <= 10
                && value.split_ascii_whitespace().count() <= PARTS
                && value.split_ascii_whitespace().all(is_part)
                && value.len() <= 200)
    }
}

/// A number with a unit, such as `-0.5in`, `50%` or `12`. Longer numbers may be telephone numbers.
pub(crate) fn is_measure(value: &str) -> bool {
    const UNITS: [&str; 16] =
        ["", "%", "pt", "in", "cm", "mm", "px", "em", "ex", "pc", "pi", "q", "deg", "grad", "rad", "s"];
    let digits = value.trim_start_matches(['-', '+']);
    let unit = digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = &digits[..digits.len() - unit.len()];
    value.len() - digits.len() <= 1
        && number.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && number.matches('.').count() <= 1
        && number.bytes().filter(u8::is_ascii_digit).count() <= if number.contains('.') { 20 } else { 10 }
        && UNITS.contains(&unit)
}

/// A colour such as `#ff0000` or `FF0000`, or another short hexadecimal number.
pub(crate) fn is_colour(value: &str) -> bool {
    let digits = value.strip_prefix('#').unwrap_or(value);
    matches!(digits.len(), 1..=4 | 6 | 8)
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (digits.len() == 6
            || value.len() != digits.len()
            || digits.bytes().any(|byte| byte.is_ascii_digit()))
}

/// The name of a language, such as `en-US` or `de`.
pub(crate) fn is_language(value: &str) -> bool {
    let (language, country) = value.split_once('-').unwrap_or((value, "US"));
    matches!(language.len(), 2 | 3)
        && language.bytes().all(|byte| byte.is_ascii_lowercase())
        && country.len() == 2
        && country.bytes().all(|byte| byte.is_ascii_uppercase())
        && value.contains('-')
}

/// Fonts that come with systems and offices. Other names may name a company.
const FONTS: &str = "Arial|Arial Black|Arial Narrow|Aptos|Aptos Display|Aptos Narrow|Baskerville|Bookman Old Style|\
    Calibri|Calibri Light|Cambria|Cambria Math|Candara|Carlito|Caladea|Century|Century Gothic|Comic Sans MS|Consolas|\
    Constantia|Corbel|Courier|Courier New|DejaVu Sans|DejaVu Sans Mono|DejaVu Serif|Didot|Franklin Gothic Book|\
    Franklin Gothic Medium|Futura|Garamond|Georgia|Gill Sans|Gill Sans MT|Helvetica|Helvetica Neue|Impact|\
    Liberation Mono|Liberation Sans|Liberation Sans Narrow|Liberation Serif|Lucida Console|Lucida Sans|\
    Lucida Sans Unicode|MS Gothic|MS Mincho|MS PGothic|MS PMincho|Meiryo|Monaco|Noto Sans|Noto Sans CJK SC|\
    Noto Serif|Noto Serif CJK SC|Noto Sans Devanagari|Lohit Devanagari|FreeSans|OpenSymbol|Open Sans|Optima|\
    Palatino|Palatino Linotype|Roboto|Rockwell|Segoe UI|SimSun|Source Sans Pro|Symbol|Tahoma|Times|\
    Times New Roman|Trebuchet MS|Tw Cen MT|Verdana|Wingdings|Wingdings 2|Wingdings 3|Webdings|Yu Gothic|Yu Mincho|\
    +mj-lt|+mn-lt|+mj-ea|+mn-ea|+mj-cs|+mn-cs|sans-serif|serif|monospace";

/// Whether a font is one of the usual ones.
pub(crate) fn is_font(value: &str) -> bool {
    let value = value.trim_matches('\'');
    FONTS.split('|').any(|font| font.trim() == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_nothing_is_structural() {
        let words = Vocabulary::new("p", "left auto solid", &[]);
        for value in
            ["", "left", "-12", "0.5in", "50%", "FF0000", "#00ff00", "0.1in solid #ff0000", "en-US", "1"]
        {
            assert!(words.is_structural(value), "{value}");
        }
        for value in
            ["Ana", "ana", "Ana Novak", "+44 20 7946 0958", "02079460958", "left Ana", "ana@b.org", "dead"]
        {
            assert!(!words.is_structural(value), "{value}");
        }
        assert!(is_font("Times New Roman") && is_font("'Liberation Sans'") && !is_font("Novak Sans"));
    }
}
