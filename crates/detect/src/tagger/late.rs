//! A tagger that is opened when the first text needs it.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::fast::FastTagger;
use super::tag::Tagger;
use crate::error::Error;
use crate::gazetteer::Gazetteer;
use crate::span::Span;

/// The tagger of the languages. Texts in English alone do not need its weights and lists.
pub(crate) struct LateTagger {
    weights: PathBuf,
    names: PathBuf,
    opened: OnceLock<FastTagger>,
}

impl LateTagger {
    pub(crate) fn new(weights: PathBuf, names: PathBuf) -> Self {
        LateTagger { weights, names, opened: OnceLock::new() }
    }

    fn opened(&self) -> Result<&FastTagger, Error> {
        if let Some(tagger) = self.opened.get() {
            return Ok(tagger);
        }
        let names = Arc::new(Gazetteer::open_lines(&self.names)?);
        let tagger = FastTagger::open("languages", &self.weights, names)?;
        // If two threads open it at once, both have the same weights.
        Ok(self.opened.get_or_init(|| tagger))
    }
}

impl Tagger for LateTagger {
    fn tag(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        self.opened()?.tag(texts)
    }
}
