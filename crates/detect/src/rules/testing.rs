//! Shared by the tests of rules.

use std::slice;
use std::sync::LazyLock;

use super::set::RuleSet;
use crate::span::Span;

/// Compiled once for all tests.
pub(super) static RULES: LazyLock<RuleSet> = LazyLock::new(RuleSet::builtin);

/// The default threshold.
const THRESHOLD: f32 = 0.5;

fn found_by(rule: &str, text: &str) -> Vec<Span> {
    assert!(RULES.rules().any(|known| known.name() == rule), "there is no rule {rule}");
    let mut found = Vec::new();
    RULES.find(text, &mut found);
    found.retain(|span| span.reason.name == rule && span.score >= THRESHOLD);
    found
}

/// Checks that the rule finds exactly the text between `[[` and `]]`.
pub(super) fn finds(rule: &str, marked: &[&str]) {
    for marked in marked {
        let (start, end) = (marked.find("[[").unwrap(), marked.find("]]").unwrap() - 2);
        let text = marked.replacen("[[", "", 1).replacen("]]", "", 1);
        let found: Vec<_> = found_by(rule, &text).iter().map(Span::range).collect();
        let shown: Vec<&str> = found.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(found, slice::from_ref(&(start..end)), "{rule} in {text:?}: found {shown:?}");
    }
}

/// Checks that the rule finds nothing in the texts.
pub(super) fn ignores(rule: &str, texts: &[&str]) {
    for text in texts {
        let found = found_by(rule, text);
        let shown: Vec<&str> = found.iter().map(|span| &text[span.range()]).collect();
        assert!(found.is_empty(), "{rule} in {text:?}: found {shown:?}");
    }
}

/// Returns the best score of the rule in a text, or 0.
pub(super) fn score(rule: &str, text: &str) -> f32 {
    let mut found = Vec::new();
    RULES.find(text, &mut found);
    found.iter().filter(|span| span.reason.name == rule).map(|span| span.score).fold(0.0, f32::max)
}
