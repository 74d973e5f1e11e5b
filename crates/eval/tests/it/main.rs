//! Attacks from outside: on planted words, and on vectors and texts by a small language model.
#![allow(clippy::unwrap_used)] // a failed step is a failed test

mod inversion;
mod language;
mod planted;
#[allow(dead_code)] // the other crate uses all of it
#[path = "../../../chat/tests/it/tiny.rs"]
mod tiny;
