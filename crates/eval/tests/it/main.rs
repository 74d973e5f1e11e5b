//! Attacks on planted words.
#![allow(clippy::unwrap_used)] // a failed step is a failed test

mod planted;
