//! A pack's notes about veiling with its lexicons: the threshold of relevance, and the survival of
//! words at each ε.

use std::collections::BTreeMap;
use std::path::Path;

use inkveil_lexicon::LexiconKind;
use inkveil_privacy::{Calibration, Epsilon};
use serde::{Deserialize, Serialize};

use crate::budget::Goal;
use crate::mechanism::{MechanismName, MechanismSettings, NearestBy};
use crate::{Budget, Budgets, Decoding, Error, Threshold};

/// The name of the file in a pack.
pub const NOTES_FILE: &str = "veil.json";

/// A pack's notes about veiling.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VeilNotes {
    format: u32,
    /// The lexicon to use by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_lexicon: Option<String>,
    /// The notes for each kind of lexicon.
    #[serde(default)]
    pub lexicons: BTreeMap<String, LexiconNotes>,
}

/// The notes about veiling with one lexicon.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LexiconNotes {
    /// The relevance from which on a word is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<Threshold>,
    /// The survival curve of each mechanism.
    #[serde(default)]
    pub curves: BTreeMap<String, Vec<CurvePoint>>,
}

/// The measures at one ε.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePoint {
    /// The budget. For `polar` it is the concentration, which equals the budget under the
    /// calibration `paper`.
    pub epsilon: f64,
    /// The probability that a sensitive word survives unchanged.
    pub survival: f64,
    /// The number of different words that one word becomes in a hundred draws.
    pub distinct: f64,
    /// The mean cosine between a word and its replacement.
    pub cosine: f64,
    /// The probability that the attacker's best guess, given the replacement, is the original.
    pub attack: f64,
}

impl VeilNotes {
    const FORMAT: u32 = 1;

    /// Opens the notes of a pack. They are empty if the pack has no such file.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn open(pack: &Path) -> Result<Self, Error> {
        let path = pack.join(NOTES_FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Error::io("read it", &error).in_file(&path)),
        };
        let notes: Self = serde_json::from_str(&text).map_err(|error| {
            Error::curves(format!(
                "{}: line {}: {}; pull the pack again, or measure its curves again",
                path.display(),
                error.line(),
                fault(&error)
            ))
        })?;
        if notes.format > Self::FORMAT {
            return Err(Error::curves(format!(
                "{}: it was written by a newer version of inkveil; update inkveil",
                path.display()
            )));
        }
        if !notes.lexicons.values().flat_map(|l| l.curves.values()).all(|curve| is_curve(curve)) {
            return Err(Error::curves(format!(
                "{}: a curve has a share outside 0 to 1 or is not in the order of ε; measure it again",
                path.display()
            )));
        }
        Ok(notes)
    }

    /// Returns the content of the file.
    pub fn to_json(&self) -> Result<String, Error> {
        let notes = Self { format: Self::FORMAT, ..self.clone() };
        let json = serde_json::to_string_pretty(&notes);
        json.map(|json| json + "\n")
            .map_err(|_| Error::curves("the curves contain a number that is not finite"))
    }

    /// Returns the notes about a lexicon.
    pub fn of(&self, kind: LexiconKind) -> LexiconNotes {
        self.lexicons.get(kind.name()).cloned().unwrap_or_default()
    }

    /// Returns the lexicon to use by default.
    pub fn lexicon(&self) -> LexiconKind {
        self.default_lexicon.as_deref().and_then(|name| name.parse().ok()).unwrap_or(LexiconKind::Subword)
    }
}

fn fault(error: &serde_json::Error) -> &'static str {
    if error.is_data() { "a field is missing or has the wrong type" } else { "not JSON" }
}

/// Returns whether ε ascends and every value is in its range.
fn is_curve(curve: &[CurvePoint]) -> bool {
    let share = |x: f64| (0.0..=1.0).contains(&x);
    let ascending = curve.windows(2).all(|pair| pair[0].epsilon < pair[1].epsilon);
    let plausible = curve.iter().all(|point| {
        point.epsilon.is_finite() && point.epsilon > 0.0 && share(point.survival) && share(point.attack)
    });
    ascending && plausible && !curve.is_empty()
}

/// Returns the name of a mechanism's curve, and the factor of a budget on it.
pub(crate) fn curve_of(mechanism: &MechanismSettings, decoding: Decoding, diameter: f64) -> (String, f64) {
    let (name, factor) = nearest_curve_of(mechanism, diameter);
    match decoding {
        Decoding::Nearest => (name, factor),
        Decoding::Joint => (format!("{name}{JOINT}"), factor),
    }
}

