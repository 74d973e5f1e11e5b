//! The stored names of kinds, units and metrics, and the rules for user-chosen names.

use inkveil_privacy::{Metric, ReleaseKind, Unit};

pub(crate) const METRICS: [Metric; 8] = [
    Metric::Chordal,
    Metric::Angular,
    Metric::Euclidean,
    Metric::Manhattan,
    Metric::Mahalanobis,
    Metric::Erased,
    Metric::Radial,
    Metric::Discrete,
];

pub(crate) fn metric(name: &str) -> Option<Metric> {
    METRICS.into_iter().find(|metric| metric.name() == name)
}

pub(crate) fn unit(name: &str) -> Option<Unit> {
    [Unit::Token, Unit::Word, Unit::Span, Unit::Document, Unit::Vector]
        .into_iter()
        .find(|unit| unit.name() == name)
}

pub(crate) fn of_kind(kind: ReleaseKind) -> &'static str {
    match kind {
        ReleaseKind::Text => "text",
        ReleaseKind::Vectors => "vectors",
        ReleaseKind::Rewrite => "rewrite",
    }
}

pub(crate) fn kind(name: &str) -> Option<ReleaseKind> {
    [ReleaseKind::Text, ReleaseKind::Vectors, ReleaseKind::Rewrite]
        .into_iter()
        .find(|kind| of_kind(*kind) == name)
}

/// The rule for names, for messages.
pub(crate) const NAME: &str = "1 to 512 bytes on one line, and not only spaces";

pub(crate) const LONGEST_NAME: usize = 512;

/// Whether a text is a valid name. Control characters could forge lines in output.
pub(crate) fn is_name(text: &str, longest: usize) -> bool {
    text.len() <= longest && !text.trim().is_empty() && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_those_in_receipts() {
        for kind in [ReleaseKind::Text, ReleaseKind::Vectors, ReleaseKind::Rewrite] {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", of_kind(kind)));
            assert_eq!(super::kind(of_kind(kind)), Some(kind));
        }
        assert!(METRICS.into_iter().all(|m| metric(m.name()) == Some(m)));
        assert_eq!(unit("span"), Some(Unit::Span));
        assert_eq!((metric("taxicab"), unit(""), kind("Text")), (None, None, None));
    }
}
