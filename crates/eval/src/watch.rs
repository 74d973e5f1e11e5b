//! Progress and cancellation of long work.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, ErrorKind};

/// What long work reports to, and how it is cancelled.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use inkveil_eval::Watch;
///
/// let cancel = AtomicBool::new(false);
/// let watch = Watch { progress: &|step| eprintln!("{step}"), cancel: &cancel };
/// assert!(watch.step("training").is_ok());
/// cancel.store(true, std::sync::atomic::Ordering::Relaxed);
/// assert!(watch.step("attacking").is_err());
/// ```
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Gets a description of each step before it starts.
    pub progress: &'a (dyn Fn(&str) + Sync),
    /// Work stops soon after this becomes true.
    pub cancel: &'a AtomicBool,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Watch<'static> {
    /// Reports nothing and is never cancelled.
    pub fn nothing() -> Self {
        Self { progress: &|_| {}, cancel: &NEVER }
    }
}

impl Watch<'_> {
    /// Reports a step.
    ///
    /// # Errors
    /// If the work was cancelled.
    pub fn step(&self, what: &str) -> Result<(), Error> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(ErrorKind::Cancelled.into());
        }
        (self.progress)(what);
        Ok(())
    }
}
