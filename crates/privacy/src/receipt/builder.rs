//! Builds receipts.

use super::certainty::{Alternative, Certainty};
use super::fields::{
    Diameter, GridNote, Measurement, Pack, Parameter, Randomness, Receipt, ReceiptGroup, Release,
    ReleaseKind, Treatment,
};
use super::verify;
use crate::{Calibration, Epsilon, Error, Grid, Guarantee, Metric, NoiseKey, Slack, Unit};

impl Receipt {
    /// Starts a receipt for a release that was derived from this one without using the input again.
    /// The guarantees of this receipt still hold.
    pub fn then(self, kind: ReleaseKind, mechanism: &str) -> ReceiptBuilder {
        ReceiptBuilder::after(self, kind, mechanism)
    }

    /// Returns this receipt with more that the guarantee does not cover, for example columns of a table that are copied.
    pub fn also_not_covered(mut self, what: impl IntoIterator<Item = String>) -> Self {
        self.not_covered.extend(what);
        self.digest = verify::digest(&self);
        self
    }

    /// Returns this receipt with more notes.
    pub fn also_noted(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self.digest = verify::digest(&self);
        self
    }

    /// Starts a receipt. The key determines whether the randomness is marked as secure.
    pub fn builder(kind: ReleaseKind, mechanism: &str, unit: Unit, key: &NoiseKey) -> ReceiptBuilder {
        ReceiptBuilder::new(kind, mechanism, unit, key.is_secure())
    }
}

/// The budget of one group of units, before the totals are computed.
#[derive(Debug, Clone)]
pub struct GroupBudget {
    name: String,
    count: u64,
    epsilon: Epsilon,
    guarantees: Vec<Guarantee>,
    equivalents: Vec<Guarantee>,
    mechanism: Option<String>,
    diameters: Vec<Diameter>,
    typical_distance: Option<f64>,
    slack: Option<Slack>,
    zcdp: Option<f64>,
    certified: Option<Epsilon>,
    states_certainty: bool,
    survival: Option<f64>,
    alternatives: Vec<Alternative>,
}

impl GroupBudget {
    /// Creates a group of `count` units, each released with `epsilon` (as the user gave it) under
    /// `guarantees` (as proved).
    pub fn new(name: &str, count: u64, epsilon: Epsilon, guarantees: Vec<Guarantee>) -> Self {
        let name = name.into();
        Self {
            name,
            count,
            epsilon,
            guarantees,
            equivalents: Vec::new(),
            mechanism: None,
            diameters: Vec::new(),
            typical_distance: None,
            slack: None,
            zcdp: None,
            certified: None,
            states_certainty: false,
            survival: None,
            alternatives: Vec::new(),
        }
    }

    /// Sets ρ of zero-concentrated differential privacy for one unit, if the noise is Gaussian.
    pub fn zcdp(mut self, rho: Option<f64>) -> Self {
        self.zcdp = rho;
        self
    }

    /// Adds the same guarantee in another metric. It is shown to readers and not counted again.
    pub fn equivalent(mut self, guarantee: Guarantee) -> Self {
        self.equivalents.push(guarantee);
        self
    }

    /// Sets the largest distance of two inputs in one metric, if it is known. Some metrics are
    /// unbounded.
    pub fn diameter(mut self, metric: Metric, diameter: f64) -> Self {
        self.diameters.push(Diameter { metric, diameter });
        self
    }

    /// Sets the typical distance of an input to its nearest neighbour.
    pub fn typical_distance(mut self, distance: f64) -> Self {
        self.typical_distance = Some(distance);
        self
    }

    /// Sets what rounding errors of the sampler add to the guarantees of one unit.
    pub fn slack(mut self, slack: Slack) -> Self {
        self.slack = (!slack.is_none()).then_some(slack);
        self
    }

    /// States the losses of this group as chances too: see [`Certainty`]. A guarantee with a δ has no
    /// such bound.
    pub fn with_certainty(mut self) -> Self {
        self.states_certainty = self.guarantees.iter().all(|guarantee| guarantee.delta().is_none());
        self
    }

    /// Sets the largest true loss of one unit, if it was computed over all pairs of inputs and all outputs.
    pub fn certified(mut self, loss: Option<Epsilon>) -> Self {
        self.certified = loss;
        self
    }

    /// Sets the measured probability that a unit comes out unchanged.
    pub fn survival(mut self, probability: f64) -> Self {
        self.survival = Some(probability);
        self
    }

    /// Adds the budget of another mechanism at the same survival.
    pub fn alternative(mut self, alternative: Alternative) -> Self {
        self.alternatives.push(alternative);
        self
    }

    /// Sets the mechanism of this group, if it differs from that of the receipt.
    pub fn mechanism(mut self, name: &str) -> Self {
        self.mechanism = Some(name.into());
        self
    }

    fn finish(self) -> Result<ReceiptGroup, Error> {
        let worst_case_epsilon = verify::worst_case(&self.guarantees, &self.diameters, self.slack)?;
        let typical_loss = match (self.typical_distance, self.guarantees.first()) {
            (Some(distance), Some(first)) => Some(first.loss(distance)?),
            _ => None,
        };
        let certainty = self.states_certainty.then(|| Certainty::of(typical_loss, worst_case_epsilon));
        // Rounded up, the true loss may exceed a bound that is nearly tight. Then the bound says more.
        let certified_epsilon =
            self.certified.filter(|loss| worst_case_epsilon.is_none_or(|worst| *loss <= worst));
        let Self { name, mechanism, count, epsilon, guarantees, equivalents, diameters, slack, zcdp, .. } =
            self;
        Ok(ReceiptGroup {
            name,
            mechanism,
            count,
            epsilon,
            guarantees,
            equivalents,
            diameters,
            slack,
            worst_case_epsilon,
            certified_epsilon,
            typical_loss,
            zcdp,
            certainty,
            survival: self.survival,
            alternatives: self.alternatives,
        })
    }
}

