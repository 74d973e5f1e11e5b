//! The errors of this crate. Each says what failed, where, and what helps.

use std::io;

use inkveil_error::{SystemError, error_type};

error_type! {
    /// An error of this crate.
    ///
    /// Errors contain the names of packs and files, sizes and addresses. Addresses are printed without user, password and
    /// query, which may be secrets. So errors may be logged.
    ///
    /// ```
    /// use inkveil_pack::{ErrorKind, ModelSource};
    ///
    /// let error = "no-such-model".parse::<ModelSource>().unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::UnknownModel { .. }));
    /// assert!(error.to_string().contains("minilm"));
    /// ```
    #[derive(Clone, PartialEq, Eq)]
    pub struct Error(ErrorKind) at subject;
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system reported an error.
    #[error("cannot {doing}")]
    Io {
        /// The operation.
        doing: &'static str,
        /// The error of the system.
        #[source]
        cause: SystemError,
    },
    /// The disk is full.
    #[error("the disk is full{}; free some space or set INKVEIL_CACHE to a folder on another disk", space(*.needed, *.free))]
    DiskFull {
        /// The bytes needed, if known.
        needed: Option<u64>,
        /// The bytes free, if known.
        free: Option<u64>,
    },
    /// The name of a pack is invalid.
    #[error(
        "{given:?} is not a valid pack name; use at most 100 of the characters a-z, 0-9, '-', '_' and '.', starting with a letter or a digit"
    )]
    BadName {
        /// The given name.
        given: String,
    },
    /// A source is invalid.
    #[error(
        "{given:?} is not a source; use NAME, hf:OWNER/NAME[@REVISION], pypi:NAME[==VERSION] or path:FOLDER"
    )]
    BadSource {
        /// The given source.
        given: String,
    },
    /// No known model has this name.
    #[error(
        "{given:?} is not a known model;{} choose from {}, or give a source, for example hf:OWNER/NAME",
        .similar.map(|name| format!(" did you mean {name}?")).unwrap_or_default(),
        .known.join(", ")
    )]
    UnknownModel {
        /// The given name.
        given: String,
        /// The most similar known name, if one is similar.
        similar: Option<&'static str>,
        /// The known names.
        known: Vec<&'static str>,
    },
    /// A pack is not on this machine.
    #[error("{}", not_found(.name, *.can_be_pulled))]
    NotFound {
        /// The name or source of the pack.
        name: String,
        /// Whether the pack can be pulled: it is a known model or has a source.
        can_be_pulled: bool,
    },
    /// A pack is not in the cache, so it cannot be removed from there.
    #[error("there is no pack of this name in the cache")]
    NotCached,
    /// The network is needed but must not be used.
    #[error("it is not in the cache, and offline mode forbids a download")]
    Offline,
    /// A manifest is invalid.
    #[error("not a valid manifest: {what}")]
    BadManifest {
        /// The problem.
        what: String,
    },
    /// A newer program wrote the manifest.
    #[error("the manifest has format {found}, but this program supports only format {known}; update inkveil")]
    NewerFormat {
        /// The format of the manifest.
        found: u64,
        /// The newest supported format.
        known: u32,
    },
    /// A folder has no manifest.
    #[error("the folder has no manifest.json, so its files cannot be checked")]
    NoManifest,
    /// A path leads out of the pack.
    #[error("the path {path:?} is refused: it must be a plain relative path inside the pack")]
    UnsafePath {
        /// The path.
        path: String,
    },
    /// A file of a pack is missing.
    #[error("the file is missing; pull the pack again")]
    MissingFile,
    /// A file is not listed in the manifest.
    #[error("the pack has no such file; it has {}", few(.present))]
    NoSuchFile {
        /// The files of the pack.
        present: Vec<String>,
    },
    /// A file has the wrong size.
    #[error("the size is {found} bytes instead of {expected}; pull it again")]
    WrongSize {
        /// The correct size.
        expected: u64,
        /// The actual size.
        found: u64,
    },
    /// A file has the wrong checksum.
    #[error(
        "the SHA-256 is {found} instead of {expected}: the file is damaged or was replaced; pull it again, and do not use it if this error remains"
    )]
    WrongHash {
        /// The correct checksum.
        expected: String,
        /// The actual checksum.
        found: String,
    },
    /// The manifest is not the one that was written.
    #[error("the manifest was changed: it does not have its checksum")]
    ManifestChanged,
    /// No Python index is configured.
    #[error("no Python index is configured; set PIP_INDEX_URL")]
    NoIndex,
    /// The user's settings forbid a Python index.
    #[error("a Python index is needed, but PIP_NO_INDEX or pip's configuration forbids it")]
    IndexForbidden,
    /// An address is invalid.
    #[error("the address is invalid; it must have the form https://HOST/PATH")]
    BadUrl,
    /// An address is not encrypted, and the user did not choose it.
    #[error(
        "the address is not encrypted (https); plain http is used only for an address that you name yourself"
    )]
    InsecureUrl,
    /// The address of a proxy is invalid.
    #[error("the address of the proxy is invalid; it must have the form http://HOST:PORT")]
    BadProxy,
    /// A file contains no certificates.
    #[error("the file contains no certificate in PEM format")]
    BadCertificates,
    /// The index does not have the package.
    #[error("the Python index at {index} has no such package; check the name or use another index")]
    NoPackage {
        /// The address of the index.
        index: String,
    },
    /// The index does not have the version.
    #[error("there is no wheel of version {version}; the index has {}", few(.present))]
    NoVersion {
        /// The requested version.
        version: String,
        /// The versions in the index.
        present: Vec<String>,
    },
    /// The index has no wheel of the package.
    #[error("the Python index has no wheel of this package")]
    NoWheel,
    /// The index has no checksum of the file.
    #[error("the Python index has no SHA-256 of this file, so it cannot be checked; use another index")]
    NoHash,
    /// The hub does not have the model.
    #[error(
        "the hub has no such model or revision, or it is private; check the name, and set HF_TOKEN if it needs a token"
    )]
    NoModel,
    /// The server requires a password or token.
    #[error("the server refused access ({status}); {advice}")]
    Refused {
        /// The status code.
        status: u16,
        /// What helps.
        advice: &'static str,
    },
    /// The server answered with an error.
    #[error("the server answered with status {status}; try again later")]
    Status {
        /// The status code.
        status: u16,
    },
    /// The network failed.
    #[error("the network failed: {reason}; try again, the bytes received so far are kept")]
    Network {
        /// The reason.
        reason: String,
    },
    /// The server's certificate is not trusted.
    #[error(
        "the server's certificate is not trusted; if your network uses its own authority, set SSL_CERT_FILE to its PEM file"
    )]
    Untrusted,
    /// The server was too slow.
    #[error(
        "the server sent almost nothing for {seconds} seconds; try again, the bytes received so far are kept (PIP_DEFAULT_TIMEOUT sets the seconds)"
    )]
    TimedOut {
        /// The time in seconds.
        seconds: u64,
    },
    /// A page or file is larger than any real one.
    #[error("it is larger than {limit} bytes; check the address")]
    TooLarge {
        /// The largest allowed size.
        limit: u64,
    },
    /// A response of an index or hub is invalid.
    #[error("the response of the server is invalid: {what}")]
    BadPage {
        /// The problem.
        what: &'static str,
    },
    /// An archive is invalid.
    #[error("not a valid zip file: {what}")]
    BadArchive {
        /// The problem.
        what: &'static str,
    },
    /// A file is missing in an archive.
    #[error("it does not contain {member:?}, so it is not the expected package")]
    MissingMember {
        /// The file.
        member: String,
    },
    /// No model was found.
    #[error("it contains no model: {what}")]
    NoModelFiles {
        /// The reason.
        what: &'static str,
    },
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
    /// The operation was cancelled.
    #[error("cancelled; the bytes received so far are kept, and the next attempt resumes")]
    Cancelled,
}

