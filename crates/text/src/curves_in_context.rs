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
    before: Vec<Vec<(PriorSymbol, f32)>>,
}

impl<'p> Neighbourhood<'p> {
    pub(crate) fn new(prior: &'p WordPrior) -> Self {
        Self { prior, before: prior.predecessors() }
    }

    /// Draws contexts of a word.
    pub(crate) fn draw(&self, id: u32, count: usize) -> Result<Vec<WordInContext>, Error> {
        // Contexts are public. Only the noise of the measurement has a key of its own.
        let mut stream = NoiseKey::insecure_from_seed(id.into()).stream(NoiseAddress::record(0), &());
        let Some(word) = PriorSymbol::word(id) else { return Ok(Vec::new()) };
        let casing = match self.prior.is_usually_capital(id) {
            true => Casing::Capital,
            false => Casing::Lower,
        };
        (0..count)
            .map(|_| {
                let earlier =
                    |symbol: PriorSymbol| self.before.get(symbol.index()).cloned().unwrap_or_default();
                let mut before = side(word, earlier, &mut stream)?;
                before.reverse();
                let after = side(word, |symbol| self.prior.successors(symbol), &mut stream)?;
                Ok(WordInContext { before, after, casing })
            })
            .collect()
    }
}

/// Draws neighbours on one side, up to a break.
fn side(
    word: PriorSymbol,
    next: impl Fn(PriorSymbol) -> Vec<(PriorSymbol, f32)>,
    stream: &mut NoiseStream,
) -> Result<Vec<PriorSymbol>, Error> {
    let mut side = Vec::new();
    let mut last = word;
    while side.len() < SIDE {
        let weights = next(last);
        let sum: f32 = weights.iter().map(|(_, weight)| weight).sum();
        let mut at = (stream.below(1 << 24)? as f32 / (1 << 24) as f32) * sum;
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
