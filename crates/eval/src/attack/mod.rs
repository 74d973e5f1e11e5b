//! Attackers on released vectors and texts.
//!
//! Three functions attack a whole release of any tool and report what attackers find:
//!
//! - [`text()`]: which sensitive words are found, and which texts can be linked to their originals.
//! - [`style()`]: which authors are recognised.
//! - [`vector()`]: which words can be inferred from vectors.
//!
//! [`erasure()`] measures an eraser when it is fitted, before there is a release.
//!
//! The other items are the attackers themselves. Attackers on vectors and words train on releases
//! of the same mechanism, because an attacker of a release knows how it was made. Attackers on
//! authorship ([`AuthorAttack`]) train on originals, as in the papers, on rewritten texts, or on
//! both ([`AdaptiveAttack`]); judge a defence by the best of them. [`Similarities`] link a released
//! text to its original.

mod adaptive;
mod attribute;
mod author;
mod bayes;
mod evidence;
mod inversion;
mod linear;
mod linkage;
mod mlc;
mod model;
mod network;
mod ngrams;
mod release;
mod scaling;
mod sparse;
mod token;
mod views;

pub use adaptive::AdaptiveAttack;
pub use attribute::{AttributeInference, range_of};
pub use author::{AuthorAttack, AuthorAttacker, AuthorGuess, AuthorGuesses, AuthorSettings};
pub(crate) use bayes::covariance;
pub use bayes::{Bayes, BayesKnowledge};
pub use evidence::Evidence;
pub use inversion::{
    BaseModel, Corrector, EmbedTexts, GuidedSettings, GuidedWriter, InversionData, InversionSettings,
    InversionTraining, Inverter, TrainingVectors,
};
pub use linear::{Learner, LinearModel, LinearSettings};
pub use linkage::Similarities;
pub use mlc::{Exposure, Mlc, WordFindings, WordInstance};
pub use model::LanguageModel;
pub use network::MlcSettings;
pub use ngrams::{NgramSettings, Ngrams, WordFeatures};
pub use release::{
    CommandAttacker, DividedTexts, Hiding, KindCount, KnownText, MeasureParts, MeasureSettings,
    OpenTextAttack, OwnAttacker, ReleasedTexts, ReleasedVectors, SavedAttacker, StyleAttackModels,
    StyleAttackReport, StyleAttackRow, TextAttackModels, TextAttackReport, TextVerdict, VectorAttackReport,
    VectorAttackRow, VectorAttackSettings, VectorAttacker, VectorSplit, erasure, style, text, vector,
};
pub use sparse::{SparseRow, SparseRows};
pub use token::{
    ChannelUse, ContinuationQuery, ContinuationScores, GuessedWords, NeuralInput, ObservedWord, PairedWord,
    SensitiveWordCounts, TokenAttack, TokenAttacker, TokenChannel, TokenSpace, Trigrams, Unigrams,
    pair_words,
};
pub use views::Views;
