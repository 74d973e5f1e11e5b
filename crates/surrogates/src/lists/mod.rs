//! The lists that values are drawn from: names, places, jobs and so on.

mod entries;
mod files;
mod names;
mod sorts;

pub use entries::{ListEntry, Lists, is_held_out};
pub use names::List;
pub use sorts::{CitySize, PlaceSort, is_language};
