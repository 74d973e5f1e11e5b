//! inkveil as functions of a query engine, DataFusion.
//!
//! An [`Engine`] is a session with tables. Its queries can call `veil(text, id)`, `mask(text)`, `detect(text)`,
//! `pii_kinds(text)`, `style_risk(text)`, `restore(text)`, `embed(text)` and `veil_vector(vector, id)`. A query that
//! releases something is planned first, charged to the ledger once, and then run. A row's noise follows from the key,
//! the id of the row and its text or vector, so the number of partitions does not change it. This crate has no privacy
//! rule: it calls the facade.
//!
//! # Files
//! - `engine.rs`: a session and the statements that it accepts. `query.rs`: a query that runs. `charging.rs`: what it
//!   costs. `vector_release.rs`: its vectors.
//! - `functions/`: the SQL functions. `attack.rs`: the table function `attack`. `work.rs`: what the functions of a query
//!   share. `models.rs`: open models.
//! - `fill_id.rs`, `name_columns.rs`, `stable_id.rs`, `calls.rs`: what is checked and changed in a plan. `origins.rs`:
//!   where its texts come from.
//! - `settings.rs`: the settings `inkveil.*`. `tables.rs`: files, folders and objects as tables. `storage/`: object
//!   storage. `delta/`: Delta tables. `texts.rs`, `vectors.rs`, `ids.rs`: columns.
//! - `remote/`: functions that run on other machines.
//! - `policy/`: policies. `scan/`: what is sensitive in a folder of tables. `output.rs`: rows in files.
//!   `receipt_file.rs`: receipts in files.
//! - `main.rs`, `program/`: the program `inkveil-sql`.
#![forbid(unsafe_code)]

mod attack;
mod calls;
mod charging;
mod delta;
mod engine;
mod error;
mod fill_id;
mod functions;
mod ids;
mod models;
mod name_columns;
mod origins;
mod output;
mod policy;
mod query;
mod receipt_file;
pub mod remote;
pub mod scan;
mod settings;
mod stable_id;
mod storage;
mod tables;
mod texts;
mod vector_release;
mod vectors;
mod work;

pub use engine::{Engine, EngineOptions};
pub use error::Error;
pub use output::{OutputFormat, RowOutput};
pub use policy::{Policy, TablePolicy, Treatment};
pub use query::{Query, Running};
pub use receipt_file::{ReceiptFile, WrittenReceipts};
pub use settings::{VeilOptions, new_key_file};
pub use storage::{Address, ObjectUpload};
pub use tables::{FolderTables, TableFile};
