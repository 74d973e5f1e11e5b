//! Erasing a concept: the directions that tell its words apart, and the map that removes them.

use std::fmt;

use inkveil_nn::linear::{dot, eigenvectors};
use inkveil_privacy::Erasure;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Error, LabelSums, Moments};

/// The smallest number of texts to fit an eraser on.
const FEWEST_TEXTS: u64 = 50;
/// An axis below this share of the largest spread holds rounding errors only.
const LEAST_SPREAD: f64 = 1e-7;
/// A direction of which less than this share is new adds nothing to a span.
const LEAST_NEW: f64 = 1e-6;

/// How an eraser is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EraseSettings {
    /// The price of similarity, γ: a direction is erased if its share of what tells words apart is
    /// more than γ times its share of the spread of all vectors. A larger γ erases fewer directions.
    pub gamma: f64,
    /// The regularisation ρ: the share of the largest spread that is added to every direction. At 0
    /// erasure is oblique, and exact for a linear attacker; at 1 it is nearly orthogonal, and distances
    /// hardly grow.
    pub rho: f64,
    /// Labels in fewer texts are left out.
    pub least_texts: u64,
}

impl Default for EraseSettings {
    fn default() -> Self {
        Self { gamma: 0.7, rho: 1.0, least_texts: 5 }
    }
}

impl EraseSettings {
    fn check(&self) -> Result<(), Error> {
        match () {
            () if !(self.gamma >= 0.0 && self.gamma.is_finite()) => {
                Err(Error::setting("γ must be 0 or more"))
            }
            () if !(1e-6..=1e3).contains(&self.rho) => Err(Error::setting("ρ must be from 0.000001 to 1000")),
            () => Ok(()),
        }
    }
}

/// How an eraser was fitted and how much it removes. Shares are of the fitted texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EraseNote {
    /// The settings.
    pub settings: EraseSettings,
    /// The number of labels: words of the concept, or one for a column.
    pub labels: usize,
    /// The number of texts with a label.
    pub labelled_texts: u64,
    /// The share of what tells labels apart linearly that is removed.
    pub concept_removed: f64,
    /// The share of the spread of all vectors that is removed.
    pub spread_removed: f64,
    /// For each erased direction its share of both, in the order of the span.
    pub directions: Vec<(f64, f64)>,
}

/// A fitted eraser: a span of directions, and the moments that determine the map around it.
///
/// The map is derived from these public numbers when it is needed. So several erasers of one
/// encoder can be joined into one that erases all of their spans.
#[derive(Clone, PartialEq)]
pub struct Eraser {
    /// The mean of the vectors.
    pub mean: Vec<f32>,
    /// Their covariance, row after row.
    pub covariance: Vec<f32>,
    /// The erased directions of length 1, row after row.
    pub span: Vec<f32>,
    /// How it was fitted.
    pub note: EraseNote,
}

