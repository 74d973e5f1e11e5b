//! The choice of a proxy for each request.

use crate::environment::Environment;
use crate::error::{Error, ErrorKind};
use crate::net::address::Address;
use crate::net::credentials::Secret;

/// The user's proxies, and the hosts that are reached directly.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proxies {
    http: Option<Secret>,
    https: Option<Secret>,
    direct: Vec<String>,
}

impl Proxies {
    /// Reads the environment variables and pip's own setting.
    pub(crate) fn from_environment(environment: &Environment, pip_proxy: Option<&str>) -> Self {
        // Lower case first: some servers set HTTP_PROXY from a header of an incoming request.
        let either = |name: &str| environment.text(&name.to_lowercase()).or_else(|| environment.text(name));
        let pip = environment.text("PIP_PROXY").or_else(|| pip_proxy.map(str::to_owned));
        let proxy_for = |name: &str| {
            pip.clone().or_else(|| either(name)).or_else(|| either("ALL_PROXY")).map(Secret::new)
        };
        let direct = either("NO_PROXY").unwrap_or_default();
        Self {
            http: proxy_for("HTTP_PROXY"),
            https: proxy_for("HTTPS_PROXY"),
            direct: direct
                .split(',')
                .map(|host| host.trim().to_ascii_lowercase())
                .filter(|h| !h.is_empty())
                .collect(),
        }
    }

    /// The proxy for an address, if any. The proxy's own address may contain a password.
    pub(crate) fn for_address(&self, target: &Address) -> Result<Option<ureq::Proxy>, Error> {
        let proxy = if target.is_https() { &self.https } else { &self.http };
        match proxy {
            Some(address) if !self.is_direct(target) => match ureq::Proxy::new(address.reveal()) {
                Ok(proxy) => Ok(Some(proxy)),
                Err(_) => Err(ErrorKind::BadProxy.into()),
            },
            _ => Ok(None),
        }
    }

    fn is_direct(&self, target: &Address) -> bool {
        let host = target.host();
        self.direct.iter().any(|rule| {
            let (rule, port) = match rule.rsplit_once(':') {
                Some((rule, port)) if !rule.contains(':') => (rule, port.parse::<u16>().ok()),
                _ => (rule.as_str(), None),
            };
            if port.is_some_and(|port| Some(port) != target.port()) {
                return false;
            }
            let rule = rule.trim_start_matches("*.").trim_start_matches('.');
            rule == "*" || host == rule || host.strip_suffix(rule).is_some_and(|rest| rest.ends_with('.'))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy_host(variables: &[(&'static str, &'static str)], url: &str) -> Option<String> {
        let proxies = Proxies::from_environment(&Environment::fixed(variables.iter().copied()), None);
        proxies.for_address(&url.parse().unwrap()).unwrap().map(|proxy| proxy.host().to_owned())
    }

    #[test]
    fn each_scheme_has_its_own_proxy() {
        let both = [
            ("HTTP_PROXY", "http://one:1"),
            ("https_proxy", "http://two:2"),
            ("ALL_PROXY", "http://three:3"),
        ];
        assert_eq!(proxy_host(&both, "http://a/").as_deref(), Some("one"));
        assert_eq!(proxy_host(&both, "https://a/").as_deref(), Some("two"));
        assert_eq!(proxy_host(&both[2..], "https://a/").as_deref(), Some("three"));
        assert_eq!(proxy_host(&[("PIP_PROXY", "four:4"), both[0]], "http://a/").as_deref(), Some("four"));
        assert_eq!(proxy_host(&[], "https://a/"), None);
    }

    #[test]
    fn no_proxy_excludes_hosts() {
        let variables =
            [("ALL_PROXY", "http://p:1"), ("NO_PROXY", "a.example, .b.example,10.0.0.1,c.example:8443, ::1")];
        for (url, direct) in [
            ("https://a.example/", true),
            ("https://x.a.example/", true),
            ("https://ba.example/", false),
            ("https://b.example/", true),
            ("https://x.b.example/", true),
            ("https://10.0.0.1/", true),
            ("https://c.example/", false),
            ("https://c.example:8443/", true),
            ("https://[::1]/", true),
        ] {
            assert_eq!(proxy_host(&variables, url).is_none(), direct, "{url}");
        }
        assert_eq!(proxy_host(&[("ALL_PROXY", "http://p:1"), ("no_proxy", "*")], "https://a/"), None);
    }

    #[test]
    fn an_invalid_proxy_is_an_error_without_the_password() {
        let environment = Environment::fixed([("ALL_PROXY", "nonsense://me:secret@h")]);
        let proxies = Proxies::from_environment(&environment, None);
        let error = proxies.for_address(&"https://a/".parse().unwrap()).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::BadProxy);
        assert!(!format!("{error:?} {proxies:?}").contains("secret"));
    }
}
