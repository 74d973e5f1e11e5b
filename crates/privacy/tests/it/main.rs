//! Tests of the crate through its public interface.

#![allow(clippy::unwrap_used)] // a failed step is a failed test

mod mechanisms;
mod statistics;
