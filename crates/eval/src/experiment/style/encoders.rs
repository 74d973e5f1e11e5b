//! The encoders and the detector of a study.

use std::path::Path;

use inkveil_detect::{Detector, Settings, Span};
use inkveil_nn::SentenceEncoder;
use inkveil_style::{Judge, MeaningEncoder, MemoryGeometry, NgramWeights, StyleEncoder, TextMeaning};

use crate::Error;
use crate::attack::Views;

pub(super) struct Encoders {
    pub(super) style: StyleEncoder,
    sentences: SentenceEncoder,
    meaning: MeaningEncoder,
    detector: Detector,
    ngrams: NgramWeights,
}

impl Encoders {
    pub(super) fn open(pack: &Path) -> Result<Self, Error> {
        Ok(Self {
            style: StyleEncoder::open(pack)?,
            sentences: SentenceEncoder::open(pack)?,
            meaning: MeaningEncoder::open(pack)?,
            detector: Detector::open(Some(pack), Settings::default())?,
            ngrams: NgramWeights::open(pack)?,
        })
    }

    pub(super) fn views<'a>(&self, texts: Vec<&'a str>) -> Result<Views<'a>, Error> {
        let style = (self.style.dimension(), self.style.encode(&texts)?.concat());
        let sentence = (self.sentences.width(), self.sentences.encode(&texts)?.concat());
        Views::new(texts, style, sentence)
    }

    /// The views of released texts. Unchanged texts are not encoded again.
    pub(super) fn released_views<'a>(
        &self,
        released: &'a [String],
        originals: &Views<'_>,
    ) -> Result<Views<'a>, Error> {
        let texts: Vec<&str> = released.iter().map(String::as_str).collect();
        let changed = changed(&texts, originals);
        let new = self.views(changed.iter().map(|&text| texts[text]).collect())?;
        let (mut style, mut sentence) = (Vec::new(), Vec::new());
        for text in 0..texts.len() {
            let (views, row) = match changed.binary_search(&text) {
                Ok(place) => (&new, place),
                Err(_) => (originals, text),
            };
            style.extend_from_slice(views.style_of(row));
            sentence.extend_from_slice(views.sentence_of(row));
        }
        Views::new(texts, (self.style.dimension(), style), (self.sentences.width(), sentence))
    }

    pub(super) fn said(&self, texts: &[&str]) -> Result<Vec<TextMeaning>, Error> {
        Ok(self.meaning.read(texts)?)
    }

    pub(super) fn spans(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        Ok(self.detector.detect(texts)?)
    }

    /// The judge of candidates, by the distance of their style from prototypes.
    pub(super) fn judge<'a>(&'a self, geometry: &'a MemoryGeometry<'a>) -> Judge<'a> {
        let (encoder, meaning, detector) = (&self.style, &self.meaning, &self.detector);
        Judge { encoder, geometry, meaning, detector, ngrams: &self.ngrams, earlier: None }
    }
}

/// The positions of changed texts, in ascending order.
pub(super) fn changed(released: &[&str], originals: &Views<'_>) -> Vec<usize> {
    let pairs = released.iter().zip(originals.texts()).enumerate();
    pairs.filter(|(_, (released, original))| released != original).map(|(text, _)| text).collect()
}
