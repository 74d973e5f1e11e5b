//! Tables of examples for rules.

use std::slice;
use std::sync::LazyLock;

use super::RuleSet;
use crate::Span;

/// Built once for all tests.
pub(super) static RULES: LazyLock<RuleSet> = LazyLock::new(RuleSet::builtin);

/// The score from which a span counts unless the user says otherwise.
const THRESHOLD: f32 = 0.5;

fn found_by(rule: &str, text: &str) -> Vec<Span> {
    assert!(RULES.rules().any(|known| known.name() == rule), "no rule is named {rule}");
    let mut found = Vec::new();
    RULES.find(text, &mut found);
    found.retain(|span| span.why.name == rule && span.score >= THRESHOLD);
    found
}

/// Checks that the rule finds what stands between `[[` and `]]` in each text, and nothing else.
pub(super) fn finds(rule: &str, marked: &[&str]) {
    for marked in marked {
        let (start, end) = (marked.find("[[").unwrap(), marked.find("]]").unwrap() - 2);
        let text = marked.replacen("[[", "", 1).replacen("]]", "", 1);
        let found: Vec<_> = found_by(rule, &text).iter().map(Span::range).collect();
        let shown: Vec<&str> = found.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(found, slice::from_ref(&(start..end)), "{rule} in {text:?}: found {shown:?}");
    }
}

/// Checks that the rule finds nothing that counts in any of the texts.
pub(super) fn ignores(rule: &str, texts: &[&str]) {
    for text in texts {
        let found = found_by(rule, text);
        let shown: Vec<&str> = found.iter().map(|span| &text[span.range()]).collect();
        assert!(found.is_empty(), "{rule} in {text:?}: found {shown:?}");
    }
}

/// The score that the rule gives to what it finds in a text; 0 if it finds nothing.
pub(super) fn score(rule: &str, text: &str) -> f32 {
    let mut found = Vec::new();
    RULES.find(text, &mut found);
    found.iter().filter(|span| span.why.name == rule).map(|span| span.score).fold(0.0, f32::max)
}
