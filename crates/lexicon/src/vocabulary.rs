//! The entries of a lexicon: their texts and properties.

use std::fmt;

use crate::{Flags, Spelling};

/// The entries of a lexicon, by id.
///
/// ```
/// use inkveil_lexicon::{Flags, Vocabulary};
///
/// let vocabulary = Vocabulary::new(["[UNK]", "walk", "##ing"].map(Some).into_iter(), &[0]);
/// assert_eq!(vocabulary.text(2), Some("ing"));
/// assert!(vocabulary.flags(2).contains(Flags::PIECE));
/// assert_eq!(vocabulary.allowed(), [1, 2]); // special entries are never released
/// ```
#[derive(Clone)]
pub struct Vocabulary {
    spelling: Spelling,
    /// The texts of all entries in one string: tens of thousands of small strings would dominate
    /// the time to open a lexicon.
    texts: String,
    /// The end of each text.
    ends: Vec<usize>,
    flags: Vec<Flags>,
    allowed: Vec<u32>,
}

/// Entries with any of these may not be released.
const FORBIDDEN: Flags = Flags::SPECIAL
    .union(Flags::UNUSED)
    .union(Flags::CONTROL)
    .union(Flags::WHITE_SPACE)
    .union(Flags::DIRECTIONLESS);

impl Vocabulary {
    /// Parses the tokens of a tokenizer in the order of their ids. An id without a token is
    /// padding. `special` lists the ids that the tokenizer adds around or in place of text.
    pub fn new<'a>(tokens: impl Iterator<Item = Option<&'a str>> + Clone, special: &[u32]) -> Self {
        Self::with_spelling(Spelling::detect(tokens.clone().flatten()), tokens, special)
    }

    /// Creates a vocabulary of whole words, in the order of their ids.
    pub fn of_words(words: &[String]) -> Self {
        Self::with_spelling(Spelling::Words, words.iter().map(|word| Some(word.as_str())), &[])
    }

    fn with_spelling<'a>(
        spelling: Spelling,
        tokens: impl Iterator<Item = Option<&'a str>>,
        special: &[u32],
    ) -> Self {
        let (mut texts, mut ends, mut flags) = (String::new(), Vec::new(), Vec::new());
        for (id, token) in (0_u32..).zip(tokens) {
            flags.push(match token {
                Some(_) if special.contains(&id) => Flags::SPECIAL,
                Some(token) => {
                    let parsed = spelling.parse(token);
                    texts.push_str(&parsed.text);
                    parsed.flags
                }
                None => Flags::UNUSED,
            });
            ends.push(texts.len());
        }
        let mut vocabulary = Self { spelling, texts, ends, flags, allowed: Vec::new() };
        vocabulary.mark(&[], Flags::NONE);
        vocabulary
    }

    /// Sets a flag of some entries; unknown ids are ignored.
    pub(crate) fn mark(&mut self, ids: &[u32], flag: Flags) {
        for &id in ids {
            if let Some(flags) = self.flags.get_mut(id as usize) {
                *flags |= flag;
            }
        }
        self.allowed.clear();
        let free = self.flags.iter().zip(0_u32..).filter(|(flags, _)| !flags.intersects(FORBIDDEN));
        self.allowed.extend(free.map(|(_, id)| id));
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.flags.len()
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.flags.is_empty()
    }

    /// Returns how words and pieces are written.
    pub fn spelling(&self) -> Spelling {
        self.spelling
    }

    /// Returns the text of an entry without `##`, `Ġ` or `▁`. It is empty for entries without text.
    pub fn text(&self, id: u32) -> Option<&str> {
        let id = id as usize;
        let end = *self.ends.get(id)?;
        let start = id.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.texts[start..end])
    }

    /// Returns the properties of an entry, or none for an unknown id.
    pub fn flags(&self, id: u32) -> Flags {
        self.flags.get(id as usize).copied().unwrap_or_default()
    }

    /// Returns the ids that may be released, in ascending order. Special, reserved and empty
    /// entries and those without a direction are excluded.
    pub fn allowed(&self) -> &[u32] {
        &self.allowed
    }

    /// Returns whether an entry may be released.
    pub fn is_allowed(&self, id: u32) -> bool {
        self.flags.get(id as usize).is_some_and(|flags| !flags.intersects(FORBIDDEN))
    }

    /// Returns the number of entries with a flag.
    pub fn count(&self, flag: Flags) -> usize {
        self.flags.iter().filter(|flags| flags.contains(flag)).count()
    }

    /// Returns the allowed entry with this text. Words are preferred to pieces, and an exact match
    /// to one in lower case.
    pub fn find(&self, text: &str) -> Option<u32> {
        let lower = text.to_lowercase();
        let rank = |id: u32| {
            let found = self.text(id)?;
            let exact = found == text;
            (exact || found == lower).then(|| (exact, self.flags(id).contains(Flags::WORD_START)))
        };
        let ranked = self.allowed.iter().filter_map(|&id| Some((rank(id)?, std::cmp::Reverse(id))));
        ranked.max().map(|(_, std::cmp::Reverse(id))| id)
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vocabulary")
            .field("entries", &self.len())
            .field("allowed", &self.allowed.len())
            .field("spelling", &self.spelling)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_entries_may_be_released() {
        let tokens =
            [Some("<s>"), Some("Ġwalk"), Some("ing"), Some("Ċ"), Some("ðŁ"), None, Some("[unused1]")];
        let mut vocabulary = Vocabulary::new(tokens.into_iter(), &[0, 99]);
        assert_eq!(vocabulary.spelling(), Spelling::ByteLevel);
        assert_eq!(vocabulary.allowed(), [1, 2]);
        assert!(vocabulary.is_allowed(1) && !vocabulary.is_allowed(3) && !vocabulary.is_allowed(99));
        vocabulary.mark(&[2], Flags::DIRECTIONLESS);
        assert_eq!(vocabulary.allowed(), [1]);
        assert_eq!(vocabulary.count(Flags::UNUSED), 2);
    }

    #[test]
    fn texts_are_found() {
        let tokens = ["walk", "##walk", "Walk", "##ing", "Bo"].map(Some);
        let vocabulary = Vocabulary::new(tokens.into_iter(), &[]);
        let texts: Vec<_> = (0..6).map(|id| vocabulary.text(id)).collect();
        assert_eq!(texts, [Some("walk"), Some("walk"), Some("Walk"), Some("ing"), Some("Bo"), None]);
        assert_eq!(vocabulary.find("walk"), Some(0));
        assert_eq!(vocabulary.find("Walk"), Some(2));
        assert_eq!(vocabulary.find("WALK"), Some(0));
        assert_eq!(vocabulary.find("ing"), Some(3));
        assert_eq!(vocabulary.find("bo"), None);
    }

    #[test]
    fn texts_are_not_printed() {
        let vocabulary = Vocabulary::of_words(&["walk".to_owned()]);
        assert_eq!(format!("{vocabulary:?}"), "Vocabulary { entries: 1, allowed: 1, spelling: Words }");
    }
}
