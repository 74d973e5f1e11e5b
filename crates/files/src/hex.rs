//! Bytes as hexadecimal digits.

/// Writes bytes as lowercase hexadecimal digits, two for each byte.
///
/// ```
/// assert_eq!(inkveil_files::hex::encode([0, 0x9f, 0xff]), "009fff");
/// ```
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    let bytes = bytes.as_ref();
    // The capacity is exact, so a secret is not copied when the string grows.
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(digit), 16).unwrap_or_default());
        }
    }
    text
}

/// Reads hexadecimal digits of either case. Returns nothing if there is another character or an odd number of digits.
///
/// ```
/// assert_eq!(inkveil_files::hex::decode("009FfF"), Some(vec![0, 0x9f, 0xff]));
/// assert_eq!(inkveil_files::hex::decode("009"), None);
/// ```
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    for pair in digits.chunks(2) {
        let [high, low] = pair else { return None };
        bytes.push(value(*high)? << 4 | value(*low)?);
    }
    Some(bytes)
}

/// Reads exactly `N` bytes, as [`decode`] does.
///
/// ```
/// assert_eq!(inkveil_files::hex::decode_array("009f"), Some([0, 0x9f]));
/// assert_eq!(inkveil_files::hex::decode_array::<4>("009f"), None);
/// ```
pub fn decode_array<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    let mut bytes = [0; N];
    if digits.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = value(*high)? << 4 | value(*low)?;
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), Some(all));
        assert_eq!(decode(""), Some(Vec::new()));
    }

    #[test]
    fn anything_else_is_refused() {
        for wrong in ["a", "0g", "é0", " 00", "+1"] {
            assert_eq!(decode(wrong), None, "{wrong}");
            assert_eq!(decode_array::<1>(wrong), None, "{wrong}");
        }
    }
}
