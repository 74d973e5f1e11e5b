//! The words of a lexicon, and their similarities.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

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
#[derive(Clone)]
pub(super) struct Spectrum {
    /// The cosines of the nearest, in descending order.
    near: Vec<f32>,
    /// The number of other words with a cosine in each step.
    steps: Vec<u32>,
}

/// The number of words with an exact cosine. The nearest words matter most.
const NEAR: usize = 24;

/// The number of steps of the cosine from −1 to 1.
const STEPS: usize = 400;

/// The number of words in a tile of the table of all pairs.
const TILE: usize = 256;

impl Spectrum {
    fn empty() -> Self {
        Self { near: Vec::with_capacity(NEAR + 1), steps: vec![0; STEPS] }
    }

    /// Counts the cosines of some other words. Until [`finish`](Self::finish), the nearest are also in the steps.
    fn count(&mut self, cosines: impl Iterator<Item = f32>) {
        let mut least = if self.near.len() == NEAR { self.near[NEAR - 1] } else { f32::NEG_INFINITY };
        for cosine in cosines {
            self.steps[step(cosine)] += 1;
            if cosine > least {
                self.near.insert(self.near.partition_point(|other| *other >= cosine), cosine);
                self.near.truncate(NEAR);
                least = if self.near.len() == NEAR { self.near[NEAR - 1] } else { f32::NEG_INFINITY };
            }
        }
    }

    fn finish(mut self) -> Self {
        for cosine in &self.near {
            self.steps[step(*cosine)] -= 1;
        }
        self
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

/// The step of a cosine.
fn step(cosine: f32) -> usize {
    (((cosine + 1.0) * (STEPS as f32 / 2.0)) as usize).min(STEPS - 1)
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
        let count = self.len().div_ceil(TILE);
        let words = |block: usize| block * TILE..self.len().min((block + 1) * TILE);
        let blocks: Vec<Mutex<Vec<Spectrum>>> =
            (0..count).map(|block| Mutex::new(vec![Spectrum::empty(); words(block).len()])).collect();
        let tiles: Vec<(usize, usize)> = (0..count).flat_map(|a| (a..count).map(move |b| (a, b))).collect();
        tiles.par_iter().try_for_each(|&(a, b)| -> Result<(), Error> {
            let rows = |block: usize| &self.rows[words(block).start * self.dim..words(block).end * self.dim];
            let width = words(b).len();
            let mut cosines = vec![0.0_f32; words(a).len() * width];
            f32_product(rows(a), rows(b), self.dim, &mut cosines)?;
            for (own, (spectrum, row)) in locked(&blocks[a]).iter_mut().zip(cosines.chunks(width)).enumerate()
            {
                let others = row.iter().enumerate().filter(|(other, _)| a != b || *other != own);
                spectrum.count(others.map(|(_, cosine)| *cosine));
            }
            if a != b {
                for (column, spectrum) in locked(&blocks[b]).iter_mut().enumerate() {
                    spectrum.count(cosines[column..].iter().step_by(width).copied());
                }
            }
            Ok(())
        })?;
        let of_block =
            |block: Mutex<Vec<Spectrum>>| block.into_inner().unwrap_or_else(PoisonError::into_inner);
        let made = blocks.into_iter().flat_map(of_block).map(Spectrum::finish).collect();
        Ok(self.spectra.get_or_init(|| made))
    }

    fn row(&self, number: usize) -> &[f32] {
        &self.rows[number * self.dim..][..self.dim]
    }
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use inkveil_nn::SplitMix;

    use super::*;

    #[test]
    fn tiles_give_the_same_similarities_as_one_word_after_the_other() {
        let (count, dim) = (2 * TILE + 37, 8);
        let mut draws = SplitMix::named(5, "rows", &[]);
        let rows: Vec<f32> = (0..count * dim).map(|_| draws.normals()[0] as f32).collect();
        let words = (0..count).map(|word| format!("w{word}")).collect();
        let space = TokenSpace::new(&Arc::new(Lexicon::words_from_table(words, &rows, dim).unwrap()));
        let spectra = space.spectra().unwrap();
        assert_eq!(spectra.len(), count);
        for word in [0, 1, TILE - 1, TILE, 2 * TILE + 36] {
            let mut cosines: Vec<f32> =
                (0..count).filter(|other| *other != word).map(|other| space.cosine(word, other)).collect();
            cosines.sort_unstable_by(|a, b| b.total_cmp(a));
            let near = &spectra[word].near;
            assert!(near.iter().zip(&cosines).all(|(a, b)| (a - b).abs() < 1e-5) && near.len() == NEAR);
            assert_eq!(spectra[word].steps.iter().sum::<u32>() as usize, count - 1 - NEAR);
            let sum = |values: &[f32]| values.iter().map(|value| f64::from(*value)).sum::<f64>();
            let counted: f64 = spectra[word].iter().map(|(cosine, many)| f64::from(cosine) * many).sum();
            assert!((counted - sum(&cosines)).abs() < 0.0025 * count as f64);
        }
    }
}
