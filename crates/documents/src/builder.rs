//! Collects the passages of a document while it is read.

use std::borrow::Cow;

use crate::limits::Limits;
use crate::passage::{PassageKind, PassageRun, StoredPassage};
use crate::pieces::is_xml;
use crate::purpose::Purpose;
use crate::removed::Removed;

/// Collects passages, runs and what was removed.
pub(crate) struct Builder {
    pub(crate) limits: Limits,
    pub(crate) purpose: Purpose,
    pub(crate) removed: Removed,
    passages: Vec<StoredPassage>,
    /// The passages that are open, the innermost last.
    open: Vec<usize>,
    runs: usize,
}

impl Builder {
    pub(crate) fn new(limits: Limits, purpose: Purpose) -> Self {
        Self { limits, purpose, removed: Removed::default(), passages: Vec::new(), open: Vec::new(), runs: 0 }
    }

    /// Whether a document is released, so that everything that is not known must go.
    pub(crate) fn releases(&self) -> bool {
        self.purpose == Purpose::Release
    }

    /// Begins a passage. Another passage may be open; it continues when this one ends.
    pub(crate) fn begin(&mut self, kind: PassageKind) {
        self.open.push(self.passages.len());
        self.passages.push(StoredPassage { kind, text: String::new(), runs: Vec::new() });
    }

    /// Ends the innermost passage.
    pub(crate) fn end(&mut self) {
        self.open.pop();
    }

    /// Whether a passage is open.
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Adds a run to the innermost passage, or as a passage of its own, and returns its number.
    pub(crate) fn run(&mut self, text: &str, kind: PassageKind) -> usize {
        let alone = !self.is_open();
        if alone {
            self.begin(kind);
        }
        let text = if self.releases() { readable(text) } else { Cow::Borrowed(text) };
        let run = self.runs;
        self.runs += 1;
        if let Some(passage) = self.open.last().and_then(|open| self.passages.get_mut(*open)) {
            let start = passage.text.len();
            passage.text.push_str(&text);
            passage.runs.push(PassageRun { range: start..passage.text.len(), run: Some(run) });
        }
        if alone {
            self.end();
        }
        run
    }

    /// Adds text that the innermost passage shows and that no run holds, such as a line break.
    pub(crate) fn fixed(&mut self, text: &str) {
        if let Some(passage) = self.open.last().and_then(|open| self.passages.get_mut(*open)) {
            let start = passage.text.len();
            passage.text.push_str(text);
            passage.runs.push(PassageRun { range: start..passage.text.len(), run: None });
        }
    }

    /// Returns the passages with text, the number of runs, and what was removed.
    pub(crate) fn finish(self) -> (Vec<StoredPassage>, usize, Removed) {
        let has_runs = |passage: &StoredPassage| passage.runs.iter().any(|run| run.run.is_some());
        let passages = self.passages.into_iter().filter(has_runs).collect();
        (passages, self.runs, self.removed)
    }
}

/// A text as it can be written. If a control character inside a word were lost only when the text is written, the word
/// would be another one than a veil has read.
fn readable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_xml) {
        return Cow::Borrowed(text);
    }
    let kept = |c: char| match c {
        c if is_xml(c) => Some(c),
        c if c.is_whitespace() => Some(' '),
        _ => None,
    };
    Cow::Owned(text.chars().filter_map(kept).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_hide_a_word() {
        assert_eq!(readable("An\u{1}a\u{c}Novak\u{ffff}\tx\n"), "Ana Novak\tx\n");
        assert!(matches!(readable("Ana\u{85}"), Cow::Borrowed(_)));
    }
}
