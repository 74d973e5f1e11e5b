//! Pulling from a small server on this machine that fails in all the ways a real one does.
#![allow(clippy::unwrap_used, clippy::panic)] // a failed step is a failed test

mod archives;
mod download;
mod hub;
mod index;
mod manifest;
mod network;
mod server;
mod site;
