//! Jobs: many files through one change, in memory that does not grow with them; what is done survives anything.
//!
//! ```text
//! read ─→ batches ─→ workers: change, write ─→ in order again ─→ parts (each whole or not there) ─→ assemble ─→ release ─→ name
//! ```
//!
//! A job has a folder beside its output. In it are the parts that are done, what they were made of, and what the caller wants kept, such
//! as the key of its noise. A job that was interrupted, or killed, goes on after its last part. A file gets its name only when all of it
//! is there and [`Work::release`] has agreed.

mod assemble;
mod convert;
mod files;
mod part;
mod pipeline;
mod run;
mod state;
mod stream;

pub use files::{JobFile, expand};
pub use run::{FileDone, Job, JobSettings, Place, Progress, Summary, Work};
pub use stream::stream;
