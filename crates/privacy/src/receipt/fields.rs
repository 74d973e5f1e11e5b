//! The fields of a receipt.

use serde::{Deserialize, Serialize};

use super::certainty::{Alternative, Certainty};
use crate::{Calibration, Epsilon, Grid, Guarantee, Metric, Slack, Unit};

/// The kind of content that was released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseKind {
    /// Text whose words were veiled.
    Text,
    /// Vectors with noise.
    Vectors,
    /// Text rewritten in a common style.
    Rewrite,
}

/// The receipt of a release.
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
///     .grid(mechanism.grid(), None)
///     .not_covered("which rows the file has, and how many")
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
    pub(super) format: String,
    pub(super) version: u32,
    /// The program that made the release and its version.
    pub(super) tool: String,
    pub(super) release: Release,
    pub(super) mechanism: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) calibration: Option<Calibration>,
    /// Public parameters of the mechanism, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parameters: Vec<Parameter>,
    pub(super) unit: Unit,
    /// The space that distances are measured in, for example a lexicon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) space: Option<String>,
    pub(super) groups: Vec<ReceiptGroup>,
    /// The mean ε per unit. Absent if there is no formal guarantee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mean_epsilon: Option<Epsilon>,
    /// Σε over all units of the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) total_epsilon: Option<Epsilon>,
    /// Σ ε·D over all units: the pure local-differential-privacy budget if every unit of the
    /// release may change at once. Absent if the inputs have no known diameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) worst_case_epsilon: Option<Epsilon>,
    /// Σδ over all units, if a guarantee has a δ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) total_delta: Option<f64>,
    /// The treatment of parts without noise: out-of-vocabulary text, numbers, case, white space,
    /// lengths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) treatments: Vec<Treatment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) grid: Option<GridNote>,
    /// Measurements without a proof, such as the risk before and after a rewrite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) measured: Vec<Measurement>,
    /// Everything that the guarantee does not cover.
    pub(super) not_covered: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pack: Option<Pack>,
    pub(super) randomness: Randomness,
    /// SHA-256 of this receipt without this field. It detects accidental changes, not forgery.
    pub(super) digest: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Release {
    pub(super) kind: ReleaseKind,
    /// SHA-256 of the released bytes, if they are a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sha256: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) value: String,
}

/// Units that were released with one budget, as listed in a receipt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptGroup {
    pub(super) name: String,
    /// The mechanism, if it differs from that of the receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mechanism: Option<String>,
    pub(super) count: u64,
    pub(super) epsilon: Epsilon,
    pub(super) guarantees: Vec<Guarantee>,
    /// The same guarantee in other metrics, such as a Mahalanobis guarantee in Euclidean distance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) equivalents: Vec<Guarantee>,
    /// The known upper bounds on the distance of two inputs. The worst case follows from them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) diameters: Vec<Diameter>,
    /// What rounding errors of the sampler add to the guarantees of one unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) slack: Option<Slack>,
    /// ε·D of one unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) worst_case_epsilon: Option<Epsilon>,
    /// The largest true loss of one unit, computed over all pairs of inputs and all outputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) certified_epsilon: Option<Epsilon>,
    /// ε times the distance to the nearest neighbour: the typical loss of one unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) typical_loss: Option<Epsilon>,
    /// ρ of zero-concentrated differential privacy for one unit, if the noise is Gaussian.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) zcdp: Option<f64>,
    /// The two losses as chances of someone who guesses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) certainty: Option<Certainty>,
    /// The measured probability that a unit comes out unchanged at this budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) survival: Option<f64>,
    /// The budgets of other mechanisms at the same survival.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) alternatives: Vec<Alternative>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Diameter {
    pub(super) metric: Metric,
    pub(super) diameter: f64,
}

impl ReceiptGroup {
    /// The group's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The mechanism, if it differs from that of the receipt.
    pub fn mechanism(&self) -> Option<&str> {
        self.mechanism.as_deref()
    }

