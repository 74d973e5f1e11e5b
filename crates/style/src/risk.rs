//! The risk of a text, and how well it can be linked to earlier texts. Both are measured and not a
//! formal guarantee.

use serde::Serialize;

use crate::memory::MemoryGeometry;
use crate::network::{dot, normalise};
use crate::{Error, SameAuthor};

/// How recognisable the style of a text is among those of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Risk {
    /// The paper's risk w(x), from 0 to 1.
    pub score: f64,
    /// The mean distance to all prototypes.
    pub mean_distance: f64,
    /// The distance above which a text is an outlier.
    pub tau: f64,
    /// Whether it is an outlier.
    pub outlier: bool,
    /// −log of the density of styles at this text.
    pub surprise: f64,
    /// The percentage of the memory's texts that are less unusual.
    pub percentile: f64,
    /// The share of the memory's texts that could be by the same author.
    pub alike: f64,
    /// The number of texts in the memory.
    pub seen: u64,
}

impl Risk {
    /// Returns the risk of a text, given its vector and, if known, the curve of the encoder's card.
    ///
    /// # Errors
    /// If the vector does not belong to the memory's encoder.
    pub fn of(
        geometry: &MemoryGeometry<'_>,
        vector: &[f32],
        same: Option<&SameAuthor>,
    ) -> Result<Self, Error> {
        let memory = geometry.memory();
        let mean_distance = geometry.mean_distance(vector)?;
        let threshold = same.map_or(1.0 - memory.settings().merge_radius, |same| same.threshold);
        Ok(Self {
            score: geometry.risk_of(mean_distance),
            mean_distance,
            tau: geometry.tau(),
            outlier: mean_distance > geometry.tau(),
            surprise: geometry.surprise(vector, true)?,
            percentile: memory.spread().percentile(mean_distance),
            alike: geometry.share_within(vector, threshold)?,
            seen: memory.seen(),
        })
    }

    /// Returns the share of writers who could have written this, as "about 1 in k writers".
    ///
    /// ```
    /// use inkveil_style::OneIn;
    ///
    /// assert_eq!(OneIn::of(0.024, 1000).to_string(), "about 1 in 42");
    /// assert_eq!(OneIn::of(0.0, 1000).to_string(), "fewer than 1 in 1000");
    /// ```
    pub fn one_in(&self) -> OneIn {
        OneIn::of(self.alike, self.seen)
    }
}

/// A share as "1 in k".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OneIn {
    /// About one in this many.
    About(u64),
    /// Fewer than one in this many.
    FewerThan(u64),
}

impl OneIn {
    /// Returns a share of this many.
    pub fn of(share: f64, seen: u64) -> Self {
        match share > 0.0 {
            true => Self::About((1.0 / share).round().max(1.0) as u64),
            false => Self::FewerThan(seen),
        }
    }
}

impl std::fmt::Display for OneIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::About(k) => write!(f, "about 1 in {k}"),
            Self::FewerThan(k) => write!(f, "fewer than 1 in {k}"),
        }
    }
}

/// How well an attacker with earlier texts of an author can link another text to them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Link {
    /// The mean cosine with the earlier texts.
    pub cosine: f64,
    /// The probability that the text is by the same author, with a prior of one half; none without
    /// the encoder's card.
    pub probability: Option<f64>,
    /// The same with a prior of one in a hundred.
    pub among_hundred: Option<f64>,
    /// The share of the memory's texts that are nearer to the earlier texts than this one.
    pub nearer: f64,
}

impl Link {
    /// Returns how well `vector` can be linked to the `earlier` ones.
    ///
    /// # Errors
    /// If there is no earlier vector, or one does not belong to the memory's encoder.
    pub fn of(
        geometry: &MemoryGeometry<'_>,
        vector: &[f32],
        earlier: &[Vec<f32>],
        same: Option<&SameAuthor>,
    ) -> Result<Self, Error> {
        if earlier.is_empty() {
            return Err(Error::too_few("there is no earlier text to compare with"));
        }
        geometry.mean_distance(vector)?;
        let mut middle = vec![0f32; vector.len()];
        let mut cosine = 0.0;
        for other in earlier {
            geometry.mean_distance(other)?;
            cosine += dot(vector, other) / earlier.len() as f64;
            middle.iter_mut().zip(other).for_each(|(sum, x)| *sum += x);
        }
        normalise(&mut middle);
        // The mean of several texts is nearer to everything than each of them, so only the rank of
        // the text counts.
        let nearer = geometry.share_within(&middle, dot(vector, &middle))?;
        let odds = same.map(|same| same.odds(cosine));
        Ok(Self {
            cosine,
            probability: odds.map(|odds| odds / (odds + 1.0)),
            among_hundred: odds.map(|odds| odds / (odds + 99.0)),
            nearer,
        })
    }
}

#[cfg(test)]
mod tests {
    use inkveil_nn::EncoderNote;

    use super::*;
    use crate::{Memory, MemorySettings};

    fn memory() -> Memory {
        let encoder = EncoderNote { name: "toy".into(), sha256: None };
        let mut memory = Memory::new(encoder, 3, MemorySettings::default()).unwrap();
        let rows = [1.0, 0.0, 0.0, 0.8, 0.6, 0.0, 0.8, -0.6, 0.0, 0.8, 0.0, 0.6];
        memory.add(&rows, None).unwrap();
        memory.observe(&rows).unwrap();
        memory
    }

    const SAME: SameAuthor = SameAuthor { slope: 10.0, offset: -5.0, threshold: 0.5 };

    #[test]
    fn unusual_texts_have_a_higher_risk() {
        let memory = memory();
        let geometry = memory.geometry().unwrap();
        let odd = Risk::of(&geometry, &[-0.6, 0.0, -0.8], Some(&SAME)).unwrap();
        let usual = Risk::of(&geometry, &[1.0, 0.0, 0.0], Some(&SAME)).unwrap();
        assert!(odd.outlier && !usual.outlier);
        assert_eq!((odd.score, odd.percentile, odd.one_in()), (1.0, 100.0, OneIn::FewerThan(4)));
        assert!(usual.score < 0.01 && usual.percentile < 1.0 && odd.surprise > usual.surprise);
        assert_eq!(usual.one_in(), OneIn::About(1));
    }

    #[test]
    fn a_text_is_linked_to_similar_texts() {
        let memory = memory();
        let geometry = memory.geometry().unwrap();
        let earlier = [vec![0.8, 0.6, 0.0], vec![0.6, 0.8, 0.0]];
        let near = Link::of(&geometry, &[0.7, 0.714, 0.0], &earlier, Some(&SAME)).unwrap();
        let far = Link::of(&geometry, &[0.8, -0.6, 0.0], &earlier, Some(&SAME)).unwrap();
        assert!(near.cosine > 0.95 && near.probability > Some(0.98) && near.nearer == 0.0);
        assert!(far.probability < Some(0.1) && far.nearer > 0.7, "{far:?}");
        assert!(near.among_hundred < near.probability);
        assert!(Link::of(&geometry, &[1.0, 0.0, 0.0], &[], None).is_err());
        assert!(Link::of(&geometry, &[1.0, 0.0], &earlier, None).is_err());
    }
}
