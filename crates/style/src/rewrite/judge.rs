//! What a rewrite is worth: how far it is from the source's style and how near to another, what it keeps of the meaning and of the names.

use std::fmt;

use inkveil_detect::Detector;
use inkveil_nn::SplitMix;

use crate::network::dot;
use crate::{Error, Geometry, Meaning, Said, StyleEncoder};

/// Measures rewrites.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// Gives style vectors.
    pub encoder: &'a StyleEncoder,
    /// How others write.
    pub geometry: &'a Geometry<'a>,
    /// Compares meanings.
    pub meaning: &'a Meaning,
    /// Finds names and other things that identify.
    pub detector: &'a Detector,
}

/// A text to be rewritten, and all that is known of it.
#[derive(Clone)]
pub struct Source {
    /// The text.
    pub text: String,
    /// Its mean distance to all prototypes.
    pub mean_distance: f64,
    /// The paper's risk w(x), from 0 to 1.
    pub risk: f64,
    /// Whether its style stands out.
    pub outlier: bool,
    /// The prototype it is led to.
    pub reference: usize,
    vector: Vec<f32>,
    said: Said,
    entities: Vec<String>,
}

/// What a rewrite is like, beside its source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measures {
    /// The cosine distance of the two styles.
    pub style_distance: f64,
    /// The cosine distance of the rewrite's style to the reference.
    pub reference_distance: f64,
    /// What is kept of the meaning (BERTScore), from 0 to 1.
    pub meaning: f64,
    /// The share of the source's entities that the rewrite still has; none if the source has no entities.
    pub entities_kept: Option<f64>,
    /// The mean distance of the rewrite to all prototypes.
    pub mean_distance: f64,
    /// The rewrite's risk, from 0 to 1.
    pub risk: f64,
    /// Whether its style stands out.
    pub outlier: bool,
}

impl Judge<'_> {
    /// Looks at texts that are to be rewritten. Where chance decides which common prototype an outlier is led to, it depends on the seed only.
    ///
    /// # Errors
    /// If a model fails.
    pub fn sources(&self, texts: &[&str], seed: u64) -> Result<Vec<Source>, Error> {
        let vectors = self.encoder.encode(texts)?;
        let said = self.meaning.read(texts)?;
        let spans = self.detector.detect(texts)?;
        let mut random = SplitMix::named(seed, "reference", &[]);
        let parts = texts.iter().zip(vectors).zip(said.into_iter().zip(spans));
        parts
            .map(|((text, vector), (said, spans))| {
                let mean_distance = self.geometry.mean_distance(&vector)?;
                let mut entities: Vec<String> = spans
                    .iter()
                    .filter_map(|span| text.get(span.range()))
                    .map(str::to_lowercase)
                    .filter(|entity| entity.chars().any(char::is_alphanumeric))
                    .collect();
                entities.sort_unstable();
                entities.dedup();
                Ok(Source {
                    text: (*text).to_owned(),
                    mean_distance,
                    risk: self.geometry.risk_of(mean_distance),
                    outlier: mean_distance > self.geometry.tau(),
                    reference: self.geometry.reference(&vector, random.unit())?,
                    vector,
                    said,
                    entities,
                })
            })
            .collect()
    }

    /// Measures rewrites, each beside its source.
    ///
    /// # Errors
    /// If a model fails.
    pub fn measure(&self, rewrites: &[(&Source, &str)]) -> Result<Vec<Measures>, Error> {
        let texts: Vec<&str> = rewrites.iter().map(|(_, text)| *text).collect();
        let vectors = self.encoder.encode(&texts)?;
        let said = self.meaning.read(&texts)?;
        let parts = rewrites.iter().zip(vectors.iter().zip(&said));
        parts
            .map(|((source, text), (vector, said))| {
                let mean_distance = self.geometry.mean_distance(vector)?;
                Ok(Measures {
                    // Vectors of the encoder have length 1.
                    style_distance: (1.0 - dot(&source.vector, vector)).max(0.0),
                    reference_distance: self.geometry.distance_to(source.reference, vector)?,
                    meaning: source.said.kept_by(said),
                    entities_kept: source.kept_in(text),
                    mean_distance,
                    risk: self.geometry.risk_of(mean_distance),
                    outlier: mean_distance > self.geometry.tau(),
                })
            })
            .collect()
    }
}

impl Source {
    /// How many names and other things that identify it has, each counted once.
    pub fn entities(&self) -> usize {
        self.entities.len()
    }

    /// The share of the source's entities that stand in a text, as whole words and whatever their case.
    fn kept_in(&self, text: &str) -> Option<f64> {
        if self.entities.is_empty() {
            return None;
        }
        let text = text.to_lowercase();
        let kept = self.entities.iter().filter(|entity| has_words(&text, entity)).count();
        Some(kept as f64 / self.entities.len() as f64)
    }
}

/// Whether `text` has `words` with no letter or digit before or after them.
fn has_words(text: &str, words: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + words.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

/// A text is private.
impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({} bytes, risk {:.2})", self.text.len(), self.risk)
    }
}

/// A source of which only its risk is known.
#[cfg(test)]
pub(crate) fn test_source(risk: f64, outlier: bool) -> Source {
    Source {
        text: "text".into(),
        mean_distance: risk,
        risk,
        outlier,
        reference: 0,
        vector: vec![1.0],
        said: Said::default(),
        entities: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_whole_words() {
        assert!(has_words("we met anna marsh, in may", "anna marsh"));
        assert!(!has_words("hannah left", "anna") && !has_words("annas", "anna"));
        assert!(has_words("annas anna", "anna"));
        assert!(has_words("ünal", "ünal") && !has_words("günal", "ünal"));
    }
}
