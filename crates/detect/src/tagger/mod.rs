//! Taggers, which find sensitive words by their context.

mod accurate;
mod decode;
mod fast;
mod features;
mod join;
mod labels;
mod late;
mod net;
mod packed;
mod tag;
mod tokens;
pub mod train;
pub(crate) mod words;

pub(crate) use accurate::AccurateTagger;
pub(crate) use fast::FastTagger;
pub(crate) use join::{joined, narrowed};
pub(crate) use late::LateTagger;
pub(crate) use tag::Tagger;
