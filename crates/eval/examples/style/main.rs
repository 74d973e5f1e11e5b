//! How well style vectors tell authors apart, whether the risk of a memory foretells attacks, and how stable it is.
//!
//! ```text
//! style verify CORPUS.jsonl…        two texts: one author or two? AUC and accuracy, with and without shared topics
//! style risk CORPUS.jsonl…          the memory's risk against the success of attackers on originals, and how stable it is
//! style build COUNT                 how long a memory takes to grow, from vectors
//!   --pack models/en       the encoder and its style weights; --style FILE and --also FILE,… name other weights
//!   --words 150            texts are cut to so many words
//!   --pairs 2000 --authors 50 --texts 40 --seed 1 --radius 0.3
//! ```
//!
//! A corpus has lines `{"author", "topic", "source", "text"}`. Its authors must not have been trained on; where they were, the results say so.
#![allow(clippy::print_stdout)] // its output is what it is for

mod build;
mod options;
mod risk;
mod verify;

use std::error::Error;

use crate::options::Options;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let options = Options::from_arguments()?;
    match options.command.as_str() {
        "verify" => verify::run(&options),
        "risk" => risk::run(&options),
        "build" => build::run(&options),
        other => Err(format!("there is no command {other:?}; use verify, risk or build").into()),
    }
}

/// The first words of a text.
fn cut(text: &str, words: usize) -> &str {
    let end = text.match_indices(char::is_whitespace).nth(words.saturating_sub(1));
    end.map_or(text, |(at, _)| &text[..at])
}

/// The name of a corpus in tables.
fn name(file: &std::path::Path) -> String {
    file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}
