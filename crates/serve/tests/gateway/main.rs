//! The gateway between real connections: a client, and an upstream that records every byte.
#![allow(clippy::unwrap_used, clippy::panic)] // a failed step is a failed test

mod canaries;
mod faults;
mod files;
mod harness;
mod leak;
mod modes;
mod odd;
mod others;
mod page;
mod program;
mod sessions;
mod streams;
mod vectors;
