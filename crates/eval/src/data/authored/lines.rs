//! JSON lines of the user.

use std::path::Path;

use inkveil_nn::SplitMix;
use serde::Deserialize;

use super::passage::fitting;
use super::text::{AuthoredText, FoundTexts, read_text};
use crate::Error;

#[derive(Deserialize)]
struct Line {
    author: String,
    #[serde(default)]
    label: Option<String>,
    text: String,
}

pub(super) fn read(file: &Path, seed: u64) -> Result<FoundTexts, Error> {
    let mut all = Vec::new();
    for (number, line) in read_text(file)?.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        // The message of the parser may quote the line, so it is dropped.
        let Line { author, label, text } = serde_json::from_str(line).map_err(|_| {
            Error::format(
                "not a JSON object with the strings \"author\", \"text\" and, optionally, \"label\"",
            )
            .in_line(number)
            .in_file(file)
        })?;
        let mut random = SplitMix::named(seed, "lines", &[number as u64]);
        all.extend(fitting(&text, &mut random).map(|text| AuthoredText {
            author,
            label,
            text: text.to_owned(),
        }));
    }
    // A classifier needs labels of all texts.
    match all.iter().any(|row| row.label.is_none()) && all.iter().any(|row| row.label.is_some()) {
        true => Err(Error::format("some lines have a label and others have none").in_file(file)),
        false => Ok((all, vec![file.to_owned()])),
    }
}
