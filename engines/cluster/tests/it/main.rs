//! Clusters of real processes on this machine.
#![allow(clippy::unwrap_used, clippy::panic)] // a failed step is a failed test

mod examples;
mod failures;
mod processes;
mod queries;
mod refusals;
mod transport;
