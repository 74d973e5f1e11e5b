//! Texts with labelled spans, in the format of presidio-research.

use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

use crate::Outcome;

/// A text, and what is sensitive in it.
pub(crate) struct Gold {
    pub(crate) text: String,
    pub(crate) spans: Vec<Labelled>,
}

/// A range of bytes and its label, in lower case.
pub(crate) struct Labelled {
    pub(crate) range: Range<usize>,
    pub(crate) label: String,
}

#[derive(Deserialize)]
struct Document {
    full_text: String,
    spans: Vec<Entity>,
}

/// Positions count characters.
#[derive(Deserialize)]
struct Entity {
    entity_type: String,
    start_position: usize,
    end_position: usize,
}

pub(crate) fn read(path: &Path) -> Outcome<Vec<Gold>> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| format!("{shown}: {error}"))?;
    parse(&bytes).map_err(|error| format!("{shown} is not a gold file: {error}").into())
}

fn parse(bytes: &[u8]) -> Outcome<Vec<Gold>> {
    let documents: Vec<Document> = serde_json::from_slice(bytes)?;
    Ok(documents.into_iter().map(Gold::from).collect())
}

impl From<Document> for Gold {
    fn from(document: Document) -> Self {
        let text = document.full_text;
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let byte = |character: usize| places.get(character).copied().unwrap_or(text.len());
        let spans = document.spans.into_iter().map(|entity| Labelled {
            range: byte(entity.start_position)..byte(entity.end_position.max(entity.start_position)),
            label: entity.entity_type.to_lowercase(),
        });
        let spans = spans.collect();
        Gold { text, spans }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_become_bytes() {
        let file = r#"[{"full_text": "Zoë née Müller", "spans": [
            {"entity_type": "PERSON", "start_position": 8, "end_position": 14},
            {"entity_type": "PERSON", "start_position": 0, "end_position": 99}]}]"#;
        let gold = &parse(file.as_bytes()).unwrap()[0];
        assert_eq!(&gold.text[gold.spans[0].range.clone()], "Müller");
        assert_eq!(gold.spans[0].label, "person");
        assert_eq!(gold.spans[1].range, 0..gold.text.len(), "clipped to the text");
    }
}
