//! The paper's mechanism: a direction is turned by von Mises–Fisher noise, and cosine finds the nearest entry.

use inkveil_lexicon::Lexicon;
use inkveil_privacy::{Calibration, Epsilon, Guarantee, Metric, Unit, VectorMechanism, Vmf};

use super::directions::Noise;
use super::{Name, Promise, distances, unit_of};
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

    /// The concentration for a budget.
    pub(super) fn noise(&self, epsilon: Epsilon) -> Result<Vmf, Error> {
        Ok(Vmf::calibrated(self.dimension, epsilon, self.calibration, self.diameter)?)
    }

    /// What is promised for the direction.
    pub(super) fn promise_of(
        &self,
        epsilon: Epsilon,
        mut guarantees: Vec<Guarantee>,
    ) -> Result<Promise, Error> {
        guarantees.iter_mut().for_each(|guarantee| *guarantee = guarantee.for_unit(self.unit));
        let pure = Guarantee::new(Metric::Discrete, epsilon, self.unit);
        let equivalents = if self.calibration == Calibration::Pure { vec![pure] } else { Vec::new() };
        Ok(Promise {
            guarantees,
            equivalents,
            diameters: vec![(Metric::Chordal, self.diameter)],
            typical_distance: Some(self.typical),
        })
    }
}

impl Noise for Polar {
    fn name(&self) -> Name {
        Name::Polar
    }

    fn at(&self, epsilon: Epsilon) -> Result<Box<dyn VectorMechanism>, Error> {
        Ok(Box::new(self.noise(epsilon)?))
    }

    fn promise(&self, epsilon: Epsilon, mechanism: &dyn VectorMechanism) -> Result<Promise, Error> {
        self.promise_of(epsilon, mechanism.guarantees())
    }
}
