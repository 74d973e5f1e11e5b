//! Subjects and datasets whose budgets are limited.

use std::fmt;

/// The subject or dataset whose budget is limited.
///
/// ```
/// use inkveil_ledger::BudgetScope;
///
/// assert_eq!(BudgetScope::Subject("patient 7".into()).to_string(), "subject \"patient 7\"");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BudgetScope {
    /// One subject, in all datasets.
    Subject(String),
    /// One dataset with everything in it.
    Dataset(String),
    /// Each subject without its own limit on the same measure.
    EverySubject,
    /// Each dataset without its own limit on the same measure.
    EveryDataset,
}

impl BudgetScope {
    /// The two columns in the file: a kind and a name.
    pub(crate) fn columns(&self) -> (&'static str, &str) {
        match self {
            Self::Subject(name) => ("subject", name),
            Self::Dataset(name) => ("dataset", name),
            Self::EverySubject => ("every-subject", ""),
            Self::EveryDataset => ("every-dataset", ""),
        }
    }

    pub(crate) fn from_columns(kind: &str, name: String) -> Option<Self> {
        match (kind, name.is_empty()) {
            ("subject", false) => Some(Self::Subject(name)),
            ("dataset", false) => Some(Self::Dataset(name)),
            ("every-subject", true) => Some(Self::EverySubject),
            ("every-dataset", true) => Some(Self::EveryDataset),
            _ => None,
        }
    }

    /// `subject`, `dataset`, `every-subject` or `every-dataset`.
    pub fn kind(&self) -> &'static str {
        self.columns().0
    }

    /// The name of the subject or dataset.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Subject(name) | Self::Dataset(name) => Some(name),
            _ => None,
        }
    }

    /// The default scope that applies if this scope has no limit of its own.
    pub(crate) fn default(&self) -> Option<Self> {
        match self {
            Self::Subject(_) => Some(Self::EverySubject),
            Self::Dataset(_) => Some(Self::EveryDataset),
            _ => None,
        }
    }
}

impl fmt::Display for BudgetScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Subject(name) => write!(f, "subject {name:?}"),
            Self::Dataset(name) => write!(f, "dataset {name:?}"),
            Self::EverySubject => f.write_str("every subject"),
            Self::EveryDataset => f.write_str("every dataset"),
        }
    }
}
