//! Whether detection may have missed a name in a text.

use std::path::Path;

use inkveil_detect::{EntryFlags, Gazetteer, Span};
use inkveil_entities::begins_sentence;

use crate::Error;

/// Shorter words are rarely names.
const SHORTEST: usize = 3;

/// Finds capitalised words that are no part of a span and may be names.
pub(crate) struct Doubt(Gazetteer);

impl Doubt {
    pub(crate) fn open(pack: &Path) -> Result<Self, Error> {
        Ok(Self(Gazetteer::open(&pack.join(Gazetteer::FILE))?))
    }

    /// Returns what the gazetteer knows of a word.
    pub(crate) fn flags(&self, word: &str) -> EntryFlags {
        self.0.flags(word)
    }

    /// Returns whether a text has a word that may be a name and is in no span.
    pub(crate) fn is_doubtful(&self, text: &str, spans: &[Span]) -> bool {
        let in_word = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’' | '-');
        let start_of = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
        text.split(|c: char| !in_word(c)).any(|word| {
            let start = start_of(word);
            let next = spans.partition_point(|span| span.end <= start);
            let covered = spans.get(next).is_some_and(|span| span.start < start + word.len());
            !covered && self.may_be_name(text, start, word)
        })
    }

    fn may_be_name(&self, text: &str, start: usize, word: &str) -> bool {
        let owner = ["'s", "’s"].iter().find_map(|ending| word.strip_suffix(ending));
        let name = owner.unwrap_or(word);
        let mut letters = name.chars();
        let capitalised =
            letters.next().is_some_and(char::is_uppercase) && letters.all(|c| !c.is_uppercase());
        if !capitalised || name.chars().count() < SHORTEST || name.contains(['\'', '’']) {
            return false;
        }
        let flags = self.0.flags(name);
        let is = |flag: EntryFlags| flags.contains(flag);
        let is_name = is(EntryFlags::GIVEN) || is(EntryFlags::FAMILY);
        let known = [EntryFlags::ORDINARY, EntryFlags::CALENDAR, EntryFlags::CITY, EntryFlags::COUNTRY];
        let means_more = known.into_iter().any(is);
        match (begins_sentence(text, start) && owner.is_none(), means_more) {
            (_, false) => true,
            (false, true) => is_name,
            (true, true) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitalised_words_of_unknown_meaning_are_doubtful() {
        let doubt = Doubt::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"))).unwrap();
        for text in ["It wasn't Ersin's fault.", "Ask Don.", "Drew's number", "Thanks\nGynna"] {
            assert!(doubt.is_doubtful(text, &[]), "{text}");
        }
        for text in
            ["It wasn't our fault.", "Will you ask? The train is late.", "I'm at HOME now", "On Monday"]
        {
            assert!(!doubt.is_doubtful(text, &[]), "{text}");
        }
    }
}
