//! Whole files through the whole crate.

// Clippy knows tests by their attribute, but not the functions they share.
#![allow(clippy::unwrap_used)]

mod atomicity;
mod errors;
mod golden;
mod hostile;
mod jobs;
mod records;
mod round_trip;
mod samples;
