//! Passwords and tokens: each belongs to one host, and none is ever printed.

use std::fmt;

use crate::environment::Environment;
use crate::net::url::{Origin, Url, decoded};

/// A text that is not printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself. Whoever calls this must not print it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What is sent to whom. A redirect to another host finds nothing here that was meant for the first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Credentials {
    headers: Vec<(Origin, Secret)>,
    netrc: Vec<Machine>,
}

/// An entry of a netrc file.
#[derive(Debug, Clone)]
struct Machine {
    /// None for the entry `default`.
    host: Option<String>,
    login: String,
    password: Secret,
}

impl Credentials {
    /// Those of the user's netrc file.
    pub(crate) fn from_environment(environment: &Environment) -> Self {
        let usual = || environment.home().map(|home| home.join(".netrc"));
        let text =
            environment.path("NETRC").or_else(usual).and_then(|path| std::fs::read_to_string(path).ok());
        Self { headers: Vec::new(), netrc: text.map(|text| parse_netrc(&text)).unwrap_or_default() }
    }

    /// Remembers the user and password of an address for its host.
    pub(crate) fn learn(&mut self, url: &Url) {
        if let Some(user) = url.user() {
            let (login, password) = user.reveal().split_once(':').unwrap_or((user.reveal(), ""));
            self.headers.push((url.origin().clone(), basic(&decoded(login), &decoded(password))));
        }
    }

    /// Remembers a token for a host.
    pub(crate) fn learn_token(&mut self, origin: &Origin, token: &Secret) {
        self.headers.push((origin.clone(), Secret::new(format!("Bearer {}", token.reveal()))));
    }

    /// The header `Authorization` for a host.
    pub(crate) fn header(&self, origin: &Origin) -> Option<Secret> {
        if let Some((_, header)) = self.headers.iter().find(|(known, _)| known == origin) {
            return Some(header.clone());
        }
        // A netrc file knows hosts, not schemes; its passwords must not travel in the open.
        if !origin.https && !origin.is_loopback() {
            return None;
        }
        let bare = origin.host.trim_start_matches('[').trim_end_matches(']');
        let machine = self.netrc.iter().find(|m| m.host.as_deref().is_none_or(|host| host == bare))?;
        Some(basic(&machine.login, machine.password.reveal()))
    }
}

fn basic(login: &str, password: &str) -> Secret {
    Secret::new(format!("Basic {}", base64(format!("{login}:{password}").as_bytes())))
}

/// Base64 with padding (RFC 4648), for one header.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().chain([0, 0].iter()).take(3).fold(0_u32, |all, b| all << 8 | u32::from(*b));
        for place in 0..4 {
            let digit = (group >> (18 - 6 * place)) & 63;
            let known = place <= chunk.len();
            text.push(if known { char::from(DIGITS[digit as usize]) } else { '=' });
        }
    }
    text
}

/// The entries of a netrc file, as far as they can be read.
fn parse_netrc(text: &str) -> Vec<Machine> {
    let mut machines: Vec<Machine> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                _ if word.starts_with('#') => break,
                "machine" => machines.push(Machine::new(words.next().map(str::to_ascii_lowercase))),
                "default" => machines.push(Machine::new(None)),
                // A macro lasts until a blank line.
                "macdef" => {
                    lines.by_ref().take_while(|line| !line.trim().is_empty()).for_each(drop);
                    break;
                }
                "login" | "password" => {
                    let (value, last) = (words.next().unwrap_or_default(), machines.last_mut());
                    match last {
                        Some(machine) if word == "login" => machine.login = value.to_owned(),
                        Some(machine) => machine.password = Secret::new(value),
                        None => {}
                    }
                }
                "account" => drop(words.next()),
                _ => {}
            }
        }
    }
    machines
}

impl Machine {
    fn new(host: Option<String>) -> Self {
        Self { host, login: String::new(), password: Secret::new("") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(text: &str) -> Origin {
        text.parse::<Url>().unwrap().origin().clone()
    }

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn a_password_belongs_to_its_origin() {
        let mut credentials = Credentials::default();
        credentials.learn(&"https://me:p%40w@host/simple".parse().unwrap());
        let header = credentials.header(&origin("https://host/other")).unwrap();
        assert_eq!(header.reveal(), format!("Basic {}", base64(b"me:p@w")));
        for other in ["http://host/", "https://host:8443/", "https://other/"] {
            assert!(credentials.header(&origin(other)).is_none(), "{other}");
        }
        credentials.learn_token(&origin("https://hub/"), &Secret::new("t"));
        assert_eq!(credentials.header(&origin("https://hub/x")).unwrap().reveal(), "Bearer t");
        assert!(!format!("{credentials:?}").contains("Bearer"));
    }

    #[test]
    fn netrc() {
        let text = "# note\nmachine a.example login me password pw\nmacdef init\n password no\n\n\
                    machine b.example\n  login you\n  account x\n  password pw2\ndefault login any password one\n";
        let credentials = Credentials { headers: Vec::new(), netrc: parse_netrc(text) };
        let header = |host: &str| credentials.header(&origin(host)).map(|h| h.reveal().to_owned());
        assert_eq!(header("https://a.example/"), Some(basic("me", "pw").0));
        assert_eq!(header("https://b.example/"), Some(basic("you", "pw2").0));
        assert_eq!(header("https://c.example/"), Some(basic("any", "one").0));
        assert_eq!(header("http://a.example/"), None, "not in the open");
    }

    proptest::proptest! {
        #[test]
        fn any_netrc_is_read(text in "(machine|default|login|password|macdef|#|a|\n| ){0,40}") {
            parse_netrc(&text);
        }
    }
}
