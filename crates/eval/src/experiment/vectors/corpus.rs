//! The sentences, how alike pairs of them are, and what is sensitive in them.

use std::collections::HashMap;

use inkveil_detect::{Detector, Kind, Settings, Tier};

use super::super::Bench;
use super::{VectorStudy, told};
use crate::data::ScoredPairs;
use crate::{Error, Sensitive};

pub(super) struct Corpus {
    /// Every distinct sentence.
    pub(super) texts: Vec<String>,
    /// The numbers of two sentences, and their score.
    pub(super) pairs: Vec<(usize, usize, f64)>,
    pub(super) sensitive: Sensitive,
}

impl Corpus {
    pub(super) fn new(study: &VectorStudy, set: &ScoredPairs, bench: &Bench<'_>) -> Result<Self, Error> {
        let (mut texts, mut numbers) = (Vec::new(), HashMap::new());
        let mut number = |text: &String| {
            *numbers.entry(text.clone()).or_insert_with_key(|text: &String| {
                texts.push(text.clone());
                texts.len() - 1
            })
        };
        let pairs: Vec<_> = set
            .pairs
            .iter()
            .take(study.pair_rows)
            .map(|pair| (number(&pair.first), number(&pair.second), pair.score))
            .collect();

        let mut settings = Settings::of(Tier::Fast);
        settings.only = Some([Kind::Person, Kind::Location, Kind::Organisation].into());
        let views: Vec<&str> = texts.iter().map(String::as_str).collect();
        let spans = Detector::open(Some(bench.names), settings)
            .and_then(|detector| detector.detect(&views))
            .map_err(told)?;
        let sensitive = Sensitive::in_spans(&views, &spans, study.min_count)?;
        if sensitive.words().is_empty() {
            return Err(Error::argument("no sensitive word is frequent enough; lower min-count"));
        }
        Ok(Self { texts, pairs, sensitive })
    }
}
