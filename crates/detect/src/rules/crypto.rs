//! Addresses of crypto-currencies. They are public and permanently linked to transactions.

use super::checksum::{BITCOIN_BASE58, RIPPLE_BASE58, base58check, bech32};
use super::rule::{Edges, Rule, Verdict};
use crate::kind::Kind;

pub(super) fn rules() -> Vec<Rule> {
    let coin = |name: &'static str, about: &'static str, score: f32| {
        Rule::new(name, Kind::Crypto, about, score).edges(Edges::Word)
    };
    let base58 = |first: &str, rest: &str| format!("{first}[1-9A-HJ-NP-Za-km-z]{rest}");
    vec![
        coin("bitcoin", "A Bitcoin address.", 0.3)
            .shape(base58("[13]", "{25,33}"))
            .checked("Bitcoin Base58Check", |text| version(text, &[0, 5]), 0.97)
            .near(["bitcoin", "btc", "wallet", "address", "crypto", "coinbase", "satoshi"], 0.8),
        coin("bitcoin-segwit", "A Bitcoin or Litecoin address in bech32.", 0.7)
            .shape("(?:bc1|tb1|ltc1)[02-9ac-hj-np-z]{20,80}")
            .shape("(?:BC1|TB1|LTC1)[02-9AC-HJ-NP-Z]{20,80}")
            .checked("Bech32", segwit, 0.97)
            .near(["bitcoin", "btc", "wallet", "litecoin", "address"], 0.85),
        coin("ethereum", "An address of Ethereum or a compatible chain.", 0.9)
            .shape("0[xX][0-9a-fA-F]{40}")
            .near(["ethereum", "eth", "wallet", "address", "contract", "erc20"], 0.97),
        coin("litecoin", "A Litecoin address.", 0.3)
            .shape(base58("[LM]", "{26,33}"))
            .checked("Litecoin Base58Check", |text| version(text, &[48, 50]), 0.97)
            .near(["litecoin", "ltc", "wallet"], 0.8),
        coin("dogecoin", "A Dogecoin address.", 0.3)
            .shape(base58("D", "{33}"))
            .checked("Dogecoin Base58Check", |text| version(text, &[30]), 0.97)
            .near(["dogecoin", "doge", "wallet"], 0.8),
        coin("ripple", "An address of the XRP Ledger.", 0.3)
            .shape(base58("r", "{24,34}"))
            .checked("Ripple Base58Check", ripple, 0.97)
            .near(["ripple", "xrp", "wallet"], 0.8),
        coin("tron", "A Tron address.", 0.35)
            .shape(base58("T", "{33}"))
            .checked("Tron Base58Check", |text| version(text, &[65]), 0.97)
            .near(["tron", "trx", "usdt", "wallet"], 0.8),
        coin("monero", "A Monero address.", 0.85)
            .shape(base58("[48]", "{94}"))
            .near(["monero", "xmr", "wallet"], 0.95),
    ]
}

/// Checks the checksum and the version byte.
fn version(text: &str, known: &[u8]) -> Verdict {
    match base58check(text, BITCOIN_BASE58) {
        Some(version) if known.contains(&version) => Verdict::Valid,
        _ if mixed(text) => Verdict::Unsure,
        _ => Verdict::Invalid,
    }
}

fn ripple(text: &str) -> Verdict {
    match base58check(text, RIPPLE_BASE58) {
        Some(0) => Verdict::Valid,
        _ if mixed(text) => Verdict::Unsure,
        _ => Verdict::Invalid,
    }
}

/// Returns whether there are digits and letters of both cases, as in real addresses.
fn mixed(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.bytes().any(|b| test(&b));
    has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)
}

fn segwit(text: &str) -> Verdict {
    if bech32(text) { Verdict::Valid } else { Verdict::Unsure }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    /// Checks the examples of one coin in several sentences.
    fn finds_each(rule: &str, addresses: &[&str]) {
        for address in addresses {
            let in_text = [
                format!("[[{address}]]"),
                format!("send to [[{address}]]."),
                format!("\"[[{address}]]\""),
                format!("a,[[{address}]],b"),
                format!("to:[[{address}]]!"),
            ];
            finds(rule, &in_text.each_ref().map(String::as_str));
        }
    }

    #[test]
    fn bitcoin() {
        finds_each("bitcoin", &["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"]);
        finds("bitcoin", &["my btc wallet [[1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb]]"]);
        ignores(
            "bitcoin",
            &[
                "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
                "1A1zP1eP5QGefi2DMPTfTL",
                "x1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
                "wallet 11111111111111111111111111111111",
                "30000000000000000000000000000",
            ],
        );
        finds_each(
            "bitcoin-segwit",
            &["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"],
        );
        ignores(
            "bitcoin-segwit",
            &[
                "bc1",
                "bc1q",
                "bc1qw508d6",
                "abc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
                "bc1bbbbbbbbbbbbbbbbbbbbbbbbbbb",
            ],
        );
    }

    #[test]
    fn others() {
        finds_each(
            "ethereum",
            &["0x52908400098527886E0F7030069857D2E4169EE7", "0xde709f2102306220921060314715629080e2fb77"],
        );
        ignores(
            "ethereum",
            &[
                "0x",
                "0x1234",
                "0x52908400098527886E0F7030069857D2E4169EE",
                "0xzz",
                "00x52908400098527886E0F7030069857D2E4169EE7",
            ],
        );
        finds_each("ripple", &["rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"]);
        ignores(
            "ripple",
            &[
                "r1",
                "responsibilities",
                "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi",
                "rrrrrrrrrrrrrrrrrrrrrrrrrrrr",
                "really",
            ],
        );
        finds_each("tron", &["TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"]);
        ignores("tron", &["TR7", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u", "Tron", "Transportation", "T1"]);
        finds(
            "dogecoin",
            &["doge [[D8vFz4p1L37jdg47HXKtSHA5uYLYxbGgPD]]", "wallet [[D8vFz4p1L37jdg47HXKtSHA5uYLYxbGgPE]]"],
        );
        ignores(
            "dogecoin",
            &[
                "D8vFz4p1L37jdg47HXKtSHA5uYLYxbGgPE",
                "Doge",
                "D8",
                "DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD",
                "D8vFz",
            ],
        );
        finds(
            "litecoin",
            &["ltc [[LaMT348PWRnrqeeWArpwQPbuanpXDZGEUz]]", "wallet: [[MLcuXKpv5VrRzBVYPfLp7qM3kN8wTdJxYa]]"],
        );
        ignores(
            "litecoin",
            &[
                "Litecoin",
                "L2",
                "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLL",
                "MISCELLANEOUS",
                "Lopadotemachoselachogaleokranio",
            ],
        );
        let monero = format!(
            "4{}",
            "8AfUwcnoJiRDMXnDGj3zX6bMgfaj9pM1WFGr2pakLm3jSYXVLD7fcDMBzkmk4AeSWYTWA5aerXJ43rTo7p6RMw7q9ifXPA"
        );
        let monero = &monero[..95];
        finds_each("monero", &[monero]);
        ignores("monero", &[&monero[..94], "48", "4", &format!("x{monero}"), "44444"]);
    }
}
