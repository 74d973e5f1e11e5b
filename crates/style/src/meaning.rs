//! The share of a text's meaning that another text keeps: BERTScore with the pack's encoder.

use std::fmt;
use std::path::Path;

use inkveil_nn::cpu::PackedEncoder;
use inkveil_nn::{SentenceEncoder, Tokenizer};
use rayon::prelude::*;

use crate::Error;
use crate::network::normalise;
use crate::tokens::{ends, windows};

/// Compares the meaning of texts, token by token.
///
/// Every token is matched with the most similar token of the other text, by the encoder's states.
/// The score is the harmonic mean of both directions (BERTScore's F1, without weights for rare
/// tokens and without a baseline). With the encoder of the built-in pack, unrelated sentences have
/// about 0.1, sentences on one subject 0.5, and paraphrases 0.8 and more. These values are lower
/// than with the encoders of the literature, where unrelated sentences have 0.8.
///
/// ```no_run
/// use std::path::Path;
/// use inkveil_style::MeaningEncoder;
///
/// let meaning = MeaningEncoder::open(Path::new("models/en"))?;
/// let said = meaning.read(&["The train was late.", "The train came late.", "I like green tea."])?;
/// assert!(said[0].kept_by(&said[1]) > said[0].kept_by(&said[2]));
/// # Ok::<(), inkveil_style::Error>(())
/// ```
pub struct MeaningEncoder {
    encoder: SentenceEncoder,
    ends: [u32; 2],
}

/// The meaning of a text: a direction for each of its tokens.
#[derive(Clone, Default)]
pub struct TextMeaning {
    directions: Vec<f32>,
    width: usize,
}

impl MeaningEncoder {
    /// Opens the encoder of a pack.
    ///
    /// # Errors
    /// If the pack has no encoder of the BERT family.
    pub fn open(pack: &Path) -> Result<Self, Error> {
        let encoder = SentenceEncoder::open(pack)?;
        let ends = ends(encoder.tokenizer())?;
        Ok(Self { encoder, ends })
    }

    /// Returns the meanings of texts, in order.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn read(&self, texts: &[&str]) -> Result<Vec<TextMeaning>, Error> {
        let (tokenizer, encoder): (&Tokenizer, &PackedEncoder) =
            (self.encoder.tokenizer(), self.encoder.encoder());
        let parts: Vec<Vec<Vec<u32>>> = texts
            .par_iter()
            .map(|text| {
                Ok(windows(tokenizer, self.ends, text)?.into_iter().map(|window| window.ids).collect())
            })
            .collect::<Result<_, Error>>()?;
        let width = encoder.width();
        let sequences: Vec<&[u32]> = parts.iter().flatten().map(Vec::as_slice).collect();
        // The first and the last token stand for no word.
        let mut states = encoder
            .map(&sequences, |_, states| {
                let mut words =
                    states.get(width..states.len().saturating_sub(width)).unwrap_or_default().to_vec();
                words.chunks_exact_mut(width).for_each(normalise);
                words
            })?
            .into_iter();
        let said = |windows: &Vec<Vec<u32>>| TextMeaning {
            directions: states.by_ref().take(windows.len()).flatten().collect(),
            width,
        };
        Ok(parts.iter().map(said).collect())
    }
}

impl TextMeaning {
    /// Returns how much of this meaning the other text keeps without adding to it, from 0 to 1. Two
    /// empty texts have the same meaning.
    pub fn kept_by(&self, other: &Self) -> f64 {
        let (mine, others) = (self.tokens(), other.tokens());
        if mine == 0 || others == 0 {
            return f64::from(u8::from(mine == others));
        }
        let mut best_of_others = vec![f32::NEG_INFINITY; others];
        let mut recall = 0.0;
        for direction in self.directions.chunks_exact(self.width) {
            let mut best = f32::NEG_INFINITY;
            for (other, best_of_other) in other.directions.chunks_exact(other.width).zip(&mut best_of_others)
            {
                let cosine = direction.iter().zip(other).map(|(x, y)| x * y).sum::<f32>();
                best = best.max(cosine);
                *best_of_other = best_of_other.max(cosine);
            }
            recall += f64::from(best);
        }
        recall /= mine as f64;
        let precision = best_of_others.iter().map(|best| f64::from(*best)).sum::<f64>() / others as f64;
        match recall > 0.0 && precision > 0.0 {
            true => (2.0 * recall * precision / (recall + precision)).min(1.0),
            false => 0.0,
        }
    }

    fn tokens(&self) -> usize {
        self.directions.len() / self.width.max(1)
    }
}

impl fmt::Debug for MeaningEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Meaning({:?})", self.encoder)
    }
}

/// Shows no values, because they reveal the text.
impl fmt::Debug for TextMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextMeaning({} tokens)", self.tokens())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(directions: &[[f32; 2]]) -> TextMeaning {
        TextMeaning { directions: directions.concat(), width: 2 }
    }

    #[test]
    fn scores_follow_the_definition() {
        let (right, up, between) = ([1.0, 0.0], [0.0, 1.0], [0.6, 0.8]);
        let whole = said(&[right, up]);
        assert_eq!(whole.kept_by(&said(&[up, right, up])), 1.0);
        // Recall (1 + 0) / 2, precision 1.
        assert!((whole.kept_by(&said(&[right])) - 2.0 * 0.5 / 1.5).abs() < 1e-6);
        // Recall (.6 + .8) / 2, precision .8.
        assert!((whole.kept_by(&said(&[between])) - 2.0 * 0.7 * 0.8 / 1.5).abs() < 1e-6);
        assert_eq!(said(&[right]).kept_by(&said(&[[-1.0, 0.0]])), 0.0);
        assert_eq!(said(&[right]).kept_by(&said(&[])), 0.0);
        assert_eq!(said(&[]).kept_by(&said(&[])), 1.0);
    }

    #[test]
    fn paraphrases_keep_more_than_other_sentences() {
        let meaning = MeaningEncoder::open(Path::new("../../models/en")).unwrap();
        let long = "The committee met on the hill. ".repeat(60);
        let texts = [
            "The bus was late again, so we walked home.",
            "Again the bus came late, and we went home on foot.",
            "Fresh paint takes two days to dry.",
            "",
            &long,
        ];
        let said = meaning.read(&texts).unwrap();
        let [close, far] = [1, 2].map(|other| said[0].kept_by(&said[other]));
        assert!(close > 0.7 && far < 0.4, "{close} {far}");
        assert!((said[0].kept_by(&said[0]) - 1.0).abs() < 1e-6);
        assert_eq!(said[3].kept_by(&said[0]), 0.0);
        assert!(said[4].tokens() > 256 && said[4].kept_by(&said[4]) > 0.999);
    }
}
