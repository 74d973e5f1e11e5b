//! Test sets of retrieval: queries, documents, and human judgements of relevance.
//!
//! The files are those of the organisers. Errors name a file, a line and a field, never a text.

mod read;
mod task;

pub use read::{Judgement, SearchText, read_judgements, read_texts};
pub use task::SearchTask;
