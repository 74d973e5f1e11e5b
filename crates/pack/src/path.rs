//! Checks of untrusted paths and names from manifests, archives, indexes and hubs.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Error, ErrorKind};

/// Checks that a path with forward slashes stays inside the folder it is joined to, on every system.
pub(crate) fn check_relative(path: &str) -> Result<(), Error> {
    // On Windows, a colon names a drive or a stream, a backslash separates folders, and a trailing dot or space is
    // dropped, which would give one file two names.
    let plain = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && part.len() <= 255
            && !part.ends_with(['.', ' '])
            && !part
                .chars()
                .any(|c| c.is_control() || matches!(c, '\\' | ':' | '<' | '>' | '"' | '|' | '?' | '*'))
    };
    if path.len() <= 1024 && path.split('/').all(plain) {
        return Ok(());
    }
    let shown = path.chars().take(100).filter(|c| !c.is_control()).collect();
    Err(ErrorKind::UnsafePath { path: shown }.into())
}

/// Joins a folder and a checked path.
pub(crate) fn join(folder: &Path, path: &str) -> Result<PathBuf, Error> {
    check_relative(path)?;
    Ok(path.split('/').fold(folder.to_owned(), |all, part| all.join(part)))
}

/// The last part of a path with forward slashes.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The name of a pack, which is also the name of its folder.
///
/// ```
/// use inkveil_pack::PackName;
///
/// let name: PackName = "potion-8m".parse()?;
/// assert_eq!(name.as_str(), "potion-8m");
/// assert!("../etc".parse::<PackName>().is_err());
/// # Ok::<(), inkveil_pack::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct PackName(String);

impl PackName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Makes a name of any text. Other characters become hyphens.
    pub(crate) fn from_text(text: &str) -> Result<Self, Error> {
        let plain = |c: char| match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9' | '.' | '_') => c,
            _ => '-',
        };
        text.replace('/', "--").chars().map(plain).collect::<String>().parse()
    }
}

impl FromStr for PackName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        // Lower case only: some file systems do not distinguish Model from model.
        let allowed = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '_' | '.');
        let valid_start = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        if valid_start && text.len() <= 100 && text.chars().all(allowed) && !text.ends_with('.') {
            return Ok(Self(text.to_owned()));
        }
        let given = text.chars().take(100).filter(|c| !c.is_control()).collect();
        Err(ErrorKind::BadName { given }.into())
    }
}

impl fmt::Display for PackName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for PackName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(|_| serde::de::Error::custom("the pack's name is not allowed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_plain_relative_paths() {
        for good in ["a", "1_Pooling/config.json", "a b", "é", ".hidden", "a..b"] {
            assert!(check_relative(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../a",
            "a/../b",
            "a/..",
            "./a",
            "a//b",
            "a/",
            "C:/a",
            "c:a",
            "a\\b",
            "\\\\host\\a",
            "a\0b",
            "a\nb",
            "a.",
            "a ",
            "nul?",
        ] {
            assert!(check_relative(bad).is_err(), "{bad:?}");
        }
        assert!(check_relative(&"a/".repeat(2000)).is_err());
    }

    #[test]
    fn checks_pack_names() {
        for bad in ["", ".", "..", ".a", "A", "a/b", "a b", "-a", "a.", &"a".repeat(101)] {
            assert!(bad.parse::<PackName>().is_err(), "{bad:?}");
        }
        let name = PackName::from_text("Sentence-Transformers/all-MiniLM-L6-v2").unwrap();
        assert_eq!(name.as_str(), "sentence-transformers--all-minilm-l6-v2");
    }

    proptest::proptest! {
        #[test]
        fn a_joined_path_stays_inside(path in "[./\\\\:a-c]{0,12}") {
            if let Ok(joined) = join(Path::new("/pack"), &path) {
                proptest::prop_assert!(joined.starts_with("/pack") && joined != Path::new("/pack"));
                proptest::prop_assert!(joined.components().all(|c| c != std::path::Component::ParentDir));
            }
        }
    }
}
