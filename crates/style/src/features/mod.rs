//! Habits of writing: their definition, their strength in a text, and their rarity among authors.
//!
//! ```text
//! text → tokens → words, sentences ─→ observers ─┬→ counts → Profile ─┬→ Population (many writers)
//!                                                └→ places → examples └→ habits (one writer among them)
//! ```
//!
//! A [`Profile`] has one number for each of the [`features`]. A [`Population`] has the distribution
//! of these numbers over many texts. [`habits`] returns those by which a text stands out, each with
//! an example from the text.
//!
//! Everything here is made for English. Other texts get numbers too, but these mean little;
//! [`language`](crate::language::language) detects such texts.
//!
//! ```
//! use inkveil_style::features::{Population, Profile, habits, sentence};
//!
//! let others = ["We left early. It rained a lot.", "The train was late, and so were we.", "He sat down and read."];
//! let profiles: Vec<Profile> = others.iter().cycle().take(60).map(|text| Profile::of(text)).collect();
//! let population = Population::of(&profiles);
//!
//! let text = "I came; I saw; I left. She waited; he slept; we sang; they danced. It was late; nobody cared.";
//! let found = habits(text, &Profile::of(text), &population, 5);
//! let semicolons = found.iter().find(|habit| habit.feature().name == "semicolon").unwrap();
//! assert!(sentence(semicolons).starts_with("semicolons: 315.8 per 1000 words, more than"));
//! assert!(text[semicolons.example.clone().unwrap()].contains(';'));
//! ```

mod example;
mod feature;
mod habits;
mod lexicon;
mod lists;
mod observe;
mod population;
mod profile;
#[cfg(test)]
mod properties;
mod reading;
mod role;
mod sentences;
mod sign;
mod spellings;
mod table;
mod tokens;
mod word;
mod writings;

pub use example::example;
pub use feature::{Feature, FeatureGroup, FeatureUnit};
pub use habits::{Habit, habits, sentence};
pub use population::{Population, PopulationError};
pub use profile::Profile;
pub(crate) use sentences::sentence_ranges;
pub use table::features;
