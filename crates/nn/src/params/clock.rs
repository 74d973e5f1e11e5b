//! At which step training is.

use std::sync::{Mutex, PoisonError};

/// A point in training: layers that draw start counting anew when it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) step: u64,
    /// How often the step was set before: a step that is run again draws the same again.
    visit: u64,
}

/// The training step that a scope is at, if any, and how often it was set.
#[derive(Default)]
pub(super) struct Clock(Mutex<(Option<u64>, u64)>);

impl Clock {
    pub(super) fn set(&self, step: Option<u64>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = (step, state.1 + 1);
    }

    pub(super) fn now(&self) -> Option<Moment> {
        let (step, visit) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        step.map(|step| Moment { step, visit })
    }
}
