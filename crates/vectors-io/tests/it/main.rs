//! Tests on whole files.

// Clippy recognises tests by their attribute, but not the functions they share.
#![allow(clippy::unwrap_used)]

mod atomicity;
mod errors;
mod golden;
mod hostile;
mod round_trip;
mod samples;
