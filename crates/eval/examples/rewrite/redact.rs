//! The method that everybody knows: what is sensitive becomes its kind in brackets.

use inkveil_detect::{Detector, Settings, Span};

use crate::Outcome;
use crate::files::{Released, folders, read_rows, write_rows};
use crate::options::Options;

pub(crate) fn run(options: &Options) -> Outcome<()> {
    let detector = Detector::open(Some(&options.pack), Settings::default())?;
    for set in folders(options.folder()?)? {
        for side in ["train.jsonl", "test.jsonl"] {
            let rows = read_rows(&set.join(side))?;
            let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
            let spans = detector.detect(&texts)?;
            let released: Vec<String> =
                texts.iter().zip(&spans).map(|(text, spans)| redacted(text, spans)).collect();
            let released = rows.iter().zip(&released).map(|(row, text)| Released { id: &row.id, text });
            write_rows(&set.join("redacted").join(side), released)?;
        }
        eprintln!("{}: redacted", set.display());
    }
    Ok(())
}

/// The spans are in order and do not overlap, as a detector gives them; one that does not fit is passed over.
fn redacted(text: &str, spans: &[Span]) -> String {
    let (mut all, mut at) = (String::with_capacity(text.len()), 0);
    for span in spans {
        let Some(before) = text.get(at..span.start).filter(|_| text.is_char_boundary(span.end)) else {
            continue;
        };
        all.push_str(before);
        all.push('[');
        all.push_str(span.kind.name());
        all.push(']');
        at = span.end;
    }
    all.push_str(text.get(at..).unwrap_or_default());
    all
}

#[cfg(test)]
mod tests {
    use inkveil_detect::Tier;

    use super::*;

    #[test]
    fn kinds_stand_in_brackets() {
        let mut settings = Settings::default();
        settings.tier = Tier::Rules;
        let detector = Detector::open(None, settings).unwrap();
        let text = "Écris à zoë@example.org, ou a ana@example.org.";
        let spans = detector.detect(&[text]).unwrap().remove(0);
        let said = redacted(text, &spans);
        assert!(said.contains("[email]") && !said.contains("ana@") && said.starts_with("Écris"), "{said}");
        assert_eq!(redacted(text, &[]), text);
        // Spans of another text.
        assert_eq!(redacted("é", &spans), "é");
    }
}
