//! An audit: samples every mechanism and tries to refute its guarantee.
//!
//! Two kinds of checks run for each mechanism. Each has a false-alarm rate of 10⁻⁶ (for χ², as far
//! as its asymptotic distribution holds):
//! - **loss**: for a pair of inputs, including the worst pair, the check searches for an event that
//!   is more likely under one input than exp(ε·d) times its probability under the other. Half of
//!   the samples choose the event, and the other half count it. Exact Clopper–Pearson bounds turn
//!   the counts into a lower bound on ε at confidence 1 − 10⁻⁶. A bound above the guaranteed ε
//!   refutes the guarantee.
//! - **distribution**: the samples must follow the density in the mechanism's definition,
//!   integrated numerically (Kolmogorov–Smirnov with the Dvoretzky–Kiefer–Wolfowitz bound, or χ²).
//!
//! [`Finding`] also judges samples that were collected elsewhere, for example from released files.
//!
//! An audit that finds nothing proves nothing. It would have found noise that is 20 % too small.
//! The tests of this crate run the same checks with all samples and find an error of 2 %.
//!
//! ```
//! use inkveil_privacy::NoiseKey;
//! use inkveil_privacy::audit::{self, AuditEffort};
//!
//! let checks = audit::checks(1.0)?;
//! let one = checks.iter().filter(|c| c.mechanism() == "randomized-response").collect::<Vec<_>>();
//! let report = audit::run(&one, AuditEffort::Quick, &NoiseKey::fresh()?, |_| ())?;
//! assert!(report.passed());
//! # Ok::<(), inkveil_privacy::Error>(())
//! ```

mod check;
mod confidence;
mod finite;
pub(crate) mod goodness;
mod report;
mod run;
mod samples;
mod vectors;

pub use check::{AuditEffort, Check, CheckKind, FALSE_ALARM, Finding};
pub use goodness::NumericCdf;
pub use report::AuditReport;
pub use run::{checks, run};
pub use samples::Categories;
