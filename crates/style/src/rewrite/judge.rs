//! Measures of a rewrite: how far its style is from the source's, how near to a common one, and how much of the meaning
//! and of the entities it keeps.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use inkveil_detect::{Detector, Settings, Span};
use inkveil_nn::SplitMix;

use super::earlier::{EarlierLink, EarlierTexts};
use super::found::{Chance, Found, Nearer};
use super::goal::Goal;
use super::measures::{RewriteMeasures, SourceMeasures};
use super::wording::wording;
use crate::facts::{Facts, names};
use crate::network::dot;
use crate::ngrams::{NgramProfile, NgramWeights};
use crate::{Error, FactChanges, MeaningEncoder, Memory, MemoryGeometry, StyleEncoder, TextMeaning};

/// Nine values that stand for equally likely parts of the normal distribution.
const NORMAL: [f64; 9] = [-1.593, -0.967, -0.589, -0.282, 0.0, 0.282, 0.589, 0.967, 1.593];

/// The models and the memory that rewrites are measured with.
#[derive(Debug)]
pub struct JudgeModels {
    encoder: StyleEncoder,
    memory: Memory,
    meaning: MeaningEncoder,
    detector: Detector,
    ngrams: NgramWeights,
    earlier: Option<EarlierTexts>,
}

impl JudgeModels {
    /// Opens the models of a pack that compare meanings and find entities.
    ///
    /// # Errors
    /// If the pack lacks a model, or the memory belongs to another encoder.
    pub fn open(pack: &Path, encoder: StyleEncoder, memory: Memory) -> Result<Self, Error> {
        let (meaning, detector) =
            (MeaningEncoder::open(pack)?, Detector::open(Some(pack), Settings::default())?);
        let models = Self::new(encoder, memory, meaning, detector)?;
        Ok(Self { ngrams: NgramWeights::open(pack)?, ..models })
    }

    /// Puts opened models together. All n-grams weigh the same.
    ///
    /// # Errors
    /// If the memory belongs to another encoder, or has fewer than two prototypes.
    pub fn new(
        encoder: StyleEncoder,
        memory: Memory,
        meaning: MeaningEncoder,
        detector: Detector,
    ) -> Result<Self, Error> {
        memory.check_encoder(encoder.note())?;
        memory.geometry()?;
        Ok(Self { encoder, memory, meaning, detector, ngrams: NgramWeights::equal(), earlier: None })
    }

    /// Also measures how well rewrites can be linked to earlier texts of their writer.
    pub fn with_earlier(mut self, earlier: Option<EarlierTexts>) -> Self {
        self.earlier = earlier;
        self
    }

    /// Returns the earlier texts.
    pub fn earlier(&self) -> Option<&EarlierTexts> {
        self.earlier.as_ref()
    }

    /// Returns the style encoder.
    pub fn encoder(&self) -> &StyleEncoder {
        &self.encoder
    }

    /// Returns how n-grams are weighed.
    pub fn ngrams(&self) -> &NgramWeights {
        &self.ngrams
    }

    /// Returns the memory of styles.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Finds names and other entities.
    pub(crate) fn find(&self, text: &str) -> Result<Vec<Span>, Error> {
        Ok(self.detector.detect(&[text])?.pop().unwrap_or_default())
    }

    /// Returns a judge that uses these models with the [geometry](Memory::geometry) of the memory.
    pub fn judge<'a>(&'a self, geometry: &'a MemoryGeometry<'a>) -> Judge<'a> {
        let Self { encoder, meaning, detector, ngrams, earlier, .. } = self;
        Judge { encoder, geometry, meaning, detector, ngrams, earlier: earlier.as_ref() }
    }
}

/// Measures rewrites.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// Encodes the style of texts.
    pub encoder: &'a StyleEncoder,
    /// Where the prototypes of common styles lie.
    pub geometry: &'a MemoryGeometry<'a>,
    /// Compares meanings.
    pub meaning: &'a MeaningEncoder,
    /// Finds names and other entities.
    pub detector: &'a Detector,
    /// Weighs n-grams.
    pub ngrams: &'a NgramWeights,
    /// Earlier texts of the writer, which rewrites should not be linked to.
    pub earlier: Option<&'a EarlierTexts>,
}

