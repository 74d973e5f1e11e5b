//! Mechanisms that move a token's vector and take the nearest entry.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use inkveil_lexicon::{Lexicon, Search};
use inkveil_privacy::{Epsilon, NoiseKey, VectorMechanism, perturb_rows_by};

use super::interface::{Mechanism, Token, TokenGuarantee};
use super::likely::{LikelyOriginals, Near, Observation};
use super::name::MechanismName;
use crate::Error;

/// The number of tokens whose vectors are in memory at once.
const BATCH: usize = 8192;

/// Noise on vectors.
pub(super) trait Noise: fmt::Debug + Send + Sync {
    fn name(&self) -> MechanismName;

    /// Returns the mechanism for a budget.
    fn at(&self, epsilon: Epsilon) -> Result<Box<dyn VectorMechanism>, Error>;

    /// Returns the guarantee for each token; `mechanism` is the result of [`at`](Self::at).
    fn guarantee(&self, epsilon: Epsilon, mechanism: &dyn VectorMechanism) -> Result<TokenGuarantee, Error>;

    fn parameters(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Appends the vector that the noise is added to. By default this is the direction; some
    /// mechanisms need the vector of the model.
    fn vector(&self, lexicon: &Lexicon, id: u32, out: &mut Vec<f32>) {
        out.extend_from_slice(lexicon.row(id).unwrap_or_default());
    }

    /// Returns how likely a noisy vector is, by its cosine with the original direction; none if more
    /// than the cosine matters.
    fn likelihood(&self, _epsilon: Epsilon) -> Result<Option<Likelihood>, Error> {
        Ok(None)
    }

    /// Returns the entries nearest to noisy vectors, by cosine unless the mechanism decodes
    /// otherwise.
    fn decode(&self, lexicon: &Lexicon, rows: &[f32]) -> Result<Vec<u32>, Error> {
        nearest(lexicon.search()?, rows)
    }
}

/// The logarithm of the likelihood of a noisy vector, up to a constant.
#[derive(Debug, Clone, Copy)]
pub(super) enum Likelihood {
    /// Slope times cosine.
    Slope(f64),
    /// A function of the length of the noisy vector and the cosine, which rises with the cosine. The
    /// number is ε.
    Rising(f64, fn(f64, f64) -> f64),
}

pub(super) fn nearest(search: &Search, rows: &[f32]) -> Result<Vec<u32>, Error> {
    Ok(search.nearest(rows)?.into_iter().map(|found| found.id).collect())
}

/// A mechanism that adds a noise to vectors.
pub(super) struct Directions<N> {
    noise: N,
    lexicon: Arc<Lexicon>,
    /// Mechanisms by the bits of their budget. There are few, and some are costly to set up.
    built: Mutex<HashMap<u64, Arc<dyn VectorMechanism>>>,
}

impl<N: Noise> Directions<N> {
    pub(super) fn new(noise: N, lexicon: Arc<Lexicon>) -> Self {
        Self { noise, lexicon, built: Mutex::default() }
    }

    fn at(&self, epsilon: Epsilon) -> Result<Arc<dyn VectorMechanism>, Error> {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mechanism) = built.get(&epsilon.get().to_bits()) {
            return Ok(mechanism.clone());
        }
        let mechanism: Arc<dyn VectorMechanism> = self.noise.at(epsilon)?.into();
        built.insert(epsilon.get().to_bits(), mechanism.clone());
        Ok(mechanism)
    }

    /// Returns the noisy vector of each token.
    fn noisy(&self, tokens: &[Token], key: &NoiseKey) -> Result<Vec<f32>, Error> {
        let mechanisms: Vec<Arc<dyn VectorMechanism>> =
            tokens.iter().map(|token| self.at(token.epsilon)).collect::<Result<_, _>>()?;
        let dimension = self.lexicon.table().dimension();
        let mut rows = Vec::with_capacity(tokens.len() * dimension);
        tokens.iter().for_each(|token| self.noise.vector(&self.lexicon, token.id, &mut rows));
        perturb_rows_by(dimension, &mut rows, key, |index| (&*mechanisms[index], tokens[index].place))?;
        Ok(rows)
    }

