//! How an amount of money is written.

use super::Casing;
use super::pattern::Slot;
use crate::numbers::NUMBERS;

/// How an amount, or a currency alone, is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum MoneyForm {
    Figure(Vec<Piece>),
    /// "twenty thousand dollars"
    InWords,
    /// "CHF"
    Code,
    /// "Swiss franc"
    Currency(Casing),
}

/// A piece of an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Piece {
    /// The first digit of a number, which is no zero.
    Lead,
    /// Any other digit, or what stands between digits.
    Slot(Slot),
    /// A word, sign or code that is among those below.
    Known(&'static str),
    /// A code that is not.
    Code,
}

/// Amounts are cut after so many pieces.
const LONGEST: usize = 32;

const SIGNS: &[(char, &str)] = &[
    ('$', "$"),
    ('€', "€"),
    ('£', "£"),
    ('¥', "¥"),
    ('₹', "₹"),
    ('₽', "₽"),
    ('₩', "₩"),
    ('₺', "₺"),
    ('₪', "₪"),
    ('¢', "¢"),
];

const WORDS: &[&str] = &[
    "dollars", "dollar", "euros", "euro", "pounds", "pound", "cents", "pence", "yen", "francs", "rupees",
    "hundred", "thousand", "million", "billion", "k", "K", "m", "M", "bn", "mn", "USD", "EUR", "GBP", "CHF",
    "JPY", "INR", "CAD", "AUD", "CNY", "US", "usd", "eur", "gbp",
];

impl MoneyForm {
    pub(crate) fn of(text: &str) -> Self {
        let text = text.trim();
        let pieces = pieces(text);
        if pieces.contains(&Piece::Lead) {
            return MoneyForm::Figure(pieces);
        }
        let lower = text.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphabetic());
        match () {
            () if words.any(|word| {
                NUMBERS.contains(&word) || ["hundred", "thousand", "million"].contains(&word)
            }) =>
            {
                MoneyForm::InWords
            }
            () if text.len() == 3 && text.bytes().all(|b| b.is_ascii_uppercase()) => MoneyForm::Code,
            () => MoneyForm::Currency(Casing::of(text)),
        }
    }
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_letter = first.is_alphabetic();
        let end = match is_letter {
            true => rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        let in_number = matches!(pieces.last(), Some(Piece::Lead | Piece::Slot(_)));
        let number_goes_on = in_number && after.starts_with(|c: char| c.is_ascii_digit());
        let known = WORDS.iter().find(|word| **word == token).copied();
        let piece = match first {
            _ if first.is_ascii_digit() && in_number => Some(Piece::Slot(Slot::Digit)),
            _ if first.is_ascii_digit() => Some(Piece::Lead),
            ',' | '.' | '\'' if number_goes_on => Some(Piece::Slot(Slot::Sign(first))),
            _ if first.is_whitespace() && number_goes_on => Some(Piece::Slot(Slot::Sign(' '))),
            _ if first.is_whitespace() => Some(Piece::Known(" ")),
            _ if is_letter => known.map(Piece::Known).or_else(|| {
                (token.len() == 3 && token.bytes().all(|b| b.is_ascii_uppercase())).then_some(Piece::Code)
            }),
            _ => SIGNS.iter().find(|(sign, _)| *sign == first).map(|(_, text)| Piece::Known(text)),
        };
        pieces.extend(piece);
        rest = after;
    }
    pieces.truncate(LONGEST);
    // Blanks that stand at an end, or are left over from a word that was left out, are no part of the form.
    pieces.dedup_by(|next, last| *next == Piece::Known(" ") && *last == Piece::Known(" "));
    while pieces.last() == Some(&Piece::Known(" ")) {
        pieces.pop();
    }
    let blanks = pieces.iter().take_while(|piece| **piece == Piece::Known(" ")).count();
    pieces.drain(..blanks);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_one_form() {
        let form = MoneyForm::of;
        assert_eq!(form("$1,204.50"), form("$9,871.03"));
        assert_eq!(form("1 204,50 €"), form("9 999,99 €"));
        assert_ne!(form("$1,204.50"), form("$204.50"));
        assert_eq!(form("500 ducats"), form("123 florins"));
        assert_eq!(form("ZMW 500"), form("KES 123"));
        assert_eq!(form("$5 million"), form("$7 million"));
        assert_eq!(form("-5 €"), form("5 €"));
        assert_eq!(form("five hundred dollars"), MoneyForm::InWords);
        assert_eq!(form("CHF"), MoneyForm::Code);
        assert_eq!(form("Swiss franc"), form("Danish krone"));
        assert_eq!(form(""), MoneyForm::Currency(Casing::Mixed));
    }

    #[test]
    fn long_texts_are_cut() {
        let long = MoneyForm::of(&format!("5{}", "$".repeat(100)));
        assert!(matches!(long, MoneyForm::Figure(pieces) if pieces.len() == LONGEST));
        assert_eq!(MoneyForm::of(&format!("{}5", "$".repeat(100))), MoneyForm::of(""));
    }
}
