//! Fuzz targets for everything that reads untrusted input.
//!
//! Each file of `targets/` is one target: a function that gets any bytes and panics if something is wrong. The program
//! `inkveil-fuzz` holds all of them, so one file is enough to fuzz on another machine. `fuzz/run` builds it and runs every
//! target; the test of this crate runs every target on its seeds.
#![forbid(unsafe_code)]

mod targets;

pub use targets::TARGETS;
