//! What a veil protects and what it costs, in numbers.
//!
//! - [`metrics`]: correlation, ranking, neighbours, and how far a measured mean can be trusted.
//! - [`attack`]: what somebody learns from released vectors: words ([`attack::Mlc`]) and attributes
//!   ([`attack::AttributeInference`]). An attacker is always trained on vectors with the same noise as those attacked. And what
//!   somebody learns from texts: who wrote them ([`attack::AuthorAttack`]) and from which original they come
//!   ([`attack::Similarities`]).
//! - [`data`]: test sets by name, with their labels or questions.
//! - [`AuthorCorpus`]: texts with their authors and topics, splits and pairs of them.
//! - [`Sensitive`]: which words of a corpus are to be protected.
//! - [`sts`] and [`retrieval`]: readers of test sets of sentence similarity and of search.
//! - [`Split`]: what is trained on and what is tested on.
//!
//! Everything follows from its seeds. These are public numbers for experiments; nothing that is released may come from them.
//!
//! ```
//! use inkveil_eval::Split;
//! use inkveil_eval::attack::{Mlc, MlcSettings};
//! use inkveil_eval::metrics::Bootstrap;
//!
//! // Sixty vectors of two numbers. Word 0 shows in the first number, word 1 in the second.
//! let words: Vec<Vec<usize>> = (0..60).map(|i| vec![i % 2]).collect();
//! let rows: Vec<f32> = (0..60).flat_map(|i| if i % 2 == 0 { [1.0, 0.0] } else { [0.0, 1.0] }).collect();
//! let split = Split::new(60, 0.2, 1)?;
//!
//! let mut settings = MlcSettings::default();
//! (settings.hidden, settings.epochs, settings.rate) = (vec![16], 200, 0.01);
//! let mlc = Mlc::train(2, &split.train_rows(&rows, 2), &split.train_of(&words), 2, &settings)?;
//! let findings = mlc.attack(&split.test_rows(&rows, 2), &split.test_of(&words))?;
//! assert!(findings.exposure(&Bootstrap::default(), |_| true).is_some_and(|all| all.leakage.mean == 1.0));
//! # Ok::<(), inkveil_eval::Error>(())
//! ```
#![forbid(unsafe_code)]

pub mod attack;
mod authors;
pub mod data;
mod error;
pub mod experiment;
pub mod metrics;
pub mod report;
pub mod retrieval;
mod sensitive;
mod split;
pub mod sts;

pub use authors::{AuthorCorpus, PairSettings, TextPair};
pub use error::{Error, ErrorKind};
pub use sensitive::{Mention, Sensitive, Word};
pub use split::Split;
