//! Attacks on released vectors.

use inkveil_detect::Span;
use serde::Serialize;

use super::saved::SavedAttacker;
use crate::attack::mlc::{Exposure, Mlc};
use crate::attack::network::MlcSettings;
use crate::metrics::{Bootstrap, neighbour_overlap};
use crate::{Error, SensitiveWords, Split, Watch};

/// The share of rows that are attacked. The attacker knows the texts of the others.
const HELD_OUT: f64 = 0.2;

/// The most rows whose neighbours are compared. The work grows with their square.
const MOST_COMPARED: usize = 5_000;

/// The number of neighbours that are compared.
const NEIGHBOURS: usize = 10;

/// The least number of training steps.
const LEAST_STEPS: usize = 2_000;

/// Vectors, their release, and their texts. One row of `dim` numbers for each text.
#[derive(Clone, Copy)]
pub struct ReleasedVectors<'a> {
    /// The dimension of the vectors.
    pub dim: usize,
    /// The original vectors, row after row.
    pub originals: &'a [f32],
    /// The released vectors, row after row.
    pub released: &'a [f32],
    /// The texts of the vectors.
    pub texts: &'a [&'a str],
    /// The sensitive spans of each text.
    pub spans: &'a [Vec<Span>],
}

/// The settings of [`vector`].
#[derive(Debug, Clone, PartialEq)]
pub struct VectorAttackSettings {
    /// The least number of texts with a word.
    pub min_count: usize,
    /// The number of epochs; by default it depends on the number of rows.
    pub epochs: Option<usize>,
    /// Determines the attacked rows and the network.
    pub seed: u64,
    /// Whether to return an attacker that is trained on the original vectors.
    pub save_attacker: bool,
}

/// The result of [`vector`].
#[derive(Clone, Serialize)]
pub struct VectorAttackReport {
    /// The number of sensitive words.
    pub words: usize,
    /// The number of attacked rows.
    pub held_out_texts: usize,
    /// What the attacker infers from the original vectors.
    #[serde(rename = "before")]
    pub originals: Exposure,
    /// What the attacker infers from the released vectors.
    #[serde(rename = "veiled")]
    pub released: Exposure,
    /// The share of a row's ten nearest rows that are still among its nearest.
    pub neighbours_kept: f64,
    /// The attacker trained on the original vectors, if it was requested.
    #[serde(skip)]
    pub attacker: Option<SavedAttacker>,
}

/// Attacks released vectors. The attacker knows the texts of four fifths of the rows and infers the
/// sensitive words of the others, from original and from released vectors.
///
/// # Errors
/// If vectors and texts do not fit, no word is frequent enough, no attacked text has a sensitive
/// word, a model fails, or the attack was cancelled.
pub fn vector(
    vectors: &ReleasedVectors<'_>,
    settings: &VectorAttackSettings,
    watch: &Watch<'_>,
) -> Result<VectorAttackReport, Error> {
    let ReleasedVectors { dim, originals, released, texts, spans } = *vectors;
    let expected = texts.len() * dim;
    if originals.len() != expected || released.len() != expected {
        return Err(Error::argument(format!(
            "{} texts need {expected} numbers of {dim} dimensions; there are {} original and {} released ones",
            texts.len(),
            originals.len(),
            released.len()
        )));
    }
    let sensitive = SensitiveWords::in_spans(texts, spans, settings.min_count)?;
    if sensitive.words().is_empty() {
        return Err(Error::argument(format!(
            "no sensitive word is in {} texts or more; give more texts or a lower minimum",
            settings.min_count
        )));
    }
    let split = Split::new(texts.len(), HELD_OUT, settings.seed)?;
    let attack = VectorAttack { dim, sensitive: &sensitive, split, settings };
    watch.step("attacking original and released vectors")?;
    let (before, after) = rayon::join(|| attack.exposure(originals), || attack.exposure(released));
    let (before, after) = (before?, after?);
    let attacker = match settings.save_attacker {
        true => {
            watch.step("training the attacker to save")?;
            Some(SavedAttacker::new(attack.train(originals, false)?, &sensitive))
        }
        false => None,
    };
    watch.step("comparing neighbours")?;
    let compared = texts.len().min(MOST_COMPARED) * dim;
    Ok(VectorAttackReport {
        words: sensitive.words().len(),
        held_out_texts: attack.split.test().len(),
        originals: before,
        released: after,
        neighbours_kept: neighbour_overlap(&originals[..compared], &released[..compared], dim, NEIGHBOURS)?,
        attacker,
    })
}

struct VectorAttack<'a> {
    dim: usize,
    sensitive: &'a SensitiveWords,
    split: Split,
    settings: &'a VectorAttackSettings,
}

impl VectorAttack<'_> {
    fn train(&self, rows: &[f32], standardise: bool) -> Result<Mlc, Error> {
        let mut settings = MlcSettings::strong();
        (settings.seed, settings.standardise) = (self.settings.seed, standardise);
        // With few rows an attacker would train for more epochs.
        let long =
            (LEAST_STEPS * settings.batch / self.split.train().len().max(1)).clamp(settings.epochs, 500);
        settings.epochs = self.settings.epochs.unwrap_or(long);
        let (rows, words) =
            (self.split.train_rows(rows, self.dim), self.split.train_of(self.sensitive.tokens()));
        Mlc::train(self.dim, &rows, &words, self.sensitive.words().len(), &settings)
    }

    fn exposure(&self, rows: &[f32]) -> Result<Exposure, Error> {
        let held_out = self.split.test_of(self.sensitive.tokens());
        let findings = self.train(rows, true)?.attack(&self.split.test_rows(rows, self.dim), &held_out)?;
        findings.exposure(&Bootstrap::default(), |_| true).ok_or_else(|| {
            Error::argument("no attacked text has a sensitive word; give more texts, or another seed")
        })
    }
}
