//! Crypto-currencies of addresses.

/// A crypto-currency, recognised by the start of its addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Coin {
    /// Bitcoin, pay to a key.
    Bitcoin,
    /// Bitcoin, pay to a script.
    BitcoinScript,
    /// Bitcoin, Litecoin or Cosmos in bech32: the prefix before the `1`, and the number of bytes.
    Bech32 {
        prefix: &'static str,
        bytes: usize,
        upper: bool,
    },
    Litecoin,
    Dogecoin,
    Tron,
    Ripple,
    /// Ethereum and chains like it.
    Ethereum {
        upper: bool,
    },
    Monero,
    /// Solana and all others: the number of base 58 characters.
    Base58 {
        length: usize,
    },
}

/// The length of a Monero address.
const MONERO: usize = 95;

impl Coin {
    pub(crate) fn of(text: &str) -> Self {
        let text = text.trim();
        let (length, upper) = (text.chars().count(), !text.contains(|c: char| c.is_ascii_lowercase()));
        let lower = text.to_ascii_lowercase();
        for prefix in ["bc", "tb", "ltc", "cosmos"] {
            if lower.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('1')) {
                return Coin::Bech32 { prefix, bytes: if length > 50 { 32 } else { 20 }, upper };
            }
        }
        match text.chars().next() {
            Some('0') if lower.starts_with("0x") => {
                Coin::Ethereum { upper: !text.contains(|c: char| ('a'..='f').contains(&c)) }
            }
            Some('4' | '8') if length == MONERO => Coin::Monero,
            Some('1') => Coin::Bitcoin,
            Some('3') => Coin::BitcoinScript,
            Some('L' | 'M') => Coin::Litecoin,
            Some('D') => Coin::Dogecoin,
            Some('T') => Coin::Tron,
            Some('r') => Coin::Ripple,
            None => Coin::Bitcoin,
            Some(_) => Coin::Base58 { length: length.clamp(26, MONERO) },
        }
    }

    /// Keeps the currency alone.
    pub(crate) fn coarse(self) -> Self {
        match self {
            Coin::Bech32 { prefix, .. } => Coin::Bech32 { prefix, bytes: 20, upper: false },
            Coin::Ethereum { .. } => Coin::Ethereum { upper: false },
            Coin::Base58 { .. } => Coin::Base58 { length: 44 },
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coins_are_recognised_by_their_prefix() {
        assert_eq!(Coin::of("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"), Coin::Bitcoin);
        assert_eq!(
            Coin::of("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"),
            Coin::Bech32 { prefix: "bc", bytes: 20, upper: true }
        );
        assert_eq!(Coin::of("0x52908400098527886E0F7030069857D2E4169EE7"), Coin::Ethereum { upper: true });
        assert_eq!(Coin::of("rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"), Coin::Ripple);
        assert_eq!(Coin::of("🦊"), Coin::Base58 { length: 26 });
    }
}
