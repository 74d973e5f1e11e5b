//! Contexts for curves with joint decoding: sensitive words among neighbours that the prior draws.
//!
//! A word alone would not show what its neighbours reveal. No text is needed: the neighbours follow the
//! prior that decodes them, so the survival in real texts is at most about as high.

use inkveil_lexicon::{Casing, PriorSymbol, WordPrior};
use inkveil_privacy::{NoiseAddress, NoiseKey, NoiseStream};

use crate::Error;

/// The most neighbours on each side.
const SIDE: usize = 4;

/// A word in its context: symbols before and after it.
pub(crate) struct WordInContext {
    pub(crate) before: Vec<PriorSymbol>,
    pub(crate) after: Vec<PriorSymbol>,
    /// The case that a text shows of the word.
    pub(crate) casing: Casing,
}

/// Draws neighbours from a prior.
pub(crate) struct Neighbourhood<'p> {
    prior: &'p WordPrior,
    stream: NoiseStream,
}

impl<'p> Neighbourhood<'p> {
    pub(crate) fn new(prior: &'p WordPrior, seed: u64) -> Self {
        // Contexts are public. Only the noise of the measurement has a key of its own.
        let stream = NoiseKey::insecure_from_seed(seed).stream(NoiseAddress::record(0), &());
        Self { prior, stream }
    }

    /// Draws contexts of a word.
    pub(crate) fn draw(&mut self, id: u32, count: usize) -> Result<Vec<WordInContext>, Error> {
        let Some(word) = PriorSymbol::word(id) else { return Ok(Vec::new()) };
        let casing = match self.prior.is_usually_capital(id) {
            true => Casing::Capital,
            false => Casing::Lower,
        };
        (0..count)
            .map(|_| {
                let mut before = self.side(word, WordPrior::predecessors)?;
                before.reverse();
                Ok(WordInContext { before, after: self.side(word, WordPrior::successors)?, casing })
            })
            .collect()
    }

    /// Draws neighbours on one side, up to a break.
    fn side(
        &mut self,
        word: PriorSymbol,
        next: impl Fn(&WordPrior, PriorSymbol) -> Vec<(PriorSymbol, f32)>,
    ) -> Result<Vec<PriorSymbol>, Error> {
        let mut side = Vec::new();
        let mut last = word;
        while side.len() < SIDE {
            let weights = next(self.prior, last);
            let sum: f32 = weights.iter().map(|(_, weight)| weight).sum();
            let mut at = (self.stream.below(1 << 24)? as f32 / (1 << 24) as f32) * sum;
            let chosen = weights.iter().find(|(_, weight)| {
                at -= weight;
                at <= 0.0
            });
            match chosen {
                Some((symbol, _)) if *symbol != PriorSymbol::BREAK => {
                    side.push(*symbol);
                    last = *symbol;
                }
                _ => break,
            }
        }
        Ok(side)
    }
}
