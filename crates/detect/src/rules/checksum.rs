//! Checksums of several rules.

use sha2::{Digest, Sha256};

use super::letters::digits;

/// Checks the last digit by Luhn (ISO/IEC 7812-1). For cards, IMEI, SIN and NPI.
pub(super) fn luhn(text: &str) -> bool {
    let sum: u32 = digits(text)
        .rev()
        .enumerate()
        .map(|(place, digit)| match place % 2 {
            0 => digit,
            _ if digit > 4 => digit * 2 - 9,
            _ => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Returns the remainder by ISO 7064 mod 97-10, in which letters are numbers: A is 10, Z is 35.
pub(super) fn mod97(text: impl Iterator<Item = char>) -> u32 {
    text.filter_map(|c| c.to_digit(36))
        .fold(0, |rest, value| (rest * if value < 10 { 10 } else { 100 } + value) % 97)
}

/// Returns the weighted sum of the digits from the left.
pub(super) fn weighted(text: &str, weights: &[u32]) -> u32 {
    digits(text).zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// Returns the last digit of a text.
pub(super) fn last_digit(text: &str) -> Option<u32> {
    digits(text).next_back()
}

/// Checks the last digit by Verhoeff, with the dihedral group of order ten. For Aadhaar.
pub(super) fn verhoeff(text: &str) -> bool {
    let product = |a: usize, b: usize| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => 5 + (a + b - 5) % 5,
        (false, true) => 5 + (a - 5 + 5 - b) % 5,
        (false, false) => (a + 5 - b) % 5,
    };
    const STEP: [usize; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let check = digits(text).rev().enumerate().fold(0, |check, (place, digit)| {
        let digit = (0..place % 8).fold(digit as usize, |digit, _| STEP[digit]);
        product(check, digit)
    });
    check == 0
}

/// Checks the last digit by ISO 7064 mod 11-10. For German tax numbers.
pub(super) fn mod11_10(text: &str) -> bool {
    let mut product = 10;
    let mut rest = digits(text).peekable();
    while let Some(digit) = rest.next() {
        if rest.peek().is_none() {
            return (11 - product) % 10 == digit;
        }
        let sum = match (digit + product) % 10 {
            0 => 10,
            sum => sum,
        };
        product = sum * 2 % 11;
    }
    false
}

/// The Base58 alphabet of Bitcoin.
pub(super) const BITCOIN_BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// The Base58 alphabet of Ripple.
pub(super) const RIPPLE_BASE58: &[u8; 58] = b"rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz";

/// Returns the version byte of a Base58Check text of 20 bytes with a valid checksum.
pub(super) fn base58check(text: &str, alphabet: &[u8; 58]) -> Option<u8> {
    let mut bytes = [0u8; 25];
    for letter in text.bytes() {
        let mut carry = alphabet.iter().position(|known| *known == letter)?;
        for byte in bytes.iter_mut().rev() {
            carry += usize::from(*byte) * 58;
            *byte = (carry & 0xFF) as u8;
            carry >>= 8;
        }
        if carry != 0 {
            return None;
        }
    }
    let (payload, checksum) = bytes.split_at(21);
    (Sha256::digest(Sha256::digest(payload))[..4] == *checksum).then_some(bytes[0])
}

/// Checks the checksum of a Bech32 or Bech32m text in one case (BIP 173, BIP 350).
pub(super) fn bech32(text: &str) -> bool {
    const ALPHABET: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    const GENERATOR: [u32; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
    let Some((prefix, data)) = text.rsplit_once('1') else { return false };
    let step = |check: u32, value: u32| {
        let top = check >> 25;
        let shifted = (check & 0x01ff_ffff) << 5 ^ value;
        GENERATOR.iter().enumerate().filter(|(bit, _)| top >> bit & 1 == 1).fold(shifted, |c, (_, g)| c ^ g)
    };
    let lower = |byte: u8| byte.to_ascii_lowercase();
    let mut check = 1;
    for byte in prefix.bytes().map(lower) {
        check = step(check, u32::from(byte >> 5));
    }
    check = step(check, 0);
    for byte in prefix.bytes().map(lower) {
        check = step(check, u32::from(byte & 31));
    }
    for byte in data.bytes().map(lower) {
        let Some(value) = ALPHABET.iter().position(|known| *known == byte) else { return false };
        check = step(check, value as u32);
    }
    matches!(check, 1 | 0x2bc8_30a3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luhn_detects_a_changed_digit() {
        assert!(luhn("4111 1111 1111 1111") && luhn("79927398713"));
        assert!(!luhn("4111 1111 1111 1112") && !luhn("79927398710"));
    }

    #[test]
    fn mod97_of_an_account() {
        let rotated = "WEST12345698765432GB82";
        assert_eq!(mod97(rotated.chars()), 1);
        assert_ne!(mod97("WEST12345698765433GB82".chars()), 1);
    }

    #[test]
    fn verhoeff_detects_swapped_digits() {
        assert!(verhoeff("2363") && verhoeff("123451"));
        assert!(!verhoeff("2633") && !verhoeff("123452"));
    }

    #[test]
    fn mod11_10_of_a_tax_number() {
        assert!(mod11_10("86095742719") && mod11_10("47036892816"));
        assert!(!mod11_10("86095742718") && !mod11_10(""));
    }

    #[test]
    fn base58check_of_the_first_address() {
        let genesis = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
        assert_eq!(base58check(genesis, BITCOIN_BASE58), Some(0));
        assert_eq!(base58check("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", BITCOIN_BASE58), None);
        assert_eq!(base58check("rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", RIPPLE_BASE58), Some(0));
        assert_eq!(base58check(&"z".repeat(60), BITCOIN_BASE58), None);
    }

    #[test]
    fn bech32_of_both_variants() {
        assert!(bech32("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"));
        assert!(bech32("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"));
        assert!(!bech32("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"));
        assert!(!bech32("bc1"));
    }
}
