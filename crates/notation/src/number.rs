//! Numbers as texts write them.

use std::ops::Range;

/// A number with its notation: its separators and the number of its decimals.
///
/// ```
/// use inkveil_notation::numbers;
///
/// let text = "£60,317.50 in all";
/// let number = &numbers(text)[0];
/// assert_eq!((&text[number.range()], number.units(), number.decimals()), ("60,317.50", 6_031_750, 2));
/// assert_eq!(number.write(4_890_200), "48,902.00");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenNumber {
    range: Range<usize>,
    units: u64,
    decimals: u32,
    group: Option<char>,
    point: char,
}

/// The most digits of a number. More are a code.
const MOST_DIGITS: usize = 15;

/// Returns the numbers of a text, in order. Digits that belong to a word ("B12") are not numbers.
pub fn numbers(text: &str) -> Vec<WrittenNumber> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c: char| c.is_ascii_digit()).map(|start| at + start) {
        let end = end_of_number(text, start);
        let in_word = text[..start].chars().next_back().is_some_and(char::is_alphanumeric);
        if !in_word {
            found.extend(WrittenNumber::read(text, start..end));
        }
        at = end;
    }
    found
}

/// Returns the end of the digits and separators that start here.
fn end_of_number(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = start;
    loop {
        while digit(end) {
            end += 1;
        }
        let separator = text[end..].chars().next();
        let width = separator.map_or(0, char::len_utf8);
        let three = (0..3).all(|at| digit(end + width + at)) && !digit(end + width + 3);
        match separator {
            Some(',' | '.') if digit(end + width) => end += width,
            Some(' ' | '\u{a0}' | '\u{202f}' | '\'' | '’') if three => end += width,
            _ => return end,
        }
    }
}

impl WrittenNumber {
    fn read(text: &str, range: Range<usize>) -> Option<Self> {
        let written = text.get(range.clone())?;
        let separators: Vec<(usize, char)> =
            written.char_indices().filter(|(_, c)| !c.is_ascii_digit()).collect();
        let last = separators.last().copied();
        let after = |(at, c): (usize, char)| written.len() - at - c.len_utf8();
        let kinds = {
            let mut kinds: Vec<char> = separators.iter().map(|(_, c)| *c).collect();
            kinds.dedup();
            kinds
        };
        let (group, point) = match (kinds.as_slice(), last) {
            ([], _) => (None, None),
            // One kind: groups of three digits, or a decimal point.
            ([one], Some(last)) if after(last) == 3 && (separators.len() > 1 || *one != '.') => {
                (Some(*one), None)
            }
            ([one], Some(_)) if separators.len() == 1 && matches!(one, '.' | ',') => (None, Some(*one)),
            ([group, point], Some(last)) if matches!(point, '.' | ',') && last.1 == *point => {
                (Some(*group), Some(*point))
            }
            _ => return None,
        };
        let decimals = last.filter(|(_, c)| Some(*c) == point).map_or(0, after) as u32;
        let digits: String = written.chars().filter(char::is_ascii_digit).collect();
        if digits.len() > MOST_DIGITS {
            return None;
        }
        let units = digits.parse().ok()?;
        Some(Self { range, units, decimals, group, point: point.unwrap_or('.') })
    }

    /// Returns its place in the text.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns its value in units of its last decimal.
    pub fn units(&self) -> u64 {
        self.units
    }

    /// Returns the number of its decimals.
    pub fn decimals(&self) -> u32 {
        self.decimals
    }

    /// Writes another value in this notation. Groups are separated if this number separates them or is
    /// too short to show it.
    pub fn write(&self, units: u64) -> String {
        let group = self.group.or_else(|| {
            let whole = self.units / 10_u64.pow(self.decimals);
            (whole < 1000 && units / 10_u64.pow(self.decimals) >= 1000).then_some(match self.point {
                ',' => '.',
                _ => ',',
            })
        });
        written(units, self.decimals, group, self.point)
    }
}

fn written(units: u64, decimals: u32, group: Option<char>, point: char) -> String {
    let (whole, part) = (units / 10_u64.pow(decimals), units % 10_u64.pow(decimals));
    let digits = whole.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if let (true, Some(group)) = (at > 0 && (digits.len() - at).is_multiple_of(3), group) {
            out.push(group);
        }
        out.push(digit);
    }
    if decimals > 0 {
        out.push_str(&format!("{point}{part:0width$}", width = decimals as usize));
    }
    out
}

const CURRENCIES: &[(&str, &str, &str)] =
    &[("$", "USD", "dollars"), ("£", "GBP", "pounds"), ("€", "EUR", "euros"), ("¥", "JPY", "yen")];

