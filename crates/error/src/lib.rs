//! One scaffold for the error types of all crates of inkveil.
//!
//! Each crate has an opaque `Error` around a documented, non-exhaustive `ErrorKind`. [`error_type!`] writes the
//! opaque type. It can remember where the error happened: a file, a row, a line or a field.
//!
//! `Display` prints one message without the cause, and `source()` returns the cause. The alternate form `{error:#}`
//! prints the message and all its causes, separated by colons. `Debug` prints the same.
//!
//! ```
//! use inkveil_error::{SystemError, error_type};
//!
//! error_type! {
//!     /// An error of this crate.
//!     #[derive(Clone, PartialEq)]
//!     pub struct Error(ErrorKind) at file, row;
//! }
//!
//! /// The kinds of [`Error`].
//! #[derive(Debug, Clone, PartialEq, thiserror::Error)]
//! #[non_exhaustive]
//! pub enum ErrorKind {
//!     /// The operating system refused an operation.
//!     #[error("cannot {doing}")]
//!     Io { doing: &'static str, #[source] cause: SystemError },
//!     /// There are no rows.
//!     #[error("there are no rows")]
//!     Empty,
//! }
//!
//! let error = Error::from(ErrorKind::Empty).in_row(6).in_file("notes.csv");
//! assert_eq!(error.to_string(), "notes.csv: row 7: there are no rows");
//! assert_eq!((error.kind(), error.row()), (&ErrorKind::Empty, Some(7)));
//!
//! let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
//! let error = Error::from(ErrorKind::Io { doing: "open it", cause: missing.into() });
//! assert_eq!(error.to_string(), "cannot open it");
//! assert_eq!(format!("{error:#}"), "cannot open it: entity not found");
//! assert!(std::error::Error::source(&error).is_some_and(|cause| cause.is::<std::io::Error>()));
//! ```
//!
//! # Files
//!
//! - `error_type.rs`: the scaffold of an error type: an opaque error with a kind and a cause.
//! - `located.rs`: the place of an error. `cause.rs`: which causes are kept. `names.rs`: which names are shown.
#![forbid(unsafe_code)]

mod cause;
mod error_type;
mod located;
mod names;

pub use cause::{Cause, SystemError};
pub use located::{Located, Place};
pub use names::{is_number, looks_like_name, name_list, other_names};
