//! Addresses of crypto-currencies, with valid checksums if the scheme uses SHA-256 or bech32.

use sha2::{Digest, Sha256};

use crate::generator::Generator;
use crate::shape::Coin;

const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const RIPPLE58: &[u8; 58] = b"rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz";
const BECH32: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";

impl Generator {
    pub(crate) fn crypto(&mut self) -> String {
        let bech32 = |prefix| Coin::Bech32 { prefix, bytes: 20, upper: false };
        let coin = match self.dice.below(20) {
            0..4 => Coin::Bitcoin,
            4..6 => Coin::BitcoinScript,
            6..8 => bech32("bc"),
            8 => Coin::Litecoin,
            9 => bech32("ltc"),
            10 => Coin::Dogecoin,
            11 => Coin::Tron,
            12 => Coin::Ripple,
            13 => Coin::Base58 { length: 44 }, // Solana
            14 => Coin::Monero,
            15 => bech32("cosmos"),
            16 => Coin::Ethereum { upper: true },
            _ => Coin::Ethereum { upper: false },
        };
        self.address_of(coin)
    }

    /// Draws an address of a currency.
    pub(crate) fn address_of(&mut self, coin: Coin) -> String {
        match coin {
            Coin::Bitcoin => self.base58check(0x00, BASE58),
            Coin::BitcoinScript => self.base58check(0x05, BASE58),
            Coin::Bech32 { prefix, bytes, upper: false } => self.bech32(prefix, bytes),
            Coin::Bech32 { prefix, bytes, upper: true } => self.bech32(prefix, bytes).to_uppercase(),
            Coin::Litecoin => self.base58check(0x30, BASE58),
            Coin::Dogecoin => self.base58check(0x1e, BASE58),
            Coin::Tron => self.base58check(0x41, BASE58),
            Coin::Ripple => self.base58check(0x00, RIPPLE58),
            // Without a valid checksum, which would need another hash function.
            Coin::Monero => format!("4{}", self.dice.string_of(BASE58, 94)),
            Coin::Base58 { length } => self.dice.string_of(BASE58, length),
            // Letters of one case are valid: the checksum, which is in the case, is optional.
            Coin::Ethereum { upper: true } => format!("0x{}", self.dice.string_of(b"0123456789ABCDEF", 40)),
            Coin::Ethereum { upper: false } => format!("0x{}", self.dice.string_of(b"0123456789abcdef", 40)),
        }
    }

    fn base58check(&mut self, version: u8, alphabet: &[u8; 58]) -> String {
        let mut payload = vec![version];
        payload.extend(self.dice.bytes::<20>());
        let check = checksum(&payload);
        payload.extend(check);
        base58(&payload, alphabet)
    }

    fn bech32(&mut self, prefix: &str, length: usize) -> String {
        // Version 0, then the hash in groups of five bits. If the last group has fewer bits, they are its
        // high bits.
        let mut data: Vec<u8> = vec![0];
        data.extend((0..length * 8 / 5).map(|_| self.dice.below(32) as u8));
        let left_over = length * 8 % 5;
        if left_over > 0 {
            data.push((self.dice.below(1 << left_over) << (5 - left_over)) as u8);
        }
        data.extend(bech32_checksum(prefix, &data));
        let letters = data.iter().map(|value| char::from(BECH32[usize::from(value % 32)]));
        format!("{prefix}1{}", letters.collect::<String>())
    }
}

/// Returns the first four bytes of SHA-256 applied twice.
fn checksum(payload: &[u8]) -> Vec<u8> {
    Sha256::digest(Sha256::digest(payload)).iter().take(4).copied().collect()
}

fn base58(bytes: &[u8], alphabet: &[u8; 58]) -> String {
    // Digits of the number in base 58, lowest first.
    let mut digits: Vec<u32> = Vec::new();
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += *digit << 8;
            *digit = carry % 58;
            carry /= 58;
        }
        while carry > 0 {
            digits.push(carry % 58);
            carry /= 58;
        }
    }
    // Leading zero bytes do not change the number, so each is written as the first letter.
    let zeros = bytes.iter().take_while(|byte| **byte == 0).map(|_| 0);
    zeros.chain(digits.into_iter().rev()).map(|digit| char::from(alphabet[digit as usize % 58])).collect()
}

/// Returns the six values of five bits that end a bech32 string (BIP 173).
fn bech32_checksum(prefix: &str, data: &[u8]) -> Vec<u8> {
    let high = prefix.bytes().map(|byte| byte >> 5);
    let low = prefix.bytes().map(|byte| byte & 31);
    let values = high.chain([0]).chain(low).chain(data.iter().copied()).chain([0; 6]);
    let remainder = bech32_remainder(values) ^ 1;
    (0..6).map(|i| ((remainder >> (5 * (5 - i))) & 31) as u8).collect()
}

fn bech32_remainder(values: impl Iterator<Item = u8>) -> u32 {
    const GENERATOR: [u32; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
    values.fold(1, |sum, value| {
        let top = sum >> 25;
        let shifted = ((sum & 0x01ff_ffff) << 5) ^ u32::from(value);
        GENERATOR.iter().enumerate().filter(|(i, _)| (top >> i) & 1 == 1).fold(shifted, |sum, (_, g)| sum ^ g)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::generator;

    #[test]
    fn base58_of_known_bytes() {
        assert_eq!(base58(b"Hello World!", BASE58), "2NEpo7TZRRrLZSi2U");
        assert_eq!(base58(&[0, 0, 0x28, 0x7f, 0xb4, 0xcd], BASE58), "11233QC4");
    }

    #[test]
    fn bech32_of_a_known_address() {
        // The example of BIP 173.
        let address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
        let data: Vec<u8> = address[3..]
            .bytes()
            .map(|byte| BECH32.iter().position(|letter| *letter == byte).unwrap() as u8)
            .collect();
        let (body, check) = data.split_at(data.len() - 6);
        assert_eq!(bech32_checksum("bc", body), check);
    }

    #[test]
    fn surrogates_are_of_the_same_currency() {
        let mut generator = generator(2);
        for text in [
            "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
            "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
            "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
            "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
            "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
            "0xde709f2102306220921060314715629080e2fb77",
            "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh",
            "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
        ] {
            let address = generator.address_of(Coin::of(text));
            assert_eq!(Coin::of(&address), Coin::of(text), "{address}");
            assert!(address.len().abs_diff(text.len()) <= 3, "{address}");
        }
    }

    #[test]
    fn bitcoin_addresses_have_the_prefix_of_their_version() {
        let mut generator = generator(1);
        for _ in 0..50 {
            let address = generator.base58check(0, BASE58);
            assert!(address.starts_with('1') && (26..=34).contains(&address.len()), "{address}");
            let address = generator.base58check(5, BASE58);
            assert!(address.starts_with('3') && (26..=35).contains(&address.len()), "{address}");
        }
    }
}
