//! Defaults of limits in the file of an experiment.

/// All rows.
pub(super) fn no_limit() -> usize {
    usize::MAX
}
