//! Measures what a veil protects and what it costs.
//!
//! - [`metrics`]: correlation, ranking, neighbours, and confidence intervals.
//! - [`attack`]: attackers on a release of texts ([`attack::text`]), of vectors
//!   ([`attack::vector`]) and of rewritten texts ([`attack::style`]), and their parts.
//! - [`data`]: test sets by name, with labels or questions.
//! - [`experiment`]: experiments on test sets, described in files.
//! - [`results`]: the results of experiments, as Markdown, LaTeX, drawings and pages.
//! - [`curves`]: how mechanisms treat sensitive words at each ε.
//! - [`AuthorCorpus`]: texts with authors and topics, their splits and pairs.
//! - [`SensitiveWords`]: the sensitive words of a corpus.
//! - [`sts`] and [`retrieval`]: test sets of sentence similarity and of search.
//! - [`Split`]: training items and held-out items.
//! - [`OwnCommand`]: methods of your own, which read and write JSON lines.
//! - [`Watch`]: progress and cancellation of long work.
//!
//! All results depend on seeds. These are public numbers for experiments; a release must not use
//! them.
//!
//! ```
//! use inkveil_eval::Split;
//! use inkveil_eval::attack::{Mlc, MlcSettings};
//! use inkveil_eval::metrics::Bootstrap;
//!
//! // Sixty vectors of two numbers. Word 0 is in the first number, word 1 in the second.
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
//!
//! # Files
//!
//! - `data/`: test sets by name; `sets.toml` describes them.
//! - `results/`: results, and their tables as Markdown, LaTeX and a page.
//! - `experiment/`: runs files of experiments cell by cell and keeps the measurements. `text/`,
//!   `vectors/`, `style/`: the three kinds. `recorder.rs`: what they share. `known/`: the
//!   experiments that ship.
//! - `attack/`: attackers. `token/`: on words; `inversion/`: sentences from vectors; the others
//!   on attributes and authors.
//! - `metrics/`: one file each. `sensitive.rs`: which words count. `split.rs`,
//!   `near_duplicates.rs`, `authors.rs`: splits, groups and pairs.
//! - `sts.rs`, `retrieval/`: readers of test sets.
#![forbid(unsafe_code)]

pub mod attack;
mod authors;
mod command;
pub mod curves;
pub mod data;
mod error;
pub mod experiment;
pub mod metrics;
mod near_duplicates;
pub mod results;
pub mod retrieval;
mod sensitive;
mod split;
pub mod sts;
mod watch;

pub use authors::{AuthorCorpus, PairSettings, TextPair};
pub use command::{OwnCommand, OwnText};
pub use error::{Error, ErrorKind};
pub use sensitive::{Mention, SensitiveWord, SensitiveWords};
pub use split::Split;
pub use watch::Watch;
