//! Noise on rows of vectors, and what may be done to them afterwards.

use inkveil_privacy::{
    Epsilon, LaplaceL2, Mahalanobis, NoiseAddress, NoiseKey, OutputUse, Purkayastha, VectorMechanism,
    perturb_rows,
};
use inkveil_vector::noise_variances;

use crate::Error;

pub(super) struct Noise {
    mechanism: Box<dyn VectorMechanism>,
    /// Of the noise in each coordinate, relative to the signal's length.
    variances: Vec<f64>,
    /// ε for each unit of the mechanism's distance.
    pub(super) formal: f64,
    /// The ε that this amounts to in Euclidean distance where the noise is thinnest, if that is another metric.
    pub(super) euclidean: Option<f64>,
}

impl Noise {
    pub(super) fn round(dim: usize, epsilon: f64) -> Result<Self, Error> {
        let mechanism = Box::new(LaplaceL2::new(dim, Epsilon::new(epsilon)?)?);
        Ok(Self::new(mechanism, noise_variances(epsilon, &vec![1.0; dim]), None))
    }

    /// The mechanism's direction is cos θ of the vector and sin θ of a random one, where tan θ is about (n−2)/ε.
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
        Ok(perturb_rows(&*self.mechanism, rows, first, OutputUse::Released, key)?)
    }

    /// What share of each noisy coordinate is signal, if clean coordinates have these variances. Multiplying by it is the linear estimate
    /// with the least error, and costs no privacy.
    pub(super) fn shrinkage(&self, clean: &[f64]) -> Vec<f32> {
        clean.iter().zip(&self.variances).map(|(v, noise)| (v / (v + noise)) as f32).collect()
    }
}
