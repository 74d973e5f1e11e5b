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
        Ok(self
            .parameter("target: share of words that attackers find, as measured", target)
            .measured(
                format!(
                    "share of the words of {concept} that the strongest attacker ({}) finds",
                    budget.words.strongest
                ),
                Some(measured.clear.found),
                budget.words.found,
            )
            .measured("largest upper end of the attackers' 95 % intervals", None, budget.words.upper)
            .measured("share found by guessing the most frequent words", None, measured.guessing)
            .measured("correlation of cosines of pairs with those of clear vectors", None, budget.similarity)
            .note(format!(
                "ε was chosen by measurement: the largest of {} measured budgets at which the upper end is at most the \
                 target; the target is not guaranteed",
                measured.budgets.len()
            ))
            .note(format!(
                "measured when the mask of {concept} was fitted, not on this release: on {} held-out texts with {} words, of \
                 its corpus, by the attackers {}, who knew {} other texts and no near duplicate (cosine {} or more) of the \
                 attacked ones",
                measured.with_words,
                measured.words,
                measured.attackers.join(", "),
                measured.known,
                measured.near_duplicates_from
            ))
            .not_covered(format!(
                "the target, for these texts: it was measured on other texts, for words in {} of them or more",
                measured.least_texts
            ))
            .not_covered("other attackers than the measured ones, and attackers who know near duplicates of these texts"))
    }
}
