//! Parts of written numbers.

/// Returns the digits and the power of ten of a positive number, with this many digits after the
/// point.
///
/// ```
/// assert_eq!(inkveil_report::scientific(12_345.0, 2), ("1.23".to_owned(), Some(4)));
/// ```
pub fn scientific(size: f64, digits: usize) -> (String, Option<i32>) {
    let text = format!("{size:.digits$e}");
    match text.split_once('e') {
        Some((digits, power)) => (digits.to_owned(), power.parse().ok()),
        None => (text, None),
    }
}

/// Returns a power as superscript digits.
///
/// ```
/// assert_eq!(inkveil_report::superscript(-12), "⁻¹²");
/// ```
pub fn superscript(power: i32) -> String {
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
