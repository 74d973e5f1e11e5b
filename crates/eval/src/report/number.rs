//! Numbers as people read them.

/// A finite number, rounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    negative: bool,
    digits: String,
    exponent: Option<i32>,
}

/// From here on, a power of ten is easier to read than the digits.
const LARGE: f64 = 1e7;

impl Number {
    /// A number with so many digits after the point, in percent if it is a share. None if it is not finite.
    pub(super) fn of(value: f64, digits: u8, percent: bool) -> Option<Self> {
        let value = if percent { value * 100.0 } else { value };
        if !value.is_finite() {
            return None;
        }
        let (size, digits) = (value.abs(), usize::from(digits.min(12)));
        let (digits, exponent) =
            if size < LARGE { (format!("{size:.digits$}"), None) } else { scientific(size, digits.min(3)) };
        // What is rounded to zero has no sign.
        let negative = value < 0.0 && digits.contains(|c: char| c.is_ascii_digit() && c != '0');
        Some(Self { negative, digits, exponent })
    }

    /// The number in plain text.
    pub(super) fn plain(&self) -> String {
        let sign = if self.negative { "−" } else { "" };
        match self.exponent {
            None => format!("{sign}{}", self.digits),
            Some(power) => format!("{sign}{}·10{}", self.digits, raised(power)),
        }
    }

    /// The number in the mathematics of LaTeX, without the dollar signs.
    pub(super) fn latex(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        match self.exponent {
            None => format!("{sign}{}", self.digits),
            Some(power) => format!("{sign}{}\\cdot10^{{{power}}}", self.digits),
        }
    }
}

/// The digits and the power of ten of a number.
pub(super) fn scientific(size: f64, digits: usize) -> (String, Option<i32>) {
    let text = format!("{size:.digits$e}");
    match text.split_once('e') {
        Some((digits, power)) => (digits.to_owned(), power.parse().ok()),
        None => (text, None),
    }
}

/// A number with six digits that say something, for lists of all numbers. A dash if it is not finite.
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

/// A power as raised digits.
pub(super) fn raised(power: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    };
    power.to_string().chars().map(digit).collect()
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