impl Eraser {
    /// Fits an eraser: one generalised eigenproblem, without training.
    ///
    /// With S = (C + ρ·λ₁·I)^½ and the covariances G of labels, each divided by its deviation, seen
    /// through S⁻¹, it erases the directions u in which GGᵀ/tr(GGᵀ) − γ·C/tr(C) is positive. Erasing
    /// what U spans removes tr(UᵀGGᵀU) of what a linear attacker knows and tr(UᵀCU) of the vectors.
    /// Both are linear in UUᵀ, so all or nothing per direction is optimal.
    ///
    /// # Errors
    /// If a setting is not valid, there are too few texts, or no label is frequent enough.
    pub fn fit(moments: &Moments, labels: &LabelSums, settings: &EraseSettings) -> Result<Self, Error> {
        settings.check()?;
        let (dim, count) = (moments.dim(), moments.count());
        if labels.dim() != dim {
            return Err(Error::shape("labels and moments are of vectors of different dimensions"));
        }
        if count < FEWEST_TEXTS {
            return Err(Error::too_few(format!(
                "there are {count} texts; an eraser needs at least {FEWEST_TEXTS}; give more texts"
            )));
        }
        let known = labels.frequent(settings.least_texts);
        if known == 0 {
            return Err(Error::too_few(format!(
                "no word of the concept is in {} texts or more; give more texts, a wider concept or a lower minimum",
                settings.least_texts
            )));
        }
        let (mean, covariance) = (moments.mean(), moments.covariance());
        let root = Root::new(&covariance, dim, settings.rho)?;
        let between = root.inverse_on_both_sides(&between(labels, settings, &mean, count), dim);
        let (all_between, all_spread) = (trace(&between, dim), trace(&covariance, dim));
        if !(all_between > 0.0 && all_spread > 0.0) {
            return Err(Error::too_few("every text has the same labels, or all vectors are equal"));
        }
        let difference: Vec<f64> = between
            .iter()
            .zip(&covariance)
            .map(|(b, c)| b / all_between - settings.gamma * c / all_spread)
            .collect();
        let (values, vectors) = eigenvectors(difference, dim)?;
        // A label gives one direction at most; what is beyond is rounding.
        let chosen = values.iter().take(known.min(dim - 1)).take_while(|value| **value > 1e-12).count();
        if chosen == 0 {
            return Err(Error::setting("γ is so high that no direction is erased; lower it"));
        }
        let chosen = &vectors[..chosen * dim];
        let share = |matrix: &[f64], u: &[f64]| dot(&times(matrix, u, dim), u);
        let directions: Vec<(f64, f64)> = chosen
            .chunks_exact(dim)
            .map(|u| (share(&between, u) / all_between, share(&covariance, u) / all_spread))
            .collect();
        let span: Vec<f32> = chosen
            .chunks_exact(dim)
            .flat_map(|u| unit(root.times(u)).into_iter().map(|x| x as f32))
            .collect();
        let narrow = |values: &[f64]| values.iter().map(|x| *x as f32).collect::<Vec<f32>>();
        let mut fitted = Self {
            mean: narrow(&mean),
            covariance: narrow(&covariance),
            span,
            note: EraseNote {
                settings: *settings,
                labels: known,
                labelled_texts: labels.texts(),
                concept_removed: directions.iter().map(|one| one.0).sum(),
                spread_removed: 0.0,
                directions,
            },
        };
        let left = fitted.projection(&[])?.spread(&covariance);
        fitted.note.spread_removed = (1.0 - left / all_spread).clamp(0.0, 1.0);
        Ok(fitted)
    }

    /// The dimension of vectors.
    pub fn dim(&self) -> usize {
        self.mean.len()
    }

    /// The number of erased directions.
    pub fn directions(&self) -> usize {
        self.span.len() / self.dim().max(1)
    }

    /// Whether numbers and dimensions are as they must be.
    pub(crate) fn is_sound(&self) -> bool {
        let dim = self.dim();
        let finite = |values: &[f32]| values.iter().all(|x| x.is_finite());
        dim > 1
            && self.covariance.len() == dim * dim
            && !self.span.is_empty()
            && self.span.len().is_multiple_of(dim)
            && self.directions() < dim
            && [&self.mean, &self.covariance, &self.span].into_iter().all(|values| finite(values))
            && (0..dim).all(|i| (0..i).all(|j| self.covariance[i * dim + j] == self.covariance[j * dim + i]))
            && self.note.settings.check().is_ok()
    }

    /// Returns the map of one or several erasers of one encoder. It erases the spans of all, keeps the
    /// first `axes` principal axes of what is left (all by default), and brings what is left to length
    /// 1, unless it is shorter than `shortest`.
    ///
    /// # Errors
    /// If dimensions differ, nothing would be left, or a number is out of range.
    pub fn erasure(erasers: &[&Self], axes: Option<usize>, shortest: f64) -> Result<Erasure, Error> {
        let (first, others) =
            erasers.split_first().ok_or_else(|| Error::setting("there is no eraser to apply"))?;
        let dim = first.dim();
        let projection = first.projection(others)?;
        let covariance: Vec<f64> = first.covariance.iter().map(|x| f64::from(*x)).collect();
        let (values, vectors) = eigenvectors(projection.on_both_sides(&covariance), dim)?;
        let largest = values.first().copied().unwrap_or(0.0);
        let usable = values.iter().take_while(|value| **value > LEAST_SPREAD * largest).count();
        let left = (dim - projection.directions()).min(usable);
        let axes = axes.unwrap_or(left).min(left);
        if axes == 0 {
            return Err(Error::setting("nothing would be left of the vectors; keep at least one axis"));
        }
        let lift = vectors[..axes * dim].to_vec();
        let mean: Vec<f64> = first.mean.iter().map(|x| f64::from(*x)).collect();
        let map: Vec<f64> = lift.chunks_exact(dim).flat_map(|axis| projection.before(axis)).collect();
        let moved: Vec<f64> = mean.iter().zip(projection.apply(&mean)).map(|(m, p)| m - p).collect();
        let offset = lift.chunks_exact(dim).map(|axis| dot(axis, &moved)).collect();
        let span: Vec<f64> = erasers.iter().flat_map(|one| &one.span).map(|x| f64::from(*x)).collect();
        Ok(Erasure::new(dim, map, offset, lift, shortest, &span)?)
    }

