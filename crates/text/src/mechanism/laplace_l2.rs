//! Noise on directions with a density that falls with Euclidean distance. The nearest entry is
//! found by cosine.

use inkveil_lexicon::Lexicon;
use inkveil_privacy::{Epsilon, Metric, Unit, VectorMechanism};

use super::directions::{Likelihood, Noise};
use super::interface::{TokenGuarantee, distances, unit_of};
use super::name::MechanismName;
use crate::Error;

#[derive(Debug)]
pub(super) struct LaplaceL2 {
    dimension: usize,
    diameter: f64,
    typical: f64,
    unit: Unit,
}

impl LaplaceL2 {
    pub(super) fn new(lexicon: &Lexicon) -> Result<Self, Error> {
        let (diameter, typical) = distances(lexicon)?;
        Ok(Self { dimension: lexicon.table().dimension(), diameter, typical, unit: unit_of(lexicon) })
    }
}

impl Noise for LaplaceL2 {
    fn name(&self) -> MechanismName {
        MechanismName::LaplaceL2
    }

    fn at(&self, epsilon: Epsilon) -> Result<Box<dyn VectorMechanism>, Error> {
        Ok(Box::new(inkveil_privacy::LaplaceL2::new(self.dimension, epsilon)?))
    }

    fn guarantee(&self, _: Epsilon, mechanism: &dyn VectorMechanism) -> Result<TokenGuarantee, Error> {
        let guarantees = mechanism.guarantees().into_iter().map(|guarantee| guarantee.for_unit(self.unit));
        Ok(TokenGuarantee {
            guarantees: guarantees.collect(),
            // Between directions, Euclidean distance is chordal distance.
            diameters: vec![(Metric::Euclidean, self.diameter)],
            typical_distance: Some(self.typical),
            ..TokenGuarantee::default()
        })
    }

    /// The density is proportional to exp(−ε·‖y − t‖), and t has length 1.
    fn likelihood(&self, epsilon: Epsilon) -> Result<Option<Likelihood>, Error> {
        fn closeness(length: f64, cosine: f64) -> f64 {
            -(length * length + 1.0 - 2.0 * length * cosine).max(0.0).sqrt()
        }
        Ok(Some(Likelihood::Rising(epsilon.get(), closeness)))
    }
}
