//! The exponential mechanism over the whole vocabulary, scored by chordal distance.

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
pub(super) struct Exponential {
    lexicon: Arc<Lexicon>,
    candidates: Candidates,
    normalisers: Normalisers,
    diameter: f64,
    typical: f64,
    unit: Unit,
}

impl Exponential {
    pub(super) fn new(lexicon: Arc<Lexicon>) -> Result<Self, Error> {
        let (diameter, typical) = distances(&lexicon)?;
        let (candidates, unit) = (Candidates::new(&lexicon), unit_of(&lexicon));
        Ok(Self { lexicon, candidates, normalisers: Normalisers::default(), diameter, typical, unit })
    }
}

impl Mechanism for Exponential {
    fn name(&self) -> MechanismName {
        MechanismName::Exponential
    }

    fn guarantee(&self, epsilon: Epsilon) -> Result<TokenGuarantee, Error> {
        let mechanism = inkveil_privacy::Exponential::new(epsilon, Metric::Chordal);
        Ok(TokenGuarantee {
            guarantees: vec![mechanism.guarantee().for_unit(self.unit)],
            diameters: vec![(Metric::Chordal, self.diameter)],
            typical_distance: Some(self.typical),
            slack: Some(mechanism.slack()),
            ..TokenGuarantee::default()
        })
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("error of distances", format!("{:.0e}", self.candidates.error()))]
    }

    fn draw(&self, tokens: &[Token], key: &NoiseKey) -> Result<Vec<u32>, Error> {
        let stream = |token: &Token| token.stream(self.name(), &[], key);
        self.candidates.draw(&self.lexicon, tokens, stream, |epsilon, distances| {
            let scores: Vec<f64> = distances.iter().map(|distance| -distance).collect();
            let choice = inkveil_privacy::Exponential::new(epsilon, Metric::Chordal).choice(&scores)?;
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
        let farthest = |_| Ok(f64::INFINITY);
        self.candidates.originals(&self.lexicon, &drawn, likely, &self.normalisers, farthest).map(Some)
    }

    fn channel(&self, id: u32, epsilon: Epsilon) -> Result<Option<Vec<f64>>, Error> {
        let mechanism = inkveil_privacy::Exponential::new(epsilon, Metric::Chordal);
        let scores: Vec<f64> =
            self.candidates.distances_from(&self.lexicon, id)?.iter().map(|distance| -distance).collect();
        let logs = mechanism.log_probabilities(&scores)?;
        Ok(Some(logs.into_iter().map(f64::exp).collect()))
    }

    fn certified_epsilon(&self, id: u32, other: u32, epsilon: Epsilon) -> Result<Option<Epsilon>, Error> {
        let mechanism = inkveil_privacy::Exponential::new(epsilon, Metric::Chordal);
        let scores = |id: u32| -> Result<Vec<f64>, Error> {
            Ok(self.candidates.distances_from(&self.lexicon, id)?.iter().map(|distance| -distance).collect())
        };
        Ok(Some(mechanism.certified_epsilon(&scores(id)?, &scores(other)?)?))
    }

    fn certified_worst_case(
        &self,
        budgets: &[Epsilon],
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Option<Vec<Epsilon>>, Error> {
        let fall = |&epsilon: &Epsilon| Fall { epsilon, farthest: f64::INFINITY };
        let falls: Vec<Fall> = budgets.iter().map(fall).collect();
        worst_losses(&self.lexicon, &self.candidates, &falls, progress).map(Some)
    }
}
