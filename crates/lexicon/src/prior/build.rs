//! Learns a prior from texts.

use std::cmp::Reverse;

use inkveil_files::Sha256Sum;

use super::symbol::symbols_of;
use super::{PriorSymbol, Rows, WordPrior, stored};
use crate::{Casing, Error, Lexicon};

/// Counts words and their neighbours in texts.
///
/// ```
/// use inkveil_lexicon::{Lexicon, PriorBuilder, PriorSymbol};
///
/// let words = ["a", "red", "cat", "dog"].map(String::from).to_vec();
/// let lexicon = Lexicon::words_from_table(words, &[1.0, 0.0, 0.0, 1.0, -1.0, 0.5, 0.3, 0.3], 2)?;
/// let mut builder = PriorBuilder::new(&lexicon)?;
/// for text in ["a red cat", "a red cat", "a dog"] {
///     builder.add(text)?;
/// }
/// let prior = builder.build(1);
/// let [red, cat, dog] = [1, 2, 3].map(|id| PriorSymbol::word(id).unwrap());
/// assert!(prior.pair(red, cat) > prior.pair(red, dog));
/// # Ok::<(), inkveil_lexicon::Error>(())
/// ```
pub struct PriorBuilder<'l> {
    lexicon: &'l Lexicon,
    /// The symbols of all texts.
    symbols: Vec<u16>,
    /// Occurrences within sentences: capitalised, and all.
    cases: Vec<[u32; 2]>,
}

impl<'l> PriorBuilder<'l> {
    /// Starts to count the words of a lexicon of words.
    ///
    /// # Errors
    /// If the lexicon has more words than a prior can hold.
    pub fn new(lexicon: &'l Lexicon) -> Result<Self, Error> {
        let words = lexicon.vocabulary().len();
        if words > PriorSymbol::MOST_WORDS {
            return Err(Error::argument(format!(
                "the lexicon has {words} words, but a prior holds at most {}",
                PriorSymbol::MOST_WORDS
            )));
        }
        Ok(Self { lexicon, symbols: Vec::new(), cases: vec![[0; 2]; words] })
    }

    /// Counts a text.
    ///
    /// # Errors
    /// If the text cannot be split into words.
    pub fn add(&mut self, text: &str) -> Result<(), Error> {
        let alignment = self.lexicon.align(text)?;
        let mut symbols = Vec::new();
        symbols_of(&alignment, &mut symbols);
        for near in symbols.windows(2) {
            let &[(before, _), (symbol, Some(unit))] = near else { continue };
            let word = symbol.0.checked_sub(PriorSymbol::CLASSES).map(usize::from);
            let Some(count) = word.and_then(|word| self.cases.get_mut(word)) else { continue };
            let casing = Casing::of(&text[alignment.units()[unit].range()]);
            if before != PriorSymbol::BREAK && matches!(casing, Some(Casing::Lower | Casing::Capital)) {
                count[0] += u32::from(casing == Some(Casing::Capital));
                count[1] += 1;
            }
        }
        self.symbols.extend(symbols.into_iter().map(|(symbol, _)| symbol.0));
        Ok(())
    }

    /// Computes the prior. Pairs that occur less often than `minimum` are left out.
    pub fn build(self, minimum: u32) -> WordPrior {
        let symbols = self.cases.len() + usize::from(PriorSymbol::CLASSES);
        let pairs = counted(self.symbols.windows(2).filter_map(|near| {
            let &[a, b] = near else { return None };
            // Texts follow each other; the two breaks between them are not a pair.
            ([a, b] != [0, 0]).then_some(u64::from(a) << 16 | u64::from(b))
        }));
        let single = continuations(&pairs, symbols);
        let discount = discount(&pairs);
        let totals = totals(&pairs, 16);
        let mut prior = WordPrior {
            symbols,
            vocabulary: vocabulary_checksum(self.lexicon),
            counted: self.symbols.len() as u64,
            single: single.iter().map(|share| share.ln() as f32).collect(),
            backoff: vec![0.0; symbols],
            capital: self.cases.iter().map(|count| capital_share(*count)).collect(),
            pairs: Rows { starts: vec![0], next: Vec::new(), log: Vec::new() },
            lift: Vec::new(),
            largest_lift: 0.0,
            highest: Vec::new(),
            sha256: Sha256Sum::of(&[]),
        };
        // The pairs, context by context.
        let mut total_of = vec![0_u64; symbols];
        totals.iter().for_each(|(context, total)| total_of[*context as usize] = *total);
        let mut rows = pairs.chunk_by(|a, b| a.0 >> 16 == b.0 >> 16).peekable();
        for (context, total) in total_of.iter().enumerate() {
            let row = rows.next_if(|row| row[0].0 >> 16 == context as u64).unwrap_or_default();
            let total = (*total).max(1) as f64;
            let kept = || row.iter().filter(|(_, count)| *count >= minimum);
            let share = |count: u32| (f64::from(count) - discount).max(0.0) / total;
            let rest = (1.0 - kept().map(|(_, count)| share(*count)).sum::<f64>()).clamp(1e-6, 1.0);
            prior.backoff[context] = rest.ln() as f32;
            for (key, count) in kept() {
                let next = (key & 0xffff) as u16;
                let probability = share(*count) + rest * single[usize::from(next)];
                prior.pairs.next.push(next);
                prior.pairs.log.push(stored(probability.min(1.0).ln() as f32));
            }
            prior.pairs.starts.push(prior.pairs.next.len() as u32);
        }
        let mut prior = prior.with_bounds();
        prior.sha256 = Sha256Sum::of(&prior.to_bytes());
        prior
    }
}

