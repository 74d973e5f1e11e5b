//! Entities, not spans: mentions resolved into people, organisations and places, and one identity for each.
//!
//! ```text
//! text + spans → Resolver → Entities → Identities → a replacement for each mention, and what they reveal
//!                                    ↘ Values     → dates, ages and amounts that keep their relations
//! ```
//!
//! "Ana Novak", "Ms Novak", "Ana's" and "a.novak@…" are mentions of one person. Each entity gets one
//! identity from a keyed stream, and all forms are made from it: full name, title and name, initials,
//! address. [`Reveal`] names what the replacements keep of the originals, for the receipt.
//!
//! # Files
//!
//! - `resolve/`: from spans to entities. `people.rs` is the order of steps for people, `scorer.rs` the
//!   learned scorer of doubtful pairs, `organisation.rs`, `place.rs` and `handle.rs` the other mentions.
//!   `repeated.rs` completes the spans before: `corrected/` leaves mistakes of detection, `evidence.rs` is what shows
//!   that a word is a name, `whole.rs` and `extended.rs` put the parts of a name together, `repeated_values.rs` finds
//!   numbers again, `words.rs` is what stands around a word.
//! - `person/`: the words of a name, and whether a mention fits a person. `names/`: genders, short forms
//!   and titles.
//! - `identity/`: one file for each kind of entity. `values/`: dates, ages, amounts, doses.
//!   `topics.rs`: diseases, medications and jobs within their topic.
//! - `reveals.rs`, `facts.rs`: what replacements keep. `address.rs`: the random stream of each identity.
//! - `data/` beside `src/`: the lists.
#![forbid(unsafe_code)]

mod address;
mod facts;
mod identity;
mod letters;
mod names;
mod person;
mod resolve;
mod reveals;
mod topics;
mod values;

pub use address::Scope;
pub use identity::{Identities, NameForms, Source};
pub use letters::{begins_sentence, plain as plain_name};
pub use names::{Gender, gender_of};
pub use person::names_of_people;
pub use resolve::{
    Entities, EntityId, FEATURES, Features, Judge, Resolver, Scorer, corrected, with_repeated_names,
};
pub use reveals::Reveal;
pub use topics::{Article, Topic};
pub use values::{Values, is_hour, is_quantity, is_unit};