    /// The projection that erases this span and those of others.
    fn projection(&self, others: &[&Self]) -> Result<Projection, Error> {
        let dim = self.dim();
        if others.iter().any(|other| other.dim() != dim) {
            return Err(Error::shape("erasers of different dimensions belong to different encoders"));
        }
        let covariance: Vec<f64> = self.covariance.iter().map(|x| f64::from(*x)).collect();
        let root = Root::new(&covariance, dim, self.note.settings.rho)?;
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let all = self.span.chunks_exact(dim).chain(others.iter().flat_map(|one| one.span.chunks_exact(dim)));
        for direction in all {
            let wide: Vec<f64> = direction.iter().map(|x| f64::from(*x)).collect();
            let mut new = unit(root.inverse_times(&wide));
            // Twice, because one pass leaves rounding errors.
            for _ in 0..2 {
                for old in &basis {
                    let along = dot(old, &new);
                    new.iter_mut().zip(old).for_each(|(x, o)| *x -= along * o);
                }
            }
            if dot(&new, &new).sqrt() > LEAST_NEW {
                basis.push(unit(new));
            }
        }
        let out = basis.iter().map(|u| root.times(u)).collect();
        let from = basis.iter().map(|u| root.inverse_times(u)).collect();
        Ok(Projection { dim, out, from })
    }
}

impl fmt::Debug for Eraser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Eraser({} of {} directions)", self.directions(), self.dim())
    }
}

/// P = I − Σ out·fromᵀ.
struct Projection {
    dim: usize,
    out: Vec<Vec<f64>>,
    from: Vec<Vec<f64>>,
}

impl Projection {
    fn directions(&self) -> usize {
        self.out.len()
    }

    /// P·x.
    fn apply(&self, x: &[f64]) -> Vec<f64> {
        Self::less(x, &self.from, &self.out)
    }

    /// xᵀ·P.
    fn before(&self, x: &[f64]) -> Vec<f64> {
        Self::less(x, &self.out, &self.from)
    }

    fn less(x: &[f64], along: &[Vec<f64>], what: &[Vec<f64>]) -> Vec<f64> {
        let mut rest = x.to_vec();
        for (along, what) in along.iter().zip(what) {
            let amount = dot(along, x);
            rest.iter_mut().zip(what).for_each(|(x, w)| *x -= amount * w);
        }
        rest
    }

    /// P·M·Pᵀ for a symmetric M.
    fn on_both_sides(&self, matrix: &[f64]) -> Vec<f64> {
        let half: Vec<f64> = matrix.par_chunks_exact(self.dim).flat_map_iter(|row| self.apply(row)).collect();
        let turned = transposed(&half, self.dim);
        let whole: Vec<f64> =
            turned.par_chunks_exact(self.dim).flat_map_iter(|row| self.apply(row)).collect();
        symmetric(whole, self.dim)
    }

    /// The spread that is left of a covariance.
    fn spread(&self, covariance: &[f64]) -> f64 {
        trace(&self.on_both_sides(covariance), self.dim)
    }
}

/// S = (C + ρ·λ₁·I)^½, and its inverse.
struct Root {
    dim: usize,
    scales: Vec<f64>,
    vectors: Vec<f64>,
}

