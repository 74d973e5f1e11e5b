//! STAMP-R: the risk of recognising an author by style, and rewriting toward a common style.
//!
//! - [`StyleEncoder`]: encodes texts as vectors that are near each other for texts by one author;
//!   [`train`] makes it.
//! - [`Memory`]: the styles of a population, as prototypes; [`MemoryGeometry`] locates a text among
//!   them.
//! - [`Risk`] and [`Link`]: the risk for an author. It is measured and not a formal guarantee.
//! - [`StyleVeil`]: rewrites texts and writes a receipt.
//! - [`features`]: habits of writing that people can read, with percentiles and examples.
//!
//! ```no_run
//! use std::path::Path;
//! use inkveil_style::{Memory, Risk, StyleEncoder};
//!
//! let pack = Path::new("models/en");
//! let (encoder, memory) = (StyleEncoder::open(pack)?, Memory::open(&pack.join("style.memory"))?);
//! memory.check_encoder(encoder.note())?;
//! let vectors = encoder.encode(&["Well; I never! It was, I must say, a most peculiar evening."])?;
//! let risk = Risk::of(&memory.geometry()?, &vectors[0], encoder.card().map(|card| &card.same_author))?;
//! println!("{:.2}, {} writers", risk.score, risk.one_in());
//! # Ok::<(), inkveil_style::Error>(())
//! ```
//!
//! # Files
//!
//! - `features/`: readable habits, their percentiles and examples. `language.rs`: when they mean
//!   nothing.
//! - `surface.rs`, `network.rs`, `encoder.rs`: a text to a style vector.
//! - `memory/`: the Style Manifold Memory: `grow.rs` adds and joins, `mod.rs` answers, `file.rs`
//!   is the file, `map.rs` the plane that is drawn.
//! - `risk.rs`: risk and linkage. `meaning.rs`: BERTScore with the pack's encoder.
//! - `ngrams/`: n-grams of characters and words as attackers weigh them.
//! - `facts.rs`: numbers, names and negations that a rewrite must not change.
//! - `rewrite/`: `passages.rs` cuts, `prompt.rs` asks, `judge.rs` measures, `choose.rs` decides, `answer.rs` removes what
//!   a model says besides the rewrite, `writer.rs` calls the model, `rewriter.rs` runs them, `goal.rs` and `found.rs`
//!   estimate how often attackers find the writer, `align.rs` pairs sentences for a review. `veil/`: the veil, its model and its
//!   receipt.
//! - `train/encoder/`: batches, personas, checks. `train/rewriter/`: `bootstrap.rs`, `sft.rs`,
//!   `grpo.rs`; `objective.rs` is the loss, `reward.rs` the reward, `authors.rs` its attribution
//!   model.
#![forbid(unsafe_code)]

mod assess;
mod card;
mod corpus;
mod digest;
mod encoder;
mod error;
mod facts;
pub mod features;
mod function_words;
pub mod language;
mod meaning;
mod memory;
mod network;
mod ngrams;
mod policy;
mod rewrite;
mod risk;
mod surface;
mod tokens;
pub mod train;
mod veil;

pub use assess::{MeasuredStyle, StyleAssessment, StyleAssessor, quote};
pub use card::{AuthorCounts, EncoderCard, SameAuthor};
pub use corpus::{AuthorText, read_corpora, read_corpus, split_authors};
pub use encoder::StyleEncoder;
pub use error::{Error, ErrorKind};
pub use facts::{Fact, FactChanges, FactKind, Facts, names};
pub use function_words::is_function_word;
pub use meaning::{MeaningEncoder, TextMeaning};
pub use memory::{Memory, MemoryGeometry, MemorySettings, MemoryStage, MemorySummary, Spread, StyleMap};
pub use ngrams::{NgramProfile, NgramWeights};
pub use rewrite::{
    AttackWeights, Candidate, CandidateFault, Chance, ChatWriter, Declined, DeclinedPart, Draft,
    DraftRequest, DraftSettings, DraftWriter, EarlierLink, EarlierTexts, FactRule, Fallback, Found, Goal,
    GoalReport, GoalSearch, Identifying, Judge, JudgeModels, Nearer, PassageOutcome, PassageReport, Rewrite,
    RewriteMeasures, RewriteOverrides, RewriteProgress, RewriteRules, RewriteSettings, RewriteSource,
    Rewriter, SentencePair, SourceMeasures, Strength, rewrite_prompt,
};
pub use risk::{Link, OneIn, Risk};
pub use veil::{ModelLocation, RewriteModel, RewriteTally, StyleVeil};
