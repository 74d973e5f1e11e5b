//! What a pack knows about veiling with its lexicons: where relevance begins, and how often words survive at which ε.

use std::collections::BTreeMap;
use std::path::Path;

use inkveil_lexicon::Kind;
use inkveil_privacy::{Calibration, Epsilon};
use serde::{Deserialize, Serialize};

use crate::budget::Goal;
use crate::mechanism::{Decoding, MechanismSettings, Name};
use crate::{Budget, Budgets, Error, Threshold};

/// The file in a pack.
pub const NOTES: &str = "veil.json";

/// What a pack knows about veiling.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notes {
    format: u32,
    /// The lexicon to use unless another is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_lexicon: Option<String>,
    /// By the kind of lexicon.
    #[serde(default)]
    pub lexicons: BTreeMap<String, LexiconNotes>,
}

/// What is known about veiling with a lexicon.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LexiconNotes {
    /// From which relevance on a word is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<Threshold>,
    /// How often words survive, by mechanism.
    #[serde(default)]
    pub curves: BTreeMap<String, Vec<Point>>,
}

/// What was measured at an ε.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// The budget; for `polar` the concentration, which is the budget under the calibration `paper`.
    pub epsilon: f64,
    /// How often a sensitive word comes out as it was.
    pub survival: f64,
    /// How many different words come out for one word, of a hundred draws.
    pub distinct: f64,
    /// The mean cosine of a word with what comes out for it.
    pub cosine: f64,
    /// How often the most likely of the sensitive words, given what came out, is the word.
    pub attack: f64,
}

impl Notes {
    const FORMAT: u32 = 1;

    /// The notes of a pack; none if it has no such file.
    ///
    /// # Errors
    /// If the file cannot be read or is not what it should be.
    pub fn open(pack: &Path) -> Result<Self, Error> {
        let path = pack.join(NOTES);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Error::io("read it", &error).in_file(&path)),
        };
        let notes: Self = serde_json::from_str(&text).map_err(|error| {
            Error::curves(format!(
                "{}: line {}: {}; fetch or make it again",
                path.display(),
                error.line(),
                fault(&error)
            ))
        })?;
        if notes.format > Self::FORMAT {
            return Err(Error::curves(format!(
                "{}: a newer inkveil wrote it; update inkveil",
                path.display()
            )));
        }
        if !notes.lexicons.values().flat_map(|l| l.curves.values()).all(|curve| is_curve(curve)) {
            return Err(Error::curves(format!(
                "{}: a curve has no shares or no order; make it again",
                path.display()
            )));
        }
        Ok(notes)
    }

    /// As the file has it.
    pub fn to_json(&self) -> Result<String, Error> {
        let notes = Self { format: Self::FORMAT, ..self.clone() };
        let json = serde_json::to_string_pretty(&notes);
        json.map(|json| json + "\n").map_err(|_| Error::curves("the curves hold a number that is none"))
    }

    /// What is known about a lexicon.
    pub fn of(&self, kind: Kind) -> LexiconNotes {
        self.lexicons.get(kind.name()).cloned().unwrap_or_default()
    }

    /// The lexicon to use unless another is chosen.
    pub fn lexicon(&self) -> Kind {
        self.default_lexicon.as_deref().and_then(|name| name.parse().ok()).unwrap_or(Kind::Subword)
    }
}

fn fault(error: &serde_json::Error) -> &'static str {
    if error.is_data() { "a field is missing, or not what it should be" } else { "not JSON" }
}

/// ε ascending, and everything in its range.
fn is_curve(curve: &[Point]) -> bool {
    let share = |x: f64| (0.0..=1.0).contains(&x);
    let ascending = curve.windows(2).all(|pair| pair[0].epsilon < pair[1].epsilon);
    let plausible = curve.iter().all(|point| {
        point.epsilon.is_finite() && point.epsilon > 0.0 && share(point.survival) && share(point.attack)
    });
    ascending && plausible && !curve.is_empty()
}

/// The name of a mechanism's curve, and by what a budget is multiplied to be looked up on it.
pub(crate) fn curve_of(mechanism: &MechanismSettings, diameter: f64) -> (String, f64) {
    let factor = match mechanism.calibration {
        Calibration::Paper => 1.0,
        Calibration::Reference => 1.0 / std::f64::consts::PI,
        Calibration::Pure => 1.0 / diameter,
    };
    match (mechanism.name, mechanism.decoding) {
        (Name::Polar | Name::PolarRadial, _) => (Name::Polar.name().to_owned(), factor),
        (Name::LaplaceL1, Decoding::Euclidean) => ("laplace-l1-euclidean".to_owned(), 1.0),
        (name, _) => (name.name().to_owned(), 1.0),
    }
}

/// The curve of a mechanism.
pub(crate) struct Curve<'n> {
    points: &'n [Point],
    factor: f64,
    name: String,
}

impl LexiconNotes {
    pub(crate) fn curve(&self, mechanism: &MechanismSettings, diameter: f64) -> Result<Curve<'_>, Error> {
        let (name, factor) = curve_of(mechanism, diameter);
        match self.curves.get(&name) {
            Some(points) => Ok(Curve { points, factor, name }),
            None => Err(Error::curves(format!(
                "the pack does not know how often words survive {name}; measure its curves and save them in the pack, or give budgets as numbers"
            ))),
        }
    }
}

impl Curve<'_> {
    /// The largest budget at which a sensitive word comes out as it was at most this often.
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

    /// The smallest budget from which on a word comes out as it was at least this often.
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

/// Where the line between two points has this survival.
fn cross(below: &Point, above: &Point, survival: f64) -> f64 {
    let rise = above.survival - below.survival;
    let share = if rise > 0.0 { ((survival - below.survival) / rise).clamp(0.0, 1.0) } else { 0.0 };
    // Whole numbers read better, and a little less is on the safe side.
    let epsilon = below.epsilon + share * (above.epsilon - below.epsilon);
    if epsilon >= 10.0 { epsilon.floor() } else { (epsilon * 100.0).floor() / 100.0 }
}

/// The budgets that a user asked for.
pub(crate) fn budgets(
    budget: Budget,
    notes: &LexiconNotes,
    mechanism: &MechanismSettings,
    diameter: f64,
) -> Result<Budgets, Error> {
    let curve = || notes.curve(mechanism, diameter);
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
                Goal::AtMost(share) => curve()?.at_most(share),
                Goal::AtLeast(share) => curve()?.at_least(share),
            });
            Budgets::new([a?, b?, c?, d?])
        }
    })
}
