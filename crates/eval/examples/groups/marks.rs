//! Texts in which people marked what is sensitive.

use inkveil_detect::Kind;
use inkveil_eval::Sensitive;
use serde::Deserialize;

use crate::Outcome;
use crate::options::Options;

#[derive(Deserialize)]
struct Row {
    text: String,
    marks: Vec<Mark>,
}

#[derive(Deserialize)]
struct Mark {
    start: usize,
    end: usize,
    group: String,
    word: String,
}

/// The first texts of a file, and their marks.
pub(crate) fn read(options: &Options) -> Outcome<(Vec<String>, Sensitive)> {
    let file = std::fs::read_to_string(&options.texts)?;
    let (mut texts, mut marks) = (Vec::new(), Vec::new());
    for (at, line) in file.lines().take(options.most).enumerate() {
        // What serde says may quote the line.
        let row: Row = serde_json::from_str(line)
            .map_err(|_| format!("{}: line {}: no text with marks", options.texts.display(), at + 1))?;
        let mark = |mark: Mark| (mark.start..mark.end, Kind::named(&mark.group), mark.word);
        texts.push(row.text);
        marks.push(row.marks.into_iter().map(mark).collect());
    }
    Ok((texts, Sensitive::of_marks(marks, options.least)))
}
