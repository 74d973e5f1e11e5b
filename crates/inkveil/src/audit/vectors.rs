//! The paths of vectors, and the checks of each.

use inkveil_privacy::audit::{Categories, Finding};
use inkveil_privacy::{Epsilon, Neighbours};
use inkveil_vector::Bound;

use super::canaries::{near, opposite};
use super::embedding;
use super::lab::Lab;
use super::laws::{Law, aside};
use super::outputs::{Form, Vectors, bounded, dot, unit};
use super::vector_paths::{VectorPath, paths};
use crate::error::Error;
use crate::release::{Account, KeyChoice};
use crate::{VectorNoise, Veil};

/// The names of the paths.
pub(super) const NAMES: &[&str] = &[
    "round",
    "masked",
    "erased",
    "turning",
    "without-noise",
    "laplace-l1",
    "mahalanobis",
    "gaussian",
    "polar",
    "polar-radial",
    "pipe",
    "memory",
    "embed",
];

/// The dimension of common encoders.
const LARGE: usize = 768;
/// The loss of the near pair in the large dimension.
const NEAR: f64 = 0.01;
/// The seed of two releases that must not share noise. It is no secret.
const SEED: KeyChoice = KeyChoice::InsecureSeed(1);

pub(super) fn audit(lab: &Lab<'_>, pack: &str, chosen: &dyn Fn(&str) -> bool) -> Result<(), Error> {
    for path in paths(lab) {
        if chosen(&format!("vectors/{}", path.name)) {
            path.far(lab)?;
            path.near(lab)?;
            path.inside_span(lab)?;
        }
    }
    if chosen("vectors/without-noise") {
        without_noise(lab)?;
    }
    if chosen(embedding::PATH) {
        embedding::audit(lab, pack)?;
    }
    Ok(())
}

