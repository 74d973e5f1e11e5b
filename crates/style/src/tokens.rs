//! A text as the encoder's tokens, with the casing that its vocabulary lacks.

use inkveil_nn::{Tokenizer, casing};

use crate::Error;

/// The number of tokens in a window, without the two special ones.
pub(crate) const WINDOW: usize = 254;

/// A part of a text that fits the encoder.
pub(crate) struct Window {
    pub(crate) ids: Vec<u32>,
    pub(crate) casings: Vec<u8>,
}

/// Returns the tokens that start and end a text in the vocabularies of the BERT family.
pub(crate) fn ends(tokenizer: &Tokenizer) -> Result<[u32; 2], Error> {
    let id = |token: &str| {
        tokenizer.id(token).ok_or_else(|| {
            Error::mismatch(format!(
                "the encoder's vocabulary has no {token}; the style encoder needs one of the BERT family"
            ))
        })
    };
    Ok([id("[CLS]")?, id("[SEP]")?])
}

/// Cuts a text into windows. A text without tokens has none.
pub(crate) fn windows(tokenizer: &Tokenizer, ends: [u32; 2], text: &str) -> Result<Vec<Window>, Error> {
    let encoding = tokenizer.encode(text, false)?;
    let casings: Vec<u8> =
        encoding.offsets.iter().map(|range| text.get(range.clone()).map_or(0, casing)).collect();
    let window = |(ids, casings): (&[u32], &[u8])| Window {
        ids: [&ends[..1], ids, &ends[1..]].concat(),
        casings: [&[0], casings, &[0]].concat(),
    };
    Ok(encoding.ids.chunks(WINDOW).zip(casings.chunks(WINDOW)).map(window).collect())
}
