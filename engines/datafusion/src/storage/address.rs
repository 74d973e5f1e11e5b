//! Addresses of objects: `s3://bucket/key`.

use std::fmt;
use std::path::Path;

use object_store::path::Path as ObjectPath;
use url::Url;

use crate::error::{Error, refused};

/// An object, or a folder of objects, in object storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    bucket: String,
    key: ObjectPath,
}

const FORM: &str = "an address in object storage is s3://BUCKET/KEY, without a user, a password or settings; credentials \
                    come from the environment";

impl Address {
    /// Reads a path that a user has given. It is none if the path is that of a file.
    ///
    /// # Errors
    /// If it is the address of another kind of storage, or has another form. The message does not quote it, because it may
    /// hold a password.
    pub fn of(path: &Path) -> Result<Option<Self>, Error> {
        let Some((scheme, rest)) = path.to_str().and_then(|text| text.split_once("://")) else {
            return Ok(None);
        };
        if scheme != "s3" {
            return Err(refused(format!("only files and s3:// can be read and written; {FORM}")));
        }
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        let is_wrong = key.starts_with('/') || key.contains(['?', '#']) || key.contains(char::is_control);
        if !is_bucket(bucket) || is_wrong {
            return Err(refused(FORM));
        }
        let key = ObjectPath::parse(key).map_err(|_| refused(FORM))?;
        Ok(Some(Self { bucket: bucket.to_owned(), key }))
    }

    /// The address of something else in the same bucket.
    pub(crate) fn sibling(&self, key: ObjectPath) -> Self {
        Self { bucket: self.bucket.clone(), key }
    }

    pub(crate) fn bucket(&self) -> &str {
        &self.bucket
    }

    pub(crate) fn key(&self) -> &ObjectPath {
        &self.key
    }

    /// The address of the bucket, under which the engine finds its store.
    pub(crate) fn root(&self) -> Result<Url, Error> {
        Url::parse(&format!("s3://{}/", self.bucket)).map_err(|_| refused(FORM))
    }

    /// The address in the form of the engine. That of a folder ends with `/`.
    pub(crate) fn url(&self, is_folder: bool) -> Result<Url, Error> {
        let mut url = self.root()?;
        {
            let mut parts = url.path_segments_mut().map_err(|()| refused(FORM))?;
            parts.pop_if_empty().extend(self.key.parts().map(|part| part.as_ref().to_owned()));
            if is_folder {
                parts.push("");
            }
        }
        Ok(url)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}/{}", self.bucket, self.key)
    }
}

/// Whether this can be the name of a bucket. It cannot hold `@` or `:`, so a password is never taken for a name.
fn is_bucket(name: &str) -> bool {
    let is_inner = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let is_letter = |letter: u8| is_inner(letter) || letter == b'-' || letter == b'.';
    (3..=63).contains(&name.len())
        && name.bytes().all(is_letter)
        && name.bytes().next().is_some_and(is_inner)
        && name.bytes().next_back().is_some_and(is_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed step is a failed test
    use super::*;

    fn of(text: &str) -> Result<Option<Address>, Error> {
        Address::of(Path::new(text))
    }

    #[test]
    fn files_are_no_addresses() {
        for path in ["a.parquet", "/lake/a b.csv", "s3/a.csv", "./s3:/a.csv", ""] {
            assert_eq!(of(path).unwrap(), None, "{path}");
        }
    }

    #[test]
    fn an_address_keeps_its_key_letter_by_letter() {
        let address = of("s3://lake.one/mails 2026/city=São%20Paulo/a+b.parquet").unwrap().unwrap();
        assert_eq!(address.bucket(), "lake.one");
        assert_eq!(address.to_string(), "s3://lake.one/mails 2026/city=São%20Paulo/a+b.parquet");
        let url = address.url(false).unwrap();
        assert_eq!(ObjectPath::from_url_path(url.path()).unwrap(), *address.key());
        let folder = of("s3://lake/mails/").unwrap().unwrap();
        assert_eq!(folder.url(true).unwrap().as_str(), "s3://lake/mails/");
        assert_eq!(of("s3://lake").unwrap().unwrap().url(true).unwrap().as_str(), "s3://lake/");
    }

    #[test]
    fn other_forms_are_refused_without_a_quote() {
        for text in [
            "s3://AKIASECRET:hunter2@lake/a.csv",
            "s3://lake/a.csv?secret=hunter2",
            "s3://lake/a.csv#hunter2",
            "s3://lake/../hunter2.csv",
            "s3://lake//hunter2.csv",
            "s3:///hunter2.csv",
            "s3://x/hunter2.csv",
            "s3://Lake/hunter2.csv",
            "https://user:hunter2@example.org/a.csv",
            "gs://lake/hunter2.csv",
        ] {
            let message = of(text).unwrap_err().to_string();
            assert!(message.contains("s3://BUCKET/KEY") && !message.contains("hunter2"), "{text}: {message}");
            assert!(!message.contains("AKIA"), "{message}");
        }
    }
}