/// Counts equal keys; the result is sorted by key.
fn counted(keys: impl Iterator<Item = u64>) -> Vec<(u64, u32)> {
    let mut keys: Vec<u64> = keys.collect();
    keys.sort_unstable();
    keys.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
}

/// Returns the sum of the counts of each context, which is the key without its last `bits` bits.
fn totals(counts: &[(u64, u32)], bits: u32) -> Vec<(u64, u64)> {
    let rows = counts.chunk_by(|a, b| a.0 >> bits == b.0 >> bits);
    rows.map(|row| (row[0].0 >> bits, row.iter().map(|(_, count)| u64::from(*count)).sum())).collect()
}

/// Returns the share of distinct pairs that end in each symbol. A symbol without pairs gets the share
/// of half a pair.
fn continuations(pairs: &[(u64, u32)], symbols: usize) -> Vec<f64> {
    let mut shares = vec![0.5; symbols];
    pairs.iter().for_each(|(key, _)| shares[(key & 0xffff) as usize] += 1.0);
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

/// Returns the discount of Ney, Essen and Kneser: n₁/(n₁ + 2n₂), from the numbers of keys that occur
/// once and twice.
fn discount(counts: &[(u64, u32)]) -> f64 {
    let number = |of: u32| counts.iter().filter(|(_, count)| *count == of).count() as f64;
    let (once, twice) = (number(1), number(2));
    if once > 0.0 { once / (once + 2.0 * twice) } else { 0.5 }
}

/// Returns the share of capitalised occurrences in 255ths. Few occurrences say little, so a half is
/// mixed in.
fn capital_share([capital, all]: [u32; 2]) -> u8 {
    ((f64::from(capital) + 0.5) / (f64::from(all) + 1.0) * 255.0).round() as u8
}

/// Returns a checksum of a lexicon's entries, in order.
pub(super) fn vocabulary_checksum(lexicon: &Lexicon) -> u64 {
    let vocabulary = lexicon.vocabulary();
    let mut sum = crate::checksum::Checksum::new();
    for id in 0..u32::try_from(vocabulary.len()).unwrap_or(u32::MAX) {
        sum.add(vocabulary.text(id).unwrap_or_default().as_bytes());
    }
    sum.finish()
}

impl std::fmt::Debug for PriorBuilder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PriorBuilder({} symbols)", self.symbols.len())
    }
}

impl WordPrior {
    /// Returns the likeliest symbols after another, likeliest first: to inspect a prior.
    pub fn likeliest(&self, before: PriorSymbol, count: usize) -> Vec<PriorSymbol> {
        let mut all: Vec<(Reverse<u32>, u16)> = (0..self.symbols)
            .filter_map(|symbol| u16::try_from(symbol).ok())
            .map(|symbol| {
                let log = self.pair(before, PriorSymbol(symbol));
                (Reverse((log.exp() * 1e9) as u32), symbol)
            })
            .collect();
        all.sort_unstable();
        all.into_iter().take(count).map(|(_, symbol)| PriorSymbol(symbol)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicon() -> Lexicon {
        let words = ["a", "red", "cat", "dog", "sat"].map(String::from).to_vec();
        let rows = [1.0, 0.0, 0.0, 1.0, -1.0, 0.5, 0.3, 0.3, 0.2, -1.0];
        Lexicon::words_from_table(words, &rows, 2).unwrap()
    }

    fn prior(minimum: u32) -> WordPrior {
        let lexicon = lexicon();
        let mut builder = PriorBuilder::new(&lexicon).unwrap();
        let texts =
            ["A red cat sat.", "A red cat sat", "a dog sat, a Dog", "a red dog", "Boston, 7 red cats"];
        texts.iter().for_each(|text| builder.add(text).unwrap());
        builder.build(minimum)
    }

    #[test]
    fn probabilities_sum_to_one() {
        for minimum in [1, 2, 9] {
            let prior = prior(minimum);
            let all = || (0..prior.symbols as u16).map(PriorSymbol);
            let sum = all().map(|symbol| prior.single(symbol).exp()).sum::<f32>();
            assert!((sum - 1.0).abs() < 1e-4, "{sum}");
            for before in all() {
                let sum = all().map(|symbol| prior.pair(before, symbol).exp()).sum::<f32>();
                // Stored logarithms are rounded to 1/16.
                assert!((sum - 1.0).abs() < 0.04, "{minimum} {before:?} {sum}");
            }
        }
    }

    #[test]
    fn bounds_hold_for_every_pair() {
        let prior = prior(2);
        let all = || (0..prior.symbols as u16).map(PriorSymbol);
        for before in all() {
            for symbol in all() {
                let log = prior.pair(before, symbol);
                assert!(log - prior.single(symbol) <= prior.lift(before) + 1e-5);
                assert!(log <= prior.highest(symbol) + 1e-5);
            }
        }
    }

    #[test]
    fn more_frequent_neighbours_are_likelier() {
        let prior = prior(1);
        let [a, red, cat, dog] = [0, 1, 2, 3].map(|id| PriorSymbol::word(id).unwrap());
        assert!(prior.pair(red, cat) > prior.pair(red, dog));
        assert!(prior.pair(a, red) > prior.pair(a, cat));
        assert_eq!(prior.likeliest(red, 1), [cat]);
        // "Dog" is capitalised once within a sentence.
        let fits = |id| prior.fits_case(id, Some(Casing::Capital), false);
        assert!(fits(3) > fits(2));
        assert_eq!(prior.fits_case(2, Some(Casing::Capital), true), 0.0);
    }
}
