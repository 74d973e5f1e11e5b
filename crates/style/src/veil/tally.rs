//! Sums over the rewrites of a release.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::rewrite::{EarlierLink, PassageOutcome, Rewrite, Strength};

/// Sums over the rewrites of a release, counted text by text. It holds no text, so a job can keep it when it is interrupted.
///
/// ```
/// # fn example(veil: &inkveil_style::StyleVeil) -> Result<(), inkveil_style::Error> {
/// use inkveil_style::RewriteTally;
///
/// let mut tally = RewriteTally::default();
/// for (index, text) in ["One.", "Two."].iter().enumerate() {
///     let rewrites = veil.rewrite_all(&[text], index as u64, 7, &mut |_| true)?;
///     rewrites.iter().for_each(|rewrite| tally.add(rewrite));
/// }
/// println!("{}", veil.receipt_of(&tally, None, None)?.render());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RewriteTally {
    /// Texts that are released.
    pub(super) released: u64,
    /// Texts that are not.
    pub(super) refused: u64,
    /// Sums over the texts that are released.
    pub(super) sums: Sums,
    /// Texts with entities, of those that are released.
    pub(super) with_entities: u64,
    /// Passages of the texts that are released.
    pub(super) passages: BTreeMap<PassageOutcome, u64>,
    /// Sums over the texts that are compared with earlier ones.
    #[serde(default)]
    pub(super) links: LinkSums,
    /// Sentences that the writers keep in passages that are rewritten otherwise.
    #[serde(default)]
    pub(super) sentences_kept: u64,
    /// Counts of the texts with a goal.
    #[serde(default)]
    pub(super) goals: GoalSums,
}

/// Counts of texts that reached a goal or missed it, and sums over those that are released.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct GoalSums {
    /// Texts that reached it, by the strength that was used.
    pub(super) reached: BTreeMap<Strength, u64>,
    /// Texts that missed it and are released nevertheless.
    pub(super) closest: u64,
    /// Texts that missed it and are not released.
    pub(super) refused: u64,
    /// The estimates for the strongest attacker, and the upper ends of their intervals.
    pub(super) estimate: f64,
    pub(super) high: f64,
    /// Texts with an estimate for n-grams.
    pub(super) with_ngrams: u64,
}

impl GoalSums {
    fn add(&mut self, rewrite: &Rewrite) {
        let Some(goal) = &rewrite.goal else { return };
        if rewrite.text.is_none() {
            self.refused += 1;
            return;
        }
        match goal.is_reached() {
            true => *self.reached.entry(goal.strength).or_default() += 1,
            false => self.closest += 1,
        }
        if let Some(chance) = goal.chance() {
            self.estimate += chance.estimate;
            self.high += chance.high;
        }
        self.with_ngrams += u64::from(goal.found.is_some_and(|found| found.ngrams.is_some()));
    }

    fn join(&mut self, later: &Self) {
        for (strength, count) in &later.reached {
            *self.reached.entry(*strength).or_default() += count;
        }
        self.closest += later.closest;
        self.refused += later.refused;
        self.estimate += later.estimate;
        self.high += later.high;
        self.with_ngrams += later.with_ngrams;
    }

    /// The number of released texts.
    pub(super) fn released(&self) -> u64 {
        self.reached.values().sum::<u64>() + self.closest
    }
}

/// Sums of measures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sums {
    pub(super) risk_before: f64,
    pub(super) risk: f64,
    pub(super) distance_before: f64,
    pub(super) distance: f64,
    pub(super) style_distance: f64,
    pub(super) meaning: f64,
    pub(super) entities_kept: f64,
    #[serde(default)]
    pub(super) wording_kept: f64,
    #[serde(default)]
    pub(super) ngrams_kept: f64,
    #[serde(default)]
    pub(super) invented: f64,
    #[serde(default)]
    pub(super) lost: f64,
}

/// Sums over the links of texts with earlier texts, before and after.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct LinkSums {
    pub(super) texts: u64,
    pub(super) cosine: (f64, f64),
    pub(super) recurring: (f64, f64),
    #[serde(default)]
    pub(super) ngrams: (f64, f64),
}

impl LinkSums {
    fn add(&mut self, before: &EarlierLink, after: &EarlierLink) {
        self.join(&Self {
            texts: 1,
            cosine: (before.style.cosine, after.style.cosine),
            recurring: (before.recurring, after.recurring),
            ngrams: (before.ngrams, after.ngrams),
        });
    }

    fn join(&mut self, later: &Self) {
        self.texts += later.texts;
        for (sum, more) in [
            (&mut self.cosine, later.cosine),
            (&mut self.recurring, later.recurring),
            (&mut self.ngrams, later.ngrams),
        ] {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
    }
}

impl Sums {
    fn join(&mut self, later: &Self) {
        self.risk_before += later.risk_before;
        self.risk += later.risk;
        self.distance_before += later.distance_before;
        self.distance += later.distance;
        self.style_distance += later.style_distance;
        self.meaning += later.meaning;
        self.entities_kept += later.entities_kept;
        self.wording_kept += later.wording_kept;
        self.ngrams_kept += later.ngrams_kept;
        self.invented += later.invented;
        self.lost += later.lost;
    }
}

impl RewriteTally {
    /// Counts a rewrite.
    pub fn add(&mut self, rewrite: &Rewrite) {
        self.goals.add(rewrite);
        let (Some(_), Some(measures)) = (&rewrite.text, rewrite.measures) else {
            self.refused += 1;
            return;
        };
        self.released += 1;
        self.sums.risk_before += rewrite.source.risk;
        self.sums.risk += measures.risk;
        self.sums.distance_before += rewrite.source.mean_distance;
        self.sums.distance += measures.mean_distance;
        self.sums.style_distance += measures.style_distance;
        self.sums.meaning += measures.meaning;
        self.sums.wording_kept += measures.wording_kept;
        self.sums.ngrams_kept += measures.ngrams_kept;
        self.sentences_kept += rewrite.sentences_kept() as u64;
        if let (Some(before), Some(after)) = (&rewrite.source.link, &measures.link) {
            self.links.add(before, after);
        }
        if let Some(kept) = measures.entities_kept {
            self.with_entities += 1;
            self.sums.entities_kept += kept;
        }
        for passage in &rewrite.passages {
            self.sums.invented += passage.changes.invented.len() as f64;
            self.sums.lost += passage.changes.lost.len() as f64;
            *self.passages.entry(passage.outcome).or_default() += 1;
        }
    }

    /// Adds the sums of later texts.
    pub fn join(&mut self, later: &Self) {
        self.released += later.released;
        self.refused += later.refused;
        self.with_entities += later.with_entities;
        self.sums.join(&later.sums);
        self.links.join(&later.links);
        self.goals.join(&later.goals);
        self.sentences_kept += later.sentences_kept;
        for (outcome, count) in &later.passages {
            *self.passages.entry(*outcome).or_default() += count;
        }
    }

    /// Returns the number of texts that are released.
    pub fn released(&self) -> u64 {
        self.released
    }

    /// Returns the number of texts that were refused.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Returns a sum divided by the number of texts that are released.
    pub(super) fn mean(&self, sum: f64) -> f64 {
        sum / self.released.max(1) as f64
    }
}

impl<'a> FromIterator<&'a Rewrite> for RewriteTally {
    fn from_iter<I: IntoIterator<Item = &'a Rewrite>>(rewrites: I) -> Self {
        let mut tally = Self::default();
        rewrites.into_iter().for_each(|rewrite| tally.add(rewrite));
        tally
    }
}
