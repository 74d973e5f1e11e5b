//! Attacks on released vectors.

use inkveil_detect::Span;
use inkveil_nn::SplitMix;
use inkveil_nn::linear::eigenvectors;
use inkveil_nn::product::{f32_product, f32_product_untransposed};
use rayon::prelude::*;
use serde::Serialize;

use super::saved::SavedAttacker;
use crate::attack::mlc::{Exposure, Mlc, WordFindings};
use crate::attack::network::MlcSettings;
use crate::attack::{Bayes, BayesKnowledge, covariance};
use crate::metrics::{Bootstrap, neighbour_overlap, unit_rows};
use crate::near_duplicates::near_duplicates;
use crate::{Error, SensitiveWords, Split, Watch};

/// The share of rows that are attacked. The attacker knows the texts of the others.
const HELD_OUT: f64 = 0.2;

/// The most rows whose neighbours are compared. The work grows with their square.
const MOST_COMPARED: usize = 5_000;

/// The number of neighbours that are compared.
const NEIGHBOURS: usize = 10;

/// The least number of training steps.
const LEAST_STEPS: usize = 2_000;

/// The most copies of the known rows with new noise that the larger network trains on, and the most
/// numbers in them.
const MOST_COPIES: usize = 30;
const MOST_NUMBERS: usize = 100_000_000;

/// The weight of the penalty that keeps the estimated defence small, relative to the spread of
/// vectors.
const RIDGE: f64 = 0.01;

/// A defence hides words if it leaves at most this share of what attackers find beyond guessing.
const HIDDEN: f64 = 0.1;

/// It hides them partly if it leaves at most this share.
const PARTLY: f64 = 0.5;

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

/// An attacker on vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VectorAttacker {
    /// A network ([`Mlc`]).
    Mlc,
    /// A larger network that trains longer.
    Big,
    /// A comparison with known sentences ([`Bayes`]).
    Bayes,
    /// The mean of the probabilities of the others.
    Mean,
}

impl VectorAttacker {
    /// All attackers.
    pub const ALL: [Self; 4] = [Self::Mlc, Self::Big, Self::Bayes, Self::Mean];

    /// The name in settings and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mlc => "mlc",
            Self::Big => "big",
            Self::Bayes => "bayes",
            Self::Mean => "mean",
        }
    }
}

/// Which rows the attacker knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VectorSplit {
    /// A random choice: the attacker may know near duplicates of the attacked texts.
    Random,
    /// Whole groups of near duplicates: the attacker knows none of the attacked texts.
    Groups,
}

impl VectorSplit {
    /// The name in settings and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Groups => "groups",
        }
    }
}

/// The settings of [`vector`].
#[derive(Debug, Clone, PartialEq)]
pub struct VectorAttackSettings {
    /// The least number of texts with a word.
    pub min_count: usize,
    /// The number of epochs of networks; by default it depends on the number of rows.
    pub epochs: Option<usize>,
    /// The attackers. [`Mean`](VectorAttacker::Mean) needs two others.
    pub attackers: Vec<VectorAttacker>,
    /// Determines the attacked rows and the networks.
    pub seed: u64,
    /// Whether to return an attacker that is trained on the original vectors.
    pub save_attacker: bool,
}

/// What one attacker infers.
#[derive(Debug, Clone, Serialize)]
pub struct VectorAttackRow {
    /// The attacker.
    pub attacker: VectorAttacker,
    /// The rows that it knows.
    pub split: VectorSplit,
    /// What it infers from the original vectors.
    #[serde(rename = "before")]
    pub originals: Exposure,
    /// What it infers from the released vectors.
    #[serde(rename = "veiled")]
    pub released: Exposure,
}

/// How well words are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hiding {
    /// Attackers find hardly more than by guessing.
    Hidden,
    /// Attackers find at most half of what they find in the originals, beyond guessing.
    Partly,
    /// Attackers find more than that.
    NotHidden,
}

