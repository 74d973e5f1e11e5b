//! Attackers that write sentences from vectors.
//!
//! A small language model gets a vector as a prefix and is trained to write the sentence of the
//! vector ([`Inverter`], like GEIA). A second model also gets the written sentence and its vector,
//! and is trained to write a closer sentence ([`Corrector`], like Vec2text). Both train on noisy
//! vectors, as an attacker can who knows the mechanism. A third one needs no training: it searches
//! for the sentence whose vector is nearest ([`GuidedWriter`], like ZSinvert).

mod corrector;
mod guided;
mod inverter;
mod settings;
mod writer;

pub use corrector::Corrector;
pub use guided::{GuidedSettings, GuidedWriter};
pub use inverter::Inverter;
pub use settings::{
    BaseModel, EmbedTexts, InversionData, InversionSettings, InversionTraining, TrainingVectors,
};
