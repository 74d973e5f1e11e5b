//! What can go wrong. Messages of the engine may quote a row, so a message of an executor travels marked, and others are
//! withheld.

use datafusion::common::DataFusionError;
use inkveil::files::hex;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The query or the library refused.
    #[error("{0}")]
    Query(#[from] inkveil_datafusion::Error),
    /// A file cannot be read or written.
    #[error("{0}")]
    Files(#[from] inkveil::files::Error),
    /// Something is refused, with advice.
    #[error("{0}")]
    Refused(String),
}

/// Refuses something, with advice.
pub(crate) fn refused(message: impl Into<String>) -> Error {
    Error::Refused(message.into())
}

const START: &str = "inkveil<";
const END: char = '>';

/// A message that may travel through the engine and be shown.
pub(crate) fn marked(message: &str) -> DataFusionError {
    DataFusionError::Execution(format!("{START}{}{END}", hex::encode(message)))
}

/// The marked message in what the engine says, if there is one.
pub(crate) fn shown(text: &str) -> Option<String> {
    let after = text.split_once(START)?.1;
    let digits = after.split_once(END)?.0;
    String::from_utf8(hex::decode(digits)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_messages_are_shown() {
        let error = marked("no such \"pack\"");
        assert_eq!(shown(&format!("Job failed: {error:?}")).unwrap(), "no such \"pack\"");
        assert_eq!(shown("cannot cast 'Ana Lima' to Int64"), None);
        assert_eq!(shown("inkveil<zz>"), None);
    }
}
