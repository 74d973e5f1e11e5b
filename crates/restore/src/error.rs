//! Errors of maps and restoring: what happened, where, and what to do. They never contain a text.

use std::io;

use inkveil_error::{Cause, SystemError, error_type};

error_type! {
    /// An error of this crate. It contains names of files and limits, never a replacement or an original, so
    /// it may be logged.
    ///
    /// ```
    /// use inkveil_restore::{ErrorKind, MapKey, ReplacementMap};
    ///
    /// let key = MapKey::from_passphrase(String::from("correct horse").into())?;
    /// let error = ReplacementMap::unseal(&b"something else"[..], &key).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::NotAMap));
    /// # Ok::<(), inkveil_restore::Error>(())
    /// ```
    pub struct Error(ErrorKind) at file;
}

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system reported an error.
    #[error("cannot {doing}")]
    Io {
        /// The operation.
        doing: &'static str,
        /// Why it was refused. The kind of a closed pipe is [`io::ErrorKind::BrokenPipe`].
        #[source]
        cause: SystemError,
    },
    /// The file is not a map.
    #[error("this is not a map of inkveil: its first bytes do not match")]
    NotAMap,
    /// The map was written by a newer program.
    #[error("this map has version {found}, and this program reads version 1; use a newer version of inkveil")]
    Version {
        /// The version of the file.
        found: u8,
    },
    /// The header has an invalid value.
    #[error("the header of this map is damaged: {what}")]
    Header {
        /// The problem.
        what: &'static str,
    },
    /// The map cannot be decrypted.
    #[error("wrong key, or the file was changed")]
    WrongKey,
    /// The map is encrypted with a key file, and a passphrase was given.
    #[error("this map is encrypted with a key file, not with a passphrase; give the key file")]
    NeedsKeyFile,
    /// The map is encrypted with a passphrase, and a key file was given.
    #[error("this map is encrypted with a passphrase, not with a key file; give the passphrase")]
    NeedsPassphrase,
    /// The map was decrypted, but its content is not valid.
    #[error(
        "this map was decrypted, but its content does not follow version 1 of the format; create it again"
    )]
    Content,
    /// The file is not a key file.
    #[error(
        "this is not a key file of inkveil, which has a line \"inkveil-key 1\" and a line of 64 hexadecimal digits"
    )]
    NotAKey,
    /// The passphrase is empty.
    #[error("the passphrase is empty; choose one that is hard to guess")]
    EmptyPassphrase,
    /// The passphrase of a new map is too short.
    #[error("the passphrase is shorter than {shortest} characters and easy to guess; choose a longer one")]
    ShortPassphrase {
        /// The shortest length, in characters.
        shortest: usize,
    },
    /// A file exists already or could not be written.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
    /// A replacement or an original is too long.
    #[error("a {what} is longer than {longest} bytes and cannot be stored in a map")]
    TooLong {
        /// Which text it is.
        what: &'static str,
        /// The longest allowed.
        longest: usize,
    },
    /// A replacement starts or ends with white space.
    #[error("a replacement starts or ends with white space, so it could not be found in a text; trim it")]
    Padded,
    /// There are too many entries for one map or one search.
    #[error("there are too many {what}; split the work into several maps")]
    TooMany {
        /// The kind of entries.
        what: &'static str,
    },
    /// The operating system returned no randomness.
    #[error("the operating system returned no randomness")]
    NoEntropy {
        /// Why there was none.
        #[source]
        cause: Cause,
    },
    /// There is not enough memory to derive a key from the passphrase.
    #[error("there is not enough memory to derive a key from the passphrase; it takes {memory} MiB")]
    OutOfMemory {
        /// The required memory in MiB.
        memory: u32,
    },
}

impl Error {
    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        ErrorKind::Io { doing, cause: error.into() }.into()
    }
}