/// Builds a [`Receipt`]; created by [`Receipt::builder`].
#[derive(Debug, Clone)]
pub struct ReceiptBuilder {
    groups: Vec<GroupBudget>,
    /// The groups of the earlier receipt that this one continues.
    earlier: Vec<ReceiptGroup>,
    receipt: Receipt,
}

impl ReceiptBuilder {
    pub(super) fn new(kind: ReleaseKind, mechanism: &str, unit: Unit, secure: bool) -> Self {
        let receipt = Receipt {
            format: Receipt::FORMAT.into(),
            version: Receipt::VERSION,
            tool: concat!("inkveil ", env!("CARGO_PKG_VERSION")).into(),
            release: Release { kind, sha256: None },
            mechanism: mechanism.into(),
            calibration: None,
            parameters: Vec::new(),
            unit,
            space: None,
            groups: Vec::new(),
            mean_epsilon: None,
            total_epsilon: None,
            worst_case_epsilon: None,
            total_delta: None,
            treatments: Vec::new(),
            grid: None,
            measured: Vec::new(),
            not_covered: Vec::new(),
            notes: Vec::new(),
            pack: None,
            randomness: Randomness { secure },
            digest: String::new(),
        };
        Self { groups: Vec::new(), earlier: Vec::new(), receipt }
    }

    pub(super) fn after(mut receipt: Receipt, kind: ReleaseKind, mechanism: &str) -> Self {
        receipt.release = Release { kind, sha256: None };
        receipt.mechanism = format!("{}, then {mechanism}", receipt.mechanism);
        let earlier = std::mem::take(&mut receipt.groups);
        Self { groups: Vec::new(), earlier, receipt }
    }

    /// Sets the SHA-256 (hexadecimal) of the released bytes.
    pub fn sha256(mut self, hex: impl Into<String>) -> Self {
        self.receipt.release.sha256 = Some(hex.into());
        self
    }

    /// Sets how ε determined the noise.
    pub fn calibration(mut self, calibration: Calibration) -> Self {
        self.receipt.calibration = Some(calibration);
        self
    }

    /// Adds a public parameter of the mechanism.
    pub fn parameter(mut self, name: &str, value: impl ToString) -> Self {
        self.receipt.parameters.push(Parameter { name: name.into(), value: value.to_string() });
        self
    }

    /// Sets the space that distances are measured in. Name it so that equal names are equal spaces.
    pub fn space(mut self, space: impl Into<String>) -> Self {
        self.receipt.space = Some(space.into());
        self
    }

    /// Adds a group of units with one budget.
    pub fn group(mut self, group: GroupBudget) -> Self {
        self.groups.push(group);
        self
    }

    /// Adds the treatment of a part without noise, and its ε.
    pub fn treatment(mut self, what: &str, how: &str, epsilon: Option<Epsilon>) -> Self {
        self.receipt.treatments.push(Treatment { what: what.into(), how: how.into(), epsilon });
        self
    }

    /// Sets the grid of the released numbers and how much it can add to a distance.
    pub fn grid(mut self, step: Grid, added_distance: Option<f64>) -> Self {
        self.receipt.grid = Some(GridNote { step, added_distance });
        self
    }

    /// Adds a measurement that is not part of the guarantee.
    pub fn measured(mut self, name: &str, before: Option<f64>, after: f64) -> Self {
        self.receipt.measured.push(Measurement { name: name.into(), before, after });
        self
    }

    /// Adds something that the guarantee does not cover. A receipt without any such line is
    /// refused.
    pub fn not_covered(mut self, what: &str) -> Self {
        self.receipt.not_covered.push(what.into());
        self
    }

    /// Adds a note.
    pub fn note(mut self, note: &str) -> Self {
        self.receipt.notes.push(note.into());
        self
    }

    /// Sets the model pack and its hash.
    pub fn pack(mut self, name: &str, sha256: &str) -> Self {
        self.receipt.pack = Some(Pack { name: name.into(), sha256: sha256.into() });
        self
    }

    /// Returns the finished receipt with its totals and digest.
    ///
    /// # Errors
    /// If a budget overflows, or the receipt would not verify.
    pub fn build(self) -> Result<Receipt, Error> {
        let Self { groups, earlier, mut receipt } = self;
        receipt.groups = earlier;
        for group in groups {
            receipt.groups.push(group.finish()?);
        }
        let sums = verify::Sums::of(&receipt.groups)?;
        receipt.mean_epsilon = sums.mean;
        receipt.total_epsilon = sums.total;
        receipt.worst_case_epsilon = sums.worst_case;
        receipt.total_delta = sums.delta;
        receipt.digest = verify::digest(&receipt);
        match receipt.verify().first() {
            None => Ok(receipt),
            Some(problem) => Err(crate::ErrorKind::Receipt { reason: problem.clone() }.into()),
        }
    }
}