impl Root {
    fn new(covariance: &[f64], dim: usize, rho: f64) -> Result<Self, Error> {
        let (values, vectors) = eigenvectors(covariance.to_vec(), dim)?;
        let added = rho * values.first().copied().unwrap_or(0.0);
        if added.is_nan() || added <= 0.0 {
            return Err(Error::too_few("all vectors are equal; there is nothing to erase"));
        }
        let scales = values.iter().map(|value| (value.max(0.0) + added).sqrt()).collect();
        Ok(Self { dim, scales, vectors })
    }

    fn scaled(&self, x: &[f64], scale: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut out = vec![0.0; self.dim];
        for (vector, value) in self.vectors.chunks_exact(self.dim).zip(&self.scales) {
            let amount = scale(*value) * dot(vector, x);
            out.iter_mut().zip(vector).for_each(|(out, v)| *out += amount * v);
        }
        out
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        self.scaled(x, |scale| scale)
    }

    fn inverse_times(&self, x: &[f64]) -> Vec<f64> {
        self.scaled(x, f64::recip)
    }

    /// S⁻¹·M·S⁻¹ for a symmetric M.
    fn inverse_on_both_sides(&self, matrix: &[f64], dim: usize) -> Vec<f64> {
        let once = |matrix: &[f64]| -> Vec<f64> {
            matrix.par_chunks_exact(dim).flat_map_iter(|row| self.inverse_times(row)).collect()
        };
        symmetric(once(&transposed(&once(matrix), dim)), dim)
    }
}

/// The sum over labels of the products of their covariances with the vectors, each divided by its
/// variance, so that all labels weigh alike.
fn between(labels: &LabelSums, settings: &EraseSettings, mean: &[f64], count: u64) -> Vec<f64> {
    let (dim, all) = (mean.len(), count as f64);
    let covariances: Vec<Vec<f64>> = labels
        .at_least(settings.least_texts)
        .filter(|one| one.count < count)
        .map(|one| {
            let share = one.count as f64 / all;
            let scale = (share * (1.0 - share)).sqrt().recip();
            one.sum.iter().zip(mean).map(|(sum, mean)| (sum / all - share * mean) * scale).collect()
        })
        .collect();
    let mut products = vec![0.0; dim * dim];
    products.par_chunks_exact_mut(dim).enumerate().with_min_len(8).for_each(|(i, out)| {
        for one in &covariances {
            let amount = one[i];
            out.iter_mut().zip(one).for_each(|(out, x)| *out += amount * x);
        }
    });
    products
}

fn times(matrix: &[f64], x: &[f64], dim: usize) -> Vec<f64> {
    matrix.chunks_exact(dim).map(|row| dot(row, x)).collect()
}

fn trace(matrix: &[f64], dim: usize) -> f64 {
    (0..dim).map(|i| matrix[i * dim + i]).sum()
}

fn transposed(matrix: &[f64], dim: usize) -> Vec<f64> {
    (0..dim * dim).map(|at| matrix[at % dim * dim + at / dim]).collect()
}

/// Makes a matrix that is symmetric up to rounding exactly so.
fn symmetric(mut matrix: Vec<f64>, dim: usize) -> Vec<f64> {
    for i in 0..dim {
        for j in 0..i {
            let mean = 0.5 * (matrix[i * dim + j] + matrix[j * dim + i]);
            (matrix[i * dim + j], matrix[j * dim + i]) = (mean, mean);
        }
    }
    matrix
}

