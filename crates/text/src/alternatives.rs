//! The budgets with which other mechanisms keep as many words unchanged.

use inkveil_privacy::{Alternative, Epsilon, Metric};

use crate::Decoding;
use crate::mechanism::{MechanismName, MechanismSettings};
use crate::notes::{CurvePoint, JOINT, LexiconNotes, curve_of};

/// The number of alternatives on a receipt.
const MOST: usize = 3;

/// The measured survival at a budget, and the other mechanisms that reach it with a smaller worst case.
pub(crate) struct Survival {
    pub(crate) probability: f64,
    pub(crate) alternatives: Vec<Alternative>,
}

impl Survival {
    /// Reads the curves of a pack. `diameter` is the largest chordal distance of two entries. None if
    /// the pack has no curve of the mechanism.
    pub(crate) fn at(
        epsilon: Epsilon,
        notes: &LexiconNotes,
        mechanism: &MechanismSettings,
        decoding: Decoding,
        diameter: f64,
    ) -> Option<Self> {
        let (own, factor) = curve_of(mechanism, decoding, diameter);
        let probability = survival(notes.curves.get(&own)?, epsilon.get() * factor)?;
        let other = |(name, curve): (&String, &Vec<CurvePoint>)| {
            // The others are decoded alone. Names of curves with joint decoding are names of no mechanism.
            let is_other = name.as_str() != own.strip_suffix(JOINT).unwrap_or(&own);
            let name: MechanismName = name.parse().ok().filter(|_| is_other)?;
            let epsilon = Epsilon::new(budget(curve, probability)?).ok()?;
            let metric = metric_of(name);
            let worst_case = reach(metric, diameter).map(|far| three_digits(epsilon.get() * far));
            let worst_case_epsilon = worst_case.and_then(|worst| Epsilon::new(worst).ok());
            Some(Alternative { mechanism: name.name().to_owned(), metric, epsilon, worst_case_epsilon })
        };
        let mut alternatives: Vec<Alternative> = notes.curves.iter().filter_map(other).collect();
        alternatives.retain(|other| other.worst_case_epsilon.is_some());
        alternatives.sort_by(|a, b| {
            let worst = |other: &Alternative| other.worst_case_epsilon.map_or(f64::INFINITY, Epsilon::get);
            worst(a).total_cmp(&worst(b))
        });
        alternatives.truncate(MOST);
        Some(Self { probability, alternatives })
    }
}

/// Returns the survival at a budget; none below the first point, because it is not measured there.
fn survival(curve: &[CurvePoint], epsilon: f64) -> Option<f64> {
    let above = curve.iter().position(|point| point.epsilon >= epsilon);
    match above {
        Some(0) => curve.first().filter(|first| first.epsilon <= epsilon).map(|first| first.survival),
        Some(above) => {
            let (low, high) = (&curve[above - 1], &curve[above]);
            let share = (epsilon - low.epsilon) / (high.epsilon - low.epsilon);
            Some(low.survival + share * (high.survival - low.survival))
        }
        None => curve.last().map(|last| last.survival),
    }
}

/// Returns the smallest budget with at least this survival, rounded up to three digits; none if it was
/// not measured.
fn budget(curve: &[CurvePoint], survival: f64) -> Option<f64> {
    let above = curve.iter().position(|point| point.survival >= survival)?;
    let epsilon = match above.checked_sub(1) {
        None => curve[above].epsilon,
        Some(below) => {
            let (low, high) = (&curve[below], &curve[above]);
            let share = (survival - low.survival) / (high.survival - low.survival);
            low.epsilon + share * (high.epsilon - low.epsilon)
        }
    };
    Some(three_digits(epsilon))
}

/// Rounds up to three significant digits.
fn three_digits(number: f64) -> f64 {
    let digit = 10_f64.powf(number.log10().floor() - 2.0);
    // Parsing removes the error of the product.
    let rounded = (number / digit - 1e-9).ceil() * digit;
    format!("{rounded:.2e}").parse().unwrap_or(rounded)
}

/// Returns the metric of a mechanism's budget.
fn metric_of(name: MechanismName) -> Metric {
    match name {
        MechanismName::Polar
        | MechanismName::PolarRadial
        | MechanismName::Exponential
        | MechanismName::TruncatedExponential => Metric::Chordal,
        MechanismName::LaplaceL2 => Metric::Euclidean,
        MechanismName::Purkayastha => Metric::Angular,
        MechanismName::Mahalanobis => Metric::Mahalanobis,
        MechanismName::LaplaceL1 | MechanismName::RandomizedResponse => Metric::Discrete,
    }
}

/// Returns the largest distance of two entries in a metric, if the chordal one gives it.
fn reach(metric: Metric, diameter: f64) -> Option<f64> {
    match metric {
        // Directions have length one.
        Metric::Chordal | Metric::Euclidean => Some(diameter),
        Metric::Angular => Some(2.0 * (diameter / 2.0).clamp(0.0, 1.0).asin()),
        Metric::Discrete => Some(1.0),
        Metric::Manhattan | Metric::Mahalanobis | Metric::Erased | Metric::Radial => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(epsilon: f64, survival: f64) -> CurvePoint {
        CurvePoint { epsilon, survival, distinct: 1.0, cosine: 1.0, attack: survival }
    }

    #[test]
    fn other_mechanisms_are_compared_at_the_same_survival() {
        let mut notes = LexiconNotes::default();
        notes.curves.insert("polar".into(), vec![point(100.0, 0.5), point(120.0, 1.0)]);
        notes.curves.insert("exponential".into(), vec![point(10.0, 0.0), point(20.0, 1.0)]);
        notes.curves.insert("randomized-response".into(), vec![point(8.0, 0.5), point(12.0, 1.0)]);
        notes.curves.insert("mahalanobis".into(), vec![point(90.0, 0.0), point(200.0, 1.0)]);
        notes.curves.insert("laplace-l2".into(), vec![point(90.0, 0.1), point(100.0, 0.2)]);
        let settings = MechanismSettings::default();
        let at = |epsilon: f64| {
            Survival::at(Epsilon::new(epsilon).unwrap(), &notes, &settings, Decoding::Nearest, 1.5)
        };
        let found = at(110.0).unwrap();
        assert_eq!(found.probability, 0.75);
        let named: Vec<(&str, f64)> =
            found.alternatives.iter().map(|other| (other.mechanism.as_str(), other.epsilon.get())).collect();
        assert_eq!(named, [("randomized-response", 10.0), ("exponential", 17.5)]);
        assert_eq!(found.alternatives[1].worst_case_epsilon.unwrap().get(), 26.3);
        assert!(at(50.0).is_none(), "it is not measured there");
        assert_eq!(at(500.0).unwrap().probability, 1.0);
    }
}
