//! Elliptical noise with the shape of the table (Xu et al. 2020). It is larger along directions in
//! which words differ anyway, so that rare words far from all others are moved too.
//!
//! Σ = λ·C + (1 − λ)·I, where C is the covariance of the directions scaled to trace d. The density falls with ‖z‖ = √(zᵀΣ⁻¹z).

use inkveil_lexicon::Lexicon;
use inkveil_nn::product::f32_product;
use inkveil_privacy::{Epsilon, Metric, Unit, VectorMechanism};

use super::directions::Noise;
use super::interface::{TokenGuarantee, distances, unit_of};
use super::name::MechanismName;
use crate::Error;

pub(super) struct Mahalanobis {
    dimension: usize,
    sigma: Vec<f64>,
    ellipse: f64,
    /// The largest Euclidean distance of two directions.
    diameter: f64,
    unit: Unit,
}

impl Mahalanobis {
    pub(super) fn new(lexicon: &Lexicon, ellipse: f64) -> Result<Self, Error> {
        if !(0.0..1.0).contains(&ellipse) {
            return Err(Error::setting(
                "the ellipse of mahalanobis must be at least 0 and below 1, for example 0.2",
            ));
        }
        let dimension = lexicon.table().dimension();
        let (diameter, _) = distances(lexicon)?;
        let mut sigma = covariance(lexicon)?;
        let trace: f64 = (0..dimension).map(|i| sigma[i * dimension + i]).sum();
        let scale = if trace > 0.0 { ellipse * dimension as f64 / trace } else { 0.0 };
        sigma.iter_mut().for_each(|x| *x *= scale);
        (0..dimension).for_each(|i| sigma[i * dimension + i] += 1.0 - ellipse);
        Ok(Self { dimension, sigma, ellipse, diameter, unit: unit_of(lexicon) })
    }
}

/// Returns the covariance of the directions that may be released.
fn covariance(lexicon: &Lexicon) -> Result<Vec<f64>, Error> {
    /// The number of products that are summed in `f32` without a relevant loss. Blocks are added in
    /// `f64`.
    const BLOCK: usize = 1024;
    let dimension = lexicon.table().dimension();
    let ids = lexicon.allowed();
    let row = |id: u32| lexicon.row(id).unwrap_or_default();
    let mut mean = vec![0.0_f64; dimension];
    ids.iter().for_each(|&id| mean.iter_mut().zip(row(id)).for_each(|(sum, x)| *sum += f64::from(*x)));
    mean.iter_mut().for_each(|sum| *sum /= ids.len().max(1) as f64);
    let mut covariance = vec![0.0_f64; dimension * dimension];
    let mut products = vec![0.0_f32; dimension * dimension];
    for block in ids.chunks(BLOCK) {
        // One row per coordinate, so that the product of the block with itself sums over its
        // entries.
        let mut columns = vec![0.0_f32; dimension * block.len()];
        for (at, &id) in block.iter().enumerate() {
            for (coordinate, x) in row(id).iter().enumerate() {
                columns[coordinate * block.len() + at] = (f64::from(*x) - mean[coordinate]) as f32;
            }
        }
        f32_product(&columns, &columns, block.len(), &mut products)?;
        covariance.iter_mut().zip(&products).for_each(|(sum, x)| *sum += f64::from(*x));
    }
    // Made exactly symmetric, independently of the order of summation.
    for i in 0..dimension {
        for j in 0..i {
            let both = (covariance[i * dimension + j] + covariance[j * dimension + i]) / 2.0;
            covariance[i * dimension + j] = both;
            covariance[j * dimension + i] = both;
        }
    }
    Ok(covariance)
}

impl Noise for Mahalanobis {
    fn name(&self) -> MechanismName {
        MechanismName::Mahalanobis
    }

    fn at(&self, epsilon: Epsilon) -> Result<Box<dyn VectorMechanism>, Error> {
        Ok(Box::new(inkveil_privacy::Mahalanobis::full(epsilon, self.dimension, &self.sigma)?))
    }

    fn guarantee(&self, epsilon: Epsilon, mechanism: &dyn VectorMechanism) -> Result<TokenGuarantee, Error> {
        let guarantees = mechanism.guarantees().into_iter().map(|guarantee| guarantee.for_unit(self.unit));
        // Σ has no eigenvalue below 1 − λ, so no two directions are farther apart than this.
        let farthest = self.diameter / (1.0 - self.ellipse).sqrt() * (1.0 + 1e-9);
        let sigma = inkveil_privacy::Mahalanobis::full(epsilon, self.dimension, &self.sigma)?;
        Ok(TokenGuarantee {
            guarantees: guarantees.collect(),
            equivalents: vec![sigma.euclidean()?.for_unit(self.unit)],
            diameters: vec![(Metric::Mahalanobis, farthest)],
            ..TokenGuarantee::default()
        })
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("ellipse", self.ellipse.to_string())]
    }
}

impl std::fmt::Debug for Mahalanobis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mahalanobis({} dimensions, ellipse {})", self.dimension, self.ellipse)
    }
}
