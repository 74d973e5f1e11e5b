//! A local, encrypted map from replacements to originals, and a restorer that puts the originals
//! back.
//!
//! ```text
//! (replacement, original, kind) … → ReplacementMap → sealed file        both file and key stay on this machine
//! text with replacements + ReplacementMap → Restorer → text with originals
//! ```
//!
//! A map is as private as the texts it comes from. It is never printed, and on disk it is encrypted
//! with a key file or a passphrase.
//!
//! ```
//! use inkveil_restore::{ReplacementMap, RestoreOptions, Restorer};
//!
//! let mut pairs = ReplacementMap::builder();
//! pairs.add("Made Antonov", "Ana Novak", "person")?;
//! let map = pairs.build();
//! let restorer = Restorer::new(&map, RestoreOptions::default())?;
//! let (text, report) = restorer.restore_text("Tell Made Antonov's doctor, and MADE ANTONOV too.");
//! assert_eq!(text, "Tell Ana Novak's doctor, and ANA NOVAK too.");
//! assert_eq!(report.restored(), 2);
//! # Ok::<(), inkveil_restore::Error>(())
//! ```
//!
//! # Files
//!
//! - `map.rs`: the pairs. `header.rs`, `seal.rs`, `content.rs`: the encrypted file, from outside
//!   to inside. `key.rs`: what opens it.
//! - `table.rs`: which original a quoted text stands for. `window.rs`, `case.rs`: where words
//!   end, in which case.
//! - `restorer.rs`: replaces them in a stream. `pieces.rs`: in a text that arrives in pieces. `json.rs`: inside
//!   JSON strings. `report.rs`: what was replaced.
#![forbid(unsafe_code)]

mod case;
mod content;
mod error;
mod header;
mod json;
mod key;
mod longer_name;
mod map;
mod pair;
mod pieces;
mod report;
mod restorer;
mod seal;
mod search;
mod table;
mod window;

pub use error::{Error, ErrorKind};
pub use header::KeySource;
pub use key::MapKey;
pub use map::{MapBuilder, ReplacementMap};
pub use pair::ReplacementPair;
pub use pieces::PieceRestorer;
pub use report::{RestoreReport, UnrestoredReplacement};
pub use restorer::{RestoreOptions, Restorer};
