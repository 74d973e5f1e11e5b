//! The truncated exponential mechanism (Carvalho et al. 2023) over the whole vocabulary, by chordal distance.

use std::sync::Arc;

use inkveil_lexicon::Lexicon;
use inkveil_privacy::{Epsilon, Metric, NoiseKey, Unit};

use super::candidates::{Candidates, Normalisers};
use super::interface::{Mechanism, Token, TokenGuarantee, distances, unit_of};
use super::likely::{LikelyOriginals, Observation};
use super::name::MechanismName;
use super::worst_loss::{Fall, worst_losses};
use crate::Error;

#[derive(Debug)]
pub(super) struct TruncatedExponential {
    lexicon: Arc<Lexicon>,
    candidates: Candidates,
    normalisers: Normalisers,
    failure: f64,
    diameter: f64,
    typical: f64,
    unit: Unit,
}

impl TruncatedExponential {
    pub(super) fn new(lexicon: Arc<Lexicon>, failure: f64) -> Result<Self, Error> {
        let (diameter, typical) = distances(&lexicon)?;
        let (candidates, unit) = (Candidates::new(&lexicon), unit_of(&lexicon));
        let normalisers = Normalisers::default();
        let made = Self { lexicon, candidates, normalisers, failure, diameter, typical, unit };
        // The range of the failure does not depend on the budget, so any budget checks it.
        made.at(Epsilon::new(1.0)?)?;
        Ok(made)
    }

    fn at(&self, epsilon: Epsilon) -> Result<inkveil_privacy::TruncatedExponential, Error> {
        let size = self.candidates.ids().len();
        let failure = self.failure;
        Ok(inkveil_privacy::TruncatedExponential::for_failure(epsilon, size, failure, Metric::Chordal)?)
    }
}

impl Mechanism for TruncatedExponential {
    fn name(&self) -> MechanismName {
        MechanismName::TruncatedExponential
    }

    fn guarantee(&self, epsilon: Epsilon) -> Result<TokenGuarantee, Error> {
        let mechanism = self.at(epsilon)?;
        Ok(TokenGuarantee {
            guarantees: vec![mechanism.guarantee().for_unit(self.unit)],
            diameters: vec![(Metric::Chordal, self.diameter)],
            typical_distance: Some(self.typical),
            slack: Some(mechanism.slack()),
            ..TokenGuarantee::default()
        })
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![
            ("failure", self.failure.to_string()),
            ("error of distances", format!("{:.0e}", self.candidates.error())),
        ]
    }

    fn draw(&self, tokens: &[Token], key: &NoiseKey) -> Result<Vec<u32>, Error> {
        let stream = |token: &Token| token.stream(self.name(), &[self.failure], key);
        self.candidates.draw(&self.lexicon, tokens, stream, |epsilon, distances| {
            let choice = self.at(epsilon)?.choice(distances)?;
            Ok(Box::new(move |stream| choice.draw(stream)))
        })
    }

    fn has_likelihood(&self) -> bool {
        true
    }

    fn observe(
        &self,
        tokens: &[Token],
        key: &NoiseKey,
        likely: &LikelyOriginals,
    ) -> Result<Option<Vec<Observation>>, Error> {
        let budgets = tokens.iter().map(|token| token.epsilon);
        let drawn: Vec<(u32, Epsilon)> = self.draw(tokens, key)?.into_iter().zip(budgets).collect();
        let farthest = |epsilon| Ok(self.at(epsilon)?.gamma());
        self.candidates.originals(&self.lexicon, &drawn, likely, &self.normalisers, farthest).map(Some)
    }

    fn channel(&self, id: u32, epsilon: Epsilon) -> Result<Option<Vec<f64>>, Error> {
        let distances = self.candidates.distances_from(&self.lexicon, id)?;
        let logs = self.at(epsilon)?.log_probabilities(&distances)?;
        Ok(Some(logs.into_iter().map(f64::exp).collect()))
    }

    fn certified_epsilon(&self, id: u32, other: u32, epsilon: Epsilon) -> Result<Option<Epsilon>, Error> {
        let [x, other] = [id, other].map(|id| self.candidates.distances_from(&self.lexicon, id));
        Ok(Some(self.at(epsilon)?.certified_epsilon(&x?, &other?)?))
    }

    fn certified_worst_case(
        &self,
        budgets: &[Epsilon],
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Option<Vec<Epsilon>>, Error> {
        let fall = |&epsilon: &Epsilon| Ok(Fall { epsilon, farthest: self.at(epsilon)?.gamma() });
        let falls: Vec<Fall> = budgets.iter().map(fall).collect::<Result<_, Error>>()?;
        worst_losses(&self.lexicon, &self.candidates, &falls, progress).map(Some)
    }
}
