//! Veil text before it leaves your machine.
//!
//! One builder per veil; everything else is re-exported from the crates that do the work.
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
#![forbid(unsafe_code)]

mod batches;
mod error;
mod text;
mod vector;

pub use batches::{RECEIPT, veil_batch, veil_texts};
pub use error::{Error, ErrorKind};
pub use inkveil_chat as chat;
pub use inkveil_detect as detect;
pub use inkveil_io as io;
pub use inkveil_ledger as ledger;
pub use inkveil_lexicon as lexicon;
pub use inkveil_pack as pack;
pub use inkveil_privacy as privacy;
pub use inkveil_privacy::{Calibration, Epsilon, NoiseKey, Receipt};
pub use inkveil_restore as restore;
pub use inkveil_style as style;
pub use inkveil_text::*;
pub use inkveil_vector as vectors;
pub use inkveil_vector::{Bound, Concept, Mask, VectorVeil};
pub use text::{TextVeilBuilder, names_folder};
pub use vector::VectorVeilBuilder;

/// Where veils begin.
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
}
