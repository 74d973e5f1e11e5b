//! Numbers for readers.

use inkveil_report::{scientific, superscript};

/// A rounded finite number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    negative: bool,
    digits: String,
    exponent: Option<i32>,
}

/// From this size on, a power of ten is easier to read than digits.
const LARGE: f64 = 1e7;

impl Number {
    /// A number with `digits` digits after the point, in percent if it is a share. None if it is
    /// not finite.
    pub(super) fn of(value: f64, digits: u8, percent: bool) -> Option<Self> {
        let value = if percent { value * 100.0 } else { value };
        if !value.is_finite() {
            return None;
        }
        let (size, digits) = (value.abs(), usize::from(digits.min(12)));
        let (digits, exponent) =
            if size < LARGE { (format!("{size:.digits$}"), None) } else { scientific(size, digits.min(3)) };
        // A number that is rounded to zero has no sign.
        let negative = value < 0.0 && digits.contains(|c: char| c.is_ascii_digit() && c != '0');
        Some(Self { negative, digits, exponent })
    }

    /// The number as plain text.
    pub(super) fn plain(&self) -> String {
        let sign = if self.negative { "−" } else { "" };
        match self.exponent {
            None => format!("{sign}{}", self.digits),
            Some(power) => format!("{sign}{}·10{}", self.digits, superscript(power)),
        }
    }

    /// The number in the math mode of LaTeX, without dollar signs.
    pub(super) fn latex(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        match self.exponent {
            None => format!("{sign}{}", self.digits),
            Some(power) => format!("{sign}{}\\cdot10^{{{power}}}", self.digits),
        }
    }
}

/// A number with six significant digits, for lists of all numbers. A dash if it is not finite.
pub(super) fn brief(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e9).contains(&size) {
        return format!("{value:.5e}");
    }
    let power = if size == 0.0 { 0.0 } else { size.log10().floor() };
    let digits = (5.0 - power).clamp(0.0, 10.0) as usize;
    let text = format!("{value:.digits$}");
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// A count with thin spaces between thousands.
pub(super) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut shown = String::new();
    for (at, c) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push('\u{202f}');
        }
        shown.push(c);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_and_signed() {
        let plain = |value, digits, percent| Number::of(value, digits, percent).map(|number| number.plain());
        assert_eq!(plain(0.12345, 1, true).as_deref(), Some("12.3"));
        assert_eq!(plain(-0.5, 2, false).as_deref(), Some("−0.50"));
        assert_eq!(plain(-0.001, 2, false).as_deref(), Some("0.00"));
        assert_eq!(plain(1.25e30, 2, false).as_deref(), Some("1.25·10³⁰"));
        assert_eq!(plain(f64::NAN, 2, false), None);
        assert_eq!(Number::of(-2e-7, 9, false).unwrap().latex(), "-0.000000200");
        assert_eq!(Number::of(2e8, 0, false).unwrap().latex(), "2\\cdot10^{8}");
    }

    #[test]
    fn lists_of_all_numbers() {
        assert_eq!(
            [0.0, -0.0, 0.1 + 0.2, 12.0, 1234567.0, 1e-9, f64::INFINITY].map(brief),
            ["0", "0", "0.3", "12", "1234567", "1.00000e-9", "–"]
        );
        assert_eq!([7, 1234, 1234567].map(count), ["7", "1\u{202f}234", "1\u{202f}234\u{202f}567"]);
    }
}
