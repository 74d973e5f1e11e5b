//! What somebody learns from released vectors and texts.
//!
//! An attack is worth as much as its attacker: these are trained on vectors that went through the same veil as those they attack,
//! because who attacks a release knows how it was made. Attacks on authors ([`AuthorAttack`]) can be trained on originals, as in the papers, or
//! on rewritten texts, or on both ([`Adaptive`]); whichever finds more is what a defence should be judged by. [`Similarities`] link a released text to its
//! original.

mod adaptive;
mod attribute;
mod author;
mod evidence;
mod inversion;
mod lbfgs;
mod linear;
mod linkage;
mod logistic;
mod mlc;
mod model;
mod network;
mod ngrams;
mod scaling;
mod sparse;
mod svm;
mod token;
mod views;

pub use adaptive::Adaptive;
pub use attribute::{AttributeInference, range_of};
pub use author::{Attacker, AuthorAttack, AuthorSettings, Guess, Guesses};
pub use evidence::Evidence;
pub use inversion::{Base, Corrector, Embed, InversionSettings, Inverter, Lessons, Rows, Training};
pub use linear::{Learner, LinearModel, LinearSettings};
pub use linkage::Similarities;
pub use mlc::{Exposure, Findings, Instance, Mlc};
pub use model::LanguageModel;
pub use network::MlcSettings;
pub use ngrams::{NgramSettings, Ngrams, Words};
pub use sparse::{SparseRow, SparseRows};
pub use token::{
    Continued, Hidden, PairedWord, Place, Reads, Reconstruction, Scores, Tells, TokenAttack, TokenAttacker,
    TokenChannel, TokenSpace, Trigrams, Unigrams, pair_words,
};
pub use views::Views;
