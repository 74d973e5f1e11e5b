//! Which releases or totals are asked for.

/// Which of them: all, unless a field says otherwise.
///
/// ```
/// use inkveil_ledger::Filter;
///
/// let filter = Filter { dataset: Some("letters".into()), unconfirmed: true, ..Filter::default() };
/// assert!(filter.subject.is_none());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Those that charge this subject.
    pub subject: Option<String>,
    /// Those of this dataset.
    pub dataset: Option<String>,
    /// Those with this receipt, by its digest; it does not matter to totals.
    pub receipt: Option<String>,
    /// Those that were recorded but not confirmed; it does not matter to totals.
    pub unconfirmed: bool,
}
