//! Forms of amounts of money.

use super::casing::Casing;
use super::pattern::Slot;
use inkveil_notation::NUMBER_WORDS;

/// The notation of an amount or a currency.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum MoneyForm {
    Figure(Vec<MoneyToken>),
    /// "twenty thousand dollars"
    InWords,
    /// "CHF"
    Code,
    /// "Swiss franc"
    Currency(Casing),
}

/// A token of an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MoneyToken {
    /// The first digit of a number, which is not zero.
    Lead,
    /// Another digit, or a separator between digits.
    Slot(Slot),
    /// A word, sign or code of the lists below.
    Known(&'static str),
    /// Another code.
    Code,
}

/// The number of tokens after which an amount is cut.
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
        let tokens = tokens(text);
        if tokens.contains(&MoneyToken::Lead) {
            return MoneyForm::Figure(tokens);
        }
        let lower = text.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphabetic());
        match () {
            () if words.any(|word| {
                NUMBER_WORDS.contains(&word) || ["hundred", "thousand", "million"].contains(&word)
            }) =>
            {
                MoneyForm::InWords
            }
            () if text.len() == 3 && text.bytes().all(|b| b.is_ascii_uppercase()) => MoneyForm::Code,
            () => MoneyForm::Currency(Casing::of(text)),
        }
    }

    /// Keeps currencies and words of an amount, and the rough number of its digits before the
    /// decimals: 1–2, 3–4, 5–6 or more. Separators and decimals are dropped.
    pub(crate) fn coarse(self) -> Self {
        let MoneyForm::Figure(tokens) = self else { return self };
        let in_number = |token: &MoneyToken| matches!(token, MoneyToken::Lead | MoneyToken::Slot(_));
        let mut coarse = Vec::new();
        for part in tokens.chunk_by(|a, b| in_number(a) && in_number(b)) {
            match part.first() {
                Some(token) if in_number(token) => {
                    coarse.push(MoneyToken::Lead);
                    let digits = whole_digits(part).next_multiple_of(2).clamp(2, 8);
                    coarse.extend(vec![MoneyToken::Slot(Slot::Digit); digits - 1]);
                }
                _ => coarse.extend_from_slice(part),
            }
        }
        MoneyForm::Figure(coarse)
    }
}

/// Returns the number of digits before the decimals. One or two digits after the last point or
/// comma are decimals.
fn whole_digits(number: &[MoneyToken]) -> usize {
    let is_point = |token: &MoneyToken| matches!(token, MoneyToken::Slot(Slot::Sign('.' | ',')));
    let whole = match number.iter().rposition(is_point) {
        Some(point) if number.len() - point <= 3 => &number[..point],
        _ => number,
    };
    whole.iter().filter(|token| !matches!(token, MoneyToken::Slot(Slot::Sign(_)))).count()
}

fn tokens(text: &str) -> Vec<MoneyToken> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_letter = first.is_alphabetic();
        let end = match is_letter {
            true => rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        let in_number = matches!(tokens.last(), Some(MoneyToken::Lead | MoneyToken::Slot(_)));
        let number_continues = in_number && after.starts_with(|c: char| c.is_ascii_digit());
        let known = WORDS.iter().find(|word| **word == token).copied();
        let token = match first {
            _ if first.is_ascii_digit() && in_number => Some(MoneyToken::Slot(Slot::Digit)),
            _ if first.is_ascii_digit() => Some(MoneyToken::Lead),
            ',' | '.' | '\'' if number_continues => Some(MoneyToken::Slot(Slot::Sign(first))),
            _ if first.is_whitespace() && number_continues => Some(MoneyToken::Slot(Slot::Sign(' '))),
            _ if first.is_whitespace() => Some(MoneyToken::Known(" ")),
            _ if is_letter => known.map(MoneyToken::Known).or_else(|| {
                (token.len() == 3 && token.bytes().all(|b| b.is_ascii_uppercase()))
                    .then_some(MoneyToken::Code)
            }),
            _ => SIGNS.iter().find(|(sign, _)| *sign == first).map(|(_, text)| MoneyToken::Known(text)),
        };
        tokens.extend(token);
        rest = after;
    }
    tokens.truncate(LONGEST);
    // Spaces at the ends, or doubled by a dropped word, are removed.
    tokens.dedup_by(|next, last| *next == MoneyToken::Known(" ") && *last == MoneyToken::Known(" "));
    while tokens.last() == Some(&MoneyToken::Known(" ")) {
        tokens.pop();
    }
    let blanks = tokens.iter().take_while(|token| **token == MoneyToken::Known(" ")).count();
    tokens.drain(..blanks);
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_the_same_notation_have_the_same_form() {
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
    fn coarse_amounts_have_rough_sizes() {
        let form = |text| MoneyForm::of(text).coarse();
        assert_eq!(form("$1,204.50"), form("$999"));
        assert_eq!(form("1.204,50 €"), form("1 204 €"));
        assert_eq!(form("CHF 60'317"), form("CHF 123456.00"));
        assert_ne!(form("$12"), form("$120"));
        assert_ne!(form("$12"), form("€12"));
        assert_eq!(form("$5 million"), form("$12 million"));
        assert_eq!(form("$123456789"), form("$99999999999"));
    }

    #[test]
    fn long_amounts_are_cut() {
        let long = MoneyForm::of(&format!("5{}", "$".repeat(100)));
        assert!(matches!(long, MoneyForm::Figure(tokens) if tokens.len() == LONGEST));
        assert_eq!(MoneyForm::of(&format!("{}5", "$".repeat(100))), MoneyForm::of(""));
    }
}
