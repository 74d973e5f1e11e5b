//! Jobs: many files through one change, in memory that does not grow with the files.
//!
//! ```text
//! read ─→ batches ─→ workers: change, write ─→ in order again ─→ parts ─→ assemble ─→ release ─→ rename
//! ```
//!
//! A job has a [`JobFolder`]. It holds the finished parts and what the caller wants to keep, such as the key of its
//! noise. A job that was interrupted or killed continues after its last part. A file gets its name only when it is
//! complete and [`Work::release`] has agreed.

mod assemble;
mod assembly;
mod convert;
mod files;
mod folder;
mod growing;
mod part;
mod pipeline;
mod plain_pairs;
mod run;
mod settings;
mod stream;
mod work;

pub use files::{Expanded, JobFile, SkipReason, Skipped, expand};
pub use folder::{FileState, JobFolder};
pub use run::Job;
pub use settings::JobSettings;
pub use stream::stream;
pub use work::{BatchAddress, FileDone, JobProgress, Summary, Work};
