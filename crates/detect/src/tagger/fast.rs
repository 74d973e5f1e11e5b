//! The fast tier: hashed words and a small convolutional network.

use std::path::Path;
use std::sync::Arc;

use inkveil_nn::Weights;
use inkveil_nn::cpu::Precision;
use rayon::prelude::*;

use super::decode::decode;
use super::features::Features;
use super::labels::LABELS;
use super::net::REACH;
use super::packed::{Buffers, PackedNet};
use super::tag::Tagger;
use super::words::{Word, words};
use crate::error::Error;
use crate::gazetteer::Gazetteer;
use crate::span::Span;

/// The number of rows per call of the network: efficient products that fit in the cache.
const TOGETHER: usize = 512;

/// The small tagger of the default tier.
pub(crate) struct FastTagger {
    /// Its name in reasons.
    name: &'static str,
    net: PackedNet,
    gazetteer: Arc<Gazetteer>,
}

impl FastTagger {
    pub(crate) fn open(name: &'static str, weights: &Path, gazetteer: Arc<Gazetteer>) -> Result<Self, Error> {
        let net = PackedNet::open(&Weights::open(weights)?, Precision::fastest())?;
        Ok(FastTagger { name, net, gazetteer })
    }

    /// Returns the probabilities of the wanted words of each run.
    fn label(
        &self,
        pieces: &[WordRun<'_>],
        (features, buffers): &mut (Features, Buffers),
    ) -> Result<Vec<Vec<f32>>, inkveil_nn::Error> {
        features.clear();
        let mut starts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            starts.push(features.len());
            features.push(piece.text, piece.words, &self.gazetteer, || false);
            features.push_gap(REACH);
        }
        let probabilities = self.net.probabilities(features, buffers)?;
        let rows = |(piece, start): (&WordRun<'_>, usize)| {
            let from = (start + piece.before) * LABELS;
            probabilities[from..from + piece.wanted * LABELS].to_vec()
        };
        Ok(pieces.iter().zip(starts).map(rows).collect())
    }
}

/// Some words of one text, with as many around them as the network can see.
struct WordRun<'a> {
    text: &'a str,
    of: usize,
    words: &'a [Word],
    /// The number of words before the wanted ones.
    before: usize,
    wanted: usize,
}

impl Tagger for FastTagger {
    fn tag(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        let split: Vec<Vec<Word>> = texts.par_iter().map(|text| words(text)).collect();
        let mut groups: Vec<Vec<WordRun<'_>>> = Vec::new();
        let mut size = TOGETHER;
        for (of, (&text, words)) in texts.iter().zip(&split).enumerate() {
            for start in (0..words.len()).step_by(TOGETHER) {
                let wanted = TOGETHER.min(words.len() - start);
                let from = start.saturating_sub(REACH);
                let to = (start + wanted + REACH).min(words.len());
                let piece = WordRun { text, of, words: &words[from..to], before: start - from, wanted };
                let rows = piece.words.len() + REACH;
                if size + rows > TOGETHER {
                    groups.push(Vec::new());
                    size = 0;
                }
                size += rows;
                if let Some(group) = groups.last_mut() {
                    group.push(piece);
                }
            }
        }
        let labelled: Vec<Vec<Vec<f32>>> = groups
            .par_iter()
            .map_init(Default::default, |buffers, group| self.label(group, buffers))
            .collect::<Result<_, _>>()?;
        let mut probabilities: Vec<Vec<f32>> = vec![Vec::new(); texts.len()];
        for (piece, rows) in groups.iter().flatten().zip(labelled.into_iter().flatten()) {
            probabilities[piece.of].extend(rows);
        }
        let spans = |((text, words), rows): ((&&str, &Vec<Word>), &Vec<f32>)| {
            let mut found = Vec::new();
            decode(text, words, rows, self.name, &mut found)?;
            Ok(found)
        };
        texts.par_iter().zip(&split).zip(&probabilities).map(spans).collect()
    }
}
