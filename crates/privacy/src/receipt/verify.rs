//! Whether a receipt adds up.

use sha2::{Digest, Sha256};

use super::{Group, Receipt, ReleaseKind};
use crate::{Epsilon, Error, Metric};

impl Receipt {
    /// Everything that is wrong with this receipt; empty if it adds up.
    ///
    /// A receipt that verifies is consistent and unchanged since it was written. It is not signed: someone who
    /// wants to deceive can write a consistent one.
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
        expect(!self.not_covered.is_empty(), "it does not say what is not covered");
        expect(!self.mechanism.is_empty(), "it names no mechanism");
        match Sums::of(&self.groups) {
            Err(_) => expect(false, "the budgets overflow"),
            Ok(sums) => {
                expect(sums.mean == self.mean_epsilon, "the mean ε is not that of its groups");
                expect(sums.total == self.total_epsilon, "the total ε is not that of its groups");
                expect(
                    sums.worst_case == self.worst_case_epsilon,
                    "the worst-case ε is not that of its groups",
                );
            }
        }
        for group in &self.groups {
            expect(!group.guarantees.is_empty(), "a group has no guarantee");
            expect(
                group.guarantees.iter().chain(&group.equivalents).all(|g| g.unit() == self.unit),
                "a group's guarantee speaks of another unit than the receipt",
            );
            let claimed = group.guarantees.iter().filter(|g| g.metric() == Metric::Discrete);
            expect(
                claimed.clone().all(|g| group.worst_case_epsilon.is_some_and(|w| w >= g.epsilon())),
                "a group's worst case is better than its guarantee",
            );
        }
        expect(
            self.release.kind == ReleaseKind::Rewrite || !self.groups.is_empty(),
            "it has no groups: only a rewrite may come without a formal guarantee",
        );
        let is_hash =
            |hex: &str| hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        expect(self.release.sha256.as_deref().is_none_or(is_hash), "the release's SHA-256 is not one");
        expect(self.pack.as_ref().is_none_or(|p| is_hash(&p.sha256)), "the pack's SHA-256 is not one");
        let numbers = self.measured.iter().flat_map(|m| [m.before.unwrap_or(0.0), m.after]);
        let added = self.grid.as_ref().and_then(|g| g.added_distance).unwrap_or(0.0);
        expect(numbers.chain([added]).all(f64::is_finite), "a measured number is not a number");
        expect(added >= 0.0, "the grid's added distance is negative");
        problems
    }
}

/// The sums over all groups; all absent without groups.
pub(super) struct Sums {
    pub(super) mean: Option<Epsilon>,
    pub(super) total: Option<Epsilon>,
    pub(super) worst_case: Option<Epsilon>,
}

impl Sums {
    pub(super) fn of(groups: &[Group]) -> Result<Self, Error> {
        if groups.is_empty() {
            return Ok(Self { mean: None, total: None, worst_case: None });
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
        let mean = if count == 0 { Epsilon::ZERO } else { Epsilon::new(total.get() / count as f64)? };
        Ok(Self { mean: Some(mean), total: Some(total), worst_case })
    }
}

/// SHA-256 over the compact JSON of the receipt with an empty digest.
pub(super) fn digest(receipt: &Receipt) -> String {
    let blank = Receipt { digest: String::new(), ..receipt.clone() };
    let json = serde_json::to_vec(&blank).unwrap_or_default();
    Sha256::digest(&json).iter().map(|byte| format!("{byte:02x}")).collect()
}
