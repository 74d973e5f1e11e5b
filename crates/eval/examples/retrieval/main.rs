//! What noise on the vectors of documents leaves of search, beside SPARSE's tables on similarity.
//!
//! ```text
//! retrieval --documents FILE --queries FILE --judgements FILE --concept FILE.toml
//!   --pack models/en            the encoder; --detector models/en is the pack whose tagger finds the concept's kinds
//!   --seeds 5 --epsilons 5,10,20,30,40   the formal ε is ε·√n, as in the example `sparse`, which says why
//!   --both                      noise on queries too; without it they are clean, as the owner of a query sends it to his own index
//!   --least 40                  an attacker looks for the concept's words that are in so many documents or more; 0: no attack
//!   --json FILE                 every cell, as JSON
//!   --cache FOLDER              vectors are kept there
//! ```
//!
//! Queries count if all of their relevant documents are among the documents. Masks are learnt on pieces of the documents themselves:
//! their sentences, cut where they are long. Elliptical noise is shrunk after it was added, as `inkveil vector apply` does by default.
//! The attacker is the strong one of `sparse`, on whole documents.
#![allow(clippy::print_stdout)] // its output is what it is for

#[path = "../groups/attacker.rs"]
mod attacker;
mod options;
#[path = "../groups/parallel.rs"]
mod parallel;
mod pieces;
#[path = "../groups/spread.rs"]
mod spread;
mod study;
mod table;
#[path = "../groups/vectors.rs"]
mod vectors;

use std::collections::BTreeMap;
use std::error::Error;

use crate::options::Options;
use crate::study::{Cell, Study};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let study = Study::open(Options::from_arguments()?)?;
    eprintln!("{}", study.summary());
    let seeds: Vec<u64> = (1..=study.options.seeds).collect();
    let mut gates = BTreeMap::new();
    parallel::each(
        &seeds,
        |seed| study.gates(*seed),
        |seed, found| {
            gates.insert(*seed, found);
            Ok(())
        },
    )?;
    let cells = Cell::all(&study.options);
    let (mut records, mut done) = (vec![None; cells.len()], 0);
    let numbers: Vec<usize> = (0..cells.len()).collect();
    parallel::each(
        &numbers,
        |&number| study.measure(&cells[number], &gates),
        |&number, record| {
            done += 1;
            eprintln!("[{done}/{}] {:?}", cells.len(), cells[number]);
            records[number] = Some(record);
            Ok(())
        },
    )?;
    let records: Vec<_> = records.into_iter().flatten().collect();
    if let Some(file) = &study.options.json {
        std::fs::write(file, serde_json::to_string_pretty(&records)?)?;
    }
    print!("{}", table::markdown(&study, &records));
    Ok(())
}
