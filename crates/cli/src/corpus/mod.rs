//! Files of texts: what is read, where it goes, and how far that has come. Shared by all commands that work on corpora.

mod ending;
mod files;
mod progress;
mod spending;

pub(crate) use ending::{Failed, advise, say_rejected, settle};
pub(crate) use files::{Corpus, Target, options, read_texts};
pub(crate) use progress::JobBar;
pub(crate) use spending::{Spending, content_of, named_ledger};
