//! What can go wrong when a veil is set up or used. The texts are those of the crates that do the work; none holds input.

use std::fmt;

/// An error of a veil.
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A model pack was not found or is damaged.
    #[error(transparent)]
    Pack(#[from] inkveil_pack::Error),
    /// The text veil failed.
    #[error(transparent)]
    Text(#[from] inkveil_text::Error),
    /// The vector veil failed.
    #[error(transparent)]
    Vectors(#[from] inkveil_vector::Error),
    /// A number is no budget, or there was no randomness.
    #[error(transparent)]
    Privacy(#[from] inkveil_privacy::Error),
    /// A language model failed.
    #[error(transparent)]
    Chat(#[from] inkveil_chat::Error),
    /// A table or a file of texts cannot be read or written.
    #[error(transparent)]
    Files(#[from] inkveil_io::Error),
    /// A settings file is wrong.
    #[error(transparent)]
    Settings(#[from] inkveil_settings::SettingsError),
}

impl Error {
    /// What kind of error this is.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }
}

impl<E: Into<ErrorKind>> From<E> for Error {
    fn from(error: E) -> Self {
        Error(Box::new(error.into()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {}
