//! The interface of a mechanism, and what all mechanisms need of a lexicon.

use std::fmt;

use inkveil_lexicon::{Lexicon, LexiconKind};
use inkveil_privacy::{Epsilon, Guarantee, Metric, NoiseAddress, NoiseKey, NoiseStream, Slack, Unit};

use super::likely::{LikelyOriginals, Observation};
use super::name::MechanismName;
use crate::Error;

/// A token to replace.
#[derive(Clone, Copy)]
pub struct Token {
    /// Its entry in the lexicon; it must have a direction.
    pub id: u32,
    /// Its budget, above 0 and finite. At 0 and ∞ nothing is drawn.
    pub epsilon: Epsilon,
    /// The address of its noise.
    pub place: NoiseAddress,
}

impl Token {
    /// Returns the noise of this token. It is drawn for the token, its budget and the mechanism with
    /// its parameters, so that no two of them share noise.
    pub(super) fn stream(&self, mechanism: MechanismName, parameters: &[f64], key: &NoiseKey) -> NoiseStream {
        let settings = [&[self.epsilon.get()], parameters].concat();
        key.stream(self.place, &(mechanism.name(), &settings[..], u64::from(self.id)))
    }
}

/// The guarantee for each token that a mechanism replaces.
#[derive(Debug, Clone, Default)]
pub struct TokenGuarantee {
    /// The guarantees. If there are several, their losses add.
    pub guarantees: Vec<Guarantee>,
    /// Equivalent guarantees in other metrics.
    pub equivalents: Vec<Guarantee>,
    /// The largest distance of two entries in each metric.
    pub diameters: Vec<(Metric, f64)>,
    /// The typical distance from an entry to its nearest neighbour.
    pub typical_distance: Option<f64>,
    /// What rounding errors of the sampler add.
    pub slack: Option<Slack>,
}

/// Replaces tokens by tokens.
pub trait Mechanism: fmt::Debug + Send + Sync {
    /// Returns its name in settings and receipts.
    fn name(&self) -> MechanismName;

    /// Returns the guarantee for each token with this budget.
    ///
    /// # Errors
    /// If the mechanism does not support this budget.
    fn guarantee(&self, epsilon: Epsilon) -> Result<TokenGuarantee, Error>;

    /// Returns public parameters beyond the budget, for the receipt.
    fn parameters(&self) -> Vec<(&'static str, String)>;

    /// Draws a replacement for each token: an entry that may be released.
    ///
    /// # Errors
    /// If a budget is out of range, or two tokens have the same place.
    fn draw(&self, tokens: &[Token], key: &NoiseKey) -> Result<Vec<u32>, Error>;

    /// Returns whether it can [`observe`](Self::observe).
    fn has_likelihood(&self) -> bool {
        false
    }

    /// Draws as [`draw`](Self::draw) does, with the same noise, and returns the likeliest originals of
    /// what was drawn for each token. They depend on the drawn value and the budget, and on nothing else
    /// of the token. None if the likelihood is not known.
    ///
    /// # Errors
    /// As [`draw`](Self::draw).
    fn observe(
        &self,
        _tokens: &[Token],
        _key: &NoiseKey,
        _likely: &LikelyOriginals,
    ) -> Result<Option<Vec<Observation>>, Error> {
        Ok(None)
    }

    /// Returns the probability of each [allowed](Lexicon::allowed) entry, given the token's entry.
    /// This is what an attacker knows about the mechanism. None if it can only be estimated from
    /// draws.
    ///
    /// # Errors
    /// If the mechanism does not support this budget.
    fn channel(&self, _id: u32, _epsilon: Epsilon) -> Result<Option<Vec<f64>>, Error> {
        Ok(None)
    }

    /// Returns the true loss between two entries with this budget, rounded up. It is at most what
    /// the guarantee states, and often far less. None if it is not known.
    ///
    /// # Errors
    /// If the mechanism does not support this budget.
    fn certified_epsilon(&self, _id: u32, _other: u32, _epsilon: Epsilon) -> Result<Option<Epsilon>, Error> {
        Ok(None)
    }

    /// Returns the largest true loss of two entries at each budget, over all entries that may come out,
    /// rounded up. It is computed, not estimated, which takes tens of seconds for a large vocabulary;
    /// `progress` receives the share that is done. None if it is not known.
    ///
    /// # Errors
    /// If the mechanism does not support a budget.
    fn certified_worst_case(
        &self,
        _budgets: &[Epsilon],
        _progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Option<Vec<Epsilon>>, Error> {
        Ok(None)
    }
}

/// Returns the unit of a lexicon's guarantees.
pub(crate) fn unit_of(lexicon: &Lexicon) -> Unit {
    match lexicon.kind() {
        LexiconKind::Subword => Unit::Token,
        LexiconKind::Words => Unit::Word,
    }
}

/// Returns two chordal distances of a lexicon: the largest, and the typical one to the nearest
/// neighbour.
pub(super) fn distances(lexicon: &Lexicon) -> Result<(f64, f64), Error> {
    let geometry = lexicon.geometry()?;
    Ok((geometry.diameter(), geometry.nearest_quartiles()[1]))
}

/// Returns the angle of two directions at a chordal distance.
pub(super) fn angle(chord: f64) -> f64 {
    2.0 * (chord / 2.0).clamp(0.0, 1.0).asin()
}
