//! A large file to measure speed and memory with: harmless text, and now and then a line of identifiers.

use std::io::{BufWriter, Write as _};
use std::sync::Arc;

use inkveil_surrogates::Lists;

use crate::templates::{self, Templates};
use crate::{Options, Outcome};

/// How many bytes of harmless text stand between two lines of identifiers.
const BETWEEN: usize = 700_000;

/// What stands in such a line; the values are new ones each time.
const IDENTIFIERS: &str =
    "Card {card}, account {iban}, mail {email}, phone {phone}, host {ip}, key {api_key}.";

/// Writes so many megabytes to standard output: the lines of `--text FILE`, or of our templates that hold no value, over and over.
/// The same arguments give the same bytes.
pub(crate) fn large(megabytes: &str, options: &Options) -> Outcome<()> {
    let megabytes: usize = megabytes.parse().map_err(|_| "say how many megabytes, for example 1001")?;
    let text = match options.get("text", "") {
        "" => Templates::open()?.plain().join("\n"),
        file => std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?,
    };
    let lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return Err("there is no text to repeat".into());
    }
    let lists = Arc::new(Lists::open(&templates::folder("surrogates/lists"))?);
    let identifiers = Templates::of(IDENTIFIERS);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let (mut written, mut since) = (0, 0);
    for line in lines.iter().cycle() {
        writeln!(out, "{line}")?;
        since += line.len() + 1;
        if since >= BETWEEN {
            for filled in identifiers.fill(&lists, 1, written as u64) {
                writeln!(out, "{}", filled.text)?;
            }
            written += since;
            since = 0;
        }
        if written + since >= megabytes * 1_000_000 {
            break;
        }
    }
    Ok(out.flush()?)
}
