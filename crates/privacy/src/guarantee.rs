//! Guarantees: ε with its metric and unit, and how guarantees compose.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Epsilon, Error, ErrorKind, Metric, Neighbours, Unit};

/// The formal privacy guarantee of a release.
///
/// With [`within`](Guarantee::within) = Δ, ε is instead a total for all pairs of inputs at most Δ
/// apart.
///
/// ```
/// use inkveil_privacy::{Epsilon, Guarantee, Metric, Unit};
///
/// let token = Guarantee::new(Metric::Chordal, Epsilon::new(100.0)?, Unit::Token);
/// assert_eq!(token.to_string(), "ε = 100 per unit of chordal distance, for each token");
/// // Releasing twice doubles ε.
/// assert_eq!(token.then(&token)?.epsilon(), Epsilon::new(200.0)?);
/// // Two directions are at most 2 apart: a pure local guarantee follows.
/// assert_eq!(token.to_pure_ldp(2.0)?.epsilon(), Epsilon::new(200.0)?);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct Guarantee {
    metric: Metric,
    epsilon: Epsilon,
    unit: Unit,
    delta: Option<f64>,
    within: Option<f64>,
    neighbours: Neighbours,
}

impl Guarantee {
    /// Creates a guarantee of ε per unit of distance for any two inputs, with no failure probability.
    pub fn new(metric: Metric, epsilon: Epsilon, unit: Unit) -> Self {
        Self { metric, epsilon, unit, delta: None, within: None, neighbours: Neighbours::Any }
    }

    /// Returns the same guarantee for these pairs of inputs only.
    pub fn among(self, neighbours: Neighbours) -> Self {
        Self { neighbours, ..self }
    }

    /// Returns the same guarantee with a failure probability δ.
    ///
    /// # Errors
    /// If `delta` is not in (0, 1).
    pub fn with_delta(self, delta: f64) -> Result<Self, Error> {
        if delta > 0.0 && delta < 1.0 {
            Ok(Self { delta: Some(delta), ..self })
        } else {
            Err(Error::parameter("delta", "between 0 and 1, both excluded", delta))
        }
    }

    /// Returns a guarantee of ε in total for every pair of inputs at most `distance` apart, instead
    /// of ε per unit of distance.
    ///
    /// # Errors
    /// If `distance` is not a positive number.
    pub fn with_within(self, distance: f64) -> Result<Self, Error> {
        if distance > 0.0 && distance.is_finite() {
            Ok(Self { within: Some(distance), ..self })
        } else {
            Err(Error::parameter("the largest distance of a guarantee", "a positive number", distance))
        }
    }

