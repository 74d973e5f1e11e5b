//! All that turns texts into something to measure.

use std::path::Path;

use inkveil_detect::{Detector, Settings, Span};
use inkveil_eval::attack::Views;
use inkveil_nn::SentenceEncoder;
use inkveil_style::{Meaning, Said, StyleEncoder};

use crate::Outcome;

pub(crate) struct Encoders {
    pub(crate) style: StyleEncoder,
    sentences: SentenceEncoder,
    meaning: Meaning,
    detector: Detector,
}

impl Encoders {
    pub(crate) fn open(pack: &Path) -> Outcome<Self> {
        Ok(Self {
            style: StyleEncoder::open(pack)?,
            sentences: SentenceEncoder::open(pack)?,
            meaning: Meaning::open(pack)?,
            detector: Detector::open(Some(pack), Settings::default())?,
        })
    }

    pub(crate) fn views<'a>(&self, texts: Vec<&'a str>) -> Outcome<Views<'a>> {
        let style = (self.style.dimension(), self.style.encode(&texts)?.concat());
        let sentence = (self.sentences.width(), self.sentences.encode(&texts)?.concat());
        Ok(Views::new(texts, style, sentence)?)
    }

    /// The views of released texts. What is as it was is not encoded again.
    pub(crate) fn released_views<'a>(
        &self,
        released: &'a [String],
        originals: &Views<'_>,
    ) -> Outcome<Views<'a>> {
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
        Ok(Views::new(texts, (self.style.dimension(), style), (self.sentences.width(), sentence))?)
    }

    pub(crate) fn said(&self, texts: &[&str]) -> Outcome<Vec<Said>> {
        Ok(self.meaning.read(texts)?)
    }

    pub(crate) fn spans(&self, texts: &[&str]) -> Outcome<Vec<Vec<Span>>> {
        Ok(self.detector.detect(texts)?)
    }
}

/// The places of the texts that are not as they were, in ascending order.
pub(crate) fn changed(released: &[&str], originals: &Views<'_>) -> Vec<usize> {
    let pairs = released.iter().zip(originals.texts()).enumerate();
    pairs.filter(|(_, (released, original))| released != original).map(|(text, _)| text).collect()
}
