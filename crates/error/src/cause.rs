//! Causes that can be cloned and compared, so that error kinds can be too.

use std::error::Error;
use std::fmt;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

/// An error of the operating system.
///
/// It keeps the code or the kind of an [`io::Error`], and drops any text that a library has put into it, because such a
/// text may quote input. A field of this type can be the `#[source]` of an error kind: the cause is then the
/// [`io::Error`].
///
/// ```
/// use inkveil_error::SystemError;
///
/// let quoting = std::io::Error::other("cannot parse 'my secret'");
/// assert_eq!(SystemError::from(quoting).to_string(), "other error");
/// ```
#[derive(Clone)]
pub struct SystemError(Arc<io::Error>);

impl From<&io::Error> for SystemError {
    fn from(error: &io::Error) -> Self {
        Self(Arc::new(match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => error.kind().into(),
        }))
    }
}

impl From<io::Error> for SystemError {
    fn from(error: io::Error) -> Self {
        Self::from(&error)
    }
}

impl Deref for SystemError {
    type Target = io::Error;

    fn deref(&self) -> &io::Error {
        &self.0
    }
}

impl PartialEq for SystemError {
    fn eq(&self, other: &Self) -> bool {
        (self.kind(), self.raw_os_error()) == (other.kind(), other.raw_os_error())
    }
}

impl Eq for SystemError {}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// An error of another library, whose text cannot quote input.
///
/// A field of this type can be the `#[source]` of an error kind. Two causes are equal if they have the same text.
///
/// ```
/// use inkveil_error::Cause;
///
/// let cause = Cause::new("x".parse::<u8>().unwrap_err());
/// assert_eq!(cause, cause.clone());
/// assert_eq!(cause.to_string(), "invalid digit found in string");
/// ```
#[derive(Clone)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    /// Wraps an error, or a text that describes one.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(Arc::from(error.into()))
    }
}

impl Deref for Cause {
    type Target = dyn Error + Send + Sync;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_string() == other.0.to_string()
    }
}

impl Eq for Cause {}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_errors_keep_codes_and_kinds() {
        let full = SystemError::from(io::Error::from_raw_os_error(28));
        assert_eq!((full.kind(), full.raw_os_error()), (io::ErrorKind::StorageFull, Some(28)));
        let pipe = SystemError::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(pipe.kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(pipe, pipe.clone());
        assert_ne!(pipe, full);
    }

    #[test]
    fn foreign_texts_are_dropped() {
        let error = SystemError::from(io::Error::other("987.654"));
        assert!(!format!("{error} {error:?}").contains("987"));
    }
}
