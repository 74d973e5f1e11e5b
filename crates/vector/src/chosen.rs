//! What a receipt says about a budget that was chosen by a measurement.

use crate::{Error, Mask, MeasuredBudget, VectorVeil};

impl VectorVeil {
    /// Records that the budget was chosen from what was measured for a mask: the largest at which attackers
    /// were found to infer at most this share of the words. The receipt says what was measured and that it is
    /// no guarantee.
    ///
    /// # Errors
    /// If nothing was measured for the mask.
    pub fn chosen(mut self, target: f64, mask: &Mask, budget: &MeasuredBudget) -> Result<Self, Error> {
        let measured = mask
            .note
            .measured
            .as_ref()
            .ok_or_else(|| Error::setting("nothing was measured for this mask"))?;
        let concept = mask.note.concept.escape_debug();
        if budget.epsilon.is_infinite() {
            self = self.warning(
                "the largest measured ε at the target is inf: words are erased, no noise is added, and there is no formal \
                 guarantee; name a budget instead of a target to add noise",
            );
        }
        let found = format!(
            "share of the words of {concept} that the strongest attacker ({}) finds",
            budget.words.strongest
        );
        let upper = "largest upper end of the attackers' 95 % intervals";
        let guessed = "share that guessing the most frequent words finds";
        let similarity = "correlation of cosines of pairs with those of clear vectors";
        let how = format!(
            "ε was chosen by measurement: the largest of {} measured budgets at which the upper end is at most the target; \
             the target is not guaranteed",
            measured.budgets.len()
        );
        let on_what = format!(
            "measured when the mask of {concept} was fitted, not on this release: on {} held-out texts with {} words, of its \
             corpus, by the attackers {}, who knew {} other texts and no near duplicate (cosine {} or more) of the attacked ones",
            measured.with_words,
            measured.words,
            measured.attackers.join(", "),
            measured.known,
            measured.near_duplicates_from
        );
        let for_these = format!(
            "the target, for these texts: it was measured on other texts, for words in {} of them or more",
            measured.least_texts
        );
        let others =
            "other attackers than the measured ones, and attackers who know near duplicates of these texts";
        Ok(self
            .parameter("target: share of words that attackers find, as measured", target)
            .measured(on_corpus(&found), Some(measured.clear.found), budget.words.found)
            .measured(on_corpus(upper), None, budget.words.upper)
            .measured(on_corpus(guessed), None, measured.guessing)
            .measured(on_corpus(similarity), None, budget.similarity)
            .note(how)
            .note(on_what)
            .not_covered(for_these)
            .not_covered(others))
    }
}

/// A reader must not take the measurement for one of the release.
fn on_corpus(what: &str) -> String {
    format!("held-out texts of the mask's corpus: {what}")
}
