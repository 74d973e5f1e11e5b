//! Checks that a receipt is consistent.

use sha2::{Digest, Sha256};

use super::certainty::Certainty;
use super::fields::{Diameter, Receipt, ReceiptGroup, ReleaseKind};
use crate::{Epsilon, Error, Guarantee, Slack};

impl Receipt {
    /// Returns every inconsistency of this receipt, or nothing if it is consistent.
    ///
    /// A receipt that verifies is consistent and unchanged since it was written. It is not signed,
    /// so an attacker can write a consistent receipt.
    pub fn verify(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut expect = |holds: bool, problem: &str| {
            if !holds {
                problems.push(problem.to_owned());
            }
        };
        expect(self.format == Self::FORMAT, "the format is not inkveil-receipt");
        expect(self.version == Self::VERSION, "the version is unknown");
        expect(self.digest == digest(self), "the digest does not match: the receipt was changed");
        expect(!self.not_covered.is_empty(), "it does not list what is not covered");
        expect(!self.mechanism.is_empty(), "the mechanism is missing");
        match Sums::of(&self.groups) {
            Err(_) => expect(false, "the budgets overflow"),
            Ok(sums) => {
                expect(sums.mean == self.mean_epsilon, "the mean ε does not match the groups");
                expect(sums.total == self.total_epsilon, "the total ε does not match the groups");
                expect(
                    sums.worst_case == self.worst_case_epsilon,
                    "the worst-case ε does not match the groups",
                );
                expect(sums.delta == self.total_delta, "the total δ does not match the groups");
            }
        }
        for group in &self.groups {
            expect(!group.guarantees.is_empty(), "a group has no guarantee");
            expect(
                group.guarantees.iter().chain(&group.equivalents).all(|g| g.unit() == self.unit),
                "a group's guarantee has another unit than the receipt",
            );
            expect(
                worst_case(&group.guarantees, &group.diameters, group.slack)
                    .is_ok_and(|w| w == group.worst_case_epsilon),
                "a group's worst case does not match its guarantees",
            );
            let usable = |rho: f64| {
                rho >= 0.0 && rho.is_finite() && group.guarantees.iter().all(|g| g.within().is_some())
            };
            expect(group.zcdp.is_none_or(usable), "a group's ρ is not valid");
            expect(
                group
                    .certainty
                    .is_none_or(|c| c == Certainty::of(group.typical_loss, group.worst_case_epsilon)),
                "a group's chances do not match its losses",
            );
            let within = |loss: Epsilon| group.worst_case_epsilon.is_none_or(|worst| loss <= worst);
            expect(
                group.certified_epsilon.is_none_or(within),
                "a group's certified loss is larger than its worst case",
            );
            expect(
                group.survival.is_none_or(|share| (0.0..=1.0).contains(&share)),
                "a survival is not a probability",
            );
            let mut stated = group.guarantees.iter().chain(&group.equivalents);
            expect(
                stated.any(|g| g.epsilon() <= group.epsilon),
                "a group's budget is smaller than every ε of its guarantees",
            );
        }
        let noisy = self.groups.iter().flat_map(|g| &g.guarantees).any(|g| !g.epsilon().is_infinite());
        expect(
            self.release.kind != ReleaseKind::Vectors || !noisy || self.grid.is_some(),
            "vectors with noise were released without a grid",
        );
        expect(!has_control_characters(self), "one of its texts has control characters");
        expect(
            self.release.kind == ReleaseKind::Rewrite || !self.groups.is_empty(),
            "it has no groups, and only a rewrite may have no formal guarantee",
        );
        let is_hash =
            |hex: &str| hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        expect(self.release.sha256.as_deref().is_none_or(is_hash), "the SHA-256 of the release is not valid");
        expect(self.pack.as_ref().is_none_or(|p| is_hash(&p.sha256)), "the SHA-256 of the pack is not valid");
        let numbers = self.measured.iter().flat_map(|m| [m.before.unwrap_or(0.0), m.after]);
        let added = self.grid.as_ref().and_then(|g| g.added_distance).unwrap_or(0.0);
        expect(numbers.chain([added]).all(f64::is_finite), "a measurement is not a finite number");
        expect(added >= 0.0, "the grid's added distance is negative");
        problems
    }
}

