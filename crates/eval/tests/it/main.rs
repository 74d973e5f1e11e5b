//! Attacks through the public interface: on planted words, and with a small language model.
#![allow(clippy::unwrap_used)] // a failed step is a failed test

mod inversion;
mod language;
mod planted;
#[allow(dead_code)] // used completely in the other crate
#[path = "../../../chat/tests/it/tiny.rs"]
mod tiny;