fn unit(mut row: Vec<f64>) -> Vec<f64> {
    let length = dot(&row, &row).sqrt();
    if length > 0.0 {
        row.iter_mut().for_each(|x| *x /= length);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkveil_nn::SplitMix;

    /// Vectors in ten dimensions. Each of three words moves one direction, two of which are axes.
    fn planted(texts: usize) -> (Moments, LabelSums) {
        let mut random = SplitMix::named(4, "planted", &[]);
        let (mut moments, mut labels) = (Moments::new(10), LabelSums::new(10));
        for text in 0..texts {
            let mut row: Vec<f32> =
                (0..10).map(|i| random.normals()[0] as f32 * if i < 5 { 0.1 } else { 0.3 }).collect();
            let word = text % 6;
            let mut label = Vec::new();
            if word < 3 {
                label.push(format!("word {word}"));
                row[word] += 0.4;
                row[word + 1] += 0.1;
            }
            moments.add(&row).unwrap();
            labels.add(&row, &[label]).unwrap();
        }
        (moments, labels)
    }

    #[test]
    fn the_directions_of_words_are_erased_and_others_stay() {
        let (moments, labels) = planted(3000);
        let eraser = Eraser::fit(&moments, &labels, &EraseSettings::default()).unwrap();
        assert_eq!(eraser.directions(), 3);
        assert!(eraser.note.concept_removed > 0.95, "{:?}", eraser.note);
        assert!(eraser.note.spread_removed < 0.3, "{:?}", eraser.note);
        let erasure = Eraser::erasure(&[&eraser], None, 0.5).unwrap();
        assert_eq!((erasure.axes(), erasure.erased_directions()), (7, 3));
        assert!(erasure.lipschitz() < 2.6, "{}", erasure.lipschitz());
        // A word hardly moves what is left. Another direction does.
        let left = |row: &[f64]| {
            let mut left = vec![0.0; 7];
            erasure.apply(row, &mut left).unwrap();
            left
        };
        let moved = |by: &dyn Fn(usize) -> f64| {
            let base: Vec<f64> = (0..10).map(|i| if i < 5 { 0.0 } else { 0.4 }).collect();
            let other: Vec<f64> = base.iter().enumerate().map(|(i, x)| x + by(i)).collect();
            let (a, b) = (left(&base), left(&other));
            a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        let word = moved(&|i| {
            if i == 1 {
                0.4
            } else if i == 2 {
                0.1
            } else {
                0.0
            }
        });
        let other = moved(&|i| if i == 8 { 0.41 } else { 0.0 });
        assert!(word < 0.1 && other > 0.2, "{word} {other}");
        assert_eq!(Eraser::erasure(&[&eraser], Some(2), 0.5).unwrap().axes(), 2);
        assert!(Eraser::erasure(&[&eraser], Some(0), 0.5).is_err());
        assert!(Eraser::erasure(&[], None, 0.5).is_err());
    }

    #[test]
    fn a_higher_price_erases_fewer_directions() {
        let (moments, labels) = planted(600);
        let directions = |gamma| {
            let settings = EraseSettings { gamma, ..EraseSettings::default() };
            Eraser::fit(&moments, &labels, &settings).map(|eraser| eraser.directions()).unwrap_or(0)
        };
        assert!(directions(0.0) >= directions(2.0) && directions(2.0) >= directions(50.0));
        assert_eq!(directions(1e6), 0);
    }

    #[test]
    fn several_erasers_erase_all_of_their_spans() {
        let (moments, labels) = planted(600);
        let one = Eraser::fit(&moments, &labels, &EraseSettings::default()).unwrap();
        let mut other = one.clone();
        // The same span and one direction more.
        other.span.extend((0..10).map(|i| if i == 9 { 1.0 } else { 0.0 }));
        let both = Eraser::erasure(&[&one, &other], None, 0.5).unwrap();
        assert_eq!(both.axes(), 6, "directions that both erase count once");
        let mut left = vec![0.0; 6];
        let mut again = vec![0.0; 6];
        both.apply(&[0.2; 10], &mut left).unwrap();
        let moved: Vec<f64> = (0..10).map(|i| if i == 9 { 0.9 } else { 0.2 }).collect();
        both.apply(&moved, &mut again).unwrap();
        assert!(left.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn too_little_data_is_refused() {
        let (moments, labels) = planted(600);
        let settings = EraseSettings::default();
        let error = |moments: &Moments, labels: &LabelSums, settings: EraseSettings| {
            Eraser::fit(moments, labels, &settings).unwrap_err().to_string()
        };
        assert!(error(&moments, &LabelSums::new(10), settings).contains("no word of the concept"));
        assert!(error(&Moments::new(10), &labels, settings).contains("0 texts"));
        assert!(error(&moments, &labels, EraseSettings { gamma: f64::NAN, ..settings }).contains('γ'));
        assert!(error(&moments, &labels, EraseSettings { rho: 0.0, ..settings }).contains('ρ'));
        let (few, label) = planted(40);
        assert!(error(&few, &label, settings).contains("40 texts"));
    }
}
