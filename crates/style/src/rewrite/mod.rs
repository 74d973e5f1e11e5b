//! Rewriting toward a common style: passages, candidates from a language model, and the choice among them.
//!
//! Rewriting gives no formal guarantee. Its effect is measured.

mod align;
mod answer;
mod choose;
mod declined;
mod earlier;
mod found;
mod goal;
mod identifying;
mod json;
mod judge;
mod layout;
mod measures;
mod mixture;
mod passages;
mod prompt;
mod report;
mod rewriter;
mod settings;
mod strength;
mod wording;
mod writer;

pub use self::align::SentencePair;
pub use self::choose::{AttackWeights, Candidate, CandidateFault, FactRule, RewriteRules};
pub use self::declined::{Declined, DeclinedPart};
pub use self::earlier::{EarlierLink, EarlierTexts};
pub use self::found::{Chance, Found, Nearer};
pub use self::goal::{Goal, GoalReport, GoalSearch};
pub use self::identifying::Identifying;
#[cfg(test)]
pub(crate) use self::judge::test_source;
pub use self::judge::{Judge, JudgeModels, RewriteSource};
pub use self::measures::{RewriteMeasures, SourceMeasures};
pub(crate) use self::passages::first_passage;
pub use self::prompt::rewrite_prompt;
pub use self::report::{PassageOutcome, PassageReport, Rewrite, RewriteProgress};
pub use self::rewriter::Rewriter;
pub use self::settings::{Fallback, RewriteSettings};
pub use self::strength::{RewriteOverrides, Strength};
pub(crate) use self::writer::token_limit;
pub use self::writer::{ChatWriter, Draft, DraftRequest, DraftSettings, DraftWriter};
