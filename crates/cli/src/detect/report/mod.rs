//! Reports, one file per format. They are written piece by piece, so that memory is bounded.

mod csv;
mod html;
mod jsonl;
mod marked;
mod masked;
mod places;
mod summary;
mod writer;

pub(super) use csv::Csv;
pub(super) use html::Html;
pub(super) use jsonl::Jsonl;
pub(super) use marked::Marked;
pub(super) use masked::Masked;
pub(super) use places::Places;
pub(super) use summary::{Summary, SummaryFormat};
pub(super) use writer::{Report, Silent};