    /// Returns the likeliest originals of noisy vectors.
    fn originals(
        &self,
        rows: &[f32],
        budgets: &[Epsilon],
        likely: &LikelyOriginals,
    ) -> Result<Option<Vec<Observation>>, Error> {
        let mut known: Vec<(Epsilon, Likelihood)> = Vec::new();
        let mut each = Vec::with_capacity(budgets.len());
        for budget in budgets {
            let found = known.iter().find(|(epsilon, _)| epsilon == budget).map(|(_, found)| *found);
            let found = match found {
                Some(found) => found,
                None => match self.noise.likelihood(*budget)? {
                    Some(found) => {
                        known.push((*budget, found));
                        found
                    }
                    None => return Ok(None),
                },
            };
            each.push(found);
        }
        let slopes: Option<Vec<f64>> = each
            .iter()
            .map(|likelihood| match likelihood {
                Likelihood::Slope(slope) => Some(*slope),
                Likelihood::Rising(..) => None,
            })
            .collect();
        if let Some(slopes) = slopes {
            let found = likely.by_slope(rows, &slopes)?.into_iter().zip(&slopes);
            let observation = |((near, rest), slope): (Near, &f64)| {
                let both = |(id, cosine): (u32, f64)| (id, slope * cosine, likely.single(id));
                Observation::new(near.into_iter().map(both).collect(), rest)
            };
            return Ok(Some(found.map(observation).collect()));
        }
        let dimension = self.lexicon.table().dimension();
        let found = likely.by_cosine(rows)?.into_iter().zip(each).zip(rows.chunks(dimension));
        let observation = |(((near, least), likelihood), row): ((Near, Likelihood), &[f32])| {
            let length = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
            let log = |cosine: f64| match likelihood {
                Likelihood::Slope(slope) => slope * cosine,
                Likelihood::Rising(epsilon, log) => epsilon * log(length, cosine),
            };
            // No other entry has a larger cosine.
            let rest = log(least) + likely.largest_single();
            let both = |(id, cosine): (u32, f64)| (id, log(cosine), likely.single(id));
            Observation::new(near.into_iter().map(both).collect(), rest)
        };
        Ok(Some(found.map(observation).collect()))
    }
}

impl<N: Noise> Mechanism for Directions<N> {
    fn name(&self) -> MechanismName {
        self.noise.name()
    }

    fn guarantee(&self, epsilon: Epsilon) -> Result<TokenGuarantee, Error> {
        let mechanism = self.at(epsilon)?;
        let guarantee = self.noise.guarantee(epsilon, &*mechanism)?;
        Ok(TokenGuarantee { slack: Some(mechanism.slack()), ..guarantee })
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        self.noise.parameters()
    }

    fn draw(&self, tokens: &[Token], key: &NoiseKey) -> Result<Vec<u32>, Error> {
        let decoded = |batch: &[Token]| self.noise.decode(&self.lexicon, &self.noisy(batch, key)?);
        Ok(tokens.chunks(BATCH).map(decoded).collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn has_likelihood(&self) -> bool {
        Epsilon::new(1.0).is_ok_and(|one| self.noise.likelihood(one).is_ok_and(|found| found.is_some()))
    }

    fn observe(
        &self,
        tokens: &[Token],
        key: &NoiseKey,
        likely: &LikelyOriginals,
    ) -> Result<Option<Vec<Observation>>, Error> {
        let mut all = Vec::with_capacity(tokens.len());
        for batch in tokens.chunks(BATCH) {
            let budgets: Vec<Epsilon> = batch.iter().map(|token| token.epsilon).collect();
            match self.originals(&self.noisy(batch, key)?, &budgets, likely)? {
                Some(observed) => all.extend(observed),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }
}

impl<N: fmt::Debug> fmt::Debug for Directions<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.noise.fmt(f)
    }
}
