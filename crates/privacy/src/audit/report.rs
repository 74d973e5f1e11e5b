//! The result of an audit.

use serde::{Deserialize, Serialize};

use super::check::Finding;

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditReport {
    /// The false-alarm rate of each check.
    pub false_alarm: f64,
    /// Whether the samples were drawn with secure randomness.
    pub secure: bool,
    /// The result of each check, in the order of the checks.
    pub findings: Vec<Finding>,
}

impl AuditReport {
    /// Whether there was at least one check and none refuted a guarantee.
    pub fn passed(&self) -> bool {
        !self.findings.is_empty() && self.findings.iter().all(|f| f.passed)
    }

    /// Returns the mechanisms that at least one check flagged, each once.
    pub fn flagged(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.findings.iter().filter(|f| !f.passed).map(|f| f.mechanism.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
