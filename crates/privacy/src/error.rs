//! Errors of this crate. They never quote private data.

use std::fmt;

use inkveil_error::{Cause, error_type};

error_type! {
    /// An error of this crate: what is wrong and which values are valid.
    ///
    /// Errors contain parameters, dimensions and row numbers. They never contain a coordinate, a score or a
    /// text.
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
    /// A parameter is outside the range in which the guarantee of the mechanism holds.
    #[error("{name} must be {allowed}, not {given}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// The allowed values, in words.
        allowed: &'static str,
        /// The given value.
        given: String,
    },
    /// A vector has the wrong dimension.
    #[error("expected a vector of dimension {expected}, found {found}")]
    Dimension {
        /// The dimension of the mechanism.
        expected: usize,
        /// The dimension of the vector.
        found: usize,
    },
    /// A coordinate or score is NaN or infinite.
    #[error("value {index} is not a finite number; clean the data before adding noise")]
    NotFinite {
        /// Its index, from 0.
        index: usize,
    },
    /// A zero vector, where a direction is needed.
    #[error("the zero vector has no direction; remove it or use a mechanism in Euclidean space")]
    ZeroVector,
    /// A covariance matrix is not symmetric and positive definite.
    #[error("the matrix is not symmetric positive definite; add a positive constant to its diagonal")]
    NotPositiveDefinite,
    /// A map does not erase the directions that it should.
    #[error("the map keeps a direction that it should erase; fit the eraser again")]
    NotErased,
    /// The eigenvalues of a covariance matrix differ too much for one grid.
    #[error(
        "the eigenvalues of the matrix differ too much for one grid; add a positive constant to its diagonal"
    )]
    TooStretched,
    /// Two rows of a batch have the same noise address.
    #[error(
        "two rows of one batch have the same noise address, so their noise could be subtracted; give each row its own address"
    )]
    AddressReused,
    /// A value with noise does not fit the type of the rows.
    #[error("a value with noise is too large for the type of the rows; use f64 or a larger budget")]
    Overflow,
    /// A finite set is empty.
    #[error("the set of candidates is empty")]
    EmptySet,
    /// A value is outside the range in which the grid is exact.
    #[error(
        "a value is outside ±{limit:e}, the range in which the grid is exact; rescale or clip the vectors"
    )]
    GridRange {
        /// The largest magnitude that the grid represents exactly.
        limit: f64,
    },
    /// The sum of budgets overflowed.
    #[error("the sum of the budgets is too large to be a number, so there is no guarantee")]
    BudgetOverflow,
    /// Guarantees in different metrics, units or ranges cannot be composed.
    #[error("guarantees in different metrics, units or ranges cannot be composed: {left} and {right}")]
    Incomparable {
        /// The first guarantee in words.
        left: String,
        /// The second guarantee in words.
        right: String,
    },
    /// The operating system returned no randomness.
    #[error(
        "the operating system returned no randomness; nothing was released, because predictable noise gives no protection"
    )]
    NoEntropy {
        /// Why there was none.
        #[source]
        cause: Cause,
    },
    /// A receipt could not be read.
    #[error("this is not a valid receipt: {reason}")]
    Receipt {
        /// The problem.
        reason: String,
    },
}

impl Error {
    pub(crate) fn parameter(name: &'static str, allowed: &'static str, given: impl fmt::Display) -> Self {
        ErrorKind::Parameter { name, allowed, given: given.to_string() }.into()
    }
}
