//! Filters for releases and totals.

/// Selects releases or totals. By default all are selected.
///
/// ```
/// use inkveil_ledger::Filter;
///
/// let filter = Filter { dataset: Some("letters".into()), unconfirmed: true, ..Filter::default() };
/// assert!(filter.subject.is_none());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only releases that charge this subject.
    pub subject: Option<String>,
    /// Only releases of this dataset.
    pub dataset: Option<String>,
    /// Only releases with this receipt, by its digest. Ignored for totals.
    pub receipt: Option<String>,
    /// Only releases that were recorded but not confirmed. Ignored for totals.
    pub unconfirmed: bool,
}
