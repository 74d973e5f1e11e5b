//! Tokens that a text should rather not contain.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::{DType, Error, Tensor, Tokenizer};

/// Tokens that become less likely, so that a model says the same in other words.
#[derive(Clone, PartialEq, Default)]
pub struct AvoidedTokens {
    /// Less likely everywhere.
    pub tokens: BTreeSet<u32>,
    /// Less likely after the token that is the key.
    pub pairs: BTreeMap<u32, BTreeSet<u32>>,
    /// What is subtracted from their scores: 1 makes a token e times less likely.
    pub penalty: f32,
}

/// Shows no token: a tokenizer turns it into a word of a text.
impl fmt::Debug for AvoidedTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tokens, pairs, penalty } = self;
        write!(f, "AvoidedTokens({} tokens, {} first of pairs, penalty {penalty})", tokens.len(), pairs.len())
    }
}

impl AvoidedTokens {
    /// Returns the tokens of words, and of the second words of pairs. A word of several tokens is not avoided for
    /// itself: its first token begins other words, too.
    ///
    /// # Errors
    /// If the tokenizer fails.
    pub fn of_words(
        tokenizer: &Tokenizer,
        words: &[String],
        pairs: &[(String, String)],
        penalty: f32,
    ) -> Result<Self, Error> {
        let mut avoid = AvoidedTokens { penalty, ..AvoidedTokens::default() };
        if penalty == 0.0 {
            return Ok(avoid);
        }
        for word in words {
            avoid.tokens.extend(single_tokens(tokenizer, word)?);
        }
        for (first, second) in pairs {
            let seconds = single_tokens(tokenizer, second)?;
            for spelled in spellings(first) {
                if let Some(&last) = tokenizer.encode(&spelled, false)?.ids.last() {
                    avoid.pairs.entry(last).or_default().extend(&seconds);
                }
            }
        }
        Ok(avoid)
    }

    /// Returns the tokens that are avoided after `last`, each once, even if it is avoided for two reasons.
    fn after(&self, last: Option<u32>) -> impl Iterator<Item = u32> {
        let seconds = last.and_then(|last| self.pairs.get(&last)).into_iter().flatten();
        let all = self.tokens.iter().chain(seconds.filter(|token| !self.tokens.contains(token)));
        all.copied().filter(|_| self.penalty != 0.0)
    }

    /// Lowers the scores of the avoided tokens. `last` is the last generated token.
    pub(super) fn penalise(&self, logits: &mut [f32], last: Option<u32>) {
        for token in self.after(last) {
            if let Some(logit) = logits.get_mut(token as usize) {
                *logit -= self.penalty;
            }
        }
    }
}

/// Lowers scores of shape (texts, vocabulary) on their device, given what each text avoids and its last generated
/// token.
pub(super) fn penalise_rows(
    logits: Tensor,
    texts: &[(&AvoidedTokens, Option<u32>)],
) -> Result<Tensor, Error> {
    let vocabulary = logits.dim(1)?;
    let of_text = |(avoid, last): &(&AvoidedTokens, Option<u32>)| -> Vec<u32> {
        avoid.after(*last).filter(|&token| (token as usize) < vocabulary).collect()
    };
    let tokens: Vec<Vec<u32>> = texts.iter().map(of_text).collect();
    let most = tokens.iter().map(Vec::len).max().unwrap_or(0);
    if most == 0 {
        return Ok(logits);
    }
    // Shorter lists are filled with changes of 0.
    let mut index = vec![0u32; texts.len() * most];
    let mut change = vec![0f32; texts.len() * most];
    for (row, (tokens, (avoid, _))) in tokens.iter().zip(texts).enumerate() {
        index[row * most..][..tokens.len()].copy_from_slice(tokens);
        change[row * most..][..tokens.len()].fill(-avoid.penalty);
    }
    let index = Tensor::from_vec(index, (texts.len(), most), logits.device())?;
    let change = Tensor::from_vec(change, (texts.len(), most), logits.device())?;
    Ok(logits.to_dtype(DType::F32)?.scatter_add(&index, &change, 1)?)
}

fn single_tokens(tokenizer: &Tokenizer, word: &str) -> Result<Vec<u32>, Error> {
    let mut ids = Vec::new();
    for spelled in spellings(word) {
        if let [id] = tokenizer.encode(&spelled, false)?.ids[..] {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// The ways in which a word begins a text, follows another word, and begins a sentence.
fn spellings(word: &str) -> [String; 4] {
    let mut letters = word.chars();
    let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    [word.to_owned(), format!(" {word}"), format!(" {capital}"), capital]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn rows_are_penalised_like_single_texts() {
        let avoid = [
            AvoidedTokens { tokens: [0, 4].into(), pairs: [(7, [1, 4].into())].into(), penalty: 2.0 },
            AvoidedTokens { tokens: [3, 900].into(), pairs: [(2, [0].into())].into(), penalty: 0.5 },
            AvoidedTokens { tokens: [1].into(), ..AvoidedTokens::default() },
        ];
        let scores: Vec<Vec<f32>> =
            (0..3).map(|row| (0..5).map(|token| (row * 5 + token) as f32 / 4.0).collect()).collect();
        for last in [None, Some(7), Some(2), Some(3)] {
            let texts: Vec<_> = avoid.iter().map(|avoid| (avoid, last)).collect();
            let rows = Tensor::new(scores.clone(), &Device::Cpu).unwrap();
            let found: Vec<Vec<f32>> = penalise_rows(rows, &texts).unwrap().to_vec2().unwrap();
            let mut wanted = scores.clone();
            avoid.iter().zip(&mut wanted).for_each(|(avoid, row)| avoid.penalise(row, last));
            assert_eq!(found, wanted, "{last:?}");
            assert!(found != scores);
        }
    }

    #[test]
    fn nothing_to_avoid_changes_nothing() {
        let rows = Tensor::new(&[[1f32, 2.0]], &Device::Cpu).unwrap();
        let nothing = AvoidedTokens::default();
        let found: Vec<Vec<f32>> = penalise_rows(rows, &[(&nothing, Some(1))]).unwrap().to_vec2().unwrap();
        assert_eq!(found, [[1.0, 2.0]]);
    }
}
