//! A rewrite as JSON, for interfaces that show before and after side by side.

use serde_json::{Value, json};

use super::identifying::Identifying;
use super::report::{PassageReport, Rewrite};
use crate::facts::Fact;

impl Rewrite {
    /// Returns the rewrite as JSON: the new text, each passage before and after, the measures, and what still identifies
    /// a person. It quotes both texts, so it is as private as the original.
    pub fn to_json(&self, identifying: &[Identifying]) -> Value {
        let (before, after) = (&self.source, self.measures.as_ref());
        let link = before.link.zip(after.and_then(|after| after.link));
        json!({
            "text": self.text,
            "risk": { "before": before.risk, "after": after.map(|after| after.risk) },
            "stands_out": { "before": before.outlier, "after": after.map(|after| after.outlier) },
            "meaning_kept": after.map(|after| after.meaning),
            "words_kept": after.map(|after| after.wording_kept),
            "earlier_texts": link.map(|(before, after)| json!({
                "style": { "before": before.style, "after": after.style },
                "recurring_words": { "before": before.recurring, "after": after.recurring },
            })),
            "identifying": identifying,
            "passages": self.passages.iter().map(|passage| self.passage(passage)).collect::<Vec<_>>(),
        })
    }

    fn passage(&self, passage: &PassageReport) -> Value {
        let facts = |facts: &[Fact]| -> Vec<Value> {
            facts.iter().map(|fact| json!({ "kind": fact.kind.describe(), "value": fact.value })).collect()
        };
        json!({
            "line": self.line(passage),
            "before": self.before(passage),
            "after": passage.text,
            "outcome": passage.outcome,
            "meaning_kept": passage.measures.map(|measures| measures.meaning),
            "words_kept": passage.measures.map(|measures| measures.wording_kept),
            "invented": facts(&passage.changes.invented),
            "lost": facts(&passage.changes.lost),
        })
    }
}
