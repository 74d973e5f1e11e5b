//! Errors of the library as exceptions of Python. Their messages are those of the library and hold no input.

use inkveil::{Error, ErrorKind};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The classes of `inkveil._errors`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Any other failure, and mistakes in inkveil itself.
    Inkveil,
    /// Wrong settings.
    Settings,
    /// A text or a table that cannot be used.
    Data,
    /// A pack or model that is missing or damaged.
    Model,
    /// A limit of a ledger.
    Limit,
    /// A ledger that cannot be used.
    Ledger,
    /// A map that cannot be used.
    Map,
    /// A file that cannot be read or written.
    File,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Self::Inkveil => "InkveilError",
            Self::Settings => "SettingsError",
            Self::Data => "DataError",
            Self::Model => "ModelError",
            Self::Limit => "LimitError",
            Self::Ledger => "LedgerError",
            Self::Map => "MapError",
            Self::File => "FileError",
        }
    }

    /// An exception of this class.
    pub(crate) fn error(self, py: Python<'_>, message: impl Into<String>) -> PyErr {
        let message = message.into();
        let class = py.import("inkveil._errors").and_then(|module| module.getattr(self.name()));
        match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
            Ok(class) => PyErr::from_type(class, message),
            Err(_) => PyException::new_err(message),
        }
    }
}

/// An error of the library.
pub(crate) fn raised(py: Python<'_>, error: impl Into<Error>) -> PyErr {
    let error = error.into();
    let message = format!("{error:#}");
    class_of(&error).error(py, message)
}

fn class_of(error: &Error) -> Class {
    use inkveil::ledger::ErrorKind as Ledger;
    use inkveil::restore::ErrorKind as Map;
    use inkveil::vectors::ErrorKind as Vectors;
    match error.kind() {
        ErrorKind::Ledger(error) => match error.kind() {
            Ledger::OverLimit { .. } | Ledger::OverDelta { .. } | Ledger::OtherMetric { .. } => Class::Limit,
            _ => Class::Ledger,
        },
        ErrorKind::SubjectOverLimit { .. } => Class::Limit,
        ErrorKind::Settings(_)
        | ErrorKind::Privacy(_)
        | ErrorKind::Contradiction(_)
        | ErrorKind::SessionSettings
        | ErrorKind::SessionName
        | ErrorKind::RemoteNotAllowed
        | ErrorKind::OtherEncoder { .. }
        | ErrorKind::Text(_)
        | ErrorKind::Detect(_) => Class::Settings,
        ErrorKind::Vectors(error) => match error.kind() {
            Vectors::Io { .. } | Vectors::Mask { .. } => Class::File,
            Vectors::TooFew { .. } | Vectors::Shape { .. } => Class::Data,
            Vectors::Model(_) => Class::Model,
            _ => Class::Settings,
        },
        ErrorKind::Rows(_)
        | ErrorKind::VectorFiles(_)
        | ErrorKind::NullId { .. }
        | ErrorKind::SameId { .. }
        | ErrorKind::NoColumn { .. }
        | ErrorKind::NotTexts { .. }
        | ErrorKind::SameColumns
        | ErrorKind::NotAnObject
        | ErrorKind::NotOneText { .. }
        | ErrorKind::FieldExists { .. }
        | ErrorKind::NoTexts { .. }
        | ErrorKind::Document(_)
        | ErrorKind::DamagedJob => Class::Data,
        ErrorKind::Pack(_)
        | ErrorKind::Chat(_)
        | ErrorKind::Model(_)
        | ErrorKind::Style(_)
        | ErrorKind::NoModel { .. }
        | ErrorKind::PackLacks { .. } => Class::Model,
        ErrorKind::Map(error) if matches!(error.kind(), Map::Io { .. } | Map::File(_)) => Class::File,
        ErrorKind::Map(_) | ErrorKind::NotASession { .. } | ErrorKind::NoSession { .. } => Class::Map,
        ErrorKind::Files(_)
        | ErrorKind::Io { .. }
        | ErrorKind::NoFile { .. }
        | ErrorKind::OutputExists { .. }
        | ErrorKind::ReceiptExists { .. }
        | ErrorKind::MapExists { .. }
        | ErrorKind::SessionInUse { .. } => Class::File,
        _ => Class::Inkveil,
    }
}
