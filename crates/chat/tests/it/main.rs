//! Local models that the tests create, and a small HTTP server that fails in the ways of a real
//! one.
#![allow(clippy::unwrap_used, clippy::panic)] // a failed step is a failed test

mod local;
mod remote;
mod server;
mod tiny;
