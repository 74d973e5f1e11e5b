//! Starting values for the fast tagger's table of words: what the encoder of the pack knows about them.
//!
//! The tables of the fast tagger are small, and labelled texts have few words. The encoder learned from much
//! more text which words are alike. Its table of tokens, reduced to as many dimensions as the fast tagger's
//! table has, is a better start than random numbers.

use std::path::Path;

use inkveil_nn::models::BertConfig;
use inkveil_nn::{Scope, Tensor, Tokenizer, Weights};
use rayon::prelude::*;

use super::shuffle::Shuffle;
use crate::error::Error;
use crate::tagger::features::{WORD_ROWS, word_row};
use crate::tagger::net::TABLE_WIDTH;

/// The name of the encoder's table of tokens.
const TOKENS: &str = "embeddings.word_embeddings.weight";
/// The name of the fast tagger's table of words.
const WORDS: &str = "words.weight";
/// The standard deviation of the starting values.
const SPREAD: f32 = 0.1;
/// Enough to separate the main directions from the others.
const ROUNDS: usize = 12;

/// Sets the rows of the words that are one token of the pack's encoder.
pub(super) fn start_words(scope: &Scope, pack: &Path) -> Result<(), Error> {
    let config = BertConfig::open(pack)?;
    let weights = Weights::open(pack)?;
    let table = weights.values(TOKENS, &[config.vocabulary, config.width])?;
    let tokenizer = Tokenizer::open(pack)?;
    let mut taken = vec![false; WORD_ROWS];
    let mut chosen = Vec::new();
    // Tokens are in the order of frequency. If two words share a row, the more frequent one sets it.
    for (id, values) in table.chunks_exact(config.width).enumerate() {
        let word = u32::try_from(id).ok().and_then(|id| tokenizer.token(id)).unwrap_or_default();
        if word.chars().all(char::is_alphabetic) && !word.is_empty() {
            let row = word_row(word) as usize;
            if !std::mem::replace(&mut taken[row], true) {
                chosen.push((row, values));
            }
        }
    }
    let reduced = main_directions(&chosen, config.width);
    let rows = chosen.iter().map(|(row, _)| *row).zip(reduced.chunks_exact(TABLE_WIDTH));
    Ok(set_rows(scope, rows)?)
}

/// Replaces rows of the table of words.
fn set_rows<'a>(
    scope: &Scope,
    rows: impl Iterator<Item = (usize, &'a [f32])> + Clone,
) -> Result<(), inkveil_nn::Error> {
    for (_, variable) in scope.variables().into_iter().filter(|(name, _)| name == WORDS) {
        let mut values: Vec<f32> = variable.as_tensor().flatten_all()?.to_vec1()?;
        for (row, new) in rows.clone() {
            values[row * TABLE_WIDTH..(row + 1) * TABLE_WIDTH].copy_from_slice(new);
        }
        variable.set(&Tensor::from_vec(values, (WORD_ROWS, TABLE_WIDTH), scope.device())?)?;
    }
    Ok(())
}

/// Returns the coordinates of each row along the directions in which rows differ most (principal components,
/// by subspace iteration), scaled to [`SPREAD`].
fn main_directions(rows: &[(usize, &[f32])], width: usize) -> Vec<f32> {
    let count = rows.len().max(1) as f32;
    let mut mean = vec![0.0_f32; width];
    rows.iter().for_each(|(_, row)| mean.iter_mut().zip(*row).for_each(|(m, x)| *m += x / count));
    let centred: Vec<Vec<f32>> =
        rows.iter().map(|(_, row)| row.iter().zip(&mean).map(|(x, m)| x - m).collect()).collect();
    let covariance: Vec<Vec<f32>> = (0..width)
        .into_par_iter()
        .map(|i| {
            let mut line = vec![0.0_f32; width];
            for row in &centred {
                line.iter_mut().zip(row).for_each(|(sum, x)| *sum += row[i] * x / count);
            }
            line
        })
        .collect();
    let mut random = Shuffle::new(17);
    let mut basis: Vec<Vec<f32>> = (0..TABLE_WIDTH)
        .map(|_| (0..width).map(|_| (random.word() >> 40) as f32 / (1 << 23) as f32 - 1.0).collect())
        .collect();
    for _ in 0..ROUNDS {
        basis = basis.par_iter().map(|v| covariance.iter().map(|line| dot(line, v)).collect()).collect();
        orthonormalise(&mut basis);
    }
    let mut reduced: Vec<f32> =
        centred.iter().flat_map(|row| basis.iter().map(move |v| dot(row, v))).collect();
    let square = reduced.iter().map(|x| x * x).sum::<f32>() / reduced.len().max(1) as f32;
    let scale = SPREAD / square.sqrt().max(1e-9);
    reduced.iter_mut().for_each(|x| *x *= scale);
    reduced
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Makes vectors orthogonal, of length 1, one after the other.
fn orthonormalise(basis: &mut [Vec<f32>]) {
    for n in 0..basis.len() {
        let (done, rest) = basis.split_at_mut(n);
        let Some(vector) = rest.first_mut() else { return };
        for other in done.iter() {
            let share = dot(vector, other);
            vector.iter_mut().zip(other).for_each(|(x, y)| *x -= share * y);
        }
        let length = dot(vector, vector).sqrt().max(1e-9);
        vector.iter_mut().for_each(|x| *x /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_direction_comes_first_and_the_spread_is_fixed() {
        let mut random = Shuffle::new(3);
        let mut noise = || (random.word() >> 40) as f32 / (1 << 24) as f32 * 0.01;
        // One column varies much more than the others.
        let rows: Vec<Vec<f32>> =
            (0..300).map(|n| (0..70).map(|at| if at == 3 { n as f32 } else { noise() }).collect()).collect();
        let rows: Vec<(usize, &[f32])> = rows.iter().map(|row| (0, row.as_slice())).collect();
        let reduced = main_directions(&rows, 70);
        let spread = |at: usize| reduced.chunks_exact(TABLE_WIDTH).map(|row| row[at] * row[at]).sum::<f32>();
        assert!(spread(0) > 100.0 * (1..TABLE_WIDTH).map(spread).sum::<f32>());
        let square = reduced.iter().map(|x| x * x).sum::<f32>() / reduced.len() as f32;
        assert!((square.sqrt() - SPREAD).abs() < 1e-4);
    }
}
