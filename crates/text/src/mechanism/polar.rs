//! The paper's mechanism: von Mises–Fisher noise turns a direction, and the nearest entry is found
//! by cosine.

use inkveil_lexicon::Lexicon;
use inkveil_privacy::{Calibration, Epsilon, Guarantee, Metric, Unit, VectorMechanism, Vmf};

use super::directions::{Likelihood, Noise};
use super::interface::{TokenGuarantee, distances, unit_of};
use super::name::MechanismName;
use crate::Error;

#[derive(Debug)]
pub(super) struct Polar {
    dimension: usize,
    calibration: Calibration,
    diameter: f64,
    typical: f64,
    unit: Unit,
}

impl Polar {
    pub(super) fn new(lexicon: &Lexicon, calibration: Calibration) -> Result<Self, Error> {
        let (diameter, typical) = distances(lexicon)?;
        Ok(Self {
            dimension: lexicon.table().dimension(),
            calibration,
            diameter,
            typical,
            unit: unit_of(lexicon),
        })
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the noise for a budget.
    pub(super) fn noise(&self, epsilon: Epsilon) -> Result<Vmf, Error> {
        Ok(Vmf::calibrated(self.dimension, epsilon, self.calibration, self.diameter)?)
    }

    /// Returns the guarantee for the direction.
    pub(super) fn guarantee_of(
        &self,
        epsilon: Epsilon,
        mut guarantees: Vec<Guarantee>,
    ) -> Result<TokenGuarantee, Error> {
        guarantees.iter_mut().for_each(|guarantee| *guarantee = guarantee.for_unit(self.unit));
        let pure = Guarantee::new(Metric::Discrete, epsilon, self.unit);
        let equivalents = if self.calibration == Calibration::Pure { vec![pure] } else { Vec::new() };
        Ok(TokenGuarantee {
            guarantees,
            equivalents,
            diameters: vec![(Metric::Chordal, self.diameter)],
            typical_distance: Some(self.typical),
            ..TokenGuarantee::default()
        })
    }
}

impl Noise for Polar {
    fn name(&self) -> MechanismName {
        MechanismName::Polar
    }

    fn at(&self, epsilon: Epsilon) -> Result<Box<dyn VectorMechanism>, Error> {
        Ok(Box::new(self.noise(epsilon)?))
    }

    fn guarantee(&self, epsilon: Epsilon, mechanism: &dyn VectorMechanism) -> Result<TokenGuarantee, Error> {
        self.guarantee_of(epsilon, mechanism.guarantees())
    }

    /// The density is proportional to exp(κ·cos).
    fn likelihood(&self, epsilon: Epsilon) -> Result<Option<Likelihood>, Error> {
        Ok(Some(Likelihood::Slope(self.noise(epsilon)?.kappa())))
    }
}
