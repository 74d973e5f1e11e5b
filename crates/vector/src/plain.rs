//! Veils that know no concept: the mechanisms of the privacy crate, each with what its receipt has to say.

use inkveil_privacy::{Calibration, Epsilon, Gaussian, LaplaceL1, Mahalanobis, PolarRadial, Vmf};

use crate::{Error, VectorVeil};

impl VectorVeil {
    /// Von Mises–Fisher noise on directions. `diameter` is the largest chordal distance of two inputs, 2 by default.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn polar(
        dim: usize,
        epsilon: Epsilon,
        calibration: Calibration,
        diameter: Option<f64>,
    ) -> Result<Self, Error> {
        let noise = Vmf::calibrated(dim, epsilon, calibration, diameter.unwrap_or(2.0))?;
        let (within, kappa) = (noise.within(), noise.kappa());
        let veil = Self::of(Box::new(noise), epsilon).calibrated(calibration).parameter("kappa", kappa);
        Ok(match within {
            Some(guarantee) => veil.equivalent(guarantee),
            None => veil,
        })
    }

    /// Von Mises–Fisher noise on directions and Laplace noise on lengths. Each has a budget, and both are spent.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn polar_radial(
        dim: usize,
        epsilon: Epsilon,
        calibration: Calibration,
        radius: Epsilon,
    ) -> Result<Self, Error> {
        let noise = PolarRadial::new(dim, calibration.kappa(epsilon, 2.0)?, radius)?;
        let grid = noise.length_grid();
        let veil = Self::of(Box::new(noise), epsilon.checked_add(radius)?).calibrated(calibration);
        Ok(veil.parameter("grid of the length", grid))
    }

    /// Laplace noise in each coordinate. With a sensitivity, ε holds within that distance.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn laplace_l1(dim: usize, epsilon: Epsilon, sensitivity: Option<f64>) -> Result<Self, Error> {
        let noise = match sensitivity {
            Some(sensitivity) => LaplaceL1::with_sensitivity(dim, epsilon, sensitivity)?,
            None => LaplaceL1::new(dim, epsilon)?,
        };
        Ok(Self::of(Box::new(noise), epsilon))
    }

    /// Elliptical noise, with its guarantee in Euclidean distance.
    ///
    /// # Errors
    /// If that guarantee cannot be computed.
    pub fn mahalanobis(noise: Mahalanobis, epsilon: Epsilon) -> Result<Self, Error> {
        let euclidean = noise.euclidean()?;
        Ok(Self::of(Box::new(noise), epsilon).equivalent(euclidean))
    }

    /// Gaussian noise: (ε, δ) for inputs within the distance `sensitivity`.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn gaussian(dim: usize, epsilon: Epsilon, delta: f64, sensitivity: f64) -> Result<Self, Error> {
        let noise = Gaussian::new(dim, epsilon, delta, sensitivity)?;
        let deviation = noise.sigma();
        Ok(Self::of(Box::new(noise), epsilon).parameter("standard deviation", deviation))
    }
}
