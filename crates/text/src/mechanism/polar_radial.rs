//! The paper's mechanism with both parts: the direction as in `polar`, and Laplace noise on the
//! length. Decoding by cosine ignores the length, so the tokens are those of `polar`.

use inkveil_lexicon::Lexicon;
use inkveil_privacy::{Calibration, Epsilon, Kappa, VectorMechanism};

use super::directions::{Likelihood, Noise};
use super::interface::TokenGuarantee;
use super::name::MechanismName;
use super::polar::Polar;
use crate::Error;

#[derive(Debug)]
pub(super) struct PolarRadial {
    polar: Polar,
    radial: Epsilon,
}

impl PolarRadial {
    pub(super) fn new(lexicon: &Lexicon, calibration: Calibration, radial: Epsilon) -> Result<Self, Error> {
        Ok(Self { polar: Polar::new(lexicon, calibration)?, radial })
    }
}

impl Noise for PolarRadial {
    fn name(&self) -> MechanismName {
        MechanismName::PolarRadial
    }

    fn at(&self, epsilon: Epsilon) -> Result<Box<dyn VectorMechanism>, Error> {
        let kappa = Kappa::new(self.polar.noise(epsilon)?.kappa())?;
        Ok(Box::new(inkveil_privacy::PolarRadial::new(self.polar.dimension(), kappa, self.radial)?))
    }

    /// The length is drawn and dropped. Nothing of it is released, so only the direction's
    /// guarantee counts.
    fn guarantee(&self, epsilon: Epsilon, _: &dyn VectorMechanism) -> Result<TokenGuarantee, Error> {
        self.polar.guarantee_of(epsilon, self.polar.noise(epsilon)?.guarantees())
    }

    /// The length is not released, so only the direction counts.
    fn likelihood(&self, epsilon: Epsilon) -> Result<Option<Likelihood>, Error> {
        self.polar.likelihood(epsilon)
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("epsilon of the length (not released)", self.radial.readable())]
    }

    fn vector(&self, lexicon: &Lexicon, id: u32, out: &mut Vec<f32>) {
        let length = lexicon.table().length(id).unwrap_or(1.0);
        out.extend(lexicon.row(id).unwrap_or_default().iter().map(|x| x * length));
    }
}
