//! Noise on rows of vectors, and scaling afterwards.

use inkveil_nn::product::f32_product;
use inkveil_privacy::{
    Epsilon, ErasedLaplace, Erasure, Gaussian, LaplaceL2, Mahalanobis, NoiseAddress, NoiseKey, Purkayastha,
    VectorMechanism, release_rows,
};
use inkveil_vector::noise_variances;

use super::spec::StoreName;
use super::store;
use crate::Error;

/// δ of Gaussian noise, for two vectors of length 1.
const DELTA: f64 = 1e-5;

pub(super) struct Noise {
    mechanism: Box<dyn VectorMechanism>,
    /// The variances of the noise in each coordinate, relative to the length of the signal.
    variances: Vec<f64>,
    /// The length of the signal that is left of a vector of length 1.
    signal: f32,
    /// The same without noise, and the axes that it lies in, if vectors are erased.
    erased: Option<(ErasedLaplace, Vec<f32>)>,
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

    /// Gaussian noise of this deviation in each coordinate.
    pub(super) fn gaussian(dim: usize, deviation: f64) -> Result<Self, Error> {
        // The deviation falls as ε grows.
        let (mut low, mut high) = (1e-3_f64, 1e6_f64);
        for _ in 0..80 {
            let middle = (low * high).sqrt();
            match Gaussian::new(dim, Epsilon::new(middle)?, DELTA, 2.0)?.sigma() > deviation {
                true => low = middle,
                false => high = middle,
            }
        }
        let mechanism = Gaussian::new(dim, Epsilon::new(high)?, DELTA, 2.0)?;
        let variances = vec![mechanism.sigma().powi(2); dim];
        Ok(Self::new(Box::new(mechanism), variances, None))
    }

    /// The released direction is cos θ times the vector plus sin θ times a random one, where tan θ
    /// is about (n−2)/ε.
    pub(super) fn on_sphere(dim: usize, epsilon: f64) -> Result<Self, Error> {
        let mechanism = Box::new(Purkayastha::new(dim, Epsilon::new(epsilon)?)?);
        let tangent = (dim as f64 - 2.0) / epsilon;
        let signal = (1.0 + tangent * tangent).sqrt().recip() as f32;
        let noise = Self::new(mechanism, vec![tangent * tangent / dim as f64; dim], None);
        Ok(Self { signal, ..noise })
    }

    pub(super) fn elliptical(sigma: &[f64], epsilon: f64) -> Result<Self, Error> {
        let mechanism = Mahalanobis::diagonal(Epsilon::new(epsilon)?, sigma.to_vec())?;
        let euclidean = mechanism.euclidean()?.epsilon().get();
        Ok(Self::new(Box::new(mechanism), noise_variances(epsilon, sigma), Some(euclidean)))
    }

    /// Isotropic noise on what an eraser leaves.
    pub(super) fn erased(erasure: Erasure, epsilon: f64) -> Result<Self, Error> {
        let (dim, axes) = (erasure.dim(), erasure.axes());
        let mut rows = Vec::with_capacity(dim * axes);
        let (mut left, mut row) = (vec![0.0; axes], vec![0.0; dim]);
        for axis in 0..axes {
            left.fill(0.0);
            left[axis] = 1.0;
            erasure.lift(&left, &mut row);
            rows.extend(row.iter().map(|x| *x as f32));
        }
        let silent = ErasedLaplace::new(Epsilon::INFINITE, erasure.clone())?;
        let mechanism = ErasedLaplace::new(Epsilon::new(epsilon)?, erasure)?;
        let euclidean = mechanism.guarantee()?.euclidean.epsilon().get();
        let variances = match epsilon.is_finite() {
            true => noise_variances(epsilon, &vec![1.0; axes]),
            false => vec![0.0; axes],
        };
        let noise = Self::new(Box::new(mechanism), variances, Some(euclidean));
        Ok(Self { erased: Some((silent, rows)), ..noise })
    }

