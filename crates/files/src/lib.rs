//! Files in and out: atomic outputs, private permissions, checksums and the panic guard.
//!
//! An [`Output`] writes a file under a temporary name and renames it when it is complete, so a file appears under its
//! name whole, or not at all. [`Output::private_file`] gives it permissions for its owner alone. An [`Input`] is a file,
//! standard input or bytes in memory. A [`Sha256Sum`] is a checksum.
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("receipt.json");
//! inkveil_files::write_atomically(&path, b"{}", false)?;
//! assert!(inkveil_files::write_atomically(&path, b"[]", false).is_err()); // the file exists
//! assert_eq!(inkveil_files::Sha256Sum::of_file(&path)?, inkveil_files::Sha256Sum::of(b"{}"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Files
//!
//! - `output.rs`: a file that appears under its name whole, or not at all; private permissions.
//! - `input.rs`: files and standard input. `distinct.rs`: refuses the same file as input and
//!   output.
//! - `digest.rs`, `hex.rs`: SHA-256 of files and streams.
//! - `private.rs`: folders and locks for their owner alone.
//! - `panics.rs`: turns a panic of a parser into an error and drops its message.
#![forbid(unsafe_code)]

mod digest;
mod distinct;
mod error;
pub mod hex;
mod input;
mod output;
mod panics;
mod private;

pub use digest::{HashingWriter, NotASum, Sha256Hasher, Sha256Sum};
pub use distinct::refuse_same_file;
pub use error::{Error, ErrorKind};
pub use input::{ByteStream, Input, InputSource, is_pipe, open_file};
pub use output::{
    Finished, Output, Sink, check_stdout, create_private, is_taken, remove_leftovers, write_atomically,
    write_private,
};
pub use panics::{catch_quietly, hide_panic_messages};
pub use private::{create_private_folder, entries_of, lock_private, remove_if_there};
