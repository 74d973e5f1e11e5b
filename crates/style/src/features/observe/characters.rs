//! Letters, pairs of letters, emoji and emoticons.

use super::super::reading::Reading;
use super::super::sign::{Sign, Sink};
use super::super::tokens::Kind;
use super::super::writings::has_nose;

/// Letters and pairs whose frequency differs more between authors than between topics.
const LETTERS: [(u8, Sign); 6] = [
    (b'e', Sign::LetterE),
    (b't', Sign::LetterT),
    (b's', Sign::LetterS),
    (b'h', Sign::LetterH),
    (b'w', Sign::LetterW),
    (b'y', Sign::LetterY),
];

const PAIRS: [(&[u8; 2], Sign); 6] = [
    (b"th", Sign::PairTh),
    (b"he", Sign::PairHe),
    (b"in", Sign::PairIn),
    (b"er", Sign::PairEr),
    (b"ou", Sign::PairOu),
    (b"ly", Sign::PairLy),
];

pub(super) fn observe(reading: &Reading<'_>, sink: &mut impl Sink) {
    let mut letters = [0_usize; 256];
    let mut pairs = [0_usize; 26 * 26];
    for word in &reading.words {
        let bytes = reading.lower(word).as_bytes();
        bytes.iter().for_each(|&byte| letters[usize::from(byte)] += 1);
        for two in bytes.windows(2) {
            if let Some(at) = pair_index(two) {
                pairs[at] += 1;
            }
        }
    }
    for (letter, sign) in LETTERS {
        sink.count(sign, letters[usize::from(letter)]);
    }
    for (pair, sign) in PAIRS {
        sink.count(sign, pair_index(pair).map_or(0, |at| pairs[at]));
    }
    // The pairs of a letter with itself are every 27th.
    sink.count(Sign::DoubleLetter, pairs.iter().step_by(27).sum());
    all(reading, sink);
    faces(reading, sink);
}

fn pair_index(two: &[u8]) -> Option<usize> {
    let letter =
        |at: usize| two.get(at).filter(|byte| byte.is_ascii_lowercase()).map(|byte| usize::from(byte - b'a'));
    Some(26 * letter(0)? + letter(1)?)
}

/// Counts the characters of the whole text.
fn all(reading: &Reading<'_>, sink: &mut impl Sink) {
    let (mut characters, mut capitals, mut digits, mut accented) = (0, 0, 0, 0);
    for c in reading.text.chars() {
        characters += 1;
        if c.is_ascii() {
            capitals += usize::from(c.is_ascii_uppercase());
            digits += usize::from(c.is_ascii_digit());
        } else {
            capitals += usize::from(c.is_uppercase());
            accented += usize::from(c.is_alphabetic());
        }
    }
    sink.count(Sign::Characters, characters);
    sink.count(Sign::Capital, capitals);
    sink.count(Sign::DigitCharacter, digits);
    sink.count(Sign::AccentedLetter, accented);
}

fn faces(reading: &Reading<'_>, sink: &mut impl Sink) {
    for token in &reading.tokens {
        match token.kind {
            Kind::Emoji => sink.note(Sign::Emoji, token.range()),
            Kind::Emoticon => {
                let nose = has_nose(&reading.text[token.range()]);
                sink.note(Sign::Emoticon, token.range());
                sink.choose(nose, (Sign::NosedEmoticon, Sign::PlainEmoticon), token.range());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{count, value};

    #[test]
    fn letters_and_pairs_are_counted() {
        assert_eq!(value("The tree", "letter-e"), Some(1000.0 * 3.0 / 7.0));
        assert_eq!(value("then the", "pair-th"), Some(1000.0 * 2.0 / 7.0));
        assert_eq!(value("tree", "double-letters"), Some(250.0));
    }

    #[test]
    fn all_characters_are_counted() {
        assert_eq!(value("Ab 1é", "capital-letters"), Some(200.0));
        assert_eq!(value("Ab 1é", "digits"), Some(200.0));
        assert_eq!(value("Ab 1é", "accented-letters"), Some(200.0));
    }

    #[test]
    fn emoji_and_emoticons_are_counted() {
        let text = "hi :) there :-( friend 😀😀";
        assert_eq!(count(text, "emoticons"), 2.0);
        assert_eq!(count(text, "emoji"), 2.0);
        assert_eq!(value(text, "emoticons-with-nose"), Some(0.5));
    }
}
