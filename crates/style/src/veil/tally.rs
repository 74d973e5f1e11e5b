//! Sums over the rewrites of a release.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::rewrite::{EarlierLink, PassageOutcome, Rewrite};

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
}

impl LinkSums {
    fn add(&mut self, before: &EarlierLink, after: &EarlierLink) {
        self.join(&Self {
            texts: 1,
            cosine: (before.style.cosine, after.style.cosine),
            recurring: (before.recurring, after.recurring),
        });
    }

    fn join(&mut self, later: &Self) {
        self.texts += later.texts;
        for (sum, more) in [(&mut self.cosine, later.cosine), (&mut self.recurring, later.recurring)] {
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
        self.invented += later.invented;
        self.lost += later.lost;
    }
}

impl RewriteTally {
    /// Counts a rewrite.
    pub fn add(&mut self, rewrite: &Rewrite) {
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
