//! Check digits of drawn numbers, so that validators accept them.

fn digits(text: &str) -> impl DoubleEndedIterator<Item = u32> + '_ {
    text.chars().filter_map(|c| c.to_digit(10))
}

fn digit(value: u32) -> char {
    char::from_digit(value % 10, 10).unwrap_or('0')
}

/// Returns the last digit of cards, IMEIs and many national numbers (Luhn).
pub(crate) fn luhn(body: &str) -> char {
    let sum: u32 = digits(body)
        .rev()
        .enumerate()
        .map(|(i, d)| if i % 2 == 0 { [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][d as usize] } else { d })
        .sum();
    digit(10 - sum % 10)
}

/// Returns the sum of digits times weights.
pub(crate) fn weighted(body: &str, weights: &[u32]) -> u32 {
    digits(body).zip(weights).map(|(d, w)| d * w).sum()
}

/// Returns the digit that completes a weighted sum to a multiple of ten.
pub(crate) fn to_ten(body: &str, weights: &[u32]) -> char {
    digit(10 - weighted(body, weights) % 10)
}

/// Returns the remainder modulo 97 of a number with letters (A is 10, Z is 35), as IBANs use it.
pub(crate) fn mod97(text: &str) -> u32 {
    text.chars().filter_map(|c| c.to_digit(36)).fold(0, |rest, value| {
        let shifted = if value < 10 { rest * 10 } else { rest * 100 };
        (shifted + value) % 97
    })
}

/// Returns the two check digits of an IBAN.
pub(crate) fn iban(country: &str, body: &str) -> String {
    format!("{:02}", 98 - mod97(&format!("{body}{country}00")))
}

/// Returns the check digit of Indian identity numbers (Verhoeff, with the dihedral group D5).
pub(crate) fn verhoeff(body: &str) -> char {
    const PERMUTE: [u32; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let multiply = |a: u32, b: u32| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b - 5) % 5 + 5,
        (false, true) => (a - 5 + 5 - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let sum = digits(body).rev().enumerate().fold(0, |sum, (i, d)| {
        let permuted = (0..=i % 8).fold(d, |d, _| PERMUTE[d as usize]);
        multiply(sum, permuted)
    });
    digit(if sum < 5 { (5 - sum) % 5 } else { sum })
}

/// Returns the last digit of German tax numbers (ISO 7064, mod 11, 10).
pub(crate) fn mod11_10(body: &str) -> char {
    let product = digits(body).fold(10, |product, d| {
        let sum = match (d + product) % 10 {
            0 => 10,
            sum => sum,
        };
        sum * 2 % 11
    });
    digit((11 - product) % 10)
}

/// Returns the ninth character of a VIN.
pub(crate) fn vin(vin: &str) -> char {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let value = |c: char| match c {
        'A'..='H' => c as u32 - 'A' as u32 + 1,
        'J'..='R' => c as u32 - 'J' as u32 + 1,
        'S'..='Z' => c as u32 - 'S' as u32 + 2,
        other => other.to_digit(10).unwrap_or(0),
    };
    match vin.chars().map(value).zip(WEIGHTS).map(|(v, w)| v * w).sum::<u32>() % 11 {
        10 => 'X',
        rest => digit(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Public test numbers of the schemes.
    #[test]
    fn known_numbers_have_their_check_digits() {
        assert_eq!(luhn("411111111111111"), '1');
        assert_eq!(luhn("7992739871"), '3');
        assert_eq!(iban("GB", "WEST12345698765432"), "82");
        assert_eq!(iban("DE", "370400440532013000"), "89");
        assert_eq!(mod97("WEST12345698765432GB82"), 1);
        assert_eq!(verhoeff("236"), '3');
        assert_eq!(verhoeff("12345"), '1');
        assert_eq!(mod11_10("8609574271"), '9');
        assert_eq!(vin("1M8GDM9AXKP042788"), 'X');
        assert_eq!(vin("11111111111111111"), '1');
        assert_eq!(to_ten("02100002", &[3, 7, 1, 3, 7, 1, 3, 7]), '1');
    }
}