impl VectorPath<'_> {
    fn path(&self) -> String {
        format!("vectors/{}", self.name)
    }

    fn about(&self, dim: usize, what: &str) -> String {
        format!("{}, {}, n = {dim}: {what}", self.setting, self.form.name())
    }

    fn release(
        &self,
        lab: &Lab<'_>,
        row: &[f64],
        rows: usize,
        epsilon: f64,
        key: Option<KeyChoice>,
    ) -> Result<Vectors, Error> {
        let epsilon = Epsilon::new(epsilon)?;
        Vectors::release(lab, self.form, row, rows, key, &Account::none(), |dim| (self.veil)(dim, epsilon))
    }

    /// The far pair in the small dimension: its loss, and the length or angle of the noise.
    fn far(&self, lab: &Lab<'_>) -> Result<(), Error> {
        let ([epsilon, _], dim) = (self.budgets, self.small);
        let law = (self.law)(dim, Epsilon::new(epsilon)?)?;
        // The last dimension has the least noise, where dimensions differ.
        let pair = opposite(dim, dim - 1, self.lengths);
        let rows = lab.samples(20_000, 200_000);
        let released = self.both(lab, &pair, rows, epsilon)?;
        let [x, other] = pair.map(|row| bounded(self.bound, &row));
        let (claimed, delta) = released[0].claimed(&x, &other, law.erased_distance(&x, &other))?;
        let statistic = |y: &[f64]| match self.plain {
            true => law.ratio(y, &x, &other),
            false => dot(y, &x) - dot(y, &other),
        };
        let [under_x, under_other] =
            released.each_ref().map(|vectors| vectors.rows().map(statistic).collect::<Vec<f64>>());
        let about = self.about(dim, "loss of opposite vectors");
        lab.found(Finding::loss_of(self.path(), about, claimed, delta, &under_x, &under_other)?)?;
        if self.plain {
            self.sizes(lab, &law, dim, &released[0], &x)?;
        }
        Ok(())
    }

    fn both(
        &self,
        lab: &Lab<'_>,
        pair: &[Vec<f64>; 2],
        rows: usize,
        epsilon: f64,
    ) -> Result<[Vectors; 2], Error> {
        let [x, other] = pair.each_ref().map(|row| self.release(lab, row, rows, epsilon, None));
        Ok([x?, other?])
    }

    fn sizes(&self, lab: &Lab<'_>, law: &Law, dim: usize, vectors: &Vectors, x: &[f64]) -> Result<(), Error> {
        let cdf = law.sizes(dim);
        let sample = vectors.rows().map(|y| law.size(y, x)).collect();
        let what = if law.is_spherical() { "angle of the noise" } else { "length of the noise" };
        lab.found(Finding::distribution_of(self.path(), self.about(dim, what), sample, |r| cdf.at(r))?)
    }

    /// A near pair in the large dimension: low bits, the grid, and the noise itself.
    fn near(&self, lab: &Lab<'_>) -> Result<(), Error> {
        let [_, epsilon] = self.budgets;
        let law = (self.law)(LARGE, Epsilon::new(epsilon)?)?;
        let least = match &law {
            Law::Elliptical { diagonal, .. } => diagonal.iter().copied().fold(1.0, f64::min),
            _ => 1.0,
        };
        let mut pair = near(LARGE, NEAR / epsilon * least.sqrt(), self.form);
        if self.bound == Bound::AsIs && law.is_spherical() && self.name != "polar-radial" {
            // The same direction: nothing may tell the two apart.
            pair[1] = pair[0].iter().map(|x| 2.0 * x).collect();
        }
        let rows = lab.samples(1500, 10_000);
        let released = self.both(lab, &pair, rows, epsilon)?;
        let [x, other] = pair.each_ref().map(|row| bounded(self.bound, row));
        let (claimed, delta) = released[0].claimed(&x, &other, law.erased_distance(&x, &other))?;
        self.low_bits(lab, &released, claimed, delta)?;
        let off = released.iter().map(Vectors::off_grid).sum();
        let numbers = (2 * rows * LARGE) as u64;
        lab.found(Finding::exact(self.path(), self.about(LARGE, "numbers off the grid"), off, numbers))?;
        if self.plain {
            self.sizes(lab, &law, LARGE, &released[0], &x)?;
            let directions: Option<Vec<f64>> = released[0].rows().map(|y| law.direction(y, &x)).collect();
            if let Some(sample) = directions {
                let (cdf, about) = (law.directions(LARGE), self.about(LARGE, "direction of the noise"));
                lab.found(Finding::distribution_of(self.path(), about, sample, |t| cdf.at(t))?)?;
            }
        }
        self.claims(lab, &released[0], rows as u64)?;
        self.repeated(lab, epsilon)
    }

    /// Two vectors that differ only inside the erased span, in the small dimension.
    fn inside_span(&self, lab: &Lab<'_>) -> Result<(), Error> {
        const EPSILON: f64 = 4.0;
        let law = (self.law)(self.small, Epsilon::new(EPSILON)?)?;
        let Law::Erased { axes, .. } = &law else { return Ok(()) };
        // Of one length, so that the bound changes neither.
        let of = |first: f64| (0..self.small).map(|i| if i == 0 { first } else { 0.8 }).collect::<Vec<f64>>();
        let pair = [of(0.6), of(-0.6)];
        let released = self.both(lab, &pair, lab.samples(20_000, 200_000), EPSILON)?;
        let [x, other] = pair.map(|row| bounded(self.bound, &row));
        let (claimed, delta) = released[0].claimed(&x, &other, Some(0.0))?;
        let [under_x, under_other] = released
            .each_ref()
            .map(|vectors| vectors.rows().map(|y| dot(y, &axes[..self.small])).collect::<Vec<f64>>());
        let about = self.about(self.small, "loss inside the erased span");
        for (x, other) in [(&under_x, &under_other), (&under_other, &under_x)] {
            lab.found(Finding::loss_of(self.path(), &about, claimed, delta, x, other)?)?;
        }
        Ok(())
    }

    fn low_bits(
        &self,
        lab: &Lab<'_>,
        released: &[Vectors; 2],
        claimed: f64,
        delta: f64,
    ) -> Result<(), Error> {
        let [x, other] = released.each_ref().map(Vectors::low_bits);
        let views: Vec<Categories<'_>> =
            x.iter().zip(&other).map(|(x, other)| Categories { under_x: x, under_other: other }).collect();
        let about = self.about(LARGE, "low bits and sizes");
        lab.found(Finding::categories_of(self.path(), about, claimed, delta, &views)?)
    }

    /// What the receipt must state.
    fn claims(&self, lab: &Lab<'_>, vectors: &Vectors, rows: u64) -> Result<(), Error> {
        let receipt = &vectors.receipt;
        let group = receipt.groups().first();
        let bytes = (!self.form.is_memory()).then_some(vectors.sha256.as_str());
        let is_exact = self.name == "laplace-l1";
        let slack = group.and_then(|group| group.slack()).filter(|slack| !slack.is_none());
        let claims = [
            (receipt.verify().is_empty(), "receipt consistent"),
            (receipt.release_sha256() == bytes, "receipt of these bytes"),
            (receipt.count() == rows, "receipt counts all rows"),
            (slack.is_none() == is_exact, "slack of the sampler stated"),
            (
                group.is_some_and(|group| {
                    !group.guarantees().is_empty()
                        && group.guarantees().iter().all(|one| one.neighbours() == Neighbours::Any)
                }),
                "any two vectors compared",
            ),
        ];
        for (holds, what) in claims {
            lab.found(Finding::exact(self.path(), self.about(LARGE, what), u64::from(!holds), 1))?;
        }
        Ok(())
    }

    /// With one seed, a retry repeats its bytes, and another vector gets other noise.
    fn repeated(&self, lab: &Lab<'_>, epsilon: f64) -> Result<(), Error> {
        const ROWS: usize = 64;
        let pair = near(LARGE, 1.0, self.form);
        let of = |row: &[f64]| self.release(lab, row, ROWS, epsilon, Some(SEED));
        let (first, again, other) = (of(&pair[0])?, of(&pair[0])?, of(&pair[1])?);
        let about = self.about(LARGE, "a retry repeats its bytes");
        let differs = u64::from(first.sha256 != again.sha256);
        lab.found(Finding::exact(self.path(), about, differs, 1))?;
        // Two independent directions in 768 dimensions have a cosine of about 0.04. At 0.5 they are
        // 14 standard deviations away from that. An erased vector has noise in 100 axes, and what is left of the
        // two vectors there is alike, so the directions are closer; shared noise has a cosine near 1.
        let limit = if self.path() == "vectors/erased" { 0.85 } else { 0.5 };
        let shares = |(y, z): (&[f64], &[f64])| {
            let [y, z] = [unit(&aside(y, &pair[0])), unit(&aside(z, &pair[1]))];
            dot(&y, &z) > limit
        };
        let shared = first.rows().zip(other.rows()).filter(|rows| shares(*rows)).count() as u64;
        let about = self.about(LARGE, "noise that two vectors share");
        lab.found(Finding::exact(self.path(), about, shared, ROWS as u64))
    }
}