/// The totals over all groups, all `None` if there are no groups.
pub(super) struct Sums {
    pub(super) mean: Option<Epsilon>,
    pub(super) total: Option<Epsilon>,
    pub(super) worst_case: Option<Epsilon>,
    pub(super) delta: Option<f64>,
}

impl Sums {
    pub(super) fn of(groups: &[ReceiptGroup]) -> Result<Self, Error> {
        if groups.is_empty() {
            return Ok(Self { mean: None, total: None, worst_case: None, delta: None });
        }
        let mut count = 0u64;
        let mut total = Epsilon::ZERO;
        let mut worst_case = Some(Epsilon::ZERO);
        for group in groups {
            count = count.saturating_add(group.count);
            total = total.checked_add(group.epsilon.checked_mul(group.count as f64)?)?;
            worst_case = match (worst_case, group.worst_case_epsilon) {
                (Some(sum), Some(one)) => Some(sum.checked_add(one.checked_mul(group.count as f64)?)?),
                _ => None,
            };
        }
        let deltas = || {
            groups.iter().flat_map(|g| {
                let slack = g.slack.map(Slack::delta).filter(|delta| *delta > 0.0);
                let stated = g.guarantees.iter().filter_map(Guarantee::delta);
                stated.chain(slack).map(|delta| delta * g.count as f64)
            })
        };
        let delta = deltas().next().is_some().then(|| deltas().sum());
        let mean = if count == 0 { Epsilon::ZERO } else { Epsilon::new(total.get() / count as f64)? };
        Ok(Self { mean: Some(mean), total: Some(total), worst_case, delta })
    }
}

/// SHA-256 over the compact JSON of the receipt with an empty digest.
pub(super) fn digest(receipt: &Receipt) -> String {
    let blank = Receipt { digest: String::new(), ..receipt.clone() };
    let json = serde_json::to_vec(&blank).unwrap_or_default();
    Sha256::digest(&json).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the pure loss that follows from the known bounds on distances. Returns `None` if one of
/// the metrics has no known bound, if a guarantee does not cover that distance, or if it has a δ.
/// The δ of a slack does not count here: it is stated beside the worst case.
pub(super) fn worst_case(
    guarantees: &[Guarantee],
    diameters: &[Diameter],
    slack: Option<Slack>,
) -> Result<Option<Epsilon>, Error> {
    if let Some(bad) = diameters.iter().find(|d| !(d.diameter > 0.0 && d.diameter.is_finite())) {
        return Err(Error::parameter("a diameter", "a positive number", bad.diameter));
    }
    let mut sum = slack.map_or(Epsilon::ZERO, Slack::epsilon);
    for guarantee in guarantees {
        // A known bound on the inputs can only be tighter than the diameter of the space.
        let known = diameters.iter().filter(|d| d.metric == guarantee.metric()).map(|d| d.diameter);
        let diameter = known.chain(guarantee.metric().diameter()).reduce(f64::min);
        let loss = match diameter {
            _ if guarantee.epsilon().is_infinite() => Epsilon::INFINITE,
            Some(d) if guarantee.delta().is_none() && guarantee.within().is_none_or(|reach| d <= reach) => {
                guarantee.loss(d)?
            }
            _ => return Ok(None),
        };
        sum = sum.checked_add(loss)?;
    }
    Ok(Some(sum))
}

/// Whether any text of the receipt has control characters, which could forge lines.
pub(super) fn has_control_characters(receipt: &Receipt) -> bool {
    fn any(value: &serde_json::Value) -> bool {
        match value {
            serde_json::Value::String(text) => text.chars().any(char::is_control),
            serde_json::Value::Array(items) => items.iter().any(any),
            serde_json::Value::Object(fields) => fields.values().any(any),
            _ => false,
        }
    }
    serde_json::to_value(receipt).is_ok_and(|value| any(&value))
}
