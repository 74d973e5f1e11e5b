//! Attacks on a whole release, of any tool.

mod erasure;
mod own;
mod saved;
mod style;
mod text;
mod texts;
mod vector;
mod words;

pub use erasure::{DividedTexts, MeasureParts, MeasureSettings, erasure};
pub use own::{CommandAttacker, KnownText, OwnAttacker};
pub use saved::SavedAttacker;
pub use style::{StyleAttackModels, StyleAttackReport, StyleAttackRow, style};
pub use text::{KindCount, OpenTextAttack, TextAttackModels, TextAttackReport, TextVerdict, text};
pub use texts::ReleasedTexts;
pub use vector::{
    Hiding, ReleasedVectors, VectorAttackReport, VectorAttackRow, VectorAttackSettings, VectorAttacker,
    VectorSplit, vector,
};