/// A text to rewrite, with everything that is needed to measure its rewrites.
#[derive(Clone)]
pub struct RewriteSource {
    /// The text.
    pub text: String,
    /// The mean distance of its style to all prototypes.
    pub mean_distance: f64,
    /// The paper's risk w(x), from 0 to 1.
    pub risk: f64,
    /// Whether its style is an outlier.
    pub outlier: bool,
    /// The prototype that guides the rewrite.
    pub reference: usize,
    /// How well it can be linked to earlier texts, if there are any.
    pub link: Option<EarlierLink>,
    vector: Vec<f32>,
    said: TextMeaning,
    entities: Vec<String>,
    facts: Facts,
    wording: BTreeSet<String>,
    ngrams: NgramProfile,
}

impl Judge<'_> {
    /// Measures texts that are to be rewritten. Each comes with the seed that draws the reference prototype of an outlier.
    ///
    /// # Errors
    /// If a model fails.
    pub fn sources(&self, texts: &[(&str, u64)]) -> Result<Vec<RewriteSource>, Error> {
        let (texts, seeds): (Vec<&str>, Vec<u64>) = texts.iter().copied().unzip();
        let vectors = self.encoder.encode(&texts)?;
        let said = self.meaning.read(&texts)?;
        let spans = self.detector.detect(&texts)?;
        let parts = texts.iter().zip(seeds).zip(vectors.into_iter().zip(said.into_iter().zip(spans)));
        parts
            .map(|((text, seed), (vector, (said, spans)))| {
                let mean_distance = self.geometry.mean_distance(&vector)?;
                let mut entities: Vec<String> = spans
                    .iter()
                    .filter_map(|span| text.get(span.range()))
                    .map(str::to_lowercase)
                    .filter(|entity| entity.chars().any(char::is_alphanumeric))
                    .collect();
                entities.sort_unstable();
                entities.dedup();
                let uniform = SplitMix::named(seed, "reference", &[]).unit();
                let ngrams = self.ngrams.profile(text);
                Ok(RewriteSource {
                    text: (*text).to_owned(),
                    mean_distance,
                    risk: self.geometry.risk_of(mean_distance),
                    outlier: mean_distance > self.geometry.tau(),
                    reference: self.geometry.reference(&vector, uniform)?,
                    link: self.link(text, &vector, &ngrams)?,
                    vector,
                    said,
                    entities,
                    facts: Facts::of(text, names(text, &spans)),
                    wording: wording(text),
                    ngrams,
                })
            })
            .collect()
    }

    /// Measures rewrites, each compared with its source.
    ///
    /// # Errors
    /// If a model fails.
    pub fn measure(&self, rewrites: &[(&RewriteSource, &str)]) -> Result<Vec<RewriteMeasures>, Error> {
        let texts: Vec<&str> = rewrites.iter().map(|(_, text)| *text).collect();
        let vectors = self.encoder.encode(&texts)?;
        let said = self.meaning.read(&texts)?;
        let changes = self.changes(rewrites)?;
        let parts = rewrites.iter().zip(vectors.iter().zip(&said)).zip(changes);
        parts
            .map(|(((source, text), (vector, said)), changes)| {
                let mean_distance = self.geometry.mean_distance(vector)?;
                let ngrams = self.ngrams.profile(text);
                Ok(RewriteMeasures {
                    // The encoder's vectors have length 1.
                    style_distance: (1.0 - dot(&source.vector, vector)).max(0.0),
                    reference_distance: self.geometry.distance_to(source.reference, vector)?,
                    meaning: source.said.kept_by(said),
                    entities_kept: source.kept_in(text),
                    wording_kept: source.wording_kept_in(text),
                    ngrams_kept: source.ngrams.likeness(&ngrams),
                    invented: changes.invented.len(),
                    lost: changes.lost.len(),
                    mean_distance,
                    risk: self.geometry.risk_of(mean_distance),
                    outlier: mean_distance > self.geometry.tau(),
                    found: self.found_by_style(source, vector, Goal::AUTHORS)?.estimate,
                    link: self.link(text, vector, &ngrams)?,
                })
            })
            .collect()
    }

    fn link(&self, text: &str, vector: &[f32], ngrams: &NgramProfile) -> Result<Option<EarlierLink>, Error> {
        self.earlier.map(|earlier| earlier.link(self, (text, vector, ngrams))).transpose()
    }

    /// The chance that an attacker who takes the nearest style finds the writer of a source. The attacker knows one style
    /// for each author. That of the writer is the middle of the earlier texts. Without them it is that of another text by
    /// the writer, as alike as two texts of one author are by the encoder's card, or of the source if there is no card.
    fn found_by_style(&self, source: &RewriteSource, vector: &[f32], authors: u32) -> Result<Chance, Error> {
        let known = match (self.earlier, self.encoder.card()) {
            (Some(earlier), _) => vec![dot(earlier.middle(), vector)],
            (None, Some(card)) => {
                let (mean, deviation) = card.same_author_cosines();
                let cosine = dot(&source.vector, vector);
                NORMAL
                    .iter()
                    .map(|quantile| cosine * (mean + quantile * deviation).clamp(-1.0, 1.0))
                    .collect()
            }
            (None, None) => vec![dot(&source.vector, vector)],
        };
        let of = self.geometry.memory().len() as u64;
        let chance = |cosine: f64| {
            Ok(Nearer { share: self.geometry.share_within(vector, cosine)?, of }.chance(authors))
        };
        Ok(Chance::mean(&known.into_iter().map(chance).collect::<Result<Vec<_>, Error>>()?))
    }

    /// Estimates for each of these texts by the writer of a source how often attackers find the writer among this many
    /// authors.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn found(&self, source: &RewriteSource, texts: &[&str], authors: u32) -> Result<Vec<Found>, Error> {
        let vectors = self.encoder.encode(texts)?;
        let found = |(text, vector): (&&str, &Vec<f32>)| {
            let nearer = |earlier: &EarlierTexts| earlier.nearer_by_ngrams(self, &self.ngrams.profile(text));
            Ok(Found {
                style: self.found_by_style(source, vector, authors)?,
                ngrams: self.earlier.and_then(nearer).map(|nearer| nearer.chance(authors)),
            })
        };
        texts.iter().zip(&vectors).map(found).collect()
    }

    /// Compares the facts of rewrites with those of their sources.
    ///
    /// # Errors
    /// If a model fails.
    pub fn changes(&self, rewrites: &[(&RewriteSource, &str)]) -> Result<Vec<FactChanges>, Error> {
        let texts: Vec<&str> = rewrites.iter().map(|(_, text)| *text).collect();
        let spans = self.detector.detect(&texts)?;
        let changes = |((source, text), spans): (&(&RewriteSource, &str), Vec<Span>)| {
            source.facts.changes(&Facts::of(text, names(text, &spans)))
        };
        Ok(rewrites.iter().zip(spans).map(changes).collect())
    }
}

