//! The receipt that accompanies every release: what is promised, what is not, and how it was made.
//!
//! A receipt is JSON with a version. It never holds the input, the key or the noise.

mod builder;
mod render;
mod verify;

use serde::{Deserialize, Serialize};

pub use builder::{GroupBudget, ReceiptBuilder};

use crate::{Calibration, Epsilon, Error, ErrorKind, Grid, Guarantee, Metric, NoiseKey, Unit};

/// What was released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseKind {
    /// Text whose words were veiled.
    Text,
    /// Vectors with noise.
    Vectors,
    /// Text rewritten toward a common style.
    Rewrite,
}

/// A receipt.
///
/// ```
/// use inkveil_privacy::{
///     Epsilon, GroupBudget, LaplaceL2, NoiseKey, Receipt, ReleaseKind, Unit, VectorMechanism,
/// };
///
/// let key = NoiseKey::fresh()?;
/// let epsilon = Epsilon::new(10.0)?;
/// let mechanism = LaplaceL2::new(768, epsilon)?;
/// let receipt = Receipt::builder(ReleaseKind::Vectors, mechanism.name(), Unit::Vector, &key)
///     .group(GroupBudget::new("all", 1000, epsilon, mechanism.guarantees()))
///     .grid(mechanism.grid().unwrap(), None)
///     .not_covered("which rows are in the file, and how many")
///     .build()?;
/// let json = receipt.to_json();
/// assert!(Receipt::from_json(&json)?.verify().is_empty());
/// println!("{}", receipt.render());
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// Always `inkveil-receipt`.
    format: String,
    version: u32,
    /// The program that made the release, with its version.
    tool: String,
    release: Release,
    mechanism: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calibration: Option<Calibration>,
    /// Public parameters of the mechanism, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<Parameter>,
    unit: Unit,
    groups: Vec<ReceiptGroup>,
    /// Mean ε per unit. Absent if there is no formal guarantee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mean_epsilon: Option<Epsilon>,
    /// Σε over all units of the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total_epsilon: Option<Epsilon>,
    /// Σ ε·D over all units: the pure local-differential-privacy budget if everything about the release may change at
    /// once. Absent if the inputs have no known diameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    worst_case_epsilon: Option<Epsilon>,
    /// Σδ over all units, where a promise has a δ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total_delta: Option<f64>,
    /// How what is not noised was treated: out-of-vocabulary text, numbers, casing, white space, lengths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    treatments: Vec<Treatment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    grid: Option<GridNote>,
    /// What was measured rather than proved, such as the risk before and after a rewrite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    measured: Vec<Measurement>,
    /// What the guarantee does not cover.
    not_covered: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pack: Option<Pack>,
    randomness: Randomness,
    /// SHA-256 of this receipt without this field: it shows accidents, not forgers.
    digest: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    kind: ReleaseKind,
    /// SHA-256 of the released bytes, where they are a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameter {
    name: String,
    value: String,
}

/// Units that were released with one budget, as a receipt lists them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptGroup {
    name: String,
    /// The mechanism, where it is not that of the receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mechanism: Option<String>,
    count: u64,
    epsilon: Epsilon,
    guarantees: Vec<Guarantee>,
    /// The same promise in other terms, such as a Mahalanobis one in Euclidean distance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    equivalents: Vec<Guarantee>,
    /// The largest distances of two inputs that are known, from which the worst case follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    diameters: Vec<Diameter>,
    /// ε·D of one unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    worst_case_epsilon: Option<Epsilon>,
    /// ε times the distance to the nearest neighbour: what one unit typically costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    typical_loss: Option<Epsilon>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Diameter {
    metric: Metric,
    diameter: f64,
}

impl ReceiptGroup {
    /// The group's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The mechanism, where it is not that of the receipt.
    pub fn mechanism(&self) -> Option<&str> {
        self.mechanism.as_deref()
    }

    /// How many units.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The budget of each as the user gave it.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// What is promised for each. Where there are several, their losses add.
    pub fn guarantees(&self) -> &[Guarantee] {
        &self.guarantees
    }

    /// The same promise in other terms.
    pub fn equivalents(&self) -> &[Guarantee] {
        &self.equivalents
    }

    /// ε·D of one unit, if the inputs are bounded and nothing may fail.
    pub fn worst_case_epsilon(&self) -> Option<Epsilon> {
        self.worst_case_epsilon
    }

