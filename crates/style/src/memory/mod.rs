//! The Style Manifold Memory: the styles of a population, as prototypes.
//!
//! Texts are added one after the other (Algorithm 2 of the paper). A text that is nearer to a
//! prototype than the merge radius moves it; another text becomes a new prototype. Nothing else of
//! a text is kept, unless its owner allows it to serve as an example.

mod build;
mod describe;
mod file;
mod geometry;
mod grow;
mod map;
mod prototypes;
mod settings;
mod spread;

pub use self::build::{MemoryStage, MemorySummary};
pub use self::geometry::MemoryGeometry;
pub use self::map::StyleMap;
pub use self::prototypes::Memory;
pub use self::settings::MemorySettings;
pub use self::spread::Spread;
