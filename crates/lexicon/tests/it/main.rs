//! Integration tests.
#![allow(clippy::unwrap_used)] // a failed step is a failed test

mod aligning;
mod building;
mod compact;
mod folder;
mod opening;