impl Error {
    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::StorageFull || error.kind() == io::ErrorKind::QuotaExceeded {
            return ErrorKind::DiskFull { needed: None, free: None }.into();
        }
        ErrorKind::Io { doing, cause: error.into() }.into()
    }

    pub(crate) fn manifest(what: impl Into<String>) -> Self {
        ErrorKind::BadManifest { what: what.into() }.into()
    }

    /// Whether the index could not provide the file, so that the hub may be tried.
    pub(crate) fn is_unreachable(&self) -> bool {
        matches!(
            self.kind(),
            ErrorKind::NoIndex
                | ErrorKind::IndexForbidden
                | ErrorKind::NoPackage { .. }
                | ErrorKind::NoVersion { .. }
                | ErrorKind::NoWheel
                | ErrorKind::Network { .. }
                | ErrorKind::Untrusted
                | ErrorKind::TimedOut { .. }
                | ErrorKind::Status { .. }
                | ErrorKind::Refused { .. }
        )
    }
}

/// The first names of a list, for a message.
fn few(all: &[String]) -> String {
    const SHOWN: usize = 8;
    if all.is_empty() {
        return "none".to_owned();
    }
    let mut text = all
        .iter()
        .take(SHOWN)
        .map(|name| name.chars().take(60).filter(|c| !c.is_control()).collect::<String>())
        .collect::<Vec<_>>()
        .join(", ");
    if all.len() > SHOWN {
        text.push_str(&format!(" and {} more", all.len() - SHOWN));
    }
    text
}

fn not_found(name: &str, can_be_pulled: bool) -> String {
    let folder = "or set INKVEIL_PACKS to the folder that contains it";
    if name == crate::DEFAULT_PACK {
        return format!(
            "the default pack is missing; install inkveil with its folder share/inkveil/models, {folder}"
        );
    }
    match can_be_pulled {
        true => format!("the pack is not on this machine; pull it, {folder}"),
        false => format!(
            "the pack is not on this machine, and no known model has this name; check the name, {folder}"
        ),
    }
}

fn space(needed: Option<u64>, free: Option<u64>) -> String {
    match (needed, free) {
        (Some(needed), Some(free)) => {
            format!(" ({} MB are needed, {} MB are free)", needed.div_ceil(1_000_000), free / 1_000_000)
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_its_subject_once() {
        let error = Error::from(ErrorKind::MissingFile).of("minilm/config.json").of("minilm");
        assert_eq!(error.subject(), Some("minilm/config.json"));
        assert!(error.to_string().starts_with("minilm/config.json: the file is missing"));
    }

    #[test]
    fn recognises_a_full_disk() {
        let error = Error::io("write", &io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(error.kind(), &ErrorKind::DiskFull { needed: None, free: None });
        let known = Error::from(ErrorKind::DiskFull { needed: Some(2_500_000), free: Some(1_900_000) });
        assert!(known.to_string().contains("(3 MB are needed, 1 MB are free)"), "{known}");
    }

    #[test]
    fn drops_the_texts_of_other_errors() {
        let error = Error::io("read", &io::Error::other("https://user:secret@host"));
        assert!(!format!("{error} {error:?}").contains("secret"));
    }

    #[test]
    fn lists_stay_short() {
        let many: Vec<String> = (0..30).map(|i| format!("{i}{}", "x".repeat(100))).collect();
        let text = ErrorKind::NoSuchFile { present: many }.to_string();
        assert!(text.ends_with(" and 22 more") && text.len() < 600, "{text}");
    }
}