/// Directions without noise are rounded, so that vectors of the same direction have the same bytes.
fn without_noise(lab: &Lab<'_>) -> Result<(), Error> {
    const DIM: usize = 8;
    const ROWS: usize = 300;
    let x: Vec<f64> = (0..DIM).map(|i| (i as f64 * 0.7).sin() + 0.2).collect();
    let scaled: Vec<f64> = x.iter().map(|x| 1.7 * x).collect();
    let release = |row: &[f64]| {
        Vectors::release(lab, Form::NpyDouble, row, ROWS, None, &Account::none(), |dim| {
            Veil::vectors(Epsilon::INFINITE).noise(VectorNoise::Turning).build(dim)
        })
    };
    let (x, scaled) = (release(&x)?, release(&scaled)?);
    let path = "vectors/without-noise";
    let off = x.off_grid() + scaled.off_grid();
    let numbers = (2 * ROWS * DIM) as u64;
    lab.found(Finding::exact(path, "directions, npy f64, n = 8: numbers off the grid", off, numbers))?;
    let (under_x, under_other) = (x.whole_rows(), scaled.whole_rows());
    let view = Categories { under_x: &under_x, under_other: &under_other };
    let about = "directions, npy f64, n = 8: loss of vectors of one direction";
    lab.found(Finding::categories_of(path, about, 0.0, 0.0, &[view])?)
}
