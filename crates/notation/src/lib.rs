//! Dates and numbers, read and written in the notation of a text.
//!
//! ```text
//! "27 May 2025" → WrittenDate::read → Date 2025-05-27 → write(another date) → "3 June 2026"
//! "£60,317"     → numbers           → 60317           → write(another value) → "£48,902"
//! ```
//!
//! [`WrittenDate`] and [`WrittenNumber`] keep the order, separators, widths and words of what they read.
//! [`WrittenDate::variants`] and [`number_variants`] list other notations of the same value, which texts
//! about it are likely to use.
//!
//! # Files
//!
//! - `calendar.rs`: days of the calendar. `date.rs`: written dates. `date_variants.rs`: other notations.
//! - `tongue.rs`: the words of dates in seven languages.
//! - `number.rs`: written numbers and other notations of amounts. `words.rs`: small numbers in words.
#![forbid(unsafe_code)]

mod calendar;
mod date;
mod date_variants;
mod number;
mod tongue;
mod words;

pub use calendar::{Date, MONTHS, PartialDate, WEEKDAYS};
pub use date::{DayOrder, WrittenDate, day_order, ordinal_ending};
pub use number::{WrittenNumber, number_variants, numbers};
pub use tongue::Tongue;
pub use words::{NUMBER_WORDS, number_from_words, number_in_words};
