//! Addresses. What is printed of them is never a secret.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};
use crate::net::credentials::Secret;

/// An http or https address. The user and password are kept apart, and are not printed; neither is the query, as
/// the addresses that storage services sign carry a key there.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Url {
    origin: Origin,
    user: Option<Secret>,
    /// Begins with a slash.
    path: String,
    query: Option<String>,
}

/// Who is talked to. Credentials belong to one of these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Origin {
    pub(crate) https: bool,
    /// In lower case; brackets around an IPv6 address are kept.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Origin {
    /// Whether the host is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        self.host == "localhost" || bare.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, usual) = if self.https { ("https", 443) } else { ("http", 80) };
        write!(f, "{scheme}://{}", self.host)?;
        if self.port == usual { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

impl Url {
    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// `USER:PASSWORD`, as it was written in the address.
    pub(crate) fn user(&self) -> Option<&Secret> {
        self.user.as_ref()
    }

    /// The address as it is requested: with its query, without credentials and fragment.
    pub(crate) fn request(&self) -> String {
        match &self.query {
            Some(query) => format!("{}{}?{query}", self.origin, self.path),
            None => format!("{}{}", self.origin, self.path),
        }
    }

    /// The same address with more path; `parts` are encoded.
    pub(crate) fn append(&self, parts: &[&str]) -> Self {
        let mut path = self.path.trim_end_matches('/').to_owned();
        for part in parts {
            path.push('/');
            path.push_str(&encoded(part));
        }
        Self { path, query: None, ..self.clone() }
    }

    /// The same address, ending in a slash.
    pub(crate) fn as_folder(&self) -> Self {
        Self { path: format!("{}/", self.path.trim_end_matches('/')), ..self.clone() }
    }

    pub(crate) fn with_query(mut self, query: &str) -> Self {
        self.query = Some(query.to_owned());
        self
    }

    /// What a link on this page leads to (RFC 3986, section 5.2).
    pub(crate) fn join(&self, link: &str) -> Result<Self, Error> {
        let link = link.trim();
        if has_scheme(link) {
            return link.parse();
        }
        if let Some(rest) = link.strip_prefix("//") {
            let scheme = if self.origin.https { "https" } else { "http" };
            return format!("{scheme}://{rest}").parse();
        }
        let (link, _fragment) = cut(link, '#');
        let (path, query) = cut(link, '?');
        let joined = if path.starts_with('/') {
            without_dots(path)
        } else if path.is_empty() {
            self.path.clone()
        } else {
            let folder = self.path.rfind('/').and_then(|end| self.path.get(..=end)).unwrap_or("/");
            without_dots(&format!("{folder}{path}"))
        };
        let query = match (path.is_empty(), query) {
            (true, None) => self.query.clone(),
            (_, query) => query.map(str::to_owned),
        };
        let url = Self { origin: self.origin.clone(), user: self.user.clone(), path: joined, query };
        url.checked()
    }

    /// What may go onto a request line.
    fn checked(self) -> Result<Self, Error> {
        let plain = |text: &str| text.bytes().all(|b| b.is_ascii_graphic());
        let parts = [&self.path, self.query.as_deref().unwrap_or_default()];
        if parts.into_iter().all(plain) { Ok(self) } else { Err(ErrorKind::BadUrl.into()) }
    }
}

impl FromStr for Url {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Error::from(ErrorKind::BadUrl);
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").ok_or_else(bad)?;
        let https = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(bad()),
        };
        let (rest, _fragment) = cut(rest, '#');
        let (rest, query) = cut(rest, '?');
        let start = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at(start);
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(Secret::new(user)).filter(|_| !user.is_empty()), place),
            None => (None, authority),
        };
        let (host, port) = host_and_port(place).ok_or_else(bad)?;
        let origin = Origin { https, host, port: port.unwrap_or(if https { 443 } else { 80 }) };
        let path = if path.is_empty() { "/".to_owned() } else { without_dots(path) };
        Self { origin, user, path, query: query.map(str::to_owned) }.checked()
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({self})")
    }
}

/// Splits at the first `at`, which is dropped.
fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn has_scheme(link: &str) -> bool {
    link.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    })
}

fn host_and_port(place: &str) -> Option<(String, Option<u16>)> {
    let end =
        if place.starts_with('[') { place.find(']')? + 1 } else { place.find(':').unwrap_or(place.len()) };
    let (host, rest) = place.split_at(end);
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ':');
    if host.is_empty() || !host.chars().all(allowed) {
        return None;
    }
    let port = match rest.strip_prefix(':') {
        Some("") => None,
        Some(digits) => Some(digits.parse().ok()?),
        None if rest.is_empty() => None,
        None => return None,
    };
    Some((host.to_ascii_lowercase(), port))
}

/// The path with `.` and `..` resolved; never above the top.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut parts = path.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        match part {
            "." | ".." => {
                if part == ".." {
                    kept.pop();
                }
                if last {
                    kept.push("");
                }
            }
            _ => kept.push(part),
        }
    }
    format!("/{}", kept.join("/"))
}

/// One part of a path, percent-encoded; a slash in it does not begin another part.
fn encoded(part: &str) -> String {
    let mut text = String::new();
    for byte in part.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte))
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// Percent-decoding, as far as it gives text.
pub(crate) fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = |b: &u8| char::from(*b).to_digit(16);
        match (first, after) {
            (b'%', [a, b, tail @ ..]) if hex(a).is_some() && hex(b).is_some() => {
                bytes.push((hex(a).unwrap_or_default() * 16 + hex(b).unwrap_or_default()) as u8);
                rest = tail;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    #[test]
    fn parts() {
        let found = url("HTTPS://me:pa%40ss@Host.example:8443/a/b?key=1#sha256=ff");
        assert_eq!(found.origin(), &Origin { https: true, host: "host.example".into(), port: 8443 });
        assert_eq!(found.user().map(Secret::reveal), Some("me:pa%40ss"));
        assert_eq!(found.request(), "https://host.example:8443/a/b?key=1");
        assert_eq!(
            format!("{found} {found:?}"),
            "https://host.example:8443/a/b Url(https://host.example:8443/a/b)"
        );
        assert_eq!(url("http://[::1]:80").request(), "http://[::1]/");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for bad in [
            "",
            "host/a",
            "ftp://host/a",
            "https://",
            "https:///a",
            "https://ho st/a",
            "https://host:99999/",
            "https://host:a/",
            "https://host/a b",
            "https://host/\r\nHost: other",
            "file:///etc/passwd",
            "https://[::1/",
            "https://[::1]a/",
        ] {
            assert!(bad.parse::<Url>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn links_are_resolved() {
        let page = url("https://me:pw@host/simple/tiny/?a=b");
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
    fn paths_are_encoded_once() {
        let base = url("https://host/api/");
        assert_eq!(
            base.append(&["models", "a b", "refs/pr/1"]).request(),
            "https://host/api/models/a%20b/refs%2Fpr%2F1"
        );
        assert_eq!(decoded("a%20b%2f%zz%"), "a b/%zz%");
    }

    #[test]
    fn loopback() {
        for (text, expected) in [
            ("http://localhost:1/", true),
            ("http://127.0.0.9/", true),
            ("http://[::1]/", true),
            ("http://127.0.0.1.example/", false),
            ("http://10.0.0.1/", false),
        ] {
            assert_eq!(url(text).origin().is_loopback(), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_link_gives_a_request_line(link in "\\PC{0,40}") {
            if let Ok(joined) = url("https://host/a/b").join(&link) {
                proptest::prop_assert!(joined.request().bytes().all(|b| b.is_ascii_graphic()));
            }
        }
    }
}
