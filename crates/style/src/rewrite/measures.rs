//! The measures of texts and of their rewrites.

use super::earlier::EarlierLink;

/// The measures of a text before it was rewritten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SourceMeasures {
    /// The mean distance of its style to all prototypes.
    pub mean_distance: f64,
    /// The paper's risk w(x), from 0 to 1.
    pub risk: f64,
    /// Whether its style is an outlier.
    pub outlier: bool,
    /// The number of distinct entities (names and other identifying strings) in it.
    pub entities: usize,
    /// How well it can be linked to earlier texts, if there are any.
    pub link: Option<EarlierLink>,
}

/// The measures of a rewrite, compared with its source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RewriteMeasures {
    /// The cosine distance between the two styles.
    pub style_distance: f64,
    /// The cosine distance between the rewrite's style and the reference.
    pub reference_distance: f64,
    /// The share of the meaning that is kept (BERTScore), from 0 to 1.
    pub meaning: f64,
    /// The share of the source's entities that the rewrite still has; none if the source has no entities.
    pub entities_kept: Option<f64>,
    /// The share of the source's words and word pairs that the rewrite still has. Attackers recognise authors
    /// by them.
    pub wording_kept: f64,
    /// How alike the n-grams of characters and words of both texts are, from 0 to 1, weighed by how rare they are.
    pub ngrams_kept: f64,
    /// The number of facts that the rewrite states and the source does not, and of changed negations.
    pub invented: usize,
    /// The number of facts of the source that the rewrite lacks.
    pub lost: usize,
    /// The mean distance of the rewrite's style to all prototypes.
    pub mean_distance: f64,
    /// The rewrite's risk, from 0 to 1.
    pub risk: f64,
    /// Whether the rewrite's style is an outlier.
    pub outlier: bool,
    /// The chance that an attacker who takes the nearest style finds the writer among [`Goal::AUTHORS`](super::Goal)
    /// authors of the memory.
    pub found: f64,
    /// How well it can be linked to earlier texts of the writer, if there are any.
    pub link: Option<EarlierLink>,
}

/// Measures that are the same for every text.
#[cfg(test)]
pub(super) fn test_measures() -> RewriteMeasures {
    RewriteMeasures {
        style_distance: 0.5,
        reference_distance: 0.4,
        meaning: 0.9,
        entities_kept: None,
        wording_kept: 0.5,
        ngrams_kept: 0.5,
        invented: 0,
        lost: 0,
        mean_distance: 0.5,
        risk: 0.5,
        outlier: false,
        found: 0.5,
        link: None,
    }
}