/// Returns other notations of an amount, each with the same notation of another amount. Both texts must
/// hold one number and, apart from it, the same words and signs.
///
/// ```
/// use inkveil_notation::number_variants;
///
/// let pairs = number_variants("£60,317", "£48,902");
/// assert!(pairs.contains(&("£60317".to_owned(), "£48902".to_owned())));
/// assert!(pairs.contains(&("60,317 pounds".to_owned(), "48,902 pounds".to_owned())));
/// ```
pub fn number_variants(one: &str, other: &str) -> Vec<(String, String)> {
    let (numbers_one, numbers_other) = (numbers(one), numbers(other));
    let ([a], [b]) = (numbers_one.as_slice(), numbers_other.as_slice()) else { return Vec::new() };
    let around = |text: &str, number: &WrittenNumber| {
        (text[..number.range.start].to_owned(), text[number.range.end..].to_owned())
    };
    let (before, after) = around(one, a);
    if (before.clone(), after.clone()) != around(other, b) {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    for (figure_a, figure_b) in figures(a).into_iter().zip(figures(b)) {
        let pair = |before: &str, after: &str| {
            (format!("{before}{figure_a}{after}"), format!("{before}{figure_b}{after}"))
        };
        pairs.push(pair(&before, &after));
        let sign = before.trim();
        let mark = |(sign_of, code, name): &&(&str, &str, &str)| {
            *sign_of == sign || *code == sign || after.trim() == *code || after.trim() == *name
        };
        if let Some((sign, code, name)) = CURRENCIES.iter().find(mark)
            && (after.trim().is_empty() || sign.is_empty() || before.trim().is_empty())
        {
            pairs.push(pair(sign, ""));
            pairs.push(pair(&format!("{sign} "), ""));
            pairs.push(pair(&format!("{code} "), ""));
            pairs.push(pair("", &format!(" {code}")));
            pairs.push(pair("", &format!(" {name}")));
        }
        // A long figure is unlikely to be anything else.
        if a.units / 10_u64.pow(a.decimals) >= 1000 && after.trim().is_empty() {
            pairs.push(pair("", ""));
        }
    }
    pairs
}

/// Returns the figures of a number: with and without separators of groups, and with decimals that are 0.
fn figures(number: &WrittenNumber) -> Vec<String> {
    let WrittenNumber { units, decimals, .. } = *number;
    let mut figures = vec![
        written(units, decimals, Some(','), '.'),
        written(units, decimals, None, '.'),
        written(units, decimals, Some('.'), ','),
        written(units, decimals, Some(' '), if number.point == ',' { ',' } else { '.' }),
    ];
    // Both numbers of a pair have the same number of decimals, or a variant stands for another notation.
    match decimals {
        0 => {
            figures.push(written(units.saturating_mul(100), 2, Some(','), '.'));
            figures.push(written(units.saturating_mul(100), 2, None, '.'));
        }
        _ => figures.extend([written(units, decimals, None, ','), written(units, decimals, Some('\''), '.')]),
    }
    figures
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<(u64, u32)> {
        numbers(text).iter().map(|number| (number.units, number.decimals)).collect()
    }

    #[test]
    fn numbers_are_read() {
        for (text, expected) in [
            ("60,317", &[(60_317, 0)][..]),
            ("60.317,50 €", &[(6_031_750, 2)]),
            ("1 204,50", &[(120_450, 2)]),
            ("1'000'000", &[(1_000_000, 0)]),
            ("$5.5 million", &[(55, 1)]),
            ("1.250", &[(1250, 3)]),
            ("0.25 mg", &[(25, 2)]),
            ("from 5 to 10", &[(5, 0), (10, 0)]),
            ("B12 and 7", &[(7, 0)]),
            ("1,2,3", &[]),
            ("at 5.", &[(5, 0)]),
            ("1234567890123456", &[]),
            ("none", &[]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn notations_are_kept() {
        let rewritten = |text: &str, units| numbers(text)[0].write(units);
        assert_eq!(rewritten("60,317", 1_048_902), "1,048,902");
        assert_eq!(rewritten("60317", 48_902), "48902");
        assert_eq!(rewritten("60.317,50", 4_890_205), "48.902,05");
        assert_eq!(rewritten("950", 1_050), "1,050");
        assert_eq!(rewritten("0.25", 5), "0.05");
    }

    #[test]
    fn other_notations_of_amounts() {
        let pairs = number_variants("£60,317", "£48,902");
        for text in ["£60317", "£ 60,317", "£60,317.00", "GBP 60317", "60,317 GBP", "60,317", "60317 pounds"]
        {
            assert!(pairs.iter().any(|(variant, _)| variant == text), "{text}");
        }
        assert!(pairs.contains(&("£60.317".to_owned(), "£48.902".to_owned())));
        assert!(number_variants("£60,317", "€48,902").is_empty());
        assert!(number_variants("5 to 7", "6 to 8").is_empty());
        assert!(!number_variants("£12", "£15").iter().any(|(variant, _)| variant == "12"));
        assert!(number_variants("40 mg", "50 mg").contains(&("40 mg".to_owned(), "50 mg".to_owned())));
    }

    proptest! {
        #[test]
        fn any_text_is_accepted(text in "\\PC{0,40}", units in any::<u32>()) {
            for number in numbers(&text) {
                prop_assert!(text.is_char_boundary(number.range.start) && text.is_char_boundary(number.range.end));
                prop_assert!(!number.write(units.into()).is_empty());
            }
        }

        #[test]
        fn a_number_that_is_written_is_read(units in 1_000_000_u64..1_000_000_000_000) {
            for notation in ["60,317.50", "60.317,50", "60 317,50", "60317.50"] {
                let written = numbers(notation)[0].write(units);
                prop_assert_eq!(read(&written), [(units, 2)]);
            }
        }
    }
}
