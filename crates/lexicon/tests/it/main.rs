//! Integration tests.
#![allow(clippy::unwrap_used)] // a failed step is a failed test

mod aligning;
mod building;
mod folder;
mod opening;
