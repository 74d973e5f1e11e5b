//! Tests on whole files.

// Clippy recognises tests by their attribute, but not the functions they share.
#![allow(clippy::unwrap_used)]

mod conversions;
mod jobs;
mod records;
