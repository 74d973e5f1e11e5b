//! Writes texts with canaries to a file and reads a release back.

use std::path::Path;

use inkveil_text::{Document, TextVeil, Treatment};

use super::canaries::{Originals, sentence};
use crate::error::{Error, ErrorKind};

/// Refuses a pair that the guarantee does not compare: its check would say nothing. `write` puts an
/// original in its text.
pub(super) fn neighbours(
    veil: &TextVeil,
    pair: [&'static str; 2],
    write: impl Fn(&str) -> String,
) -> Result<(), Error> {
    let texts = pair.map(write);
    let plans = veil.plan(&texts.each_ref().map(|text| Document::new(text)))?;
    match plans.as_slice() {
        [x, other] if veil.layout(x) == veil.layout(other) => Ok(()),
        _ => Err(unfit(pair, "the two texts have different layouts")),
    }
}

pub(super) fn unfit([x, other]: [&'static str; 2], why: &'static str) -> Error {
    ErrorKind::UnfitCanaries { x, other, why }.into()
}

/// Also refuses originals that are not found as their kind.
pub(super) fn planted(veil: &TextVeil, originals: &Originals) -> Result<(), Error> {
    neighbours(veil, originals.pair, sentence)?;
    for text in originals.pair.map(sentence) {
        let plans = veil.plan(&[Document::new(&text)])?;
        let mut units = plans.iter().flat_map(|plan| plan.units());
        let is_replaced = units.any(|unit| {
            matches!(unit.treatment, Treatment::Replaced(_))
                && unit.kind.as_ref().is_some_and(|kind| kind.name() == originals.kind)
        });
        if !is_replaced {
            return Err(unfit(originals.pair, "one is not found as its kind"));
        }
    }
    Ok(())
}

/// Texts as JSON lines.
pub(super) fn lines_of(rows: &[&str]) -> String {
    rows.iter().map(|text| format!("{}\n", serde_json::json!({ "text": text }))).collect()
}

pub(super) fn write_rows(path: &Path, rows: &[&str]) -> Result<(), Error> {
    std::fs::write(path, lines_of(rows)).map_err(|cause| Error::write(path, cause))
}

pub(super) fn read_rows(bytes: &[u8]) -> Result<Vec<String>, Error> {
    let text = |line: &[u8]| {
        let row: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
        row["text"].as_str().map(str::to_owned).ok_or(ErrorKind::Bug("a released row is not a text").into())
    };
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(text).collect()
}
