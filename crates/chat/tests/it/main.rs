//! Both kinds of model: one that the tests write, and one behind a small server that fails in the ways a real one does.
#![allow(clippy::unwrap_used, clippy::panic)] // a failed step is a failed test

mod local;
mod remote;
mod server;
mod tiny;
