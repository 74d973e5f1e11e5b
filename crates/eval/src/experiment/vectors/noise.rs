//! Noise on rows of vectors, and scaling afterwards.

use inkveil_privacy::{
    Epsilon, LaplaceL2, Mahalanobis, NoiseAddress, NoiseKey, Purkayastha, VectorMechanism, release_rows,
};
use inkveil_vector::noise_variances;

use crate::Error;

pub(super) struct Noise {
    mechanism: Box<dyn VectorMechanism>,
    /// The variances of the noise in each coordinate, relative to the length of the signal.
    variances: Vec<f64>,
    /// ε per unit of the mechanism's distance.
    pub(super) formal: f64,
    /// The equivalent ε per unit of Euclidean distance in the direction of least noise, if that is
    /// another metric.
    pub(super) euclidean: Option<f64>,
}

impl Noise {
    pub(super) fn isotropic(dim: usize, epsilon: f64) -> Result<Self, Error> {
        let mechanism = Box::new(LaplaceL2::new(dim, Epsilon::new(epsilon)?)?);
        Ok(Self::new(mechanism, noise_variances(epsilon, &vec![1.0; dim]), None))
    }

    /// The released direction is cos θ times the vector plus sin θ times a random one, where tan θ
    /// is about (n−2)/ε.
    pub(super) fn on_sphere(dim: usize, epsilon: f64) -> Result<Self, Error> {
        let mechanism = Box::new(Purkayastha::new(dim, Epsilon::new(epsilon)?)?);
        let tangent = (dim as f64 - 2.0) / epsilon;
        Ok(Self::new(mechanism, vec![tangent * tangent / dim as f64; dim], None))
    }

    pub(super) fn elliptical(sigma: &[f64], epsilon: f64) -> Result<Self, Error> {
        let mechanism = Mahalanobis::diagonal(Epsilon::new(epsilon)?, sigma.to_vec())?;
        let euclidean = mechanism.euclidean()?.epsilon().get();
        Ok(Self::new(Box::new(mechanism), noise_variances(epsilon, sigma), Some(euclidean)))
    }

    fn new(mechanism: Box<dyn VectorMechanism>, variances: Vec<f64>, euclidean: Option<f64>) -> Self {
        Self { formal: mechanism.guarantees()[0].epsilon().get(), euclidean, mechanism, variances }
    }

    pub(super) fn apply(&self, rows: &mut [f32], first: NoiseAddress, key: &NoiseKey) -> Result<(), Error> {
        release_rows(&*self.mechanism, rows, first, key)?;
        Ok(())
    }

    /// The share of signal in each noisy coordinate, if clean coordinates have these variances.
    /// Multiplying by it is the linear estimate with the least error, and costs no privacy.
    pub(super) fn shrinkage(&self, clean: &[f64]) -> Vec<f32> {
        clean.iter().zip(&self.variances).map(|(v, noise)| (v / (v + noise)) as f32).collect()
    }
}

/// Noise on rows, and scaling after it.
pub(super) struct RowNoise<'a> {
    pub(super) noise: Option<&'a Noise>,
    pub(super) factors: Option<Vec<f32>>,
    pub(super) key: NoiseKey,
}

impl RowNoise<'_> {
    pub(super) fn apply(&self, rows: &mut [f32], first: NoiseAddress) -> Result<(), Error> {
        if let Some(noise) = self.noise {
            noise.apply(rows, first, &self.key)?;
        }
        if let Some(factors) = &self.factors {
            rows.iter_mut().zip(factors.iter().cycle()).for_each(|(x, factor)| *x *= factor);
        }
        Ok(())
    }
}
