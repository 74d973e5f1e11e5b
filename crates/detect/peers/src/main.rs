//! Measures our detector beside other tools: the same texts, the same scoring, one run on one machine.
//!
//! ```text
//! cargo run --release --manifest-path crates/detect/peers/Cargo.toml -- GOLD.json… [--pack models/en]
//!     [--presidio PYTHON SCRIPT]
//! ```
//!
//! `GOLD.json` is in the format of presidio-research; `inkveil-dev tagger gold SET` prints our held-out sets in it. Presidio takes part if a Python with it and a script that scores a gold file are given (what the
//! script prints: see `presidio.rs`). Ours uses as many threads as there are cores, or `RAYON_NUM_THREADS`; the others
//! have no threads of their own.
//!
//! For each file, a table in Markdown: characters of any kind (precision, recall, F2), the spans of persons and of
//! structured identifiers that were found whole, speed; and below it the share of spans found whole, by label.
//! What a set leaves unlabelled counts against every tool that finds it.
#![allow(clippy::print_stdout)]

mod arguments;
mod gold;
#[path = "../../../dev/src/tagger/labels.rs"]
mod labels;
mod presidio;
mod score;
mod table;
mod tools;

use std::error::Error;

use crate::arguments::Arguments;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let tools = tools::all(&arguments.pack)?;
    for file in &arguments.files {
        let gold = gold::read(file)?;
        let mut scores = Vec::new();
        for tool in &tools {
            eprintln!("{}: {}", file.display(), tool.name());
            scores.push((tool.name(), tools::measure(tool.as_ref(), &gold)?));
        }
        if let Some((python, script)) = &arguments.presidio {
            eprintln!("{}: Presidio", file.display());
            scores.push(("Presidio".to_owned(), presidio::measure(python, script, file)?));
        }
        let name = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
        println!("{}", table::markdown(&name, &gold, &scores));
    }
    Ok(())
}
