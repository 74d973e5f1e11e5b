//! The roles of words for the observers, and their position among the function words.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::lists::{FUNCTION_WORDS, ROLES};
use super::spellings;

/// A role of words. A word may have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[rustfmt::skip]
pub(super) enum Role {
    FirstSingular, FirstPlural, Second, Third, Conjunction, Pointer, Be, TakesNot, Participle, Modal, Negation, Hedge,
    HedgingVerb, Intensifier, Certainty, Filler, Connective, Politeness, Chat, Laughter, Strong, Clipped, Spoken,
    MissingApostrophe, Yeah, NumberWord, Name, Abbreviation, AbbreviationAtEnd, NotAdverb, NotGerund, TypingSlip,
    WrongJoin, Misspelling, BritishOur, AmericanOur, BritishIse, AmericanIze, BritishRe, AmericanEr, BritishDouble,
    AmericanSingle, BritishWord, AmericanWord, PastT, PastEd, WithS, WithoutS,
}

/// A set of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Roles(u64);

impl Roles {
    pub(super) fn has(self, role: Role) -> bool {
        self.0 & 1 << role as u8 != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn insert(&mut self, role: Role) {
        self.0 |= 1 << role as u8;
    }
}

/// The entry of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Entry {
    pub(super) roles: Roles,
    /// Its position among [`FUNCTION_WORDS`].
    pub(super) function: Option<u8>,
}

/// Looks up a word in lower case and with straight apostrophes.
pub(super) fn entry(word: &str) -> Entry {
    // The longest word in the lists is shorter than this, so a text without spaces is not hashed as
    // a whole.
    if word.len() > LONGEST { Entry::default() } else { LEXICON.get(word).copied().unwrap_or_default() }
}

const LONGEST: usize = 24;

static LEXICON: LazyLock<HashMap<String, Entry>> = LazyLock::new(|| {
    let mut lexicon: HashMap<String, Entry> = HashMap::new();
    for (index, (word, ..)) in FUNCTION_WORDS.iter().enumerate() {
        lexicon.entry((*word).to_owned()).or_default().function = u8::try_from(index).ok();
    }
    let mut add = |word: String, role| lexicon.entry(word).or_default().roles.insert(role);
    for (role, words) in ROLES {
        words.split_whitespace().for_each(|word| add(word.to_owned(), *role));
    }
    spellings::each(add);
    lexicon
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_roles() {
        assert_eq!(entry("the").function, Some(0));
        assert!(entry("colour").roles.has(Role::BritishOur));
        assert!(entry("dont").roles.has(Role::MissingApostrophe));
        assert!(entry("while").roles.is_empty() && entry("while").function.is_some());
        assert_eq!(entry("zebra"), Entry::default());
    }

    #[test]
    fn words_are_short_enough_and_unique() {
        assert!(
            LEXICON.keys().all(|word| word.len() <= LONGEST),
            "{:?}",
            LEXICON.keys().max_by_key(|w| w.len())
        );
        for (role, words) in ROLES {
            let mut words: Vec<&str> = words.split_whitespace().collect();
            words.sort_unstable();
            assert!(words.windows(2).all(|two| two[0] != two[1]), "{role:?}: {words:?}");
        }
    }

    #[test]
    fn misspellings_are_not_words() {
        let slips = [Role::Misspelling, Role::TypingSlip, Role::WrongJoin];
        for (word, entry) in
            LEXICON.iter().filter(|(_, entry)| slips.iter().any(|&role| entry.roles.has(role)))
        {
            assert_eq!(entry.roles.0.count_ones(), 1, "{word}");
            assert_eq!(entry.function, None, "{word}");
        }
    }
}
