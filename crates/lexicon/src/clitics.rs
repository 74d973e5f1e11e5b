//! Words with an apostrophe: hosts and the clitics at their end.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

/// A word of a text with an apostrophe inside, split into a host and the clitics at its end.
///
/// ```
/// use inkveil_lexicon::ApostropheWord;
///
/// let text = "It wasn't Ana’s, O'Brien.";
/// let words = ApostropheWord::all(text);
/// let parts: Vec<_> = words.iter().map(|word| (&text[word.host()], &text[word.clitics()])).collect();
/// assert_eq!(parts, [("was", "n't"), ("Ana", "’s"), ("O'Brien", "")]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApostropheWord {
    word: Range<usize>,
    clitics: usize,
}

const APOSTROPHES: [char; 2] = ['\'', '’'];

/// Endings after an apostrophe. `t` is one only in `n't`.
const ENDINGS: [&str; 6] = ["s", "re", "ve", "ll", "d", "m"];

/// Verbs before `n't`. A closed list: an ending of any other word could be anything.
const VERBS: [&str; 18] = [
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "could", "would", "should",
    "might", "must", "need", "ought", "dare",
];

/// Verbs that lose letters before `n't`. What is left of them is no word, so the whole is a clitic.
const SHORTENED: [&str; 4] = ["ca", "wo", "sha", "ai"];

impl ApostropheWord {
    /// Returns all such words of a text, in order.
    pub fn all(text: &str) -> Vec<Self> {
        let mut words = Vec::new();
        let mut start = None;
        let mut has_apostrophe = false;
        // A space after the end closes the last word.
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            let begun = start.is_some();
            let apostrophe = begun
                && APOSTROPHES.contains(&c)
                && text[at + c.len_utf8()..].starts_with(char::is_alphanumeric);
            if c.is_alphanumeric() || apostrophe || (begun && is_combining_mark(c)) {
                start.get_or_insert(at);
                has_apostrophe |= apostrophe;
            } else if let Some(first) = start.take()
                && std::mem::take(&mut has_apostrophe)
            {
                words.push(Self::of(text, first..at));
            }
        }
        words
    }

    fn of(text: &str, word: Range<usize>) -> Self {
        let clitics = word.start + clitics_start(&text[word.clone()]);
        Self { word, clitics }
    }

    /// Returns the bytes before the clitics; empty if the whole word is one, as "can't".
    pub fn host(&self) -> Range<usize> {
        self.word.start..self.clitics
    }

    /// Returns the bytes of the clitics at the end; empty if there are none.
    pub fn clitics(&self) -> Range<usize> {
        self.clitics..self.word.end
    }
}

/// Returns where the clitics at the end of a word begin: its length if there are none.
pub(crate) fn clitics_start(word: &str) -> usize {
    let mut end = word.len();
    while let Some(at) = word[..end].rfind(APOSTROPHES) {
        let ending = word[at..end].trim_start_matches(APOSTROPHES).to_ascii_lowercase();
        if ENDINGS.contains(&ending.as_str()) {
            end = at;
            continue;
        }
        let verb = word[..at].strip_suffix(['n', 'N']).filter(|_| ending == "t");
        let Some(verb) = verb.map(str::to_ascii_lowercase) else { break };
        match verb.as_str() {
            verb if SHORTENED.contains(&verb) => return 0,
            verb if VERBS.contains(&verb) => end = at - 1,
            _ => break,
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<(&str, &str)> {
        ApostropheWord::all(text).iter().map(|word| (&text[word.host()], &text[word.clitics()])).collect()
    }

    #[test]
    fn clitics_are_split_from_their_hosts() {
        for (text, host, clitics) in [
            ("Ana's", "Ana", "'s"),
            ("ANA’S", "ANA", "’S"),
            ("wasn't", "was", "n't"),
            ("don’t", "do", "n’t"),
            ("can't", "", "can't"),
            ("Won't", "", "Won't"),
            ("shouldn't've", "should", "n't've"),
            ("she'd've", "she", "'d've"),
            ("we're", "we", "'re"),
            ("I'm", "I", "'m"),
            ("1980's", "1980", "'s"),
            ("O'Brien", "O'Brien", ""),
            ("O'Brien's", "O'Brien", "'s"),
            ("o'clock", "o'clock", ""),
            ("secretn't", "secretn't", ""),
            ("rock'n'roll", "rock'n'roll", ""),
            ("cafe\u{301}'s", "cafe\u{301}", "'s"),
        ] {
            assert_eq!(split(text), [(host, clitics)], "{text}");
        }
    }

    #[test]
    fn apostrophes_around_words_are_not_inside_them() {
        for text in ["'tis", "the boys' room", "'quoted'", "' '", "it'", "a''b", ""] {
            assert_eq!(split(text), [], "{text}");
        }
        assert_eq!(split("'Ana's', he said"), [("Ana", "'s")]);
    }

    proptest! {
        #[test]
        fn parts_are_in_order_and_on_character_boundaries(text in "(\\PC|[a-z'’nt ]){0,40}") {
            let mut at = 0;
            for word in ApostropheWord::all(&text) {
                prop_assert!(word.host().start >= at && word.host().end == word.clitics().start);
                prop_assert!(text.get(word.host()).is_some() && text.get(word.clitics()).is_some());
                at = word.clitics().end;
            }
        }
    }
}