/// The result of [`vector`].
#[derive(Clone, Serialize)]
pub struct VectorAttackReport {
    /// The number of sensitive words.
    pub words: usize,
    /// The number of attacked rows.
    pub held_out_texts: usize,
    /// What the strongest attacker infers from the original vectors.
    #[serde(rename = "before")]
    pub originals: Exposure,
    /// What the strongest attacker infers from the released vectors.
    #[serde(rename = "veiled")]
    pub released: Exposure,
    /// The attacker that finds most in the released vectors, and the rows that it knows.
    pub strongest: (VectorAttacker, VectorSplit),
    /// What guessing the most frequent words finds.
    pub guessing: f64,
    /// Every attacker.
    pub attackers: Vec<VectorAttackRow>,
    /// The cosine from which two rows count as near duplicates.
    pub near_duplicates_from: f32,
    /// How well the words are hidden from the strongest attacker.
    pub hiding: Hiding,
    /// The share of a row's ten nearest rows that are still among its nearest.
    pub neighbours_kept: f64,
    /// The share of the ten nearest rows of an original vector that are still found among the
    /// released vectors: a query without noise in a store with noise.
    pub search_kept: f64,
    /// The attacker trained on the original vectors, if it was requested.
    #[serde(skip)]
    pub attacker: Option<SavedAttacker>,
}

/// Attacks released vectors. The attacker knows the texts of four fifths of the rows, with their
/// original and released vectors, and infers the sensitive words of the others, from original and
/// from released vectors. Every attacker is tried twice: with and without near duplicates of the
/// attacked texts among the known ones. The strongest counts.
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
    watch.step("looking for near duplicates")?;
    let (groups, near_duplicates_from) = near_duplicates(originals, dim)?;
    let mut splits = vec![(VectorSplit::Random, Split::new(texts.len(), HELD_OUT, settings.seed)?)];
    // A corpus of one group cannot be split by groups.
    if let Ok(split) = Split::by_groups(&groups, HELD_OUT, settings.seed) {
        splits.push((VectorSplit::Groups, split));
    }
    let mut attackers = Vec::new();
    let (mut guessing, mut strongest) = (0.0_f64, None);
    for (kind, split) in &splits {
        let attack = VectorAttack { dim, sensitive: &sensitive, split, settings };
        let Some(tested) = attack.tested() else { continue };
        watch.step(&format!("attacking original and released vectors, split {}", kind.name()))?;
        let (before, after) = rayon::join(
            || attack.exposures(&Material::originals(dim, split, originals, &tested)),
            || attack.exposures(&Material::released(dim, split, originals, released, &tested)?),
        );
        for ((attacker, before), (_, after)) in before?.into_iter().zip(after?) {
            attackers.push(VectorAttackRow { attacker, split: *kind, originals: before, released: after });
        }
        guessing = guessing.max(attack.guessing(&tested)?);
    }
    let no_word =
        || Error::argument("no attacked text has a sensitive word; give more texts, or another seed");
    for row in &attackers {
        let better = |best: &VectorAttackRow| row.released.found.mean > best.released.found.mean;
        if strongest.is_none_or(better) {
            strongest = Some(row);
        }
    }
    let strongest = strongest.ok_or_else(no_word)?;
    let attacker = match settings.save_attacker {
        true => {
            watch.step("training the attacker to save")?;
            let attack = VectorAttack { dim, sensitive: &sensitive, split: &splits[0].1, settings };
            Some(SavedAttacker::new(attack.saved(originals)?, &sensitive))
        }
        false => None,
    };
    watch.step("comparing neighbours")?;
    let compared = texts.len().min(MOST_COMPARED) * dim;
    let before = most(&attackers, |row| &row.originals).ok_or_else(no_word)?;
    let after = most(&attackers, |row| &row.released).ok_or_else(no_word)?;
    Ok(VectorAttackReport {
        words: sensitive.words().len(),
        held_out_texts: splits[0].1.test().len(),
        hiding: Hiding::of(before.found.mean, after.found.mean, guessing),
        originals: before,
        released: after,
        strongest: (strongest.attacker, strongest.split),
        guessing,
        near_duplicates_from,
        neighbours_kept: neighbour_overlap(&originals[..compared], &released[..compared], dim, NEIGHBOURS)?,
        search_kept: search_kept(&originals[..compared], &released[..compared], dim)?,
        attackers,
        attacker,
    })
}

impl Hiding {
    fn of(before: f64, after: f64, guessing: f64) -> Self {
        let left = (after - guessing).max(0.0) / (before - guessing).max(1e-9);
        match left {
            left if left <= HIDDEN || after <= guessing => Self::Hidden,
            left if left <= PARTLY => Self::Partly,
            _ => Self::NotHidden,
        }
    }
}

