//! A rewrite as JSON, for interfaces that show before and after side by side.

use serde_json::{Value, json};

use super::align::SentencePair;
use super::goal::GoalReport;
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
            "goal": self.goal.as_ref().map(|goal| self.goal(goal)),
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
            "sentences": passage.sentences.iter().map(|pair| self.sentence(passage, pair)).collect::<Vec<_>>(),
        })
    }

    fn sentence(&self, passage: &PassageReport, pair: &SentencePair) -> Value {
        let after = passage.text.as_deref().and_then(|text| text.get(pair.after.clone()));
        json!({
            "line": self.line(passage) + self.before(passage).get(..pair.before.start).unwrap_or_default().matches('\n').count(),
            "before": self.before(passage).get(pair.before.clone()),
            "after": after,
            "kept": pair.declined,
        })
    }

    fn goal(&self, report: &GoalReport) -> Value {
        let reasons = report.reasons.iter().filter_map(|number| self.passages.get(*number));
        let chance = report.chance();
        json!({
            "chance": report.goal.chance(),
            "authors": report.goal.authors(),
            "reached": report.is_reached(),
            "strength": report.strength,
            "estimate": chance.map(|chance| chance.estimate),
            "interval": chance.map(|chance| [chance.low, chance.high]),
            "lines": reasons.map(|passage| self.line(passage)).collect::<Vec<_>>(),
        })
    }
}
