//! STAMP-R: how recognisable a text's style is, and a memory of how others write.
#![forbid(unsafe_code)]

mod card;
mod corpus;
mod digest;
mod encoder;
mod error;
pub mod features;
mod function_words;
pub mod language;
mod memory;
mod network;
mod risk;
mod surface;
mod tokens;
pub mod train;

pub use card::{Card, Counts, SameAuthor};
pub use corpus::{AuthorText, read_corpus, split_authors};
pub use encoder::StyleEncoder;
pub use error::{Error, ErrorKind};
pub use memory::{Geometry, Map, Memory, MemorySettings, Spread};
pub use risk::{Link, OneIn, Risk};