    /// ε times the distance to the nearest neighbour.
    pub fn typical_loss(&self) -> Option<Epsilon> {
        self.typical_loss
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Treatment {
    what: String,
    how: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    epsilon: Option<Epsilon>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GridNote {
    step: Grid,
    /// The guarantee holds for snapped inputs: add this to any distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    added_distance: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Measurement {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<f64>,
    after: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pack {
    name: String,
    sha256: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Randomness {
    secure: bool,
}

impl Receipt {
    /// The version this crate writes.
    pub const VERSION: u32 = 1;

    const FORMAT: &str = "inkveil-receipt";

    /// A receipt that goes on from this one, for what was made of its release without looking at the input again: what was promised still holds.
    pub fn then(self, kind: ReleaseKind, mechanism: &str) -> ReceiptBuilder {
        ReceiptBuilder::after(self, kind, mechanism)
    }

    /// Begins a receipt. The key says whether the randomness was secure, so that this cannot be forgotten.
    pub fn builder(kind: ReleaseKind, mechanism: &str, unit: Unit, key: &NoiseKey) -> ReceiptBuilder {
        ReceiptBuilder::new(kind, mechanism, unit, key.is_secure())
    }

    /// Reads a receipt. That it can be read does not mean that it adds up: see [`Receipt::verify`].
    ///
    /// # Errors
    /// If it is not JSON, not a receipt, or of a version this crate does not know. The message gives the place,
    /// never the content: the wrong file may have been private.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let unreadable = |what: &str, e: &serde_json::Error| -> Error {
            let reason = format!("{what} at line {}, column {}", e.line(), e.column());
            ErrorKind::Receipt { reason }.into()
        };
        let head: Head = serde_json::from_str(json).map_err(|e| {
            unreadable(if e.is_data() { "no format and version" } else { "not valid JSON" }, &e)
        })?;
        if head.format != Self::FORMAT {
            return Err(ErrorKind::Receipt { reason: "its format is not inkveil-receipt".into() }.into());
        }
        if head.version != Self::VERSION {
            let reason = format!(
                "it has version {}, and this program reads version {}; use a matching inkveil",
                head.version,
                Self::VERSION
            );
            return Err(ErrorKind::Receipt { reason }.into());
        }
        let receipt: Self = serde_json::from_str(json)
            .map_err(|e| unreadable("a missing, unknown or impossible field", &e))?;
        // Line breaks and escape sequences in a stranger's receipt could forge lines of its rendering.
        if verify::has_control_characters(&receipt) {
            return Err(ErrorKind::Receipt { reason: "a text in it has control characters".into() }.into());
        }
        Ok(receipt)
    }

    /// The JSON form, indented, with a newline at its end.
    pub fn to_json(&self) -> String {
        // A struct of strings, numbers and lists always serialises.
        let mut json = serde_json::to_string_pretty(self).unwrap_or_default();
        json.push('\n');
        json
    }

    /// The JSON form on one line, for a column of a table.
    pub fn to_line(&self) -> String {
        // As in `to_json`.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The kind of release.
    pub fn kind(&self) -> ReleaseKind {
        self.release.kind
    }

    /// The number of units in the release.
    pub fn count(&self) -> u64 {
        self.groups.iter().fold(0u64, |sum, g| sum.saturating_add(g.count))
    }

    /// SHA-256 of the released bytes, where they are a file.
    pub fn release_sha256(&self) -> Option<&str> {
        self.release.sha256.as_deref()
    }

    /// Σε over the release, if there is a formal guarantee.
    pub fn total_epsilon(&self) -> Option<Epsilon> {
        self.total_epsilon
    }

    /// Mean ε per unit, if there is a formal guarantee.
    pub fn mean_epsilon(&self) -> Option<Epsilon> {
        self.mean_epsilon
    }

    /// Σ ε·D over the release, if the inputs are bounded and nothing may fail.
    pub fn worst_case_epsilon(&self) -> Option<Epsilon> {
        self.worst_case_epsilon
    }

    /// Σδ over the release, if a promise has a δ.
    pub fn total_delta(&self) -> Option<f64> {
        self.total_delta
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &str {
        &self.mechanism
    }

    /// How ε became noise, where there is a choice.
    pub fn calibration(&self) -> Option<Calibration> {
        self.calibration
    }

    /// What one budget protects.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The groups.
    pub fn groups(&self) -> &[ReceiptGroup] {
        &self.groups
    }

    /// Whether the noise was drawn from the operating system's randomness.
    pub fn is_secure(&self) -> bool {
        self.randomness.secure
    }

    /// The digest, which names this receipt.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

#[cfg(test)]
mod tests;