/// The end of the names of curves with joint decoding.
pub(crate) const JOINT: &str = "-joint";

fn nearest_curve_of(mechanism: &MechanismSettings, diameter: f64) -> (String, f64) {
    let factor = match mechanism.calibration {
        Calibration::Paper => 1.0,
        Calibration::Reference => 1.0 / std::f64::consts::PI,
        Calibration::Pure => 1.0 / diameter,
    };
    match (mechanism.name, mechanism.nearest_by) {
        (MechanismName::Polar | MechanismName::PolarRadial, _) => {
            (MechanismName::Polar.name().to_owned(), factor)
        }
        (MechanismName::LaplaceL1, NearestBy::Euclidean) => ("laplace-l1-euclidean".to_owned(), 1.0),
        (name, _) => (name.name().to_owned(), 1.0),
    }
}

/// The curve of a mechanism.
pub(crate) struct Curve<'n> {
    points: &'n [CurvePoint],
    factor: f64,
    name: String,
}

impl LexiconNotes {
    pub(crate) fn curve(
        &self,
        mechanism: &MechanismSettings,
        decoding: Decoding,
        diameter: f64,
    ) -> Result<Curve<'_>, Error> {
        let (name, factor) = curve_of(mechanism, decoding, diameter);
        match self.curves.get(&name) {
            Some(points) => Ok(Curve { points, factor, name }),
            None => Err(Error::curves(format!(
                "the pack has no survival curve for the mechanism {name} with this lexicon; measure and save one with `inkveil curves`, or give budgets as numbers"
            ))),
        }
    }
}

impl Curve<'_> {
    /// Returns the largest budget at which a sensitive word survives with at most this probability.
    pub(crate) fn at_most(&self, survival: f64) -> Result<Epsilon, Error> {
        let above = self.points.iter().position(|point| point.survival > survival);
        let epsilon = match above {
            Some(0) => {
                return Err(Error::curves(format!(
                    "with {} a sensitive word survives more often than that at every ε that was measured; use ε = 0",
                    self.name
                )));
            }
            Some(above) => cross(&self.points[above - 1], &self.points[above], survival),
            None => self.points.last().map_or(0.0, |point| point.epsilon),
        };
        Ok(Epsilon::new(epsilon / self.factor)?)
    }

    /// Returns the smallest budget from which on a word survives with at least this probability.
    pub(crate) fn at_least(&self, survival: f64) -> Result<Epsilon, Error> {
        let below = self.points.iter().rposition(|point| point.survival < survival);
        let epsilon = match below {
            None => self.points.first().map_or(f64::INFINITY, |point| point.epsilon),
            Some(below) => match self.points.get(below + 1) {
                Some(next) => cross(&self.points[below], next, survival),
                None => f64::INFINITY,
            },
        };
        Ok(Epsilon::new(epsilon / self.factor)?)
    }
}

/// Returns the ε at which the line between two points has this survival.
fn cross(below: &CurvePoint, above: &CurvePoint, survival: f64) -> f64 {
    let rise = above.survival - below.survival;
    let share = if rise > 0.0 { ((survival - below.survival) / rise).clamp(0.0, 1.0) } else { 0.0 };
    // Whole numbers are easier to read, and rounding down errs on the safe side.
    let epsilon = below.epsilon + share * (above.epsilon - below.epsilon);
    if epsilon >= 10.0 { epsilon.floor() } else { (epsilon * 100.0).floor() / 100.0 }
}

/// Returns the budgets that the settings ask for.
pub(crate) fn budgets(
    budget: Budget,
    notes: &LexiconNotes,
    mechanism: &MechanismSettings,
    decoding: Decoding,
    diameter: f64,
) -> Result<Budgets, Error> {
    let curve = || notes.curve(mechanism, decoding, diameter);
    Ok(match budget {
        Budget::Base(base) => Budgets::from_base(base.get())?,
        Budget::Each(budgets) => budgets,
        Budget::Uniform(budget) => Budgets::uniform(budget),
        Budget::TargetSurvival(share) => {
            Budgets::from_base(curve()?.at_most(share)?.get() / Budgets::RATIO[0])?
        }
        Budget::Preset(preset) => {
            let [a, b, c, d] = preset.goals()?.map(|goal| match goal {
                Goal::Replaced => Ok(Epsilon::ZERO),
                Goal::Kept => Ok(Epsilon::INFINITE),
                Goal::Exactly(epsilon) => Ok(epsilon),
                Goal::AtLeast(share) => curve()?.at_least(share),
            });
            Budgets::new([a?, b?, c?, d?])
        }
    })
}
