//! Retries after failures that may pass.

use crate::error::{Error, ErrorKind};
use crate::monitor::Monitor;
use crate::net::settings::RetryPolicy;

/// Repeats `work` after a network failure that may pass. `work` gets the number of attempts so far, and resets it to 0
/// when it made progress.
pub(crate) fn retrying<T>(
    policy: &RetryPolicy,
    monitor: &mut Monitor<'_>,
    mut work: impl FnMut(&mut Monitor<'_>, &mut u32) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        let error = match work(monitor, &mut attempts) {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        let temporary = match error.kind() {
            ErrorKind::Network { .. } | ErrorKind::TimedOut { .. } => true,
            ErrorKind::Status { status } => is_temporary(*status),
            _ => false,
        };
        if !temporary || attempts >= policy.attempts {
            return Err(error);
        }
        monitor.message(&format!("{}; trying again", first_clause(&error)));
        monitor.sleep(policy.pause.saturating_mul(1 << attempts.saturating_sub(1).min(6)))?;
    }
}

/// Whether a status reports a failure that may pass.
pub(crate) fn is_temporary(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..=599)
}

/// The message without the advice after the semicolon.
fn first_clause(error: &Error) -> String {
    let text = error.to_string();
    text.split(';').next().unwrap_or(&text).to_owned()
}
