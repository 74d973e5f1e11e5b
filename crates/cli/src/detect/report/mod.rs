//! Reports, one file per format. They are written piece by piece, so that memory is bounded.

mod csv;
mod html;
mod marked;
mod masked;
mod summary;
mod writer;

pub(super) use csv::Csv;
pub(super) use html::Html;
pub(super) use marked::Marked;
pub(super) use masked::Masked;
pub(super) use summary::{Summary, SummaryFormat};
pub(super) use writer::{Report, Silent};
