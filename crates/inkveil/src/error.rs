//! What can go wrong when a veil is set up or used. Messages never hold input.

use std::path::{Path, PathBuf};

inkveil_error::error_type! {
    /// An error of the library.
    pub struct Error(ErrorKind) at file, row;
}

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A model pack was not found or is damaged.
    #[error(transparent)]
    Pack(#[from] inkveil_pack::Error),
    /// Detection failed.
    #[error(transparent)]
    Detect(#[from] inkveil_detect::Error),
    /// The word veil failed.
    #[error(transparent)]
    Text(#[from] inkveil_text::Error),
    /// The vector veil failed.
    #[error(transparent)]
    Vectors(#[from] inkveil_vector::Error),
    /// The style veil failed.
    #[error(transparent)]
    Style(#[from] inkveil_style::Error),
    /// A number is not a budget, or the operating system gives no randomness.
    #[error(transparent)]
    Privacy(#[from] inkveil_privacy::Error),
    /// A language model failed.
    #[error(transparent)]
    Chat(#[from] inkveil_chat::Error),
    /// A model failed.
    #[error(transparent)]
    Model(#[from] inkveil_nn::Error),
    /// A document cannot be read or written.
    #[error(transparent)]
    Document(#[from] inkveil_documents::Error),
    /// Rows of texts cannot be read or written.
    #[error(transparent)]
    Rows(#[from] inkveil_rows::Error),
    /// Vectors cannot be read or written.
    #[error(transparent)]
    VectorFiles(#[from] inkveil_vectors_io::Error),
    /// A file cannot be read or written.
    #[error(transparent)]
    Files(#[from] inkveil_files::Error),
    /// A settings file is wrong.
    #[error(transparent)]
    Settings(#[from] inkveil_settings::SettingsError),
    /// The ledger refused a release or cannot be used.
    #[error(transparent)]
    Ledger(#[from] inkveil_ledger::Error),
    /// The map cannot be used.
    #[error(transparent)]
    Map(#[from] inkveil_restore::Error),
    /// A limit of a subject that the input names. Its name is input and stays out of the message.
    #[error("a subject in these rows would pass its limit, so nothing was released: {why}")]
    SubjectOverLimit {
        /// The numbers of the limit.
        why: String,
    },
    /// A column that no one has named holds texts, and would be copied.
    #[error("no column is named, and the column {column} would be copied although it holds texts")]
    CopiedText {
        /// The column, for a message.
        column: String,
    },
    /// Detection found something in a column that no one has named and that would be copied.
    #[error(
        "no column is named, and the column {column} would be copied although detection finds {kind} in it"
    )]
    CopiedFinding {
        /// The column, for a message.
        column: String,
        /// The kind of the first finding.
        kind: String,
    },
    /// A model behind an address would receive texts that no ledger records.
    #[error(
        "a ledger is configured, and this command would send texts to a server without recording them; nothing was sent. Use a \
         model on this machine, or unset INKVEIL_LEDGER"
    )]
    Unrecorded,
    /// The system refused a thread.
    #[error("the system refuses to start a thread; raise the limit on processes")]
    NoThread {
        /// Why.
        source: std::io::Error,
    },
    /// The texts or vectors of a job have changed since it was charged.
    #[error(
        "the release would cost more than was charged for it, so its input has changed since the job was planned; nothing \
         more was released"
    )]
    MoreThanCharged,
    /// The user stopped the work.
    #[error("the work was cancelled")]
    Cancelled,
    /// An output exists and may not be replaced.
    #[error("{} exists already", path.display())]
    OutputExists {
        /// The output.
        path: PathBuf,
    },
    /// A receipt exists and may not be replaced.
    #[error("{} exists already", path.display())]
    ReceiptExists {
        /// The receipt.
        path: PathBuf,
    },
    /// A map exists and may not be replaced.
    #[error("{} exists already", path.display())]
    MapExists {
        /// The map.
        path: PathBuf,
    },
    /// Another process has the session open.
    #[error("{}: another process uses this session", path.display())]
    SessionInUse {
        /// The map of the session.
        path: PathBuf,
    },
    /// A map was not made by a session.
    #[error("{}: a map of a single release, not of a session", path.display())]
    NotASession {
        /// The map.
        path: PathBuf,
    },
    /// There is no such session.
    #[error("there is no session {name:?}")]
    NoSession {
        /// Its name.
        name: String,
    },
    /// A name cannot be that of a session.
    #[error(
        "a session's name has 1 to 64 letters, digits, `.`, `_` or `-`, and starts with a letter or digit"
    )]
    SessionName,
    /// There is no folder for sessions.
    #[error("there is no home folder for sessions; set INKVEIL_SESSIONS to a folder")]
    NoSessionFolder,
    /// The replacements of a conversation must be the same in all its texts.
    #[error("a conversation needs replacements that are consistent within the job and restorable")]
    SessionSettings,
    /// Several files need a folder.
    #[error("{} is a file, but there are {files} files to write, which need a folder", path.display())]
    OutputIsFile {
        /// The output.
        path: PathBuf,
        /// How many files there are.
        files: usize,
    },
    /// One file cannot be written to a folder.
    #[error("{} is a folder, but one file is written", path.display())]
    OutputIsFolder {
        /// The output.
        path: PathBuf,
    },
    /// Two inputs would be written to one output.
    #[error(
        "{} and {} would both be written to {}",
        inputs[0].display(), inputs[1].display(), output.display()
    )]
    SameOutput {
        /// The inputs.
        inputs: [PathBuf; 2],
        /// The output.
        output: PathBuf,
    },
    /// The state of an interrupted release is damaged.
    #[error("the state of the interrupted release is damaged; it cannot be resumed")]
    DamagedJob,
    /// The input of an interrupted release changed.
    #[error("{}: the input changed since the release was interrupted; it cannot be resumed", output.display())]
    InputChanged {
        /// What cannot be completed.
        output: PathBuf,
    },
    /// A release from or to a pipe cannot be resumed.
    #[error("a release from or to a pipe cannot be resumed")]
    PipeNotResumable,
    /// The rows of a pipe cannot be written to a file, because a file is read several times.
    #[error("{}: a pipe can be read only once, so its rows go to standard output", path.display())]
    PipeIntoFile {
        /// The pipe.
        path: PathBuf,
    },
    /// There are no columns to find subjects in.
    #[error("subjects by column need a JSON lines or Parquet file as input, and a file as output")]
    NoSubjectColumn,
    /// The format of a vector file is not known.
    #[error("{}: the name does not tell the format", path.display())]
    UnknownVectorFormat {
        /// The file.
        path: PathBuf,
    },
    /// Vectors cannot be written in this format.
    #[error("{}: vectors are written as .jsonl, .parquet or .npy", path.display())]
    EmbedFormat {
        /// The output.
        path: PathBuf,
    },
    /// There is nothing to encode.
    #[error("{}: there are no texts in it", path.display())]
    NoTexts {
        /// The input.
        path: PathBuf,
    },
    /// Several files were named where one is read.
    #[error("name one file of texts")]
    NotOneFile,
    /// A file without columns cannot have labels in one.
    #[error("only files of rows can have a column {column:?}")]
    NotATable {
        /// The column that was named.
        column: String,
    },
    /// A label is not one.
    #[error("{column:?} is neither true nor false")]
    NotALabel {
        /// The column that was named.
        column: String,
    },
    /// A line of a file of decisions is not one.
    #[error(
        "not a decision; it has \"action\" (keep, replace or another), and \"start\" and \"end\", or \"text\", and may have \"kind\""
    )]
    NotADecision,
    /// A row has no text, or several.
    #[error("{}", if *count == 0 { "there is no text in it" } else { "there is more than one text in it" })]
    NotOneText {
        /// How many texts it has.
        count: usize,
    },
    /// A table lacks a column.
    #[error("there is no column {column:?}")]
    NoColumn {
        /// The column that was named.
        column: String,
    },
    /// A column that was named as texts holds something else.
    #[error("column {column:?} does not hold texts")]
    NotTexts {
        /// The column that was named.
        column: String,
    },
    /// Two columns of a table have the same name.
    #[error("two columns have the same name; rename or remove one of them")]
    SameColumns,
    /// A row has no id.
    #[error("column {column:?} is null")]
    NullId {
        /// The column.
        column: String,
    },
    /// Two different texts would get the same noise.
    #[error(
        "text {second} has the same id as text {first} and differs from it, so both would get the same noise; \
         give each text an id of its own"
    )]
    SameId {
        /// The number of the text, from 1.
        first: usize,
        /// The number of the other text.
        second: usize,
    },
    /// A row is not a JSON object.
    #[error("not a JSON object")]
    NotAnObject,
    /// A field would be written twice.
    #[error("there is a field {name:?} already")]
    FieldExists {
        /// The field.
        name: &'static str,
    },
    /// The note beside a vector file cannot be read.
    #[error("{}: not a note about vectors", path.display())]
    DamagedNote {
        /// The note.
        path: PathBuf,
    },
    /// Texts and vectors do not belong together.
    #[error("{}: it has not one vector for each text", path.display())]
    NotOneVectorEach {
        /// The file of vectors.
        path: PathBuf,
    },
    /// The encoder of vectors is not known.
    #[error("{}: it is not known which encoder made these vectors", path.display())]
    UnknownEncoder {
        /// The file of vectors.
        path: PathBuf,
    },
    /// A mask belongs to another encoder.
    #[error(
        "{}: fitted on the encoder {mask}, but {vectors} made the vectors; \
         the dimensions of one mean nothing in the other",
        path.display()
    )]
    OtherEncoder {
        /// The mask.
        path: PathBuf,
        /// The mask's encoder.
        mask: String,
        /// The encoder of the vectors.
        vectors: String,
    },
    /// A target needs a measurement, and the mask has none.
    #[error("{}: its eraser was not measured, so no budget is known for a target", path.display())]
    NotMeasured {
        /// The mask.
        path: PathBuf,
    },
    /// A language model is not on this machine.
    #[error("there is no model {name:?} on this machine")]
    NoModel {
        /// Its name.
        name: String,
    },
    /// A model behind an address was not allowed.
    #[error("this model is behind an address, and its server would see the text; that was not allowed")]
    RemoteNotAllowed,
    /// A file does not exist.
    #[error("{}: no such file", path.display())]
    NoFile {
        /// The file.
        path: PathBuf,
    },
    /// A pack lacks a part.
    #[error("the pack {pack} has no {what}")]
    PackLacks {
        /// The pack.
        pack: String,
        /// The part.
        what: &'static str,
    },
    /// An audit cannot plant a pair of originals with this pack.
    #[error("the audit cannot plant the pair {x:?} and {other:?}: {why}")]
    UnfitCanaries {
        /// The first. It is a constant of the audit and no input.
        x: &'static str,
        /// The second.
        other: &'static str,
        /// Why.
        why: &'static str,
    },
    /// An audit was asked for a path that does not exist.
    #[error("there is no path {name:?}; choose from {known}")]
    UnknownPath {
        /// Its name.
        name: String,
        /// All paths.
        known: String,
    },
    /// Settings that contradict each other.
    #[error("{0}")]
    Contradiction(&'static str),
    /// A file cannot be written.
    #[error("cannot use {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A mistake in inkveil itself.
    #[error("{0}; this is a bug in inkveil, please report it")]
    Bug(&'static str),
}

impl Error {
    pub(crate) fn write(path: &Path, source: std::io::Error) -> Self {
        ErrorKind::Io { path: path.to_owned(), source }.into()
    }

    /// The system refused a thread.
    pub(crate) fn no_thread(source: std::io::Error) -> Self {
        ErrorKind::NoThread { source }.into()
    }

    /// Whether the user stopped the work.
    pub fn is_cancelled(&self) -> bool {
        match self.kind() {
            ErrorKind::Cancelled => true,
            ErrorKind::Rows(error) => matches!(error.kind(), inkveil_rows::ErrorKind::Cancelled),
            ErrorKind::VectorFiles(error) => matches!(error.kind(), inkveil_vectors_io::ErrorKind::Cancelled),
            ErrorKind::Style(error) => matches!(error.kind(), inkveil_style::ErrorKind::Stopped),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_and_a_cause_are_each_named_once() {
        let error = Error::from(ErrorKind::NotAnObject).in_row(1).in_file("notes.jsonl");
        assert_eq!(error.to_string(), "notes.jsonl: row 2: not a JSON object");
        assert_eq!(format!("{error:#}"), error.to_string());
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let error = Error::write(Path::new("out.npy"), full);
        assert_eq!(error.to_string(), "cannot use out.npy");
        assert_eq!(format!("{error:#}"), "cannot use out.npy: no storage space");
    }
}
