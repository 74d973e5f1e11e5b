//! Veil text before it leaves your machine.
//!
//! Text leaks by its words, by its vectors and by its style. There is one builder for each veil, and one
//! [release pipeline](release) for all of them. Every interface (command line, server, bindings) calls this
//! crate and adds no rule about privacy of its own.
//!
//! ```
//! use inkveil::{AtZero, Veil};
//!
//! let veil = Veil::text()
//!     .task("What helps against a sore knee?")
//!     .at_zero(AtZero::Surrogate)
//!     .build()?;
//! let veiled = veil.veil("I am Ana Lima from Porto. My knee hurts since Monday.")?;
//! assert!(!veiled.text().contains("Ana Lima"));
//! println!("{}\n{}", veiled.text(), veiled.receipt().render());
//! # Ok::<(), inkveil::Error>(())
//! ```
//!
//! # Files
//! - `text_builder.rs`, `vector_builder.rs`, `style_builder.rs`: the builders; `encoder.rs` and `language_model.rs` open models.
//! - `release/`: the pipeline. `rows.rs` runs a veil over files and pipes, `row_veil.rs` is what it asks of a
//!   veil, `text_rows.rs` and `rewrite_rows.rs` are the two veils over texts, `vectors.rs` and `embed.rs` release
//!   vectors, `documents.rs` single texts, `document_bytes.rs` documents in memory, `memory.rs` and `memory_vectors.rs` lists in memory, `turns.rs` and
//!   `sessions.rs` conversations. `account.rs` charges the ledger, `map.rs` keeps the map,
//!   `output_job.rs` and `job.rs` keep what a resumed release needs. `prediction.rs` predicts the cost.
//! - `audit/`: an audit of the pipeline, from files to files.
//! - `explain/`: what happened to every word, and why. `review.rs`: doubtful places of a text.
//! - `findings.rs`: what detection finds, in lines. `pages/`: pages and drawings about texts, styles and masks.
//! - `fit/`: erasers and masks from texts.
//! - `overrides.rs`: what the owner of a text decides about single words.
//! - `batches.rs`: Arrow tables. `presidio_names.rs`: names of kinds elsewhere. `languages.rs`:
//!   warnings about languages.
#![forbid(unsafe_code)]

pub mod audit;
mod batches;
mod encoder;
mod error;
pub mod explain;
mod findings;
pub mod fit;
mod language_model;
mod languages;
mod overrides;
pub mod pages;
mod presidio_names;
pub mod release;
mod review;
mod style_builder;
mod text_builder;
mod vector_builder;

/// Documents such as letters, mails and pages: bytes in, bytes out.
///
/// [`veil`](documents::veil) releases a document through the [pipeline](release). Files go through
/// [`RowRelease::files`](release::RowRelease::files), where a document is a file with one text.
pub mod documents {
    pub use inkveil_documents::{
        Document, DocumentFormat, Edit, Error, ErrorKind, Limits, Passage, PassageKind, Purpose, Removed,
        mails,
    };

    pub use crate::release::document_bytes::{
        DocumentText, FindInDocument, ReleasedDocument, restore, text, veil, veil_decided,
    };
}

pub use batches::{BatchColumns, BatchRelease, RECEIPT_COLUMN, record_of_id, veil_texts};
pub use encoder::{Encoder, VectorFileNote, encoder_note};
pub use error::{Error, ErrorKind};
pub use findings::{FindingLines, FindingPlaces};
pub use inkveil_chat as chat;
pub use inkveil_detect as detect;
pub use inkveil_error::{looks_like_name, name_list};
pub use inkveil_files as files;
pub use inkveil_ledger as ledger;
pub use inkveil_lexicon as lexicon;
pub use inkveil_nn as nn;
pub use inkveil_pack as pack;
pub use inkveil_privacy as privacy;
pub use inkveil_privacy::{Calibration, Epsilon, NoiseKey, Receipt};
pub use inkveil_report as report;
pub use inkveil_restore as restore;
pub use inkveil_rows as rows;
pub use inkveil_settings as settings;
pub use inkveil_style as style;
pub use inkveil_style::StyleVeil;
pub use inkveil_text::*;
pub use inkveil_vector as vectors;
pub use inkveil_vector::{Bound, Concept, EncoderNote, Mask, VectorVeil};
pub use inkveil_vectors_io as vectors_io;
pub use language_model::{is_remote, model_path, open_model, open_model_on, public_model_name, server_key};
pub use languages::language_warnings;
pub use overrides::{Override, OverrideAction, OverrideTarget, Overrides};
pub use presidio_names::{presidio_name, presidio_names};
pub use review::{Doubt, ReviewItem, review};
pub use style_builder::{StyleModels, StyleVeilBuilder};
pub use text_builder::{DEFAULT_PACK, TextVeilBuilder, names_folder, pack_folder};
pub use vector_builder::{AfterNoise, DEFAULT_AXES, DEFAULT_FLOOR, VectorNoise, VectorVeilBuilder};

/// The start of every veil.
///
/// A veil computes. It records nothing, so what it returns should leave this machine through the
/// [`release`] pipeline, which charges a ledger first.
#[derive(Debug)]
pub struct Veil;

impl Veil {
    /// A veil over words (STAMP).
    pub fn text() -> TextVeilBuilder {
        TextVeilBuilder::default()
    }

    /// A veil over vectors (SPARSE).
    pub fn vectors(epsilon: Epsilon) -> VectorVeilBuilder {
        VectorVeilBuilder::new(epsilon)
    }

    /// A veil over vectors with the largest budget at which attackers were measured to find at most this share
    /// of the words of a mask. The mask must have been measured when it was fitted.
    pub fn vectors_for_target(share: f64) -> VectorVeilBuilder {
        VectorVeilBuilder::for_target(share)
    }

    /// A veil over style (STAMP-R), with this language model: a name, a folder, or `URL#MODEL`.
    pub fn style(model: &str) -> StyleVeilBuilder {
        StyleVeilBuilder::new(model)
    }
}
