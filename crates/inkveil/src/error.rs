//! What can go wrong when a veil is set up or used. The texts are those of the crates that do the work; none holds input.

use inkveil_error::error_type;

error_type! {
    /// An error of a veil.
    pub struct Error(ErrorKind);
}

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
    Rows(#[from] inkveil_rows::Error),
    /// A file of vectors cannot be read or written.
    #[error(transparent)]
    VectorFile(#[from] inkveil_vectors_io::Error),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
    /// A settings file is wrong.
    #[error(transparent)]
    Settings(#[from] inkveil_settings::SettingsError),
}
