//! Trying again, where that may help.

use crate::error::{Error, ErrorKind};
use crate::job::Job;
use crate::net::settings::Patience;

/// Does something with the network again after a failure that may pass. `work` is told how often it was tried; it sets
/// that back to 0 when it has got on.
pub(crate) fn retrying<T>(
    patience: &Patience,
    job: &mut Job<'_>,
    mut work: impl FnMut(&mut Job<'_>, &mut u32) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut tries = 0;
    loop {
        tries += 1;
        let error = match work(job, &mut tries) {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        let passes = match error.kind() {
            ErrorKind::Network { .. } | ErrorKind::TimedOut { .. } => true,
            ErrorKind::Status { status } => may_pass(*status),
            _ => false,
        };
        if !passes || tries >= patience.attempts {
            return Err(error);
        }
        job.note(&format!("{}; trying again", first_clause(&error)));
        job.sleep(patience.pause.saturating_mul(1 << tries.saturating_sub(1).min(6)))?;
    }
}

/// Whether a status tells of trouble that may be over soon.
pub(crate) fn may_pass(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..=599)
}

/// What happened, without the advice.
fn first_clause(error: &Error) -> String {
    let text = error.to_string();
    text.split(';').next().unwrap_or(&text).to_owned()
}
