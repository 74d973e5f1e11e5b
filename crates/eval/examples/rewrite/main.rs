//! How much rewritten texts still say of who wrote them, and of what they said: the tables of the STAMP-R paper.
//!
//! ```text
//! rewrite prepare --data FOLDER --out FOLDER   draws the test sets: OUT/SET/{train,test}.jsonl, lines {"id", "author", "label"?, "text"}
//! rewrite redact FOLDER                        writes FOLDER/SET/redacted/{train,test}.jsonl: what is sensitive becomes its kind in brackets
//! rewrite tables FOLDER                        measures every FOLDER/SET/METHOD/{test,train}.jsonl, lines {"id", "text"}
//!   --pack models/en       the encoders and the tagger
//!   --radius 0.15          the merge radius of the memory, which is built from the original training texts
//!   --methods a,b          only these methods, in this order
//!   --json FILE            every cell of the tables
//!   --seed 1
//! ```
//!
//! The lines of a method have the ids of the originals, in their order. Its `train.jsonl` may be missing; then no attacker learns from rewrites.
#![allow(clippy::print_stdout)] // its output is what it is for

mod files;
mod options;
mod prepare;
mod redact;
mod tables;

use std::error::Error;

use crate::options::Options;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let options = Options::from_arguments()?;
    match options.command.as_str() {
        "prepare" => prepare::run(&options),
        "redact" => redact::run(&options),
        "tables" => tables::run(&options),
        other => Err(format!("there is no command {other:?}; use prepare, redact or tables").into()),
    }
}
