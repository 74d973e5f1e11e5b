//! Ledgers as a program uses them: limits, resumed jobs, crashes, damaged files.
#![allow(clippy::unwrap_used)] // a failed step is a failed test

mod crash;
mod damage;
mod limits;
mod making;
mod opening;
mod repeats;
