//! A prior over neighbouring words: how likely a word is after the one before it.
//!
//! It is learnt from public texts and says nothing about the text at hand. A decoder uses it to
//! choose among the words that a noisy vector may have come from.
//!
//! # Model
//!
//! Interpolated absolute discounting:
//!
//! - P₁(w): the share of distinct words that w follows (Kneser–Ney).
//! - P₂(w|u) = max(c(u,w) − D, 0)/c(u) + λ(u)·P₁(w).
//!
//! Rare pairs are left out and their share goes to λ, so each distribution sums to 1 up to the rounding
//! of stored logarithms to 1/16. Triples of words were measured too and do not decode better
//! (docs/results/decoding.md).

mod build;
mod file;
mod symbol;

pub use build::PriorBuilder;
pub use symbol::PriorSymbol;

use inkveil_files::Sha256Sum;

use crate::{Alignment, Casing};

/// The name of the file with the prior of the lexicon `words`.
pub const PRIOR_FILE: &str = "words.prior";

/// The resolution of stored logarithms.
const STEPS: f32 = 16.0;

/// How likely words are after others. The head of this file has the model.
pub struct WordPrior {
    /// The number of symbols.
    symbols: usize,
    /// A checksum of the vocabulary that it belongs to.
    vocabulary: u64,
    /// The number of symbols that were counted.
    counted: u64,
    /// log P₁ of each symbol.
    single: Vec<f32>,
    /// log λ(u) of each symbol.
    backoff: Vec<f32>,
    /// The share of capitalised occurrences within sentences, in 255ths, for each word.
    capital: Vec<u8>,
    pairs: Rows,
    /// max over w of log P₂(w|u) − log P₁(w), for each u.
    lift: Vec<f32>,
    largest_lift: f32,
    /// max over u of log P₂(v|u), for each v.
    highest: Vec<f32>,
    sha256: Sha256Sum,
}

/// Sorted successors of each context, with the logarithm of each.
struct Rows {
    starts: Vec<u32>,
    next: Vec<u16>,
    log: Vec<u8>,
}

impl Rows {
    /// Returns the place of a successor of a context.
    fn find(&self, context: usize, next: u16) -> Option<usize> {
        let start = *self.starts.get(context)? as usize;
        let end = *self.starts.get(context + 1)? as usize;
        self.next.get(start..end)?.binary_search(&next).ok().map(|at| start + at)
    }
}

fn stored(log: f32) -> u8 {
    (-log * STEPS).round().clamp(0.0, 255.0) as u8
}

fn loaded(log: u8) -> f32 {
    -f32::from(log) / STEPS
}

impl WordPrior {
    /// Returns log P₁ of a symbol.
    pub fn single(&self, symbol: PriorSymbol) -> f32 {
        self.single.get(usize::from(symbol.0)).copied().unwrap_or(f32::MIN)
    }

    /// Returns log P₂ of a symbol after another.
    pub fn pair(&self, before: PriorSymbol, symbol: PriorSymbol) -> f32 {
        match self.pairs.find(before.0.into(), symbol.0) {
            Some(at) => loaded(self.pairs.log[at]),
            None => self.backoff.get(usize::from(before.0)).copied().unwrap_or(0.0) + self.single(symbol),
        }
    }

    /// Returns the largest log P₂(w|u) − log P₁(w) over all symbols w after u.
    pub fn lift(&self, before: PriorSymbol) -> f32 {
        self.lift.get(usize::from(before.0)).copied().unwrap_or(f32::MAX)
    }

    /// Returns the largest [`lift`](Self::lift) of all symbols.
    pub fn largest_lift(&self) -> f32 {
        self.largest_lift
    }

    /// Returns the largest log P₂ of a symbol after any other.
    pub fn highest(&self, symbol: PriorSymbol) -> f32 {
        self.highest.get(usize::from(symbol.0)).copied().unwrap_or(0.0)
    }

    /// Returns the logarithm of how well a word fits the case that a release shows, at most 0.
    ///
    /// Words in capitals and at the start of a sentence say little, and headlines capitalise
    /// ordinary words, so no case excludes a word.
    pub fn fits_case(&self, id: u32, casing: Option<Casing>, after_break: bool) -> f32 {
        let share = f32::from(self.capital.get(id as usize).copied().unwrap_or(128)) / 255.0;
        match casing {
            Some(Casing::Capital) if !after_break => (0.2 + 0.8 * share).ln(),
            Some(Casing::Lower) => (1.02 - share).min(1.0).ln(),
            _ => 0.0,
        }
    }

    /// Returns the symbols of a text, from break to break.
    pub fn symbols_of(&self, alignment: &Alignment<'_>) -> Vec<PriorSymbol> {
        let mut symbols = Vec::new();
        symbol::symbols_of(alignment, &mut symbols);
        symbols.into_iter().map(|(symbol, _)| symbol).collect()
    }

    /// Returns whether a word is capitalised more often than not within sentences.
    pub fn is_usually_capital(&self, id: u32) -> bool {
        self.capital.get(id as usize).is_some_and(|share| *share > 127)
    }

    /// Returns the stored symbols after a symbol, with P₂ of each.
    pub fn successors(&self, before: PriorSymbol) -> Vec<(PriorSymbol, f32)> {
        let ends =
            self.pairs.starts.get(usize::from(before.0)..=usize::from(before.0) + 1).unwrap_or(&[0, 0]);
        let row = ends[0] as usize..ends[1] as usize;
        row.map(|at| (PriorSymbol(self.pairs.next[at]), loaded(self.pairs.log[at]).exp())).collect()
    }

    /// Returns, for each symbol in order, the symbols that it is stored after, each weighted by P₁ and
    /// P₂.
    pub fn predecessors(&self) -> Vec<Vec<(PriorSymbol, f32)>> {
        let mut all = vec![Vec::new(); self.symbols];
        for before in (0..self.symbols).filter_map(|before| u16::try_from(before).ok().map(PriorSymbol)) {
            for (symbol, share) in self.successors(before) {
                all[usize::from(symbol.0)].push((before, self.single(before).exp() * share));
            }
        }
        all
    }

    /// Returns the number of words of its vocabulary.
    pub fn words(&self) -> usize {
        self.symbols - usize::from(PriorSymbol::CLASSES)
    }

    /// Returns the number of stored pairs.
    pub fn pairs(&self) -> usize {
        self.pairs.next.len()
    }

    /// Returns the number of symbols that it was learnt from.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// Returns the SHA-256 of its file.
    pub fn sha256(&self) -> Sha256Sum {
        self.sha256
    }

    /// Computes the bounds of [`lift`](Self::lift) and [`highest`](Self::highest).
    fn with_bounds(mut self) -> Self {
        // A pair that is not stored has λ(u)·P₁(w).
        self.lift.clone_from(&self.backoff);
        let largest = self.backoff.iter().copied().fold(f32::MIN, f32::max);
        self.highest = self.single.iter().map(|single| single + largest).collect();
        for before in 0..self.symbols {
            let row = self.pairs.starts[before] as usize..self.pairs.starts[before + 1] as usize;
            for at in row {
                let (next, log) = (usize::from(self.pairs.next[at]), loaded(self.pairs.log[at]));
                self.lift[before] = self.lift[before].max(log - self.single[next]);
                self.highest[next] = self.highest[next].max(log);
            }
        }
        self.largest_lift = self.lift.iter().copied().fold(f32::MIN, f32::max);
        self
    }
}

impl std::fmt::Debug for WordPrior {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WordPrior({} words, {} pairs)", self.words(), self.pairs())
    }
}
