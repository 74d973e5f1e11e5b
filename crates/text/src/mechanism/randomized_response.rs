//! Randomised response over the vocabulary: the baseline that ignores distances.

use std::sync::Arc;

use inkveil_lexicon::Lexicon;
use inkveil_privacy::{Epsilon, NoiseKey, Uniform};

use super::interface::{Mechanism, Token, TokenGuarantee, unit_of};
use super::likely::{LikelyOriginals, Observation};
use super::name::MechanismName;
use crate::Error;

#[derive(Debug)]
pub(super) struct RandomizedResponse {
    lexicon: Arc<Lexicon>,
}

impl RandomizedResponse {
    pub(super) fn new(lexicon: Arc<Lexicon>) -> Result<Self, Error> {
        Ok(Self { lexicon })
    }

    fn at(&self, epsilon: Epsilon) -> Result<inkveil_privacy::RandomizedResponse, Error> {
        Ok(inkveil_privacy::RandomizedResponse::new(self.lexicon.allowed().len(), epsilon)?)
    }

    /// Returns the likeliest originals of a drawn entry: itself, and the most frequent ones, which are
    /// all as likely to become it.
    fn originals(
        &self,
        drawn: u32,
        epsilon: Epsilon,
        likely: &LikelyOriginals,
    ) -> Result<Observation, Error> {
        let keep = self.at(epsilon)?.keep_probability();
        let other = ((1.0 - keep) / (self.lexicon.allowed().len() as f64 - 1.0).max(1.0)).max(1e-300).ln();
        let frequent = likely.frequent();
        let others = frequent.iter().filter(|id| **id != drawn).map(|&id| (id, other, likely.single(id)));
        let all: Vec<(u32, f64, f64)> = others.chain([(drawn, keep.ln(), likely.single(drawn))]).collect();
        let rest = frequent.last().map_or(other, |&last| other + likely.single(last));
        Ok(Observation::new(all, rest))
    }
}

impl Mechanism for RandomizedResponse {
    fn name(&self) -> MechanismName {
        MechanismName::RandomizedResponse
    }

    fn guarantee(&self, epsilon: Epsilon) -> Result<TokenGuarantee, Error> {
        let guarantees = vec![self.at(epsilon)?.guarantee().for_unit(unit_of(&self.lexicon))];
        Ok(TokenGuarantee { guarantees, ..TokenGuarantee::default() })
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("words", self.lexicon.allowed().len().to_string())]
    }

    fn draw(&self, tokens: &[Token], key: &NoiseKey) -> Result<Vec<u32>, Error> {
        let allowed = self.lexicon.allowed();
        let one = |token: &Token| {
            let mut stream = token.stream(self.name(), &[], key);
            let at = match allowed.binary_search(&token.id) {
                Ok(at) => self.at(token.epsilon)?.sample(at, &mut stream)?,
                // An entry that may not be released cannot be kept. Drawing any word gives a
                // stronger guarantee.
                Err(_) => Uniform::new(allowed.len())?.sample(&mut stream)?,
            };
            Ok(allowed[at])
        };
        tokens.iter().map(one).collect()
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
        let drawn = self.draw(tokens, key)?;
        let one = |(token, drawn): (&Token, u32)| self.originals(drawn, token.epsilon, likely);
        tokens.iter().zip(drawn).map(one).collect::<Result<Vec<_>, _>>().map(Some)
    }

    fn channel(&self, id: u32, epsilon: Epsilon) -> Result<Option<Vec<f64>>, Error> {
        let allowed = self.lexicon.allowed();
        let keep = self.at(epsilon)?.keep_probability();
        let others = (1.0 - keep) / (allowed.len() as f64 - 1.0).max(1.0);
        let any = 1.0 / allowed.len() as f64;
        let known = allowed.binary_search(&id).is_ok();
        let one = |&entry: &u32| match known {
            true if entry == id => keep,
            true => others,
            false => any,
        };
        Ok(Some(allowed.iter().map(one).collect()))
    }

    fn certified_epsilon(&self, id: u32, other: u32, epsilon: Epsilon) -> Result<Option<Epsilon>, Error> {
        Ok(Some(self.at(epsilon)?.certified_epsilon(id as usize, other as usize)))
    }

    fn certified_worst_case(
        &self,
        budgets: &[Epsilon],
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Option<Vec<Epsilon>>, Error> {
        progress(1.0);
        // All pairs of different words have the same loss.
        Ok(Some(
            budgets
                .iter()
                .map(|&epsilon| Ok(self.at(epsilon)?.certified_epsilon(0, 1)))
                .collect::<Result<_, Error>>()?,
        ))
    }
}
