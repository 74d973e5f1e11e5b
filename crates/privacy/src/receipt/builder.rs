//! Putting a receipt together.

use super::{
    GridNote, Group, Measurement, Pack, Parameter, Randomness, Receipt, Release, ReleaseKind, Treatment,
    verify,
};
use crate::{Calibration, Epsilon, Error, Grid, Guarantee, Unit};

/// The budget of one group of units, before its sums are formed.
#[derive(Debug, Clone)]
pub struct GroupBudget {
    name: String,
    count: u64,
    epsilon: Epsilon,
    guarantees: Vec<Guarantee>,
    equivalents: Vec<Guarantee>,
    diameter: Option<f64>,
    typical_distance: Option<f64>,
}

impl GroupBudget {
    /// `count` units that were each released with `epsilon` (as the user gave it) under `guarantees` (as they hold).
    pub fn new(name: &str, count: u64, epsilon: Epsilon, guarantees: Vec<Guarantee>) -> Self {
        let name = name.into();
        Self {
            name,
            count,
            epsilon,
            guarantees,
            equivalents: Vec::new(),
            diameter: None,
            typical_distance: None,
        }
    }

    /// The same promise in other terms, for readers; it is not counted again.
    pub fn equivalent(mut self, guarantee: Guarantee) -> Self {
        self.equivalents.push(guarantee);
        self
    }

    /// The largest distance of two inputs, for metrics that have none of their own.
    pub fn diameter(mut self, diameter: f64) -> Self {
        self.diameter = Some(diameter);
        self
    }

    /// The distance of an input to its nearest neighbour, typically.
    pub fn typical_distance(mut self, distance: f64) -> Self {
        self.typical_distance = Some(distance);
        self
    }

    fn finish(self) -> Result<Group, Error> {
        let mut worst_case_epsilon = Some(Epsilon::ZERO);
        for guarantee in &self.guarantees {
            // A caller's diameter can only be smaller than that of the whole space.
            let diameter = match (self.diameter, guarantee.metric().diameter()) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            let loss = match diameter {
                _ if guarantee.epsilon().is_infinite() => Some(Epsilon::INFINITE),
                // With a failure probability there is no bound that always holds.
                _ if guarantee.delta().is_some() => None,
                // A promise that reaches only so far is no worst case for inputs farther apart.
                Some(d) => guarantee.loss(d).ok(),
                None => None,
            };
            worst_case_epsilon = match (worst_case_epsilon, loss) {
                (Some(sum), Some(loss)) => Some(sum.checked_add(loss)?),
                _ => None,
            };
        }
        let typical_loss = match (self.typical_distance, self.guarantees.first()) {
            (Some(distance), Some(first)) => Some(first.loss(distance)?),
            _ => None,
        };
        let Self { name, count, epsilon, guarantees, equivalents, .. } = self;
        Ok(Group { name, count, epsilon, guarantees, equivalents, worst_case_epsilon, typical_loss })
    }
}

/// Builds a [`Receipt`]; begin with [`Receipt::builder`].
#[derive(Debug, Clone)]
pub struct ReceiptBuilder {
    groups: Vec<GroupBudget>,
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
            groups: Vec::new(),
            mean_epsilon: None,
            total_epsilon: None,
            worst_case_epsilon: None,
            treatments: Vec::new(),
            grid: None,
            measured: Vec::new(),
            not_covered: Vec::new(),
            notes: Vec::new(),
            pack: None,
            randomness: Randomness { secure },
            digest: String::new(),
        };
        Self { groups: Vec::new(), receipt }
    }

    /// The SHA-256 (hexadecimal) of the released bytes.
    pub fn sha256(mut self, hex: impl Into<String>) -> Self {
        self.receipt.release.sha256 = Some(hex.into());
        self
    }

    /// How ε became noise.
    pub fn calibration(mut self, calibration: Calibration) -> Self {
        self.receipt.calibration = Some(calibration);
        self
    }

    /// A public parameter of the mechanism.
    pub fn parameter(mut self, name: &str, value: impl ToString) -> Self {
        self.receipt.parameters.push(Parameter { name: name.into(), value: value.to_string() });
        self
    }

    /// A group of units with one budget.
    pub fn group(mut self, group: GroupBudget) -> Self {
        self.groups.push(group);
        self
    }

    /// How something that is not noised was treated, and with which ε.
    pub fn treatment(mut self, what: &str, how: &str, epsilon: Option<Epsilon>) -> Self {
        self.receipt.treatments.push(Treatment { what: what.into(), how: how.into(), epsilon });
        self
    }

    /// The grid of the released numbers and by how much it can lengthen a distance.
    pub fn grid(mut self, step: Grid, added_distance: Option<f64>) -> Self {
        self.receipt.grid = Some(GridNote { step, added_distance });
        self
    }

    /// Something measured rather than proved.
    pub fn measured(mut self, name: &str, before: Option<f64>, after: f64) -> Self {
        self.receipt.measured.push(Measurement { name: name.into(), before, after });
        self
    }

    /// Something the guarantee does not cover. A receipt without any is not honest and is refused.
    pub fn not_covered(mut self, what: &str) -> Self {
        self.receipt.not_covered.push(what.into());
        self
    }

    /// A remark.
    pub fn note(mut self, note: &str) -> Self {
        self.receipt.notes.push(note.into());
        self
    }

    /// The model pack and its hash.
    pub fn pack(mut self, name: &str, sha256: &str) -> Self {
        self.receipt.pack = Some(Pack { name: name.into(), sha256: sha256.into() });
        self
    }

    /// The finished receipt, with its sums and digest.
    ///
    /// # Errors
    /// If a budget overflows, or the receipt would not verify.
    pub fn build(self) -> Result<Receipt, Error> {
        let Self { groups, mut receipt } = self;
        receipt.groups = groups.into_iter().map(GroupBudget::finish).collect::<Result<_, _>>()?;
        let sums = verify::Sums::of(&receipt.groups)?;
        receipt.mean_epsilon = sums.mean;
        receipt.total_epsilon = sums.total;
        receipt.worst_case_epsilon = sums.worst_case;
        receipt.digest = verify::digest(&receipt);
        match receipt.verify().first() {
            None => Ok(receipt),
            Some(problem) => Err(crate::ErrorKind::Receipt { reason: problem.clone() }.into()),
        }
    }
}
