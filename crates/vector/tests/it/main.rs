//! The crate as its users see it.
#![allow(clippy::unwrap_used)] // a failed step is a failed test

mod learning;
mod veiling;
