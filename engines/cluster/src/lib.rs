//! Queries of several machines, with Ballista.
//!
//! A client checks, counts and charges a query with `inkveil-datafusion`, as on one machine. Then it sends the part of the
//! physical plan that reads files and veils to a scheduler, and fetches veiled rows from executors. The key of the noise
//! travels encrypted, with each function; the scheduler cannot read it.
//!
//! # Files
//! - `certificates.rs`: the files of a cluster. `transport.rs`: connections. `seal.rs`: keys on their way to executors.
//! - `codec.rs`: functions in plans. `shape.rs`: which plans may run on executors. `told.rs`: errors without rows.
//! - `scheduler.rs`, `executor/`: the two servers.
//! - `client.rs`: parts of a query on the cluster. `job.rs`: a part that runs. `remote_rows.rs`: its rows.
//! - `main.rs`, `program/`: the program `inkveil-cluster`.
#![forbid(unsafe_code)]

mod certificates;
mod client;
mod codec;
mod executor;
mod job;
mod remote_rows;
mod scheduler;
mod seal;
mod shape;
mod told;
mod transport;

pub use certificates::{Role, RoleFiles, make_certificates};
pub use client::Cluster;
pub use executor::{ExecutorOptions, run_executor};
pub use scheduler::{SchedulerOptions, run_scheduler};
pub use told::Error;
pub use transport::Address;
