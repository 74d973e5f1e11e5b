//! The learned scorer of doubtful pairs: a mention and a person that it may be of.

use crate::person::{Fit, Match};

/// The number of features.
pub const FEATURES: usize = 16;

/// What is known about a mention and a person that it may be of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features(pub [f64; FEATURES]);

/// What the resolver knows about a doubtful pair.
pub(crate) struct Pair<'p> {
    pub(crate) fit: &'p Fit,
    pub(crate) titled: bool,
    /// Both genders are known and agree.
    pub(crate) genders_agree: bool,
    /// The name is a given name of the list.
    pub(crate) given_name: bool,
    /// The number of other people that the mention fits.
    pub(crate) rivals: usize,
    /// No other person that fits was mentioned later before this place.
    pub(crate) nearest: bool,
    /// No other person that fits has more mentions.
    pub(crate) most_mentioned: bool,
    /// The mentions of the person so far.
    pub(crate) mentions: usize,
    /// The bytes to the nearest mention before this place; none if the person is only mentioned later.
    pub(crate) distance: Option<usize>,
}

impl Features {
    pub(crate) fn of(pair: &Pair<'_>) -> Self {
        let fit = pair.fit;
        let exact = |found: Option<Match>| found == Some(Match::Exact);
        let is = |condition: bool| f64::from(u8::from(condition));
        let single_given = exact(fit.given) && fit.family.is_none();
        let single_family = exact(fit.family) && fit.given.is_none();
        Self([
            1.0,
            is(single_given),
            is(single_family),
            is(fit.given == Some(Match::Short)),
            is(fit.given == Some(Match::Initial)),
            is(fit.initials),
            is(exact(fit.single)),
            is(fit.middle),
            is(pair.titled && fit.given.is_some() && fit.family.is_none()),
            is(pair.genders_agree),
            // The list contradicts the place of the name.
            is(single_family && pair.given_name && !pair.titled),
            is(pair.rivals > 0),
            is(pair.rivals > 0 && pair.nearest),
            is(pair.rivals > 0 && pair.most_mentioned),
            (pair.mentions.min(20) as f64).ln_1p() / 3.0,
            pair.distance.map_or(1.0, |bytes| (1.0 + bytes as f64 / 200.0).ln() / 4.0),
        ])
    }
}

/// Decides whether a doubtful mention is of a person.
pub trait Judge {
    /// Returns the probability that the span is of the person that the other spans are of.
    fn probability(&mut self, span: usize, of: &[usize], features: &Features) -> f64;
}

/// A logistic regression over [`Features`].
#[derive(Debug, Clone)]
pub struct Scorer {
    weights: [f64; FEATURES],
}

/// Made by `cargo run --release -p inkveil-dev -- entities train --gold mentions.jsonl`, with
/// the coreference corpus GUM as `scripts/gum-mentions` prepares it.
const WEIGHTS: [f64; FEATURES] = [
    2.840, 1.391, 1.242, 0.589, 1.567, 0.000, -0.473, -0.833, 0.000, 0.750, 0.232, -7.682, 4.580, -0.006,
    2.448, -1.018,
];

impl Default for Scorer {
    fn default() -> Self {
        Self { weights: WEIGHTS }
    }
}

impl Scorer {
    /// A scorer with other weights, for training.
    pub fn with_weights(weights: [f64; FEATURES]) -> Self {
        Self { weights }
    }

    /// Returns the probability that a pair is the same person.
    pub fn score(&self, features: &Features) -> f64 {
        let sum: f64 = self.weights.iter().zip(features.0).map(|(weight, feature)| weight * feature).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

impl Judge for Scorer {
    fn probability(&mut self, _: usize, _: &[usize], features: &Features) -> f64 {
        self.score(features)
    }
}
