//! What can go wrong. Messages never hold values of rows.

use std::fmt;

use datafusion::arrow::error::ArrowError;
use datafusion::common::DataFusionError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The library refused or failed.
    #[error("{}", in_words(.0))]
    Inkveil(#[from] inkveil::Error),
    /// A file cannot be read or written.
    #[error("{}", in_words(.0))]
    Files(#[from] inkveil::files::Error),
    /// An attack cannot be run.
    #[error("{}", in_words(.0))]
    Attack(#[from] inkveil_eval::Error),
    /// A policy or settings file is wrong.
    #[error("{0}")]
    Settings(#[from] inkveil::settings::SettingsError),
    /// The query, a setting or a table is refused, with advice.
    #[error("{0}")]
    Refused(String),
    /// The query engine cannot plan the query. It has read no row.
    #[error("the query cannot be planned: {0}")]
    Plan(String),
    /// The query failed while it ran. The message of the engine is withheld, because it may quote a row.
    #[error("{0}")]
    Run(String),
    /// The rows cannot be written. The reason is that of the system, if it gave one.
    #[error("the rows cannot be written: the disk may be full, or the reader of the output has closed it")]
    Output(#[source] Option<std::io::Error>),
    /// The user stopped the work.
    #[error("the work was cancelled")]
    Cancelled,
}

impl Error {
    /// Whether the user stopped the work.
    pub fn is_cancelled(&self) -> bool {
        match self {
            Self::Cancelled => true,
            Self::Inkveil(error) => error.is_cancelled(),
            Self::Attack(error) => matches!(error.kind(), inkveil_eval::ErrorKind::Cancelled),
            _ => false,
        }
    }

    /// An error of planning. No row was read, so the engine's message can only quote the query.
    pub(crate) fn of_plan(error: DataFusionError) -> Self {
        if let Some(own) = own(&error) {
            return own;
        }
        match kind(&error) {
            DataFusionError::Plan(_)
            | DataFusionError::SQL(..)
            | DataFusionError::SchemaError(..)
            | DataFusionError::Configuration(_)
            | DataFusionError::NotImplemented(_) => Self::Plan(error.strip_backtrace()),
            // Values of a query are computed while it is planned. A message about them quotes the query alone, but it is
            // not worth the risk.
            other => Self::Plan(class(other).to_owned()),
        }
    }

    /// Names what the query reads, if it failed while it ran.
    pub(crate) fn reading(self, read: &str) -> Self {
        match self {
            Self::Run(message) if !read.is_empty() => Self::Run(format!("{message}; the query reads {read}")),
            other => other,
        }
    }

    /// An error of a running query.
    pub(crate) fn of_run(error: &DataFusionError) -> Self {
        own(error).unwrap_or_else(|| {
            Self::Run(format!(
                "the query failed: {}; the engine's message is withheld, because it may quote a row",
                class(kind(error))
            ))
        })
    }
}

/// An error of a function, on its way through the engine.
#[derive(Debug, Clone)]
struct Carried {
    message: String,
    cancelled: bool,
}

impl fmt::Display for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Carried {}

impl From<Error> for DataFusionError {
    fn from(error: Error) -> Self {
        let carried = Carried { message: error.to_string(), cancelled: error.is_cancelled() };
        Self::External(Box::new(carried))
    }
}

/// Refuses something, with advice.
pub(crate) fn refused(message: impl Into<String>) -> Error {
    Error::Refused(message.into())
}

/// An error of ours that the engine has wrapped.
fn own(error: &DataFusionError) -> Option<Error> {
    match error {
        DataFusionError::External(inner) => inner
            .downcast_ref::<Carried>()
            .map(restored)
            .or_else(|| inner.downcast_ref::<DataFusionError>().and_then(own)),
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => own(inner),
        DataFusionError::Shared(inner) => own(inner),
        DataFusionError::Collection(all) => all.iter().find_map(own),
        DataFusionError::ArrowError(inner, _) => match inner.as_ref() {
            ArrowError::ExternalError(inner) => inner
                .downcast_ref::<DataFusionError>()
                .and_then(own)
                .or_else(|| inner.downcast_ref::<Carried>().map(restored)),
            _ => None,
        },
        _ => None,
    }
}

fn restored(carried: &Carried) -> Error {
    match carried.cancelled {
        true => Error::Cancelled,
        false => Error::Refused(carried.message.clone()),
    }
}

/// The error below what the engine has added.
fn kind(error: &DataFusionError) -> &DataFusionError {
    match error {
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => kind(inner),
        DataFusionError::Shared(inner) => kind(inner),
        DataFusionError::Collection(all) => all.first().map_or(error, kind),
        _ => error,
    }
}

/// What failed, without the engine's message.
fn class(error: &DataFusionError) -> &'static str {
    match error {
        DataFusionError::ArrowError(inner, _) => match inner.as_ref() {
            ArrowError::CastError(_) | ArrowError::ParseError(_) => {
                "a value cannot be converted to the type that the query or the column asks for"
            }
            ArrowError::CsvError(_) => "a row of a CSV file does not fit its columns",
            ArrowError::JsonError(_) => "a line is not JSON, or does not fit the columns of its file",
            ArrowError::OffsetOverflowError(_) => {
                "a column of one batch is larger than 2 GB; set a smaller datafusion.execution.batch_size"
            }
            ArrowError::DivideByZero => "a division by zero",
            _ => "values of a column cannot be read or computed",
        },
        DataFusionError::ParquetError(_) => "a Parquet file is damaged or cannot be read",
        DataFusionError::ObjectStore(_) | DataFusionError::IoError(_) => "a file cannot be read",
        DataFusionError::ResourcesExhausted(_) => "it needs more memory than allowed",
        DataFusionError::ExecutionJoin(_) => "a task of the engine stopped",
        DataFusionError::NotImplemented(_) => "the engine does not support this",
        _ => "the engine could not compute it",
    }
}

/// An error and its causes in one line.
pub(crate) fn in_words(error: &(impl std::error::Error + 'static)) -> String {
    let mut words = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(next) = cause {
        let text = next.to_string();
        // A transparent error repeats the message of its cause.
        if words.last().is_none_or(|last| !last.ends_with(&text)) {
            words.push(text);
        }
        cause = next.source();
    }
    words.join(": ")
}
