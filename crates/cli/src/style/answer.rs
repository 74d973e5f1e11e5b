//! The names under which the page knows the assessment of a text.

pub(super) use inkveil::style::{StyleAssessment as Answer, quote};