    /// Returns the same guarantee for another unit. A mechanism knows its noise; its caller knows
    /// what a row stands for.
    pub fn for_unit(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// The distance that ε is measured in.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The budget.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// What one budget protects.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The failure probability, if there is one.
    pub fn delta(&self) -> Option<f64> {
        self.delta
    }

    /// If set, ε is a total for pairs at most this far apart.
    pub fn within(&self) -> Option<f64> {
        self.within
    }

    /// The pairs of inputs that it compares.
    pub fn neighbours(&self) -> Neighbours {
        self.neighbours
    }

    /// Returns the exponent of the guarantee for two inputs `distance` apart.
    ///
    /// # Errors
    /// If `distance` is negative, or larger than the range of the guarantee.
    pub fn loss(&self, distance: f64) -> Result<Epsilon, Error> {
        match self.within {
            None => self.epsilon.checked_mul(distance),
            Some(reach) if (0.0..=reach).contains(&distance) => Ok(self.epsilon),
            Some(_) => Err(Error::parameter("the distance", "within the range of the guarantee", "larger")),
        }
    }

    /// Sequential composition: two releases about the same unit. Budgets and failure probabilities
    /// add up.
    ///
    /// # Errors
    /// If the two have different metrics, units, ranges or neighbours, or the sum overflows.
    pub fn then(&self, next: &Self) -> Result<Self, Error> {
        self.comparable(next)?;
        let epsilon = self.epsilon.checked_add(next.epsilon)?;
        Ok(Self { epsilon, delta: sum_delta(self.delta, next.delta)?, ..*self })
    }

    /// Parallel composition: releases about disjoint units. Each unit gets the weaker of the two
    /// guarantees.
    ///
    /// # Errors
    /// If the two have different metrics, units, ranges or neighbours.
    pub fn beside(&self, other: &Self) -> Result<Self, Error> {
        self.comparable(other)?;
        let delta = match (self.delta, other.delta) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        Ok(Self { epsilon: self.epsilon.max(other.epsilon), delta, ..*self })
    }

    /// Group composition: `size` units change together, each by the given distance. ε grows by the
    /// factor `size` and δ by `size·exp((size−1)·loss)`. A guarantee with δ per unit of distance
    /// therefore needs `reach`, the largest distance by which a unit may change.
    ///
    /// # Errors
    /// If the result overflows, or a guarantee with δ has no `reach`.
    pub fn group(&self, size: u64, reach: Option<f64>) -> Result<Self, Error> {
        let epsilon = self.epsilon.checked_mul(size as f64)?;
        let delta = match self.delta {
            None => None,
            Some(_) if size == 0 => None,
            Some(delta) => {
                let step = self.loss(reach.or(self.within).unwrap_or(f64::INFINITY))?.get();
                let grown = size as f64 * delta * (step * (size - 1) as f64).exp();
                if grown < 1.0 {
                    Some(grown)
                } else {
                    return Err(Error::parameter("delta of the group", "below 1", "1 or more"));
                }
            }
        };
        Ok(Self { epsilon, delta, ..*self })
    }

    /// Returns the pure local-differential-privacy guarantee that follows if no two inputs are
    /// farther apart than `diameter`: the worst case over all pairs.
    ///
    /// # Errors
    /// If `diameter` is not a non-negative number or is beyond the range of the guarantee, or if
    /// there is a δ: then no pure guarantee follows.
    pub fn to_pure_ldp(&self, diameter: f64) -> Result<Self, Error> {
        if self.delta.is_some() {
            return Err(Error::parameter("delta of a pure guarantee", "absent", "present"));
        }
        let epsilon = self.loss(diameter)?;
        Ok(Self { metric: Metric::Discrete, epsilon, within: None, ..*self })
    }

    /// Returns the Euclidean guarantee that follows from a Mahalanobis one. `smallest` is the
    /// smallest eigenvalue of Σ (the smallest diagonal entry if Σ is diagonal): ‖z‖_M ≤
    /// ‖z‖₂/√smallest, so ε grows by 1/√smallest.
    ///
    /// # Errors
    /// If this is not a Mahalanobis guarantee, or `smallest` is not positive.
    pub fn euclidean_equivalent(&self, smallest: f64) -> Result<Self, Error> {
        if self.metric != Metric::Mahalanobis {
            return Err(Error::parameter("the metric", "mahalanobis", self.metric));
        }
        if !(smallest > 0.0 && smallest.is_finite()) {
            return Err(Error::parameter("the smallest eigenvalue", "a positive number", smallest));
        }
        // One step up covers the rounding errors of the root and the quotient.
        let factor = (1.0 / smallest.sqrt()).next_up();
        Ok(Self { metric: Metric::Euclidean, epsilon: self.epsilon.checked_mul(factor)?, ..*self })
    }

    fn comparable(&self, other: &Self) -> Result<(), Error> {
        // Two Mahalanobis distances are the same only for the same Σ, and two erased distances only
        // for the same eraser. A guarantee stores neither.
        if matches!(self.metric, Metric::Mahalanobis | Metric::Erased) {
            return Err(Error::parameter(
                "the metric",
                "one that both share; add the euclidean equivalents",
                self.metric,
            ));
        }
        let terms = |one: &Self| (one.metric, one.unit, one.within, one.neighbours);
        if terms(self) == terms(other) {
            Ok(())
        } else {
            Err(ErrorKind::Incomparable { left: self.to_string(), right: other.to_string() }.into())
        }
    }
}

/// Adds two failure probabilities and rounds up. At 1 or more there is no guarantee left.
fn sum_delta(a: Option<f64>, b: Option<f64>) -> Result<Option<f64>, Error> {
    match (a, b) {
        (Some(a), Some(b)) if (a + b).next_up() < 1.0 => Ok(Some((a + b).next_up())),
        (Some(_), Some(_)) => Err(Error::parameter("the sum of delta", "below 1", "1 or more")),
        (a, b) => Ok(a.or(b)),
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ε = {}", self.epsilon.readable())?;
        if let Some(delta) = self.delta {
            write!(f, ", δ = {delta:e}")?;
        }
        match (self.within, self.metric) {
            (Some(reach), metric) => write!(f, " for inputs within {metric} distance {reach}")?,
            (None, Metric::Discrete) if self.neighbours.is_any() => {
                write!(f, " for any two inputs (pure local differential privacy)")?;
            }
            (None, Metric::Discrete) => {}
            (None, metric) => write!(f, " per unit of {metric} distance")?,
        }
        if !self.neighbours.is_any() {
            write!(f, " between {}", self.neighbours)?;
        }
        write!(f, ", for each {}", self.unit)
    }
}

/// The JSON form before validation.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    metric: Metric,
    epsilon: Epsilon,
    unit: Unit,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delta: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within: Option<f64>,
    #[serde(default, skip_serializing_if = "Neighbours::is_any")]
    neighbours: Neighbours,
}

impl TryFrom<Unchecked> for Guarantee {
    type Error = Error;

    fn try_from(raw: Unchecked) -> Result<Self, Error> {
        let mut guarantee = Self::new(raw.metric, raw.epsilon, raw.unit).among(raw.neighbours);
        if let Some(delta) = raw.delta {
            guarantee = guarantee.with_delta(delta)?;
        }
        if let Some(reach) = raw.within {
            guarantee = guarantee.with_within(reach)?;
        }
        Ok(guarantee)
    }
}

