//! Texts that are drawn from the pack's prior over neighbouring words. They stand for texts of other writers.

use std::fmt;
use std::path::Path;

use inkveil_lexicon::{Lexicon, LexiconKind, PRIOR_FILE, PriorSymbol, WordPrior};
use inkveil_nn::SplitMix;

use crate::Error;

/// The symbols of a prior that are not words.
const CLASSES: [PriorSymbol; 6] = [
    PriorSymbol::BREAK,
    PriorSymbol::COMMA,
    PriorSymbol::NAME,
    PriorSymbol::UNKNOWN,
    PriorSymbol::NUMBER,
    PriorSymbol::ENDING,
];

/// Symbols with the sum of the probabilities up to each of them.
type Cumulative = Vec<(PriorSymbol, f32)>;

/// Draws texts from a prior over neighbouring words.
pub(super) struct PriorTexts {
    words: Vec<String>,
    /// The symbols after each symbol. What is missing to 1 is drawn from `all`.
    after: Vec<Cumulative>,
    all: Cumulative,
}

impl PriorTexts {
    /// Opens the prior of a pack; none if the pack has no prior.
    ///
    /// # Errors
    /// If the lexicon of the prior cannot be read, or they do not belong together.
    pub(super) fn open(pack: &Path) -> Result<Option<Self>, Error> {
        if !pack.join(PRIOR_FILE).is_file() {
            return Ok(None);
        }
        let lexicon = Lexicon::open_kind(pack, LexiconKind::Words)?;
        Ok(WordPrior::open(pack, &lexicon)?.map(|prior| Self::new(&lexicon, &prior)))
    }

    fn new(lexicon: &Lexicon, prior: &WordPrior) -> Self {
        let ids = (0u32..).take(prior.words());
        let text = |id| lexicon.vocabulary().text(id).unwrap_or_default().to_owned();
        let words: Vec<String> = ids.clone().map(text).collect();
        let symbols: Vec<PriorSymbol> =
            CLASSES.into_iter().chain(ids.filter_map(PriorSymbol::word)).collect();
        let shares = symbols.iter().map(|&symbol| (symbol, prior.single(symbol).exp()));
        let all = cumulative(shares);
        let after = symbols.iter().map(|&symbol| cumulative(prior.successors(symbol))).collect();
        Self { words, after, all }
    }

    /// Returns a text of about this many words. Texts with different numbers are unrelated; a text depends on nothing
    /// else.
    pub(super) fn draw(&self, purpose: &str, number: u64, words: usize) -> String {
        let mut random = SplitMix::named(0, purpose, &[number]);
        let (mut text, mut before) = (String::new(), PriorSymbol::BREAK);
        // About one symbol of seven is punctuation.
        for _ in 0..words + words / 6 {
            let symbol = self.next(before, &mut random);
            match symbol.entry().and_then(|id| self.words.get(id as usize)) {
                Some(word) => {
                    if !text.is_empty() {
                        text.push(' ');
                    }
                    push_word(&mut text, word, before == PriorSymbol::BREAK);
                }
                None if symbol == PriorSymbol::BREAK && before != symbol => text.push('.'),
                None if symbol == PriorSymbol::COMMA && before != symbol => text.push(','),
                // A name or a number of nobody says nothing.
                None => {}
            }
            before = symbol;
        }
        text
    }

    fn next(&self, before: PriorSymbol, random: &mut SplitMix) -> PriorSymbol {
        let row = self.after.get(before.index()).map_or(&[][..], Vec::as_slice);
        let stored = drawn(row, random.unit() as f32);
        stored
            .or_else(|| drawn(&self.all, random.unit() as f32 * self.all.last().map_or(1.0, |last| last.1)))
            .unwrap_or(PriorSymbol::BREAK)
    }
}

fn push_word(text: &mut String, word: &str, starts: bool) {
    let mut letters = word.chars();
    match letters.next().filter(|_| starts) {
        Some(first) => text.extend(first.to_uppercase().chain(letters)),
        None => text.push_str(word),
    }
}

fn cumulative(shares: impl IntoIterator<Item = (PriorSymbol, f32)>) -> Cumulative {
    let mut sum = 0.0;
    let add = |(symbol, share): (PriorSymbol, f32)| {
        sum += share;
        (symbol, sum)
    };
    shares.into_iter().map(add).collect()
}

/// The symbol at a place between 0 and 1; none if the place is beyond the last one.
fn drawn(row: &[(PriorSymbol, f32)], place: f32) -> Option<PriorSymbol> {
    row.get(row.partition_point(|(_, sum)| *sum <= place)).map(|(symbol, _)| *symbol)
}

impl fmt::Debug for PriorTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PriorTexts({} words)", self.words.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_texts_are_of_common_words_and_differ() {
        let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/en");
        let texts = PriorTexts::open(&pack).unwrap().unwrap();
        let [first, second] = [0, 1].map(|number| texts.draw("test", number, 200));
        assert_ne!(first, second);
        assert_eq!(first, texts.draw("test", 0, 200));
        let words = |text: &str| text.split_whitespace().count();
        assert!((100..=240).contains(&words(&first)), "{first}");
        assert!(first.matches("the ").count() > 3 && first.contains(". "), "{first}");
        assert!(PriorTexts::open(Path::new("absent")).unwrap().is_none());
    }
}
