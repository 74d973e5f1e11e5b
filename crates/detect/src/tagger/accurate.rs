//! The accurate tier: the encoder of the pack with trained adapters, and a linear head.

use std::path::Path;
use std::sync::Arc;

use inkveil_nn::cpu::{PackedEncoder, Precision, Sequence};
use inkveil_nn::models::BertConfig;
use inkveil_nn::product::f32_product;
use inkveil_nn::{CASINGS, Tokenizer, Weights, with_adapters};
use rayon::prelude::*;

use super::decode::{decode, softmax};
use super::features::{DENSE, push_dense};
use super::labels::{LABELS, OUTSIDE};
use super::tag::Tagger;
use super::tokens::{TokenWindow, windows};
use super::words::{Word, words};
use crate::error::{Error, ErrorKind};
use crate::gazetteer::Gazetteer;
use crate::span::Span;

/// The large tagger.
pub(crate) struct AccurateTagger {
    tokenizer: Tokenizer,
    ends: [u32; 2],
    encoder: PackedEncoder,
    head: Vec<f32>,
    bias: Vec<f32>,
    gazetteer: Arc<Gazetteer>,
}

/// Returns the tokens that start and end a text in vocabularies of the BERT family.
pub(super) fn ends(tokenizer: &Tokenizer) -> Result<[u32; 2], Error> {
    let id = |token: &'static str| tokenizer.id(token).ok_or(ErrorKind::NoToken { token });
    Ok([id("[CLS]")?, id("[SEP]")?])
}

impl AccurateTagger {
    /// Opens the encoder and tokenizer of `pack`, and the adapters and head in `weights`.
    pub(crate) fn open(pack: &Path, weights: &Path, gazetteer: Arc<Gazetteer>) -> Result<Self, Error> {
        let trained = Weights::open(weights)?;
        let config = BertConfig { types: CASINGS, ..BertConfig::open(pack)? };
        let merged = with_adapters(&Weights::open(pack)?, &trained)?;
        let encoder = PackedEncoder::new(&merged, &config, Precision::fastest())?;
        let tokenizer = Tokenizer::open(pack)?;
        tokenizer.check_rows(config.vocabulary)?;
        Ok(AccurateTagger {
            ends: ends(&tokenizer)?,
            tokenizer,
            head: trained.values("head.weight", &[LABELS, config.width + DENSE])?.into_owned(),
            bias: trained.values("head.bias", &[LABELS])?.into_owned(),
            encoder,
            gazetteer,
        })
    }

    /// Returns the probabilities of the labels of the words in a window.
    fn label(&self, window: &TokenWindow, dense: &[f32], states: &[f32]) -> Result<Vec<f32>, Error> {
        let width = self.encoder.width();
        let mut inputs = Vec::with_capacity(window.firsts.len() * (width + DENSE));
        for (&first, dense) in window.firsts.iter().zip(dense.chunks_exact(DENSE)) {
            inputs.extend_from_slice(&states[first * width..(first + 1) * width]);
            inputs.extend_from_slice(dense);
        }
        let mut scores = vec![0.0; window.firsts.len() * LABELS];
        f32_product(&inputs, &self.head, width + DENSE, &mut scores)?;
        for row in scores.chunks_exact_mut(LABELS) {
            row.iter_mut().zip(&self.bias).for_each(|(score, bias)| *score += bias);
            softmax(row);
        }
        Ok(scores)
    }
}

/// The input of the encoder for one text.
struct Prepared {
    words: Vec<Word>,
    dense: Vec<f32>,
    windows: Vec<TokenWindow>,
}

impl Tagger for AccurateTagger {
    fn tag(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        let prepare = |text: &&str| {
            let words = words(text);
            let windows = windows(&self.tokenizer, self.ends, text, &words)?;
            let mut dense = Vec::with_capacity(words.len() * DENSE);
            push_dense(&mut dense, text, &words, &self.gazetteer, || false);
            Ok(Prepared { words, dense, windows })
        };
        let prepared: Vec<Prepared> = texts.par_iter().map(prepare).collect::<Result<_, Error>>()?;
        let all: Vec<(&Prepared, &TokenWindow)> =
            prepared.iter().flat_map(|text| text.windows.iter().map(move |window| (text, window))).collect();
        let sequences: Vec<Sequence<'_>> =
            all.iter().map(|(_, window)| Sequence { ids: &window.ids, types: &window.casings }).collect();
        let labelled = self.encoder.map_typed(&sequences, |index, states| {
            let (text, window) = all[index];
            self.label(window, &text.dense[window.words.start * DENSE..], states)
        })?;
        let mut labelled = labelled.into_iter();
        let mut spans = Vec::with_capacity(texts.len());
        for (text, prepared) in texts.iter().zip(&prepared) {
            let mut probabilities = Vec::with_capacity(prepared.words.len() * LABELS);
            for rows in labelled.by_ref().take(prepared.windows.len()) {
                probabilities.extend(rows?);
            }
            // Words without a token are outside.
            while probabilities.len() < prepared.words.len() * LABELS {
                let outside = probabilities.len() % LABELS == OUTSIDE;
                probabilities.push(f32::from(u8::from(outside)));
            }
            let mut found = Vec::new();
            decode(text, &prepared.words, &probabilities, "accurate", &mut found)?;
            spans.push(found);
        }
        Ok(spans)
    }
}
