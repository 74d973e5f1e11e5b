//! What noise on sentence vectors protects and what it costs, in the manner of SPARSE's Tables 1, 4, 9 and 10.
//!
//! ```text
//! sparse FOLDER --dataset sts12|stsb
//!   --pack models/en        the encoder; --detector models/en is the pack whose tagger finds the sensitive words
//!   --seeds 5               splits, noises and networks; the table has means and deviations over them
//!   --epsilons 5,10,20,30,40
//!   --scale root            the formal ε is ε·√n (strict: it is ε)
//!   --shrink                noisy coordinates are shrunk by what of them is signal, before both task and attack
//!   --only none,lapmech,…   of none, lapmech, purmech, sparse, sparse-wb, remove, random, semantic
//!   --lambdas 0.001 --floor 0   the masks of sparse, and a floor under the noise of both sparse defences
//!   --min-count 10 --test-share 0.2
//!   --attacker strong       strong: `MlcSettings::strong`, every epoch with fresh noise; published: as in the paper
//!   --epochs 20             how often the attacker sees every sentence
//!   --json FILE             every finished cell is added there; a run that was cut off goes on from it
//!   --cache FOLDER          vectors are kept there
//!   --time                  only says how long a mask and an attacker take to train
//! ```
//!
//! Each distinct sentence is embedded once, as a unit vector. Persons, places and organisations in it are what is to be hidden. The attacker
//! knows the words of four fifths of the sentences and their noisy vectors; leakage is measured on the rest. Utility is the correlation of
//! cosines with the scores of all pairs; every sentence of every pair is noised anew, as it would be if it came from its own owner.
//!
//! **About ε.** Noise of density ∝ exp(−ε‖z‖) in n dimensions has length n/ε: at the ε of the paper nothing of a unit vector would be left. Its
//! own figures fit noise of length √n/ε. `--scale root` reproduces those; the table always has the formal ε too.
//!
//! **About replaced words.** The paper takes their leakage to be zero. Here the attacker is trained on vectors of the changed sentences, and
//! guesses from what was left.
#![allow(clippy::print_stdout)] // its output is what it is for

mod cell;
mod corpus;
mod defence;
mod journal;
mod noise;
mod options;
mod parallel;
mod rewrite;
mod spread;
mod table;
mod timing;
mod trial;
mod vectors;

use std::error::Error;
use std::time::Instant;

use crate::cell::Cell;
use crate::corpus::Corpus;
use crate::journal::Journal;
use crate::options::Options;
use crate::trial::Trial;
use crate::vectors::Encoder;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let options = Options::from_arguments()?;
    let corpus = Corpus::read(&options)?;
    eprintln!("{corpus}");
    let encoder = Encoder::new(&options)?;
    let study = Study { vectors: encoder.vectors(&corpus.texts)?, dim: encoder.dim(), corpus, options };
    if study.options.time {
        return timing::print(&study, &encoder);
    }
    let run = study.digest(&encoder)?;
    let mut journal = Journal::open(study.options.json.as_deref(), &run)?;
    let cells = Cell::all(&study.options);
    let open: Vec<Cell> = cells.iter().filter(|cell| !journal.has(cell)).cloned().collect();
    eprintln!("{} cells, {} of them done", cells.len(), cells.len() - open.len());
    let trials = Trial::prepare(&study, &encoder, &open)?;

    let (start, mut done) = (Instant::now(), 0);
    let work = |cell: &Cell| cell.run(&study, &trials);
    parallel::each(&open, work, |cell, record| {
        done += 1;
        let left = start.elapsed().as_secs_f64() / done as f64 * (open.len() - done) as f64;
        let minutes = (left / 60.0).ceil();
        eprintln!("[{done}/{}] {cell}: {:.1} s; about {minutes} min left", open.len(), record.seconds);
        journal.add(record)
    })?;
    print!("{}", table::markdown(&study, &cells, &journal));
    Ok(())
}

/// What all cells share.
struct Study {
    options: Options,
    corpus: Corpus,
    dim: usize,
    /// The clean vectors of all sentences.
    vectors: Vec<f32>,
}

impl Study {
    /// Names everything that the cells of one journal have in common.
    fn digest(&self, encoder: &Encoder) -> Outcome<String> {
        let key = encoder.key(&self.corpus.texts)?;
        Ok(vectors::sha256([
            key.as_bytes(),
            self.corpus.digest().as_bytes(),
            self.options.shared().as_bytes(),
        ]))
    }
}
