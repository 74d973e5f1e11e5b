//! The words of a lexicon, and their similarities.

use std::sync::{Arc, OnceLock};

use inkveil_lexicon::Lexicon;
use inkveil_nn::product::f32_product;
use rayon::prelude::*;

use crate::Error;

/// The number of words whose products are computed together. Every product packs the table, which
/// must not cost more than the product.
const BLOCK: usize = 256;

/// The words of a lexicon, numbered from 0 without gaps.
///
/// ```
/// use std::sync::Arc;
/// use inkveil_eval::attack::TokenSpace;
/// use inkveil_lexicon::Lexicon;
///
/// let words = ["tea", "coffee", "ship"].map(String::from).to_vec();
/// let lexicon = Lexicon::words_from_table(words, &[1.0, 0.0, 0.8, 0.6, 0.0, -1.0], 2)?;
/// let space = TokenSpace::new(&Arc::new(lexicon));
/// assert_eq!(space.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TokenSpace {
    /// The entry of each word, in ascending order.
    ids: Vec<u32>,
    rows: Vec<f32>,
    dim: usize,
    spectra: OnceLock<Vec<Spectrum>>,
}

/// The similarities of all other words to a word: of the nearest exactly, of the others in steps.
pub(super) struct Spectrum {
    /// The cosines of the nearest.
    near: Vec<f32>,
    /// The number of other words with a cosine in each step.
    steps: Vec<u16>,
}

/// The number of words with an exact cosine. The nearest words matter most.
const NEAR: usize = 24;

/// The number of steps of the cosine from −1 to 1.
const STEPS: usize = 400;

impl Spectrum {
    fn new(number: usize, cosines: &[f32]) -> Self {
        let mut steps = vec![0_u16; STEPS];
        let mut near: Vec<f32> = Vec::with_capacity(NEAR + 1);
        let mut count = |cosine: f32| {
            let step = ((cosine + 1.0) * (STEPS as f32 / 2.0)) as usize;
            let step = &mut steps[step.min(STEPS - 1)];
            *step = step.saturating_add(1);
        };
        for (_, &cosine) in cosines.iter().enumerate().filter(|(other, _)| *other != number) {
            if near.len() == NEAR && near.last().is_some_and(|least| *least >= cosine) {
                count(cosine);
                continue;
            }
            near.insert(near.partition_point(|other| *other >= cosine), cosine);
            if near.len() > NEAR {
                near.pop().into_iter().for_each(&mut count);
            }
        }
        Self { near, steps }
    }

    /// Cosines, and the number of words with each.
    pub(super) fn iter(&self) -> impl Iterator<Item = (f32, f64)> {
        let middle = |step: usize| (step as f32 + 0.5) * (2.0 / STEPS as f32) - 1.0;
        let steps = self.steps.iter().enumerate().filter(|(_, count)| **count > 0);
        self.near
            .iter()
            .map(|&cosine| (cosine, 1.0))
            .chain(steps.map(move |(step, &count)| (middle(step), f64::from(count))))
    }
}

impl TokenSpace {
    /// The words that can be released. Other originals cannot be guessed.
    pub fn new(lexicon: &Arc<Lexicon>) -> Self {
        let has_direction = |id: &u32| lexicon.row(*id).is_some();
        let ids: Vec<u32> = lexicon.allowed().iter().copied().filter(has_direction).collect();
        let rows = ids.iter().filter_map(|&id| lexicon.row(id)).flatten().copied().collect();
        Self { ids, rows, dim: lexicon.table().dimension(), spectra: OnceLock::new() }
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The number of an entry of the lexicon, if it can be released.
    pub fn number(&self, id: u32) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// The entry of the lexicon with this number.
    pub fn id(&self, number: usize) -> Option<u32> {
        self.ids.get(number).copied()
    }

    /// The cosine of two words.
    pub(super) fn cosine(&self, a: usize, b: usize) -> f32 {
        self.row(a).iter().zip(self.row(b)).map(|(a, b)| a * b).sum()
    }

    /// Calls `of` with the cosines of each of these words with all words, in blocks on all cores.
    /// Results are in order.
    pub(super) fn cosines<T: Send>(
        &self,
        numbers: &[usize],
        of: impl Fn(usize, &[f32]) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        let block = |numbers: &[usize]| -> Result<Vec<T>, Error> {
            let left: Vec<f32> = numbers.iter().flat_map(|&number| self.row(number)).copied().collect();
            let mut out = vec![0.0; numbers.len() * self.len()];
            f32_product(&left, &self.rows, self.dim, &mut out)?;
            Ok(numbers
                .iter()
                .zip(out.chunks_exact(self.len()))
                .map(|(&number, row)| of(number, row))
                .collect())
        };
        let blocks: Vec<Vec<T>> = numbers.par_chunks(BLOCK).map(block).collect::<Result<_, Error>>()?;
        Ok(blocks.into_iter().flatten().collect())
    }

    /// The similarities of all words. Every pair is computed once, which takes seconds.
    pub(super) fn spectra(&self) -> Result<&[Spectrum], Error> {
        if let Some(known) = self.spectra.get() {
            return Ok(known);
        }
        let all: Vec<usize> = (0..self.len()).collect();
        let made = self.cosines(&all, Spectrum::new)?;
        Ok(self.spectra.get_or_init(|| made))
    }

    fn row(&self, number: usize) -> &[f32] {
        &self.rows[number * self.dim..][..self.dim]
    }
}
