//! Noise that turns a direction with a density that falls with the angle. The nearest entry is
//! found by cosine.

use inkveil_lexicon::Lexicon;
use inkveil_privacy::{Epsilon, Metric, Unit, VectorMechanism};

use super::directions::{Likelihood, Noise};
use super::interface::{TokenGuarantee, angle, distances, unit_of};
use super::name::MechanismName;
use crate::Error;

#[derive(Debug)]
pub(super) struct Purkayastha {
    dimension: usize,
    diameter: f64,
    typical: f64,
    unit: Unit,
}

impl Purkayastha {
    pub(super) fn new(lexicon: &Lexicon) -> Result<Self, Error> {
        let (diameter, typical) = distances(lexicon)?;
        let (diameter, typical) = (angle(diameter) * (1.0 + 1e-12), angle(typical));
        Ok(Self { dimension: lexicon.table().dimension(), diameter, typical, unit: unit_of(lexicon) })
    }
}

impl Noise for Purkayastha {
    fn name(&self) -> MechanismName {
        MechanismName::Purkayastha
    }

    fn at(&self, epsilon: Epsilon) -> Result<Box<dyn VectorMechanism>, Error> {
        Ok(Box::new(inkveil_privacy::Purkayastha::new(self.dimension, epsilon)?))
    }

    fn guarantee(&self, _: Epsilon, mechanism: &dyn VectorMechanism) -> Result<TokenGuarantee, Error> {
        let guarantees = mechanism.guarantees().into_iter().map(|guarantee| guarantee.for_unit(self.unit));
        Ok(TokenGuarantee {
            guarantees: guarantees.collect(),
            diameters: vec![(Metric::Angular, self.diameter)],
            typical_distance: Some(self.typical),
            ..TokenGuarantee::default()
        })
    }

    /// The density is proportional to exp(−ε·angle).
    fn likelihood(&self, epsilon: Epsilon) -> Result<Option<Likelihood>, Error> {
        fn closeness(_: f64, cosine: f64) -> f64 {
            -cosine.clamp(-1.0, 1.0).acos()
        }
        Ok(Some(Likelihood::Rising(epsilon.get(), closeness)))
    }
}