/// The most that any attacker reaches, measure by measure.
fn most(rows: &[VectorAttackRow], of: impl Fn(&VectorAttackRow) -> &Exposure) -> Option<Exposure> {
    let mut all = *of(rows.first()?);
    for row in rows {
        let one = of(row);
        for (best, one) in [
            (&mut all.leakage, one.leakage),
            (&mut all.confidence, one.confidence),
            (&mut all.found, one.found),
        ] {
            if one.mean > best.mean {
                *best = one;
            }
        }
    }
    Some(all)
}

/// The share of the ten rows nearest to an original vector that are still found in the released ones.
fn search_kept(originals: &[f32], released: &[f32], dim: usize) -> Result<f64, Error> {
    let (clear, stored) = (unit_rows(originals, dim), unit_rows(released, dim));
    let count = clear.len() / dim;
    let nearest = |rows: &[f32], query: usize| -> Result<Vec<usize>, Error> {
        let mut cosines = vec![0.0; count];
        f32_product(&clear[query * dim..][..dim], rows, dim, &mut cosines)?;
        let mut order: Vec<usize> = (0..count).filter(|&row| row != query).collect();
        let nearer = |a: &usize, b: &usize| cosines[*b].total_cmp(&cosines[*a]).then_with(|| a.cmp(b));
        if order.len() > NEIGHBOURS {
            order.select_nth_unstable_by(NEIGHBOURS - 1, nearer);
            order.truncate(NEIGHBOURS);
        }
        Ok(order)
    };
    let kept = |query: usize| -> Result<f64, Error> {
        let (old, new) = (nearest(&clear, query)?, nearest(&stored, query)?);
        let both = old.iter().filter(|row| new.contains(row)).count();
        Ok(both as f64 / old.len().max(1) as f64)
    };
    let kept = (0..count).into_par_iter().map(kept).collect::<Result<Vec<f64>, Error>>()?;
    Ok(kept.iter().sum::<f64>() / count.max(1) as f64)
}

/// The vectors of one attack: what the attacker knows of known rows, and the attacked rows.
pub(super) struct Material {
    /// Known rows as they were released.
    known: Vec<f32>,
    /// Known rows through the defence, without its noise, as the attacker estimates them.
    centres: Vec<f32>,
    /// The covariance of the noise, as the attacker estimates it.
    noise: Vec<f64>,
    /// The attacked rows that have a sensitive word.
    attacked: Vec<f32>,
}

impl Material {
    pub(super) fn originals(dim: usize, split: &Split, originals: &[f32], tested: &[usize]) -> Self {
        let known = split.train_rows(originals, dim);
        let attacked = rows_of(tested, originals, dim);
        Self { centres: known.clone(), known, noise: vec![0.0; dim * dim], attacked }
    }

    /// The attacker does not know the defence. It estimates the linear map that takes an original
    /// nearest to its release, and takes the rest for noise.
    pub(super) fn released(
        dim: usize,
        split: &Split,
        originals: &[f32],
        released: &[f32],
        tested: &[usize],
    ) -> Result<Self, Error> {
        let (clear, known) = (split.train_rows(originals, dim), split.train_rows(released, dim));
        let centres = predicted(&clear, &known, dim)?;
        let rest: Vec<f32> = known.iter().zip(&centres).map(|(y, c)| y - c).collect();
        let noise = covariance(&rest, dim);
        Ok(Self { known, centres, noise, attacked: rows_of(tested, released, dim) })
    }
}

fn rows_of(some: &[usize], rows: &[f32], dim: usize) -> Vec<f32> {
    some.iter().filter_map(|&row| rows.get(row * dim..(row + 1) * dim)).flatten().copied().collect()
}

/// The linear prediction of `to` from `from` with the least squared error and a small penalty.
fn predicted(from: &[f32], to: &[f32], dim: usize) -> Result<Vec<f32>, Error> {
    let count = (from.len() / dim).max(1);
    let centred = |rows: &[f32]| {
        let mut mean = vec![0.0_f32; dim];
        for row in rows.chunks_exact(dim) {
            mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x / count as f32);
        }
        let rows: Vec<f32> = rows.iter().zip(mean.iter().cycle()).map(|(x, m)| x - m).collect();
        (rows, mean)
    };
    let ((from, _), (to, mean)) = (centred(from), centred(to));
    let spread = covariance(&from, dim);
    let trace: f64 = (0..dim).map(|i| spread[i * dim + i]).sum();
    let (values, vectors) = eigenvectors(spread, dim)?;
    // The inverse of the spread plus a penalty, as the product of one factor with itself.
    let ridge = RIDGE * trace / dim as f64 + f64::MIN_POSITIVE;
    let factor: Vec<f32> = vectors
        .chunks_exact(dim)
        .zip(values)
        .flat_map(|(row, value)| {
            let scale = (value.max(0.0) + ridge).sqrt().recip();
            row.iter().map(move |x| (x * scale) as f32)
        })
        .collect();
    let mut turned = vec![0.0; from.len()];
    f32_product(&from, &factor, dim, &mut turned)?;
    let mut map = vec![0.0; dim * dim];
    inkveil_nn::product::f32_product_left_transposed(&turned, &to, count, &mut map)?;
    map.iter_mut().for_each(|x| *x /= count as f32);
    let mut out = vec![0.0; from.len()];
    f32_product_untransposed(&turned, &map, dim, &mut out)?;
    out.iter_mut().zip(mean.iter().cycle()).for_each(|(x, m)| *x += m);
    Ok(out)
}

