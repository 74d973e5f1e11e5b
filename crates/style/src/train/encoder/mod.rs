//! Training of the style encoder. Texts by one author are pulled together, and texts by others on
//! the same topic are pushed apart.

mod batches;
mod check;
mod model;
mod persona;
mod plan;
mod run;
mod settings;

pub use self::model::Parts;
pub use self::plan::{EncoderPlan, EncoderPoint};
pub use self::run::train_encoder;
pub use self::settings::EncoderSettings;