    fn new(mechanism: Box<dyn VectorMechanism>, variances: Vec<f64>, euclidean: Option<f64>) -> Self {
        let formal = mechanism.guarantees()[0].epsilon().get();
        Self { formal, euclidean, mechanism, variances, signal: 1.0, erased: None }
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
    /// How released rows of this dimension are stored.
    pub(super) store: StoreName,
    pub(super) dim: usize,
    /// The budget of each sign, if signs are flipped at random. They are flipped in the store.
    pub(super) flips: Option<f64>,
}

impl RowNoise<'_> {
    /// Whether two releases of the same rows differ.
    pub(super) fn is_random(&self) -> bool {
        self.flips.is_some() || self.noise.is_some_and(|noise| noise.formal.is_finite())
    }

    /// Rows as they are released and stored.
    pub(super) fn apply(&self, rows: &mut [f32], first: NoiseAddress) -> Result<(), Error> {
        self.with_noise(rows, first)?;
        store::round(self.store, rows, self.dim);
        if let Some(epsilon) = self.flips {
            store::flip(rows, epsilon, &mut self.key.stream(first, "flips"));
        }
        Ok(())
    }

    /// Rows as they are released. Queries are not stored.
    pub(super) fn with_noise(&self, rows: &mut [f32], first: NoiseAddress) -> Result<(), Error> {
        if let Some(noise) = self.noise {
            noise.apply(rows, first, &self.key)?;
        }
        self.scale(rows);
        Ok(())
    }

    /// What is left of rows without the noise.
    pub(super) fn without_noise(&self, rows: &mut [f32]) -> Result<(), Error> {
        match self.noise {
            Some(Noise { erased: Some((silent, _)), .. }) => {
                release_rows(silent, rows, NoiseAddress::record(0), &self.key)?;
            }
            Some(noise) => rows.iter_mut().for_each(|x| *x *= noise.signal),
            None => {}
        }
        self.scale(rows);
        Ok(())
    }

    /// Erases rows without noise; other defences leave them unchanged.
    pub(super) fn erase(&self, rows: &mut [f32]) -> Result<(), Error> {
        match self.noise {
            Some(Noise { erased: Some(_), .. }) => self.without_noise(rows),
            _ => Ok(()),
        }
    }

    fn scale(&self, rows: &mut [f32]) {
        if let Some(factors) = &self.factors {
            rows.iter_mut().zip(factors.iter().cycle()).for_each(|(x, factor)| *x *= factor);
        }
    }

    /// Released rows as the attacker sees them: in the axes that are left, if there are such. Nothing
    /// is lost but what rounding to 8 bits adds. Signs of coordinates stay as they are, because they say
    /// more than their part in these axes. Returns their dimension too.
    pub(super) fn seen(&self, rows: Vec<f32>, dim: usize) -> Result<(usize, Vec<f32>), Error> {
        let Some(Noise { erased: Some((_, axes)), .. }) = self.noise else { return Ok((dim, rows)) };
        if self.store == StoreName::Binary {
            return Ok((dim, rows));
        }
        let count = axes.len() / dim;
        let mut out = vec![0.0; rows.len() / dim * count];
        f32_product(&rows, axes, dim, &mut out)?;
        Ok((count, out))
    }

    /// The covariance of the noise in released rows, as the attacker sees them.
    pub(super) fn covariance(&self, dim: usize) -> Vec<f64> {
        let mut matrix = vec![0.0; dim * dim];
        let Some(noise) = self.noise else { return matrix };
        let signal = f64::from(noise.signal);
        for (i, variance) in noise.variances.iter().enumerate().take(dim) {
            let factor = self.factors.as_ref().map_or(1.0, |factors| f64::from(factors[i]));
            matrix[i * dim + i] = variance * (signal * factor).powi(2);
        }
        matrix
    }
}
