//! Makes a compact model with lexicons from a large sentence encoder.

use std::ops::ControlFlow;
use std::path::Path;

use inkveil_nn::{SentenceEncoder, Weights, quantise};

use crate::{
    Error, Lexicon, LexiconKind, build_lexicon, build_words, description, whole_words, word_vectors,
};

const WEIGHTS: &str = "model.safetensors";

/// The files that [`build_compact_model`] writes, with a description of each.
pub const COMPACT_MODEL_FILES: [(&str, &str); 5] = [
    (WEIGHTS, "weights, 8 bits per number and a scale per row"),
    (description::WORD_VECTORS, "vectors of whole words, as the encoder gives them, 8 bits per number"),
    (description::WORDS, "the whole words of the vocabulary"),
    (description::FILE, "what is known of the lexicons: centring, distances"),
    (description::NUMBERS, "the numbers of the centring"),
];

/// A step of [`build_compact_model`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildStep {
    /// Quantises the weights to 8 bits.
    Weights,
    /// Encodes the whole words of the vocabulary.
    Words,
    /// Computes the distances between the entries of a lexicon.
    Distances(LexiconKind),
}

/// Makes a compact model from the sentence encoder in the folder `source`: weights of 8 bits, and
/// lexicons of its tokens and of whole words. The folder `to` must contain the other files of the
/// model, such as its tokenizer and settings. The same source gives the same bytes.
///
/// `components` is the number of principal components that the lexicons remove. `progress` receives
/// the current step, its finished parts and their number. If it returns `Break`, the work stops at
/// the end of the step, and so does this function.
pub fn build_compact_model(
    source: &Path,
    to: &Path,
    components: usize,
    progress: &mut dyn FnMut(BuildStep, usize, usize) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Error> {
    let mut flow = ControlFlow::Continue(());
    quantise(&Weights::open(source)?, &to.join(WEIGHTS), &mut |done, total| {
        flow = progress(BuildStep::Weights, done, total);
    })?;
    if flow.is_break() {
        return Ok(flow);
    }
    let words = whole_words(Lexicon::open_kind(to, LexiconKind::Subword)?.vocabulary());
    let encoder = SentenceEncoder::open(to)?;
    let vectors = word_vectors(&encoder, &words, &mut |done, total| {
        flow = progress(BuildStep::Words, done, total);
    })?;
    if flow.is_break() {
        return Ok(flow);
    }
    build_words(to, &words, &vectors, encoder.width())?;
    for kind in [LexiconKind::Subword, LexiconKind::Words] {
        if progress(BuildStep::Distances(kind), 0, 1).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        build_lexicon(to, kind, Some(components))?;
    }
    Ok(progress(BuildStep::Distances(LexiconKind::Words), 1, 1))
}
