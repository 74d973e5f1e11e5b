//! Randomised response over the vocabulary: the baseline that ignores distances.

use std::sync::Arc;

use inkveil_lexicon::Lexicon;
use inkveil_privacy::{Epsilon, NoiseKey, Uniform};

use super::interface::{Mechanism, Token, TokenGuarantee, unit_of};
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
}
