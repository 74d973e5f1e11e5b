//! The functions, the charging, the policies and the program, over files as a user has them.
#![allow(clippy::unwrap_used, clippy::panic)] // a failed step is a failed test

mod attacks;
mod bucket;
mod charging;
mod deltas;
mod functions;
mod hostile;
mod ids;
mod policies;
mod program;
mod same_bytes;
mod scans;
mod storage;
mod tables;
mod vectors;
