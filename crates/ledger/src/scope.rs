//! Subjects and datasets whose budgets are limited.

use std::fmt;

use serde::ser::{Serialize, SerializeStruct as _, Serializer};

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

/// The kind and the name, as fields of what is limited.
impl Serialize for BudgetScope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("BudgetScope", 2)?;
        fields.serialize_field("scope", self.kind())?;
        fields.serialize_field("name", &self.name())?;
        fields.end()
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

#[cfg(test)]
mod tests {
    use inkveil_privacy::Epsilon;

    use super::*;
    use crate::limit::{Counted, Limit};

    #[test]
    fn a_scope_is_written_as_two_fields_of_its_limit() {
        let epsilon = Epsilon::new(5.0).unwrap();
        let limit = Limit::new(BudgetScope::Subject("patient 7".into()), Counted::WorstCase, epsilon);
        let json = serde_json::to_value(&limit).unwrap();
        assert_eq!((&json["scope"], &json["name"]), (&"subject".into(), &"patient 7".into()));
        assert_eq!((&json["counted"], &json["epsilon"]), (&"worst-case".into(), &5.0.into()));
        let every = serde_json::to_value(BudgetScope::EveryDataset).unwrap();
        assert_eq!(every, serde_json::json!({ "scope": "every-dataset", "name": null }));
    }
}
