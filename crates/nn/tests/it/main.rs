//! Integration tests.

// Clippy recognises tests by their attribute, but not the functions they share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod decoder;
mod encoders;
mod gradients;
mod language;
mod packed;
mod sentences;
mod tables;
mod tokenizer;
mod training;
mod weights;
