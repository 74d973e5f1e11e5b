//! The real binary, run as a user would run it. Whole runs are kept as snapshots; to accept a change on purpose, run the
//! tests with `INSTA_UPDATE=always` and read the difference.
#![allow(clippy::unwrap_used)] // a failed step is a failed test

mod audit;
mod config;
mod corpora;
mod curves;
mod decoding;
mod detect;
mod documents;
mod eval;
mod every_path;
mod files;
mod folder;
#[cfg(unix)]
mod gateway;
mod hostile;
mod interfaces;
mod ledger;
mod model;
mod models;
mod noise;
mod private_jobs;
mod pull;
mod receipt;
mod releases;
mod repair;
mod restore;
mod rewrite;
mod scripts;
mod server;
mod session;
mod shell;
mod style;
mod text;
mod text_receipt;
mod vector;
mod vector_target;
mod words;