/// An attack with one split.
pub(super) struct VectorAttack<'a> {
    pub(super) dim: usize,
    pub(super) sensitive: &'a SensitiveWords,
    pub(super) split: &'a Split,
    pub(super) settings: &'a VectorAttackSettings,
}

impl VectorAttack<'_> {
    fn vocabulary(&self) -> usize {
        self.sensitive.words().len()
    }

    /// The attacked rows with a sensitive word; none if there are none.
    pub(super) fn tested(&self) -> Option<Vec<usize>> {
        let has_word = |row: &usize| !self.sensitive.tokens()[*row].is_empty();
        let rows: Vec<usize> = self.split.test().iter().copied().filter(has_word).collect();
        (!rows.is_empty()).then_some(rows)
    }

    fn network(&self) -> MlcSettings {
        let mut settings = MlcSettings::strong();
        settings.seed = self.settings.seed;
        // With few rows an attacker would train for more epochs.
        let long =
            (LEAST_STEPS * settings.batch / self.split.train().len().max(1)).clamp(settings.epochs, 500);
        settings.epochs = self.settings.epochs.unwrap_or(long);
        settings
    }

    /// A network whose first layer reads vectors as they are, for `fit --white-box`.
    fn saved(&self, originals: &[f32]) -> Result<Mlc, Error> {
        let settings = MlcSettings { standardise: false, ..self.network() };
        let words = self.split.train_of(self.sensitive.tokens());
        Mlc::train(
            self.dim,
            &self.split.train_rows(originals, self.dim),
            &words,
            self.vocabulary(),
            &settings,
        )
    }

    /// The larger network sees known rows with new noise: their estimate without noise plus the noise
    /// of another row.
    fn big(&self, material: &Material) -> Result<Vec<f32>, Error> {
        let mut settings = MlcSettings { seed: self.settings.seed, ..MlcSettings::big() };
        let words = self.split.train_of(self.sensitive.tokens());
        let (rows, dim) = (words.len(), self.dim);
        let total = self.settings.epochs.unwrap_or(settings.epochs).max(1);
        let copies = total.min(MOST_COPIES).min(MOST_NUMBERS / material.known.len().max(1)).max(1);
        settings.epochs = total.div_ceil(copies);
        let (mut known, mut labels) = (material.known.clone(), words.clone());
        let mut random = SplitMix::named(self.settings.seed, "noise of other rows", &[]);
        let mut order: Vec<usize> = (0..rows).collect();
        for _ in 1..copies {
            random.shuffle(&mut order);
            for (row, &other) in order.iter().enumerate() {
                let of = |all: &[f32], at: usize| at * dim..(at * dim + dim).min(all.len());
                let noise = of(&material.known, other);
                let pairs = material.known[noise.clone()].iter().zip(&material.centres[noise]);
                let centre = &material.centres[of(&material.centres, row)];
                known.extend(centre.iter().zip(pairs).map(|(c, (y, other))| c + (y - other)));
            }
            labels.extend_from_slice(&words);
        }
        let count = material.attacked.len() / dim;
        Mlc::train(dim, &known, &labels, self.vocabulary(), &settings)?
            .probabilities(&material.attacked, count)
    }

    fn probabilities(&self, attacker: VectorAttacker, material: &Material) -> Result<Vec<f32>, Error> {
        let words = self.split.train_of(self.sensitive.tokens());
        let count = material.attacked.len() / self.dim;
        match attacker {
            VectorAttacker::Mlc => {
                Mlc::train(self.dim, &material.known, &words, self.vocabulary(), &self.network())?
                    .probabilities(&material.attacked, count)
            }
            VectorAttacker::Big => self.big(material),
            VectorAttacker::Bayes | VectorAttacker::Mean => {
                let known = BayesKnowledge {
                    dim: self.dim,
                    centres: &material.centres,
                    noisy: &material.known,
                    noise: &material.noise,
                    words: &words,
                    vocabulary: self.vocabulary(),
                };
                Bayes::new(&known)?.probabilities(&material.attacked)
            }
        }
    }

    /// What each attacker finds, in the order of the settings.
    pub(super) fn exposures(&self, material: &Material) -> Result<Vec<(VectorAttacker, Exposure)>, Error> {
        let mut attackers = self.settings.attackers.clone();
        attackers.sort_unstable();
        attackers.dedup();
        let single: Vec<VectorAttacker> =
            attackers.iter().copied().filter(|attacker| *attacker != VectorAttacker::Mean).collect();
        let mut found = single
            .par_iter()
            .map(|&attacker| Ok((attacker, self.probabilities(attacker, material)?)))
            .collect::<Result<Vec<_>, Error>>()?;
        if attackers.contains(&VectorAttacker::Mean) && found.len() > 1 {
            let mut mean = vec![0.0; found[0].1.len()];
            for (_, one) in &found {
                mean.iter_mut().zip(one).for_each(|(sum, p)| *sum += p / single.len() as f32);
            }
            found.push((VectorAttacker::Mean, mean));
        }
        let words = self.tested_words();
        let exposure = |(attacker, probabilities): (VectorAttacker, Vec<f32>)| {
            let findings = WordFindings::of(&probabilities, self.vocabulary(), &words)?;
            let none = || Error::argument("no attacked text has a sensitive word");
            Ok((attacker, findings.exposure(&Bootstrap::default(), |_| true).ok_or_else(none)?))
        };
        found.into_iter().map(exposure).collect()
    }

    fn tested_words(&self) -> Vec<Vec<usize>> {
        let rows = self.tested().unwrap_or_default();
        rows.iter().map(|&row| self.sensitive.tokens()[row].clone()).collect()
    }

    /// The share of words that an attacker finds who names the most frequent words for every row.
    pub(super) fn guessing(&self, tested: &[usize]) -> Result<f64, Error> {
        let mut counts = vec![0.0_f32; self.vocabulary()];
        for words in self.split.train_of(self.sensitive.tokens()) {
            words.into_iter().for_each(|word| counts[word] += 1.0);
        }
        let total = counts.iter().sum::<f32>().max(1.0);
        let shares: Vec<f32> = counts.iter().map(|count| count / total).collect();
        let findings =
            WordFindings::of(&shares.repeat(tested.len()), self.vocabulary(), &self.tested_words())?;
        Ok(findings.exposure(&Bootstrap::default(), |_| true).map_or(0.0, |found| found.found.mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_defence_is_estimated() {
        let mut random = SplitMix::named(3, "rows", &[]);
        let rows: Vec<f32> = (0..400 * 3).map(|_| random.normals()[0] as f32).collect();
        let released: Vec<f32> =
            rows.chunks(3).flat_map(|x| [0.5 * x[1] + 1.0, 2.0 * x[0] - x[2], 0.0]).collect();
        let found = predicted(&rows, &released, 3).unwrap();
        let error = found.iter().zip(&released).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(error < 0.15, "{error}");
    }

    #[test]
    fn verdicts_compare_with_guessing() {
        assert_eq!(Hiding::of(0.6, 0.12, 0.1), Hiding::Hidden);
        assert_eq!(Hiding::of(0.6, 0.3, 0.1), Hiding::Partly);
        assert_eq!(Hiding::of(0.6, 0.5, 0.1), Hiding::NotHidden);
        // Attackers that find nothing before cannot find anything after.
        assert_eq!(Hiding::of(0.1, 0.1, 0.1), Hiding::Hidden);
    }

    #[test]
    fn search_without_loss_keeps_everything() {
        let rows: Vec<f32> = (0..60).map(|i| (i as f32 * 1.7).sin()).collect();
        assert_eq!(search_kept(&rows, &rows, 3).unwrap(), 1.0);
        let others: Vec<f32> = (0..60).map(|i| (i as f32 * 3.1).cos()).collect();
        assert!(search_kept(&rows, &others, 3).unwrap() < 1.0);
    }
}
