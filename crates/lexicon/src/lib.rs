//! Tokenizer, vocabulary, unit table and exact nearest-token search.
//!
//! A [`Lexicon`] splits text into units (tokens or whole words with their byte ranges), has a
//! direction for each entry of its vocabulary, finds the entries nearest to a direction, and
//! renders units as text again:
//!
//! ```
//! use inkveil_lexicon::{Lexicon, RenderStyle, Replacement};
//!
//! // A word-level lexicon of three words in the plane.
//! let words = ["doctor", "nurse", "river"].map(String::from).to_vec();
//! let lexicon = Lexicon::words_from_table(words, &[1.0, 0.1, 1.0, 0.2, -1.0, 0.5], 2)?;
//!
//! let text = "Doctor, please!";
//! let alignment = lexicon.align(text)?;
//! let nurse = lexicon.find("nurse").ok_or("unknown word")?;
//! let replacements = alignment.units().iter().map(|unit| match unit.is_unknown() {
//!     true => Replacement::Keep,
//!     false => Replacement::Entry(nurse),
//! });
//! let replacements: Vec<_> = replacements.collect();
//! assert_eq!(lexicon.render(&alignment, &replacements, &RenderStyle::default())?, "Nurse, please!");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A text is veiled in these steps: [`align`](Lexicon::align), noise on the [`row`](Lexicon::row)s
//! (in other crates), nearest [`allowed`](Lexicon::allowed) entry, [`render`](Lexicon::render).
//!
//! # Files
//!
//! - `vocabulary.rs`, `flags.rs`, `spelling.rs`: the entries and their properties.
//! - `raw_table.rs`, `centring.rs`, `table.rs`, `geometry.rs`: the directions of the
//!   entries.
//! - `align.rs`, `word_index.rs`, `clitics.rs`, `casing.rs`: text to units. `render.rs`: units to text.
//! - `search/`: the nearest entries. `search/mod.rs` contains the proof that the result is exact.
//! - `prior/`: how likely words are after others, for decoding.
//! - `build.rs`, `description.rs`, `checksum.rs`, `open.rs`: building, storing and opening a
//!   lexicon. `compact.rs`: a small model with lexicons from a large encoder.
#![forbid(unsafe_code)]

mod align;
mod build;
mod casing;
mod centring;
mod checksum;
mod clitics;
mod compact;
mod description;
mod error;
mod flags;
mod geometry;
mod kind;
mod lexicon;
mod open;
mod prior;
mod raw_table;
mod render;
mod search;
mod spelling;
mod table;
mod vocabulary;
mod word_index;

pub use align::{Alignment, TextGap, TextPiece, TextUnit};
pub use build::{build_lexicon, build_words, whole_words};
pub use casing::Casing;
pub use centring::Centring;
pub use clitics::ApostropheWord;
pub use compact::{BuildStep, COMPACT_MODEL_FILES, build_compact_model};
pub use error::{Error, ErrorKind};
pub use flags::Flags;
pub use geometry::LexiconGeometry;
pub use kind::LexiconKind;
pub use lexicon::{Lexicon, Neighbour};
pub use open::word_vectors;
pub use prior::{PRIOR_FILE, PriorBuilder, PriorSymbol, WordPrior};
pub use render::{CasingPolicy, HiddenCharacters, RenderStyle, Replacement};
pub use search::{Backend, Match, Search};
pub use spelling::Spelling;
pub use table::UnitTable;
pub use vocabulary::Vocabulary;
pub use word_index::Symbols;
