//! A large file for measurements of speed and memory: harmless text with a line of identifiers at
//! intervals.

use std::io::{BufWriter, Write as _};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use inkveil_surrogates::Lists;

use super::args::LargeArgs;
use super::templates::{self, Templates};

/// Bytes of harmless text between two lines of identifiers.
const BETWEEN: usize = 700_000;

/// A line of identifiers, filled with new values each time.
const IDENTIFIERS: &str =
    "Card {card}, account {iban}, mail {email}, phone {phone}, host {ip}, key {api_key}.";

/// Writes the file to standard output. The same arguments give the same bytes.
pub(super) fn large(args: &LargeArgs) -> anyhow::Result<()> {
    let text = match &args.text {
        None => Templates::open()?.plain().join("\n"),
        Some(file) => std::fs::read_to_string(file).with_context(|| file.display().to_string())?,
    };
    let lines: Vec<&str> = text.lines().collect();
    ensure!(!lines.is_empty(), "there is no text to repeat");
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
        if written + since >= args.megabytes * 1_000_000 {
            break;
        }
    }
    Ok(out.flush()?)
}
