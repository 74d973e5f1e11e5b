//! The API key of a server. It is overwritten when dropped and never printed.

use std::fmt;

use ureq::http::HeaderValue;
use zeroize::Zeroizing;

use crate::{Error, ErrorKind};

pub(super) struct Key {
    /// The value of the authorization header.
    header: Zeroizing<String>,
}

impl Key {
    /// Creates a key from a variable or a file. Returns `None` for a text of white space only.
    pub(super) fn new(text: String) -> Result<Option<Self>, Error> {
        let text = Zeroizing::new(text);
        let key = text.trim();
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ErrorKind::BadKey.into());
        }
        Ok((!key.is_empty()).then(|| Key { header: Zeroizing::new(format!("Bearer {key}")) }))
    }

    /// Returns the header value, marked as sensitive so that loggers hide it.
    pub(super) fn header(&self) -> Result<HeaderValue, ErrorKind> {
        let mut value = HeaderValue::from_str(&self.header).map_err(|_| ErrorKind::BadKey)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_trimmed_and_validated() {
        let header = |text: &str| Key::new(text.into()).map(|key| key.map(|key| key.header().unwrap()));
        assert_eq!(header(" sk-1 \n").unwrap().unwrap(), "Bearer sk-1");
        assert_eq!(header(" \n").unwrap(), None);
        for odd in ["a b", "a\r\nhost: other", "ключ", "a\0"] {
            let error = header(odd).unwrap_err();
            assert!(error.kind() == &ErrorKind::BadKey && !error.to_string().contains(odd), "{error}");
        }
        let key = Key::new("sk-1".into()).unwrap().unwrap();
        assert!(!format!("{key:?} {:?}", key.header()).contains("sk-1"));
    }
}
