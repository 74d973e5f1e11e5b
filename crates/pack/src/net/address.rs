//! Addresses (URLs). Printing one never reveals a secret.

use std::fmt;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use url::{Host, Origin, Position, Url};

use crate::error::{Error, ErrorKind};
use crate::net::credentials::{Login, Secret};

/// An http or https address.
///
/// The user and the password are stored apart and are never printed. The query is not printed either, because the
/// signed addresses of storage services carry a key there.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// Without user, password and fragment.
    url: Url,
    login: Option<Login>,
}

impl Address {
    /// Scheme, host and port. Credentials belong to one origin.
    pub(crate) fn origin(&self) -> Origin {
        self.url.origin()
    }

    pub(crate) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The host in lower case, without the brackets of an IPv6 address.
    pub(crate) fn host(&self) -> String {
        match self.url.host() {
            Some(Host::Ipv6(ip)) => ip.to_string(),
            Some(host) => host.to_string(),
            None => String::new(),
        }
    }

    pub(crate) fn port(&self) -> Option<u16> {
        self.url.port_or_known_default()
    }

    /// Whether the host is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        match self.url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        }
    }

    /// The user and password that the address contained.
    pub(crate) fn login(&self) -> Option<&Login> {
        self.login.as_ref()
    }

    /// The address to request: with the query, without credentials and fragment.
    pub(crate) fn request(&self) -> &str {
        self.url.as_str()
    }

    /// Appends segments to the path, percent-encodes them and drops the query.
    pub(crate) fn append(&self, segments: &[&str]) -> Self {
        let mut url = self.url.clone();
        url.set_query(None);
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        Self { url, login: self.login.clone() }
    }

    /// The same address with a slash at the end of its path.
    pub(crate) fn as_folder(&self) -> Self {
        self.append(&[""])
    }

    pub(crate) fn with_query(mut self, query: &str) -> Self {
        self.url.set_query(Some(query));
        self
    }

    /// Resolves a link on the page with this address.
    pub(crate) fn join(&self, link: &str) -> Result<Self, Error> {
        let link = check_strict(link)?;
        Self::from_url(self.url.join(link).map_err(|_| ErrorKind::BadUrl)?)
    }

    fn from_url(mut url: Url) -> Result<Self, Error> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ErrorKind::BadUrl.into());
        }
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let has_login = !url.username().is_empty() || url.password().is_some();
        let login = has_login.then(|| Login {
            user: decoded(url.username()),
            password: Secret::new(decoded(url.password().unwrap_or_default())),
        });
        let cleared = url.set_username("").and_then(|()| url.set_password(None));
        cleared.map_err(|()| ErrorKind::BadUrl)?;
        url.set_fragment(None);
        Ok(Self { url, login })
    }
}

/// Refuses what a browser would repair without a word: spaces, line breaks, backslashes and a missing host.
fn check_strict(text: &str) -> Result<&str, Error> {
    let text = text.trim();
    let after_scheme = text.split_once(':').map_or(text, |(_, rest)| rest);
    let strict = text.bytes().all(|b| b.is_ascii_graphic() && b != b'\\') && !after_scheme.starts_with("///");
    if strict { Ok(text) } else { Err(ErrorKind::BadUrl.into()) }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::from_url(Url::parse(check_strict(text)?).map_err(|_| ErrorKind::BadUrl)?)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url[..Position::AfterPath])
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    #[test]
    fn splits_an_address_into_its_parts() {
        let found = address("HTTPS://me:pa%40ss@Host.example:8443/a/b?key=1#sha256=ff");
        assert_eq!(
            (found.is_https(), found.host().as_str(), found.port()),
            (true, "host.example", Some(8443))
        );
        let login = found.login().unwrap();
        assert_eq!((login.user.as_str(), login.password.reveal()), ("me", "pa@ss"));
        assert_eq!(found.request(), "https://host.example:8443/a/b?key=1");
        assert_eq!(
            format!("{found} {found:?}"),
            "https://host.example:8443/a/b Address(https://host.example:8443/a/b)"
        );
        assert_eq!(address("http://[::1]:80").request(), "http://[::1]/");
        assert_eq!(address("http://[::1]:80").host(), "::1");
    }

    #[test]
    fn refuses_invalid_addresses() {
        for bad in [
            "",
            "host/a",
            "ftp://host/a",
            "https://",
            "https:///a",
            "https:\\\\host\\a",
            "https://ho st/a",
            "https://host:99999/",
            "https://host:a/",
            "https://host/a b",
            "https://host/\r\nHost: other",
            "file:///etc/passwd",
            "https://[::1/",
            "https://[::1]a/",
        ] {
            assert!(bad.parse::<Address>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn resolves_links() {
        let page = address("https://me:pw@host/simple/tiny/?a=b");
        for (link, expected) in [
            ("tiny-1.0.whl#sha256=ff", "https://host/simple/tiny/tiny-1.0.whl"),
            ("../../packages/a.whl", "https://host/packages/a.whl"),
            ("../../../../../a.whl", "https://host/a.whl"),
            ("/a/./b/../c.whl", "https://host/a/c.whl"),
            ("//other/a", "https://other/a"),
            ("http://other/a?x=1", "http://other/a?x=1"),
            ("", "https://host/simple/tiny/?a=b"),
            ("?c=d", "https://host/simple/tiny/?c=d"),
            (".", "https://host/simple/tiny/"),
            ("..", "https://host/simple/"),
        ] {
            assert_eq!(page.join(link).unwrap().request(), expected, "{link}");
        }
        assert!(page.join("javascript:alert(1)").is_err() && page.join("file:///etc/passwd").is_err());
        assert!(page.join("a b").is_err());
    }

    #[test]
    fn encodes_appended_segments_once() {
        let base = address("https://host/api/");
        assert_eq!(
            base.append(&["models", "a b", "refs/pr/1"]).request(),
            "https://host/api/models/a%20b/refs%2Fpr%2F1"
        );
        assert_eq!(base.append(&["simple"]).as_folder().request(), "https://host/api/simple/");
        assert_eq!(base.as_folder().request(), "https://host/api/");
    }

    #[test]
    fn recognises_this_machine() {
        for (text, expected) in [
            ("http://localhost:1/", true),
            ("http://127.0.0.9/", true),
            ("http://[::1]/", true),
            ("http://127.0.0.1.example/", false),
            ("http://10.0.0.1/", false),
        ] {
            assert_eq!(address(text).is_loopback(), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_resolved_link_fits_on_a_request_line(link in "\\PC{0,40}") {
            if let Ok(joined) = address("https://host/a/b").join(&link) {
                proptest::prop_assert!(joined.request().bytes().all(|b| b.is_ascii_graphic()));
            }
        }
    }
}
