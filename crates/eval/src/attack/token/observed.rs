//! What attackers see, and what they guess.

/// What an attacker sees at one position of a released text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ObservedWord {
    /// A word drawn by a mechanism: its number, and the position of its channel among all channels.
    Drawn(usize, usize),
    /// A word that was kept.
    Kept(usize),
    /// A hidden word: it was left out or replaced independently of its content.
    Gap,
    /// Anything else: punctuation, or a word outside of the lexicon.
    Other,
}

/// The guessed words of a text by number; none where the attacker has no candidates.
pub type GuessedWords = Vec<Option<usize>>;
