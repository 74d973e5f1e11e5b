//! Embeds texts, adds noise to the vectors, stores them in a vector database and searches it.
//! The database receives only vectors with noise.
//!
//! ```sh
//! cargo run --release --example store                                      # SQLite with sqlite-vec, in memory
//! cargo run --release --example store -- --sqlite veiled.db                # in a file
//! cargo run --release --example store -- --postgres postgresql://localhost # PostgreSQL with pgvector
//! ```
//!
//! It prints the nearest rows for a few queries, with and without noise.
//!
//! **ε.** The noise on a vector of n numbers is about n/ε long, and the vector itself has length 1. With the default pack
//! (n = 384) search needs an ε of many hundreds. Of the five nearest rows it found 18 % at ε = 100, 65 % at 300, 90 % at 1000
//! (the default here) and 96 % at 3000 (mean of 20 runs on the included texts). That is a weak guarantee: two vectors at a
//! distance d are hard to distinguish only if ε·d is small. A mask (`--mask`) puts most noise where a concept lies.
//!
//! **Queries** get noise too, each at the same ε, because the database sees them. `--plain-queries` sends them without noise,
//! for a store that may know them.
//!
//! **After an interruption**, run it again. Stored rows stay, and the rest gets the noise it would have had (`kept_key.rs`
//! explains why that matters). A stored row is not replaced if its text changes, because that would be a second release.
#![allow(clippy::print_stdout)]

mod kept_key;
mod postgres;
mod recall;
mod release;
mod sqlite;
mod store;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use inkveil::pack::{DEFAULT_PACK, find_pack};
use inkveil::{Epsilon, NoiseKey, Receipt, VectorVeil, Veil};
use inkveil_nn::SentenceEncoder;

use crate::kept_key::{Fingerprint, KeptKey};
use crate::postgres::PostgresStore;
use crate::release::{Release, missing};
use crate::sqlite::SqliteStore;
use crate::store::Store;

const TEXTS: &str = include_str!("texts.txt");
const QUERIES: [&str; 5] = [
    "How long should bread dough rise?",
    "My ankle hurts after running.",
    "Is there a bus at night?",
    "The flat is cold and the landlord does nothing.",
    "What grows well beside carrots?",
];
/// The number of rows that a query returns.
const NEAREST: u32 = 5;

/// Store texts as vectors with noise in a vector database, and search it
#[derive(Parser)]
struct Args {
    /// The file of the SQLite store; in memory by default
    #[arg(long, value_name = "FILE", conflicts_with = "postgres")]
    sqlite: Option<PathBuf>,
    /// A PostgreSQL server with pgvector, for example postgresql://user@localhost/database
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,
    /// The file that keeps the noise key until all rows are stored [default: the SQLite file's name with .key, or veiled.key]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Texts, one per line, instead of the included ones
    #[arg(long, value_name = "FILE")]
    texts: Option<PathBuf>,
    /// Budget of each vector, per unit of distance
    #[arg(long, default_value = "1000")]
    epsilon: Epsilon,
    /// The mask of a concept to hide, made by `inkveil vector fit`
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// A query, instead of the included ones; may be repeated
    #[arg(long, value_name = "TEXT")]
    query: Vec<String>,
    /// Send queries to the store without noise
    #[arg(long)]
    plain_queries: bool,
    /// The file for the receipt of the rows
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let pack = find_pack(DEFAULT_PACK)?;
    let encoder = SentenceEncoder::open(pack.folder())?;
    let texts = match &args.texts {
        Some(file) => fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?,
        None => TEXTS.to_owned(),
    };
    let texts: Vec<&str> = texts.lines().filter(|line| !line.trim().is_empty()).collect();
    let vectors = encoder.encode(&texts)?;
    println!("{} texts as vectors of {} numbers", texts.len(), encoder.width());

    let veil = Veil::vectors(args.epsilon);
    let veil = args.mask.iter().fold(veil, |veil, mask| veil.mask(mask)).build(encoder.width())?;
    let mut store: Box<dyn Store> = match &args.postgres {
        Some(url) => Box::new(PostgresStore::open(url, "veiled", encoder.width())?),
        None => Box::new(SqliteStore::open(args.sqlite.as_deref(), encoder.width())?),
    };
    release(args, &vectors, &veil, store.as_mut())?;
    search(args, &encoder, &vectors, &veil, store.as_mut())
}

