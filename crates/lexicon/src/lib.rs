//! Tokenizer, vocabulary, unit table and exact nearest-token search.
//!
//! A [`Lexicon`] takes text apart into units (tokens or whole words with their byte ranges), has a direction for each entry
//! of its vocabulary, finds the entries nearest to a direction, and puts text together again:
//!
//! ```
//! use inkveil_lexicon::{Lexicon, Replacement, Style};
//!
//! // A word-level lexicon of three words in the plane.
//! let words = ["doctor", "nurse", "river"].map(String::from).to_vec();
//! let lexicon = Lexicon::words_from_table(words, &[1.0, 0.1, 1.0, 0.2, -1.0, 0.5], 2)?;
//!
//! let text = "Doctor, please!";
//! let alignment = lexicon.align(text)?;
//! let nurse = lexicon.find("nurse").ok_or("a word that is there")?;
//! let replacements = alignment.units().iter().map(|unit| match unit.is_unknown() {
//!     true => Replacement::Keep,
//!     false => Replacement::Entry(nurse),
//! });
//! let replacements: Vec<_> = replacements.collect();
//! assert_eq!(lexicon.render(&alignment, &replacements, &Style::default())?, "Nurse, please!");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The way from text to text: [`align`](Lexicon::align) → noise on [`row`](Lexicon::row)s, elsewhere → nearest
//! [`allowed`](Lexicon::allowed) entry → [`render`](Lexicon::render).
#![forbid(unsafe_code)]

mod align;
mod build;
mod casing;
mod centring;
mod checksum;
mod description;
mod eigen;
mod error;
mod flags;
mod geometry;
mod lexicon;
mod open;
mod render;
mod search;
mod source;
mod spelling;
mod table;
mod vocabulary;
mod words;

pub use align::{Alignment, Gap, Piece, Unit};
pub use build::{build_lexicon, build_words, whole_words};
pub use casing::Casing;
pub use centring::Centring;
pub use error::{Error, ErrorKind};
pub use flags::Flags;
pub use geometry::Geometry;
pub use lexicon::{Kind, Lexicon, Neighbour};
pub use open::word_vectors;
pub use render::{CasingPolicy, HiddenCharacters, Replacement, Style};
pub use search::{Backend, Match, Search};
pub use spelling::Spelling;
pub use table::UnitTable;
pub use vocabulary::Vocabulary;
pub use words::Symbols;
