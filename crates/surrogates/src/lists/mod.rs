//! The lists that values are drawn from: names, places, jobs and so on.

mod entries;
mod files;
mod names;

pub use entries::{ListEntry, Lists, is_held_out};
pub use names::List;
