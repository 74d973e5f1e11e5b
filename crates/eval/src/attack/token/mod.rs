//! Attackers on words that a mechanism replaced.
//!
//! An attacker sees the released word v and knows the mechanism and the budget, so the attacker
//! knows how likely v is for every original w ([`TokenChannel`]). The attackers differ in their
//! further knowledge of language:
//!
//! - [`TokenAttacker::Likelihood`] has none and guesses the most likely original.
//! - [`TokenAttacker::Unigram`] knows how frequent words are.
//! - [`TokenAttacker::Language`] knows which words follow each other, and guesses all words of a
//!   text together.
//! - [`TokenAttacker::Neural`] scores these guesses again with a language model.
//!
//! All but the first also know how often words are sensitive ([`SensitiveWordCounts`]). A budget
//! that only sensitive words get reveals that a word is sensitive, and the original of a
//! placeholder or surrogate is one of the sensitive words. A release is as private as the best
//! attacker allows.

mod attacker;
mod beam;
mod channel;
mod continuations;
mod language;
mod neural;
mod observed;
mod pairs;
mod sensitive;
mod space;
mod unigram;

pub use attacker::TokenAttacker;
pub use beam::TokenAttack;
pub use channel::TokenChannel;
pub use continuations::{ContinuationQuery, ContinuationScores, NeuralInput};
pub use language::Trigrams;
pub use observed::{GuessedWords, ObservedWord};
pub use pairs::{PairedWord, pair_words};
pub use sensitive::{ChannelUse, SensitiveWordCounts};
pub use space::TokenSpace;
pub use unigram::Unigrams;
