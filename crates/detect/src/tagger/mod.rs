//! Taggers: what a text says about its words, read from the context.

mod accurate;
mod decode;
mod fast;
mod features;
mod labels;
mod net;
mod packed;
mod tokens;
pub mod train;
pub(crate) mod words;

pub(crate) use accurate::AccurateTagger;
pub(crate) use fast::FastTagger;

use crate::{Error, Span};

/// Labels words; two tiers do it at different cost.
pub(crate) trait Tagger: Send + Sync {
    /// The spans of each text, likely and unlikely ones, in order. Texts are worked on together, on all cores.
    fn tag(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error>;
}
