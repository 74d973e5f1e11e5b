//! Annotated documents from a file, one JSON object on a line.

use std::path::Path;

use anyhow::Context as _;
use inkveil_detect::{FoundBy, Kind, Reason, Span};
use serde::Deserialize;

use super::documents::{Document, ORGANISATIONS, PLACES};

#[derive(Deserialize)]
struct Annotated {
    text: String,
    mentions: Vec<Annotation>,
}

#[derive(Deserialize)]
struct Annotation {
    start: usize,
    end: usize,
    kind: String,
    entity: usize,
}

pub(super) fn read(file: &Path) -> anyhow::Result<Vec<Document>> {
    let lines = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    lines.lines().map(|line| Ok(document(serde_json::from_str(line)?))).collect()
}

fn document(annotated: Annotated) -> Document {
    let (mut spans, mut labels) = (Vec::new(), Vec::new());
    for Annotation { start, end, kind, entity } in annotated.mentions {
        let kind = Kind::named(&kind);
        let first = match kind {
            Kind::Organisation => ORGANISATIONS,
            Kind::Location => PLACES,
            _ => 0,
        };
        let reason = Reason {
            found_by: FoundBy::Tagger,
            name: "gold".into(),
            context: None,
            validator: None,
            also: Vec::new(),
        };
        spans.push(Span { start, end, kind, score: 1.0, reason });
        labels.push(Some(first + entity));
    }
    Document { text: annotated.text, spans, labels, people: Vec::new() }
}
