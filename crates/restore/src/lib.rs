//! The local, encrypted map from replacements to originals, and the way back.
//!
//! ```text
//! (replacement, original, kind) … → Map → sealed file        on this machine, with a key that stays here
//! text that quotes replacements + Map → Restorer → text with the originals in their places
//! ```
//!
//! A map is as private as the texts it comes from: it is never printed, and on disk it is sealed with a key file or a passphrase.
//!
//! ```
//! use inkveil_restore::{Map, Options, Restorer};
//!
//! let mut pairs = Map::builder();
//! pairs.add("Made Antonov", "Ana Novak", "person")?;
//! let map = pairs.build();
//! let restorer = Restorer::new(&map, Options::default())?;
//! let (text, report) = restorer.restore_text("Tell Made Antonov's doctor, and MADE ANTONOV too.");
//! assert_eq!(text, "Tell Ana Novak's doctor, and ANA NOVAK too.");
//! assert_eq!(report.restored(), 2);
//! # Ok::<(), inkveil_restore::Error>(())
//! ```
#![forbid(unsafe_code)]

mod case;
mod content;
mod error;
mod header;
mod key;
mod map;
mod report;
mod restorer;
mod seal;
mod table;
mod window;

pub use error::{Error, ErrorKind};
pub use header::KeySource;
pub use key::MapKey;
pub use map::{Map, MapBuilder, Pair};
pub use report::{Ambiguous, Report};
pub use restorer::{Options, Restorer};
