//! What can go wrong with maps and restoring: what, where, and what to do about it. Never a text.

use std::io;

use inkveil_error::{Cause, SystemError, error_type};

error_type! {
    /// An error of this crate. It names files and limits, never a replacement or an original, so it may be logged.
    ///
    /// ```
    /// use inkveil_restore::{ErrorKind, Map, MapKey};
    ///
    /// let key = MapKey::from_passphrase(String::from("correct horse").into())?;
    /// let error = Map::unseal(&b"something else"[..], &key).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::NotAMap));
    /// # Ok::<(), inkveil_restore::Error>(())
    /// ```
    pub struct Error(ErrorKind) at file;
}

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused something.
    #[error("cannot {doing}")]
    Io {
        /// The operation.
        doing: &'static str,
        /// Why it was refused. The kind of a closed pipe is [`io::ErrorKind::BrokenPipe`].
        #[source]
        cause: SystemError,
    },
    /// The file is no map.
    #[error("this is no map of inkveil: it does not begin like one")]
    NotAMap,
    /// The map was written by a newer program.
    #[error("this map has version {found}, and this program reads version 1; use a newer inkveil")]
    Version {
        /// The version that the file names.
        found: u8,
    },
    /// The header names something that no honest header does.
    #[error("the header of this map is damaged: {what}")]
    Header {
        /// What is wrong.
        what: &'static str,
    },
    /// The map does not open.
    #[error("wrong key, or the file was changed")]
    WrongKey,
    /// The map is sealed with a key file, and a passphrase was given.
    #[error("this map is sealed with a key file, not with a passphrase; name the key file")]
    NeedsKeyFile,
    /// The map is sealed with a passphrase, and a key file was given.
    #[error("this map is sealed with a passphrase, not with a key file; give the passphrase")]
    NeedsPassphrase,
    /// The map opens, but what is in it cannot be read.
    #[error("this map opens, but what it holds is not written as version 1 says; make it again")]
    Content,
    /// The file is no key.
    #[error(
        "this is no key file of inkveil: a line \"inkveil-key 1\" and then a line of 64 hexadecimal digits"
    )]
    NotAKey,
    /// A passphrase without characters.
    #[error("the passphrase is empty; choose one that is hard to guess")]
    EmptyPassphrase,
    /// A file exists already or could not be written.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
    /// A replacement or original that is longer than any honest one.
    #[error("a {what} is longer than {longest} bytes; it cannot be in a map")]
    TooLong {
        /// Which of the two.
        what: &'static str,
        /// The longest allowed.
        longest: usize,
    },
    /// A replacement with white space around it.
    #[error(
        "a replacement begins or ends with white space, so it could not be found again; cut the white space off"
    )]
    Padded,
    /// More than can be put into one map or one search.
    #[error("there are too many {what}; split the work into several maps")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
    },
    /// The system has no randomness to give.
    #[error("the operating system gave no randomness")]
    NoEntropy {
        /// Why there was none.
        #[source]
        cause: Cause,
    },
    /// There is not enough memory to turn the passphrase into a key.
    #[error("there is not enough memory to turn the passphrase into a key; {memory} MiB are needed")]
    OutOfMemory {
        /// How much is needed, in MiB.
        memory: u32,
    },
}

impl Error {
    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        ErrorKind::Io { doing, cause: error.into() }.into()
    }
}
