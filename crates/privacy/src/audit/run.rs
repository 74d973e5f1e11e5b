//! The list of checks, and running them on all cores.

use rayon::prelude::*;

use super::check::{AuditEffort, Check, FALSE_ALARM, Finding};
use super::report::AuditReport;
use super::{finite, vectors};
use crate::{Error, NoiseAddress, NoiseKey, Purpose};

/// Returns every check, with the noise of each mechanism multiplied by `noise_scale` and its
/// guarantee unchanged. At 1 the mechanisms are correct. At 0.8 each of them violates its
/// guarantee, and the audit must find it.
///
/// # Errors
/// If `noise_scale` is not a number near 1 (from 0.5 to 2).
pub fn checks(noise_scale: f64) -> Result<Vec<Check>, Error> {
    if !(0.5..=2.0).contains(&noise_scale) {
        return Err(Error::parameter("the scale of the noise", "between 0.5 and 2", noise_scale));
    }
    let mut all = vectors::checks(noise_scale)?;
    all.extend(finite::checks(noise_scale)?);
    Ok(all)
}

/// Runs checks on all cores. `observe` is called once per finished check, from any thread.
///
/// # Errors
/// If a check cannot run: a mechanism refuses the inputs, a statistic is not a number, or there are
/// too few samples to ever refute the claim.
pub fn run(
    checks: &[&Check],
    effort: AuditEffort,
    key: &NoiseKey,
    observe: impl Fn(&Finding) + Sync,
) -> Result<AuditReport, Error> {
    let address = |index: usize| NoiseAddress::record(index as u64).purpose(Purpose::AUDIT);
    let findings = checks
        .par_iter()
        .enumerate()
        .with_max_len(1)
        .map(|(index, check)| {
            let finding =
                check.run(effort, &mut key.stream(address(index), &(check.mechanism(), check.about())))?;
            observe(&finding);
            Ok(finding)
        })
        .collect::<Result<_, Error>>()?;
    Ok(AuditReport { false_alarm: FALSE_ALARM, secure: key.is_secure(), findings })
}
