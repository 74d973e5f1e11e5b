//! What taggers have in common.

use crate::error::Error;
use crate::span::Span;

/// A tagger, which labels words by their context.
pub(crate) trait Tagger: Send + Sync {
    /// Returns the spans of each text in order, with their scores. Texts are tagged together, on all cores.
    fn tag(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error>;
}