impl From<Guarantee> for Unchecked {
    fn from(g: Guarantee) -> Self {
        Self {
            metric: g.metric,
            epsilon: g.epsilon,
            unit: g.unit,
            delta: g.delta,
            within: g.within,
            neighbours: g.neighbours,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eps(value: f64) -> Epsilon {
        Epsilon::new(value).unwrap()
    }

    #[test]
    fn composition_adds_budgets_and_refuses_different_metrics() {
        let a = Guarantee::new(Metric::Chordal, eps(1.0), Unit::Token);
        let b = Guarantee::new(Metric::Chordal, eps(2.0), Unit::Token);
        assert_eq!(a.then(&b).unwrap().epsilon(), eps(3.0));
        assert_eq!(a.beside(&b).unwrap().epsilon(), eps(2.0));
        assert_eq!(b.group(5, None).unwrap().epsilon(), eps(10.0));
        let other = Guarantee::new(Metric::Angular, eps(2.0), Unit::Token);
        assert!(matches!(a.then(&other).unwrap_err().kind(), ErrorKind::Incomparable { .. }));
        assert!(a.then(&b.for_unit(Unit::Word)).is_err());
        assert!(a.then(&b.among(Neighbours::SameLayout)).is_err());
    }

    #[test]
    fn a_guarantee_states_and_keeps_which_inputs_it_compares() {
        let noised = Guarantee::new(Metric::Chordal, eps(9.0), Unit::Word).among(Neighbours::SameLayout);
        assert_eq!(
            noised.to_string(),
            "ε = 9 per unit of chordal distance between texts of the same layout, for each word"
        );
        assert_eq!(noised.to_pure_ldp(2.0).unwrap().neighbours(), Neighbours::SameLayout);
        let json = serde_json::to_string(&noised).unwrap();
        assert!(json.contains("\"neighbours\":\"same-layout\""), "{json}");
        assert_eq!(serde_json::from_str::<Guarantee>(&json).unwrap(), noised);
    }

    #[test]
    fn deltas_add_and_grow_with_the_group() {
        let g = Guarantee::new(Metric::Euclidean, eps(0.5), Unit::Vector)
            .with_delta(1e-6)
            .unwrap()
            .with_within(2.0)
            .unwrap();
        assert!((g.then(&g).unwrap().delta().unwrap() - 2e-6).abs() < 1e-18);
        let grown = g.group(3, None).unwrap();
        assert!((grown.delta().unwrap() - 3.0 * 1e-6 * (1.0f64).exp()).abs() < 1e-15);
        assert!(g.group(100, None).is_err());
        assert!(g.to_pure_ldp(2.0).is_err(), "with a δ there is no pure guarantee");
        let half = g.with_delta(0.6).unwrap();
        assert!(half.then(&half).is_err());
        let reach = Guarantee::new(Metric::Euclidean, eps(0.5), Unit::Vector).with_within(2.0).unwrap();
        assert!(reach.to_pure_ldp(3.0).is_err());
        assert_eq!(reach.to_pure_ldp(2.0).unwrap().epsilon(), eps(0.5));
    }

    #[test]
    fn mahalanobis_guarantees_convert_to_euclidean_ones() {
        let g = Guarantee::new(Metric::Mahalanobis, eps(10.0), Unit::Vector);
        let e = g.euclidean_equivalent(1e-6).unwrap();
        assert_eq!(e.metric(), Metric::Euclidean);
        assert!(e.epsilon().get() >= 10_000.0 && e.epsilon().get() < 10_000.001);
        assert!(e.euclidean_equivalent(1.0).is_err());
        assert!(g.then(&g).is_err() && e.then(&e).is_ok());
        assert!(g.euclidean_equivalent(0.0).is_err());
    }

    #[test]
    fn json_is_validated() {
        let g = Guarantee::new(Metric::Discrete, Epsilon::INFINITE, Unit::Span);
        let json = serde_json::to_string(&g).unwrap();
        assert_eq!(json, r#"{"metric":"discrete","epsilon":"inf","unit":"span"}"#);
        assert_eq!(serde_json::from_str::<Guarantee>(&json).unwrap(), g);
        for bad in [
            r#"{"metric":"discrete","epsilon":-1,"unit":"span"}"#,
            r#"{"metric":"discrete","epsilon":1,"unit":"span","delta":1.5}"#,
            r#"{"metric":"discrete","epsilon":1,"unit":"span","within":-2}"#,
            r#"{"metric":"discrete","epsilon":1,"unit":"span","extra":0}"#,
            r#"{"metric":"taxicab","epsilon":1,"unit":"span"}"#,
        ] {
            assert!(serde_json::from_str::<Guarantee>(bad).is_err(), "{bad}");
        }
    }
}