    /// The number of units.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The budget of each unit, as the user gave it.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// The guarantees for each unit. If there are several, their losses add up.
    pub fn guarantees(&self) -> &[Guarantee] {
        &self.guarantees
    }

    /// The same guarantees in other metrics.
    pub fn equivalents(&self) -> &[Guarantee] {
        &self.equivalents
    }

    /// What rounding errors of the sampler add to the guarantees of one unit, if anything.
    pub fn slack(&self) -> Option<Slack> {
        self.slack
    }

    /// ε·D of one unit, if the inputs are bounded and there is no δ.
    pub fn worst_case_epsilon(&self) -> Option<Epsilon> {
        self.worst_case_epsilon
    }

    /// The largest true loss of one unit, if it was computed over all pairs of inputs and all outputs.
    /// It is at most the worst case that follows from the guarantee.
    pub fn certified_epsilon(&self) -> Option<Epsilon> {
        self.certified_epsilon
    }

    /// ε times the distance to the nearest neighbour.
    pub fn typical_loss(&self) -> Option<Epsilon> {
        self.typical_loss
    }

    /// ρ of zero-concentrated differential privacy for one unit, for inputs within the range of the
    /// guarantee. Such budgets compose with less than the sum of their ε.
    pub fn zcdp(&self) -> Option<f64> {
        self.zcdp
    }

    /// The chances of someone who suspects one of two inputs, if they are stated.
    pub fn certainty(&self) -> Option<Certainty> {
        self.certainty
    }

    /// The measured probability that a unit comes out unchanged, if it is known.
    pub fn survival(&self) -> Option<f64> {
        self.survival
    }

    /// The budgets of other mechanisms at the same survival.
    pub fn alternatives(&self) -> &[Alternative] {
        &self.alternatives
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Treatment {
    pub(super) what: String,
    pub(super) how: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) epsilon: Option<Epsilon>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GridNote {
    pub(super) step: Grid,
    /// The guarantee holds for snapped inputs. Add this value to any distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) added_distance: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Measurement {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<f64>,
    pub(super) after: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pack {
    pub(super) name: String,
    pub(super) sha256: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Randomness {
    pub(super) secure: bool,
}

impl Receipt {
    /// The format version that this crate writes.
    pub const VERSION: u32 = 1;

    pub(super) const FORMAT: &str = "inkveil-receipt";

    /// The space that distances are measured in, for example a lexicon. ε in different spaces does
    /// not add up.
    pub fn space(&self) -> Option<&str> {
        self.space.as_deref()
    }

    /// The kind of release.
    pub fn kind(&self) -> ReleaseKind {
        self.release.kind
    }

    /// The number of units in the release.
    pub fn count(&self) -> u64 {
        self.groups.iter().fold(0u64, |sum, g| sum.saturating_add(g.count))
    }

    /// SHA-256 of the released bytes, if they are a file.
    pub fn release_sha256(&self) -> Option<&str> {
        self.release.sha256.as_deref()
    }

    /// Σε over the release, if there is a formal guarantee.
    pub fn total_epsilon(&self) -> Option<Epsilon> {
        self.total_epsilon
    }

    /// The mean ε per unit, if there is a formal guarantee.
    pub fn mean_epsilon(&self) -> Option<Epsilon> {
        self.mean_epsilon
    }

    /// Σ ε·D over the release, if the inputs are bounded and there is no δ.
    pub fn worst_case_epsilon(&self) -> Option<Epsilon> {
        self.worst_case_epsilon
    }

    /// Σδ over the release, if a guarantee has a δ.
    pub fn total_delta(&self) -> Option<f64> {
        self.total_delta
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &str {
        &self.mechanism
    }

    /// How ε determined the noise, if the mechanism has several calibrations.
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

    /// Whether the noise came from the operating system's randomness.
    pub fn is_secure(&self) -> bool {
        self.randomness.secure
    }

    /// The digest, which identifies this receipt.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}
