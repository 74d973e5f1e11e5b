//! Pulls from a local test server that fails in the ways of a real one.
#![allow(clippy::unwrap_used, clippy::panic)] // a failed step is a failed test

mod archives;
mod download;
mod hub;
mod index;
mod manifest;
mod network;
mod server;
mod site;
