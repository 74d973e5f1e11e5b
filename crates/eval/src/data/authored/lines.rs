//! JSON lines of anybody's own.

use std::path::Path;

use inkveil_nn::SplitMix;
use serde::Deserialize;

use super::passage::fitting;
use super::{Found, Writing, read_text};
use crate::Error;

#[derive(Deserialize)]
struct Line {
    author: String,
    #[serde(default)]
    label: Option<String>,
    text: String,
}

pub(super) fn read(file: &Path, seed: u64) -> Result<Found, Error> {
    let mut all = Vec::new();
    for (number, line) in read_text(file)?.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        // What the parser says may quote the line.
        let Line { author, label, text } = serde_json::from_str(line).map_err(|_| {
            Error::format("no JSON object with \"author\" and \"text\" (and perhaps \"label\"), all strings")
                .in_line(number)
                .in_file(file)
        })?;
        let mut random = SplitMix::named(seed, "lines", &[number as u64]);
        all.extend(fitting(&text, &mut random).map(|text| Writing { author, label, text: text.to_owned() }));
    }
    // A classifier learns from all of them, or there is none.
    match all.iter().any(|row| row.label.is_none()) && all.iter().any(|row| row.label.is_some()) {
        true => Err(Error::format("some lines have a label and some have none").in_file(file)),
        false => Ok((all, vec![file.to_owned()])),
    }
}
