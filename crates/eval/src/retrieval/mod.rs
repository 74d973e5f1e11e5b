//! Test sets of retrieval: queries, documents, and how relevant people found which document for which query.
//!
//! The files are the organisers' own. Errors name a file, a line and a field, never a text.

mod read;
mod task;

pub use read::{Entry, Judgement, read_entries, read_judgements};
pub use task::Task;
