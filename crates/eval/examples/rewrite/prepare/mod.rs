//! Draws the test sets from the corpora that the paper uses, or their nearest that can be had.

mod authormix;
mod congress;
mod draw;
mod movie;
mod passage;
mod spooky;

use std::path::Path;

use self::draw::draw;
use crate::Outcome;
use crate::files::{Row, write_rows};
use crate::options::Options;

/// A set: its name, the folder of its corpus, its reader, and how many texts are drawn to learn from and to attack.
type Set = (&'static str, &'static str, fn(&Path, u64) -> Outcome<Vec<Row>>, usize, usize);

const SETS: [Set; 4] = [
    ("movie", "movie_scaledata", movie::read, 1200, 400),
    ("spooky", "spooky_author", spooky::read, 900, 300),
    ("authormix", "authormix", authormix::read, 1100, 350),
    ("congress", "congresstweets", congress::read, 2000, 500),
];

pub(crate) fn run(options: &Options) -> Outcome<()> {
    let data = options.data.as_ref().ok_or("--data names the folder of the corpora")?;
    let out = options.out.as_ref().ok_or("--out names the folder for the test sets")?;
    for (name, corpus, read, train, test) in SETS {
        let rows = read(&data.join(corpus), options.seed)?;
        let count = rows.len();
        let drawn = draw(rows, train, test, options.seed);
        write_rows(&out.join(name).join("train.jsonl"), &drawn.train)?;
        write_rows(&out.join(name).join("test.jsonl"), &drawn.test)?;
        eprintln!("{name}: {} and {} of {count} texts", drawn.train.len(), drawn.test.len());
    }
    Ok(())
}

/// A file as text, or an error that names it.
fn read_text(file: &Path) -> Outcome<String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()).into())
}
