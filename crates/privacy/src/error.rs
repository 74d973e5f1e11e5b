//! What can go wrong, said without ever quoting private data.

use std::fmt;

use inkveil_error::{Cause, error_type};

error_type! {
    /// An error of this crate: what was wrong, and what would be right.
    ///
    /// Errors speak of parameters, dimensions and row numbers. They never hold a coordinate, a score or a text.
    ///
    /// ```
    /// use inkveil_privacy::{Epsilon, ErrorKind};
    ///
    /// let error = Epsilon::new(-1.0).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Parameter { .. }));
    /// assert_eq!(error.to_string(), "epsilon must be 0, a positive number or inf, not -1");
    /// ```
    #[derive(Clone, PartialEq)]
    pub struct Error(ErrorKind) at row;
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A parameter is outside the range in which the mechanism keeps its promise.
    #[error("{name} must be {allowed}, not {given}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// The values it may take, in words.
        allowed: &'static str,
        /// What was given.
        given: String,
    },
    /// A vector has another length than the mechanism.
    #[error("expected a vector of dimension {expected}, found {found}")]
    Dimension {
        /// What the mechanism was built for.
        expected: usize,
        /// What it was given.
        found: usize,
    },
    /// A coordinate or score is NaN or infinite.
    #[error("value {index} is not a finite number; clean the data before noise is added")]
    NotFinite {
        /// Its position, from 0.
        index: usize,
    },
    /// A zero vector where a direction is needed.
    #[error("the zero vector has no direction; drop it or use a mechanism in Euclidean space")]
    ZeroVector,
    /// A covariance matrix is not symmetric and positive definite.
    #[error("the matrix is not symmetric positive definite; add a positive constant to its diagonal")]
    NotPositiveDefinite,
    /// A covariance matrix is too stretched for one grid.
    #[error(
        "the eigenvalues of the matrix differ by more than a factor of 2^32; put a floor under its diagonal"
    )]
    TooStretched,
    /// Two rows of a batch would get the same noise.
    #[error(
        "two rows of one batch have the same place, so their noise could be subtracted; give each its own"
    )]
    PlaceReused,
    /// A number does not fit the type of the rows.
    #[error("a value with noise is too large for the type of the rows; use f64 or more budget")]
    Overflow,
    /// A finite set is empty.
    #[error("there is nothing to choose from: the set is empty")]
    EmptySet,
    /// A value leaves the range in which the grid is exact.
    #[error("a value leaves the range ±{limit:e} in which the grid is exact; rescale or clip the vectors")]
    GridRange {
        /// The largest magnitude the grid can hold exactly.
        limit: f64,
    },
    /// Adding budgets overflowed.
    #[error("the sum of the budgets is larger than any number; it is not a promise any more")]
    BudgetOverflow,
    /// Guarantees that do not speak of the same thing cannot be composed.
    #[error("guarantees in different metrics, units or ranges cannot be added: {left} and {right}")]
    Incomparable {
        /// The first guarantee in words.
        left: String,
        /// The second guarantee in words.
        right: String,
    },
    /// The operating system gave no randomness.
    #[error(
        "nothing was released, because predictable noise protects nothing and the operating system gave no randomness"
    )]
    NoEntropy {
        /// Why there was none.
        #[source]
        cause: Cause,
    },
    /// A receipt could not be read.
    #[error("this is not a receipt that can be read: {reason}")]
    Receipt {
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    pub(crate) fn parameter(name: &'static str, allowed: &'static str, given: impl fmt::Display) -> Self {
        ErrorKind::Parameter { name, allowed, given: given.to_string() }.into()
    }
}