/// Stores the vectors that are not in the store yet, with noise.
fn release(
    args: &Args,
    vectors: &[Vec<f32>],
    veil: &VectorVeil,
    store: &mut dyn Store,
) -> Result<(), Box<dyn Error>> {
    let missing = missing(vectors.len(), store)?.len();
    if missing < vectors.len() {
        println!("{} rows are in the store already and are not veiled again", vectors.len() - missing);
    }
    let mask = args.mask.as_ref().map(fs::read).transpose()?;
    let fingerprint = Fingerprint::of(vectors, args.epsilon.get(), mask.as_deref());
    // A store in memory ends with the process, so there is nothing to resume.
    let kept = match args.key_file() {
        Some(file) => Some(KeptKey::resume_or_begin(&file, fingerprint, missing as u64)?),
        None => None,
    };
    let fresh = NoiseKey::fresh()?;
    let key = kept.as_ref().map_or(&fresh, KeptKey::key);
    Release { vectors, veil, key }.store_missing(store)?;
    let rows = kept.as_ref().map_or(missing as u64, KeptKey::rows);
    println!("{missing} rows were veiled and stored");
    if rows > 0 {
        let receipt = veil.receipt(rows, None, key)?;
        say("rows", &receipt);
        if let Some(file) = &args.receipt {
            fs::write(file, receipt.to_json())?;
        }
    }
    Ok(kept.map_or(Ok(()), KeptKey::discard)?)
}

/// Searches the store and, for comparison, the vectors without noise.
fn search(
    args: &Args,
    encoder: &SentenceEncoder,
    vectors: &[Vec<f32>],
    veil: &VectorVeil,
    store: &mut dyn Store,
) -> Result<(), Box<dyn Error>> {
    let queries: Vec<&str> = match args.query.as_slice() {
        [] => QUERIES.to_vec(),
        given => given.iter().map(String::as_str).collect(),
    };
    let plain = encoder.encode(&queries)?;
    let mut sent = plain.concat();
    if !args.plain_queries {
        let key = NoiseKey::fresh()?;
        veil.apply(&mut sent, 0, &key)?;
        say("queries", &veil.receipt(queries.len() as u64, None, &key)?);
    }
    println!("\n{:<50}{:<24}{:<24}recall", "query", "nearest without noise", "nearest in the store");
    let mut sum = 0.0;
    for ((query, plain), sent) in queries.iter().zip(&plain).zip(sent.chunks_exact(encoder.width())) {
        let (wanted, found) = (recall::nearest(vectors, plain, NEAREST), store.nearest(sent, NEAREST)?);
        let recall = recall::recall(&wanted, &found);
        println!("{query:<50}{:<24}{:<24}{recall:.1}", list(&wanted), list(&found));
        sum += recall;
    }
    println!("recall@{NEAREST} at ε = {}: {:.2}", args.epsilon, sum / queries.len() as f64);
    Ok(())
}

impl Args {
    /// The file of the key, if the store outlives this process.
    fn key_file(&self) -> Option<PathBuf> {
        let beside = self.sqlite.as_ref().map(|file| {
            let mut name = file.clone().into_os_string();
            name.push(".key");
            PathBuf::from(name)
        });
        let default = beside.or_else(|| self.postgres.as_ref().map(|_| PathBuf::from("veiled.key")));
        default.map(|default| self.key.clone().unwrap_or(default))
    }
}

/// Prints a short form of a receipt.
fn say(what: &str, receipt: &Receipt) {
    println!("receipt of the {what}: {} vectors by {}", receipt.count(), receipt.mechanism());
    for group in receipt.groups() {
        group.guarantees().iter().for_each(|promise| println!("  {promise}"));
        if let Some(worst) = group.worst_case_epsilon() {
            println!("  that is at most ε = {} for any two vectors", worst.readable());
        }
    }
    println!("  sha256 {}", receipt.digest());
}

fn list(ids: &[u64]) -> String {
    ids.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}