impl RewriteSource {
    /// Returns the measures of the text without the text.
    pub fn measures(&self) -> SourceMeasures {
        let Self { mean_distance, risk, outlier, link, .. } = *self;
        SourceMeasures { mean_distance, risk, outlier, entities: self.entities.len(), link }
    }

    fn wording_kept_in(&self, text: &str) -> f64 {
        let kept = self.wording.intersection(&wording(text)).count();
        kept as f64 / self.wording.len().max(1) as f64
    }

    /// Returns the share of the source's entities that a text contains as whole words, in any case.
    fn kept_in(&self, text: &str) -> Option<f64> {
        if self.entities.is_empty() {
            return None;
        }
        let text = text.to_lowercase();
        let kept = self.entities.iter().filter(|entity| has_words(&text, entity)).count();
        Some(kept as f64 / self.entities.len() as f64)
    }
}

/// Returns whether `text` contains `words` with no letter or digit before or after them.
fn has_words(text: &str, words: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + words.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

/// Shows no text.
impl fmt::Debug for RewriteSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RewriteSource({} bytes, risk {:.2})", self.text.len(), self.risk)
    }
}

/// A source with a risk and nothing else.
#[cfg(test)]
pub(crate) fn test_source(risk: f64, outlier: bool) -> RewriteSource {
    RewriteSource {
        text: "text".into(),
        mean_distance: risk,
        risk,
        outlier,
        reference: 0,
        link: None,
        vector: vec![1.0],
        said: TextMeaning::default(),
        entities: Vec::new(),
        facts: Facts::default(),
        wording: BTreeSet::new(),
        ngrams: NgramProfile::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_found_as_whole_words() {
        assert!(has_words("we met anna marsh, in may", "anna marsh"));
        assert!(!has_words("hannah left", "anna") && !has_words("annas", "anna"));
        assert!(has_words("annas anna", "anna"));
        assert!(has_words("ünal", "ünal") && !has_words("günal", "ünal"));
    }
}
