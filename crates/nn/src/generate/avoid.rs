//! Tokens that a text should rather not contain.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Tokens that become less likely, so that a model says the same in other words.
#[derive(Clone, PartialEq, Default)]
pub struct AvoidedTokens {
    /// Less likely everywhere.
    pub tokens: BTreeSet<u32>,
    /// Less likely after the token that is the key.
    pub pairs: BTreeMap<u32, BTreeSet<u32>>,
    /// What is subtracted from their scores: 1 makes a token e times less likely.
    pub penalty: f32,
}

/// Shows no token: a tokenizer turns it into a word of a text.
impl fmt::Debug for AvoidedTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tokens, pairs, penalty } = self;
        write!(f, "AvoidedTokens({} tokens, {} first of pairs, penalty {penalty})", tokens.len(), pairs.len())
    }
}

impl AvoidedTokens {
    /// Lowers the scores of the avoided tokens. `last` is the last generated token. A token is penalised once, even if
    /// it is avoided for two reasons.
    pub(super) fn penalise(&self, logits: &mut [f32], last: Option<u32>) {
        if self.penalty == 0.0 {
            return;
        }
        let after = last.and_then(|last| self.pairs.get(&last)).into_iter().flatten();
        let after = after.filter(|token| !self.tokens.contains(token));
        for &token in self.tokens.iter().chain(after) {
            if let Some(logit) = logits.get_mut(token as usize) {
                *logit -= self.penalty;
            }
        }
    }
}
