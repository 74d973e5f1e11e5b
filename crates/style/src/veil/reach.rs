//! Tries strengths until a goal is reached.

use crate::rewrite::{
    DraftWriter, GoalReport, GoalSearch, Judge, PassageOutcome, Rewrite, RewriteProgress, RewriteSource,
    Rewriter, Strength,
};
use crate::{Error, ErrorKind};

/// The most passages that are named as a reason.
const REASONS: usize = 3;

/// A search for the weakest strength that reaches a goal.
pub(super) struct Reach<'a> {
    pub(super) judge: Judge<'a>,
    pub(super) writer: &'a dyn DraftWriter,
    pub(super) search: &'a GoalSearch,
}

impl Reach<'_> {
    /// Rewrites texts, each with the weakest strength that reaches the goal. If none does, with the one that comes nearest;
    /// such a text is withheld unless the fallback is the closest rewrite.
    pub(super) fn rewrite(
        &self,
        texts: &[&str],
        first: u64,
        seed: u64,
        progress: &mut dyn FnMut(RewriteProgress<'_>) -> bool,
    ) -> Result<Vec<Rewrite>, Error> {
        let mut rewrites = Vec::with_capacity(texts.len());
        for (position, text) in texts.iter().enumerate() {
            let rewrite = self.reach(text, first + position as u64, seed, progress)?;
            let piece =
                RewriteProgress::Piece { text: position, piece: rewrite.text.as_deref().unwrap_or("") };
            if !progress(piece) {
                return Err(ErrorKind::Stopped.into());
            }
            rewrites.push(rewrite);
        }
        Ok(rewrites)
    }

    fn reach(
        &self,
        text: &str,
        index: u64,
        seed: u64,
        progress: &mut dyn FnMut(RewriteProgress<'_>) -> bool,
    ) -> Result<Rewrite, Error> {
        let mut nearest: Option<Rewrite> = None;
        for &(strength, settings) in &self.search.tries {
            let rewriter = Rewriter { judge: self.judge, writer: self.writer, settings };
            // A text is handed out when it is known which strength is used.
            let mut passages = |event: RewriteProgress<'_>| match event {
                RewriteProgress::Passages { .. } => progress(event),
                RewriteProgress::Piece { .. } => true,
            };
            for mut rewrite in rewriter.rewrite(&[text], index, seed, &mut passages)? {
                rewrite.goal = Some(self.assess(&rewrite, strength)?);
                if !rewrite.misses_goal() {
                    return Ok(rewrite);
                }
                // Of texts without a good candidate the last is kept, which may go farthest.
                if nearest
                    .as_ref()
                    .is_none_or(|nearest| chance(nearest).is_infinite() || chance(&rewrite) < chance(nearest))
                {
                    nearest = Some(rewrite);
                }
            }
        }
        let nearest = nearest.ok_or_else(|| Error::setting("there is no strength to try"))?;
        Ok(self.settled(nearest))
    }

    /// Estimates how the writer of a rewrite can be found, and which passages are the reason if the goal is missed.
    pub(super) fn assess(&self, rewrite: &Rewrite, strength: Strength) -> Result<GoalReport, Error> {
        let goal = self.search.goal;
        let report = |found, reasons| GoalReport { goal, strength, found, reasons };
        let Some(text) = &rewrite.text else {
            let refused = rewrite.passages.iter().enumerate();
            let refused = refused.filter(|(_, passage)| passage.outcome == PassageOutcome::Refused);
            return Ok(report(None, refused.map(|(number, _)| number).take(REASONS).collect()));
        };
        // The reference prototype of a whole text is not used, so its seed does not matter.
        let sources = self.judge.sources(&[(rewrite.original.as_str(), 0)])?;
        let Some(source) = sources.first() else { return Ok(report(None, Vec::new())) };
        let found = self.judge.found(source, &[text], goal.authors())?.pop();
        let reached = found.as_ref().is_some_and(|found| goal.is_reached(found));
        let reasons = if reached { Vec::new() } else { self.reasons(rewrite, source)? };
        Ok(report(found, reasons))
    }

    /// The passages that tell most about the writer. What is short or no prose counts only if there is nothing else.
    fn reasons(&self, rewrite: &Rewrite, source: &RewriteSource) -> Result<Vec<usize>, Error> {
        let all: Vec<usize> = (0..rewrite.passages.len()).collect();
        let is_prose = |at: &&usize| {
            !matches!(rewrite.passages[**at].outcome, PassageOutcome::Short | PassageOutcome::Fixed)
        };
        let prose: Vec<usize> = all.iter().filter(is_prose).copied().collect();
        let numbers = if prose.is_empty() { all } else { prose };
        let text = |&number: &usize| {
            let passage = &rewrite.passages[number];
            passage.text.as_deref().unwrap_or(rewrite.before(passage))
        };
        let texts: Vec<&str> = numbers.iter().map(text).collect();
        let found = self.judge.found(source, &texts, self.search.goal.authors())?;
        let mut telling: Vec<(usize, f64)> =
            numbers.into_iter().zip(found.iter().map(|found| found.strongest().high)).collect();
        telling.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(telling.into_iter().take(REASONS).map(|(number, _)| number).collect())
    }

    /// Withholds a rewrite that misses the goal, unless the closest one is wanted.
    pub(super) fn settled(&self, mut rewrite: Rewrite) -> Rewrite {
        if rewrite.misses_goal() && !self.search.releases_closest() {
            (rewrite.text, rewrite.measures) = (None, None);
        }
        rewrite
    }
}

/// The upper end of the chance that its writer is found. A text without a good candidate comes last.
fn chance(rewrite: &Rewrite) -> f64 {
    let chance = rewrite.goal.as_ref().and_then(GoalReport::chance);
    chance.map_or(f64::INFINITY, |chance| chance.high)
}
