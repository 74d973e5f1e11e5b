//! Ledgers through the public interface: limits, resumed jobs, crashes and damaged files.
#![allow(clippy::unwrap_used)] // a failed step is a failed test

mod crash;
mod damage;
mod limits;
mod making;
mod opening;
mod repeats;
