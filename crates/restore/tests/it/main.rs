//! Maps and restoring as a whole.

#![allow(clippy::unwrap_used)]

mod sealed;
mod streams;
