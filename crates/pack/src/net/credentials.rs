//! Passwords and tokens. Each belongs to one host and is never printed.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use url::Origin;

use crate::environment::Environment;
use crate::net::address::Address;

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself. The caller must not print it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A user and a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: Secret,
}

impl Login {
    /// The value of the header `Authorization`.
    fn basic(&self) -> Secret {
        let plain = format!("{}:{}", self.user, self.password.reveal());
        Secret::new(format!("Basic {}", BASE64.encode(plain)))
    }
}

/// The credentials for each origin. A redirect to another host finds none that were meant for the first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Credentials {
    headers: Vec<(Origin, Secret)>,
    netrc: Vec<NetrcEntry>,
}

/// An entry of a netrc file.
#[derive(Debug, Clone)]
struct NetrcEntry {
    /// None for the entry `default`.
    host: Option<String>,
    login: Login,
}

impl Credentials {
    /// Reads the user's netrc file.
    pub(crate) fn from_environment(environment: &Environment) -> Self {
        let usual = || environment.home().map(|home| home.join(".netrc"));
        let text =
            environment.path("NETRC").or_else(usual).and_then(|path| std::fs::read_to_string(path).ok());
        Self { headers: Vec::new(), netrc: text.map(|text| parse_netrc(&text)).unwrap_or_default() }
    }

    /// Stores the user and password of an address for its origin.
    pub(crate) fn add_login(&mut self, address: &Address) {
        if let Some(login) = address.login() {
            self.headers.push((address.origin(), login.basic()));
        }
    }

    /// Stores a token for the origin of an address.
    pub(crate) fn add_token(&mut self, address: &Address, token: &Secret) {
        self.headers.push((address.origin(), Secret::new(format!("Bearer {}", token.reveal()))));
    }

    /// The header `Authorization` for an address.
    pub(crate) fn header(&self, address: &Address) -> Option<Secret> {
        let origin = address.origin();
        if let Some((_, header)) = self.headers.iter().find(|(known, _)| *known == origin) {
            return Some(header.clone());
        }
        // A netrc file has no schemes. Its passwords must not be sent unencrypted.
        if !address.is_https() && !address.is_loopback() {
            return None;
        }
        let host = address.host();
        let entry = self.netrc.iter().find(|entry| entry.host.as_ref().is_none_or(|known| *known == host))?;
        Some(entry.login.basic())
    }
}

/// The entries of a netrc file. Unknown words are skipped.
fn parse_netrc(text: &str) -> Vec<NetrcEntry> {
    let mut entries: Vec<NetrcEntry> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                _ if word.starts_with('#') => break,
                "machine" => entries.push(NetrcEntry::new(words.next().map(str::to_ascii_lowercase))),
                "default" => entries.push(NetrcEntry::new(None)),
                // A macro ends at a blank line.
                "macdef" => {
                    lines.by_ref().take_while(|line| !line.trim().is_empty()).for_each(drop);
                    break;
                }
                "login" | "password" => {
                    let (value, last) = (words.next().unwrap_or_default(), entries.last_mut());
                    match last {
                        Some(entry) if word == "login" => entry.login.user = value.to_owned(),
                        Some(entry) => entry.login.password = Secret::new(value),
                        None => {}
                    }
                }
                "account" => drop(words.next()),
                _ => {}
            }
        }
    }
    entries
}

impl NetrcEntry {
    fn new(host: Option<String>) -> Self {
        Self { host, login: Login { user: String::new(), password: Secret::new("") } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    #[test]
    fn a_password_belongs_to_its_origin() {
        let mut credentials = Credentials::default();
        credentials.add_login(&address("https://me:p%40w@host/simple"));
        let header = credentials.header(&address("https://host/other")).unwrap();
        assert_eq!(header.reveal(), "Basic bWU6cEB3"); // me:p@w
        for other in ["http://host/", "https://host:8443/", "https://other/"] {
            assert!(credentials.header(&address(other)).is_none(), "{other}");
        }
        credentials.add_token(&address("https://hub/"), &Secret::new("t"));
        assert_eq!(credentials.header(&address("https://hub/x")).unwrap().reveal(), "Bearer t");
        assert!(!format!("{credentials:?}").contains("Bearer"));
    }

    #[test]
    fn reads_netrc() {
        let text = "# note\nmachine a.example login me password pw\nmacdef init\n password no\n\n\
                    machine b.example\n  login you\n  account x\n  password pw2\ndefault login any password one\n";
        let credentials = Credentials { headers: Vec::new(), netrc: parse_netrc(text) };
        let header = |host: &str| credentials.header(&address(host)).map(|h| h.reveal().to_owned());
        assert_eq!(header("https://a.example/").as_deref(), Some("Basic bWU6cHc="));
        assert_eq!(header("https://b.example/").as_deref(), Some("Basic eW91OnB3Mg=="));
        assert_eq!(header("https://c.example/").as_deref(), Some("Basic YW55Om9uZQ=="));
        assert_eq!(header("http://a.example/"), None, "not unencrypted");
    }

    proptest::proptest! {
        #[test]
        fn reading_any_netrc_does_not_fail(text in "(machine|default|login|password|macdef|#|a|\n| ){0,40}") {
            parse_netrc(&text);
        }
    }
}
