//! The address of a server.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;
use ureq::http::uri::{Authority, Scheme};

use crate::{Error, ErrorKind};

const COMPLETIONS: &str = "/chat/completions";

/// The address of a server's chat completions. Only scheme, host and port are printed, since a path
/// or query may contain a secret.
pub(super) struct Address {
    uri: Uri,
    origin: String,
    encrypted: bool,
    local: bool,
}

/// Whether a text is meant as an address, not as a folder or a name.
pub(crate) fn is_address(text: &str) -> bool {
    text.contains("://")
}

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        if text.contains('#') {
            return Err(bad("contains a #"));
        }
        // The HTTP library uses the same parser, so both agree on the host.
        let uri: Uri = text.parse().map_err(|_| bad("is not a valid URL"))?;
        let encrypted = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            _ => return Err(bad("starts with neither https:// nor http://")),
        };
        let authority = uri.authority().ok_or_else(|| bad("has no host"))?;
        check(authority)?;
        let (origin, local) =
            (format!("{}://{authority}", uri.scheme_str().unwrap_or_default()), is_local(authority.host()));
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let whole = format!("{origin}{}{query}", path(uri.path()));
        let uri = whole.parse().map_err(|_| bad("is not a valid URL"))?;
        Ok(Address { uri, origin, encrypted, local })
    }

    /// The URI that requests are sent to.
    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Whether the server is on this machine.
    pub(super) fn is_local(&self) -> bool {
        self.local
    }

    /// Whether requests cannot be read on the way.
    pub(super) fn is_confidential(&self) -> bool {
        self.encrypted || self.local
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)
    }
}

fn check(authority: &Authority) -> Result<(), Error> {
    let text = authority.as_str();
    if text.contains('@') {
        return Err(bad("contains a user name or a password; set INKVEIL_API_KEY instead"));
    }
    if authority.host().is_empty() {
        return Err(bad("has no host"));
    }
    // The parser accepts any digits as a port, and the default port would then replace an invalid
    // one.
    match text.len() == authority.host().len() || authority.port_u16().is_some_and(|port| port > 0) {
        true => Ok(()),
        false => Err(bad("has no valid port")),
    }
}

fn is_local(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// Completes the path of the chat completions.
fn path(given: &str) -> String {
    let given = given.trim_end_matches('/');
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    };
    if given.ends_with(COMPLETIONS) {
        given.to_owned()
    } else if given.split('/').any(is_version) {
        format!("{given}{COMPLETIONS}")
    } else {
        format!("{given}/v1{COMPLETIONS}")
    }
}

fn bad(what: &'static str) -> Error {
    ErrorKind::BadAddress { what }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_paths_are_completed() {
        for (given, expected) in [
            ("https://host", "https://host/v1/chat/completions"),
            (" https://host/ ", "https://host/v1/chat/completions"),
            ("https://host/v1", "https://host/v1/chat/completions"),
            ("https://host/v1/", "https://host/v1/chat/completions"),
            ("https://host/v1/chat/completions", "https://host/v1/chat/completions"),
            ("https://host/v1/chat/completions/", "https://host/v1/chat/completions"),
            ("https://host/api", "https://host/api/v1/chat/completions"),
            ("https://host/api/v4", "https://host/api/v4/chat/completions"),
            ("https://host/v1beta/openai/", "https://host/v1beta/openai/chat/completions"),
            ("https://host/vendor", "https://host/vendor/v1/chat/completions"),
            ("http://localhost:8080", "http://localhost:8080/v1/chat/completions"),
            ("HTTP://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"),
            (
                "https://host/a/chat/completions?api-version=2",
                "https://host/a/chat/completions?api-version=2",
            ),
        ] {
            assert_eq!(Address::parse(given).unwrap().uri().to_string(), expected, "{given}");
        }
    }

    #[test]
    fn invalid_addresses_are_refused() {
        for given in [
            "",
            "host",
            "host/v1",
            "/v1",
            "https://",
            "https:///v1",
            "ftp://host/v1",
            "file:///etc/passwd",
            "https://ho st/v1",
            "https://host/v1\r\nx: y",
            "https://host:99999/v1",
            "https://host:0/v1",
            "https://host:/v1",
            "https://me:secret@host/v1",
            "http://localhost@elsewhere.example/v1",
            "https://host/v1#model",
        ] {
            let error = Address::parse(given).err().unwrap_or_else(|| panic!("{given:?} was accepted"));
            assert!(matches!(error.kind(), ErrorKind::BadAddress { .. }), "{given}: {error}");
            assert!(!error.to_string().contains("secret"));
        }
    }

    #[test]
    fn loopback_addresses_are_local() {
        for (given, local) in [
            ("http://localhost/", true),
            ("http://LocalHost:8080", true),
            ("http://127.0.0.1:1", true),
            ("http://127.8.0.9", true),
            ("http://[::1]:8080", true),
            ("http://127.0.0.1.example", false),
            ("http://localhost.example", false),
            ("http://10.0.0.1", false),
            ("http://0.0.0.0", false),
            ("http://[::2]", false),
        ] {
            let address = Address::parse(given).unwrap();
            assert_eq!((address.is_local(), address.is_confidential()), (local, local), "{given}");
        }
        assert!(Address::parse("https://host").unwrap().is_confidential());
    }

    #[test]
    fn paths_and_queries_are_not_printed() {
        let address = Address::parse("https://host:8443/secret/v1?key=secret").unwrap();
        assert_eq!(address.to_string(), "https://host:8443");
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_texts_are_parsed_or_refused(text in "(https?://)?\\PC{0,40}") {
            if let Ok(address) = Address::parse(&text) {
                proptest::prop_assert!(address.uri().path().ends_with(COMPLETIONS));
                proptest::prop_assert!(!address.to_string().contains('@'));
            }
        }
    }
}
