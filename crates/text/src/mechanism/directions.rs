//! Mechanisms that move a token's vector and take the nearest entry.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use inkveil_lexicon::{Lexicon, Search};
use inkveil_privacy::{Epsilon, NoiseKey, VectorMechanism, perturb_rows_by};

use super::interface::{Mechanism, Token, TokenGuarantee};
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

    /// Returns the entries nearest to noisy vectors, by cosine unless the mechanism decodes
    /// otherwise.
    fn decode(&self, lexicon: &Lexicon, rows: &[f32]) -> Result<Vec<u32>, Error> {
        nearest(lexicon.search()?, rows)
    }
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

    fn draw_batch(&self, tokens: &[Token], key: &NoiseKey) -> Result<Vec<u32>, Error> {
        let mechanisms: Vec<Arc<dyn VectorMechanism>> =
            tokens.iter().map(|token| self.at(token.epsilon)).collect::<Result<_, _>>()?;
        let dimension = self.lexicon.table().dimension();
        let mut rows = Vec::with_capacity(tokens.len() * dimension);
        tokens.iter().for_each(|token| self.noise.vector(&self.lexicon, token.id, &mut rows));
        perturb_rows_by(dimension, &mut rows, key, |index| (&*mechanisms[index], tokens[index].place))?;
        self.noise.decode(&self.lexicon, &rows)
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
        let batches = tokens.chunks(BATCH).map(|batch| self.draw_batch(batch, key));
        Ok(batches.collect::<Result<Vec<_>, _>>()?.concat())
    }
}

impl<N: fmt::Debug> fmt::Debug for Directions<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.noise.fmt(f)
    }
}
