//! The current training step.

use std::sync::{Mutex, PoisonError};

/// A visit to a training step. Layers that draw random numbers restart their count when it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StepVisit {
    pub(crate) step: u64,
    /// How many times a step was set before. A repeated step draws the same numbers again.
    visit: u64,
}

/// The current training step of a scope, if any, and how many times it was set.
#[derive(Default)]
pub(super) struct StepClock(Mutex<(Option<u64>, u64)>);

impl StepClock {
    pub(super) fn set(&self, step: Option<u64>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = (step, state.1 + 1);
    }

    pub(super) fn now(&self) -> Option<StepVisit> {
        let (step, visit) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        step.map(|step| StepVisit { step, visit })
    }
}
