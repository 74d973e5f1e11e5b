//! Which requests go through a proxy.

use crate::environment::Environment;
use crate::error::{Error, ErrorKind};
use crate::net::credentials::Secret;
use crate::net::url::Origin;

/// The proxies of the user's settings, and the hosts that are reached without.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proxies {
    http: Option<Secret>,
    https: Option<Secret>,
    direct: Vec<String>,
}

impl Proxies {
    /// As the variables say, or else pip's own setting.
    pub(crate) fn from_environment(environment: &Environment, of_pip: Option<&str>) -> Self {
        // Lower case first: it is the older custom, and some servers set HTTP_PROXY from a request's header.
        let either = |name: &str| environment.text(&name.to_lowercase()).or_else(|| environment.text(name));
        let pip = environment.text("PIP_PROXY").or_else(|| of_pip.map(str::to_owned));
        let of = |name: &str| {
            pip.clone().or_else(|| either(name)).or_else(|| either("ALL_PROXY")).map(Secret::new)
        };
        let direct = either("NO_PROXY").unwrap_or_default();
        Self {
            http: of("HTTP_PROXY"),
            https: of("HTTPS_PROXY"),
            direct: direct
                .split(',')
                .map(|host| host.trim().to_ascii_lowercase())
                .filter(|h| !h.is_empty())
                .collect(),
        }
    }

    /// The proxy for a host, if there is one. Its address may hold a password.
    pub(crate) fn for_origin(&self, origin: &Origin) -> Result<Option<ureq::Proxy>, Error> {
        let proxy = if origin.https { &self.https } else { &self.http };
        match proxy {
            Some(address) if !self.is_direct(origin) => match ureq::Proxy::new(address.reveal()) {
                Ok(proxy) => Ok(Some(proxy)),
                Err(_) => Err(ErrorKind::BadProxy.into()),
            },
            _ => Ok(None),
        }
    }

    fn is_direct(&self, origin: &Origin) -> bool {
        let host = origin.host.trim_start_matches('[').trim_end_matches(']');
        self.direct.iter().any(|rule| {
            let (rule, port) = match rule.rsplit_once(':') {
                Some((rule, port)) if !rule.contains(':') => (rule, port.parse::<u16>().ok()),
                _ => (rule.as_str(), None),
            };
            if port.is_some_and(|port| port != origin.port) {
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
    use crate::net::Url;

    fn uses(variables: &[(&'static str, &'static str)], url: &str) -> Option<String> {
        let proxies = Proxies::from_environment(&Environment::fixed(variables.iter().copied()), None);
        let url: Url = url.parse().unwrap();
        proxies.for_origin(url.origin()).unwrap().map(|proxy| proxy.host().to_owned())
    }

    #[test]
    fn each_scheme_has_its_own() {
        let both = [
            ("HTTP_PROXY", "http://one:1"),
            ("https_proxy", "http://two:2"),
            ("ALL_PROXY", "http://three:3"),
        ];
        assert_eq!(uses(&both, "http://a/").as_deref(), Some("one"));
        assert_eq!(uses(&both, "https://a/").as_deref(), Some("two"));
        assert_eq!(uses(&both[2..], "https://a/").as_deref(), Some("three"));
        assert_eq!(uses(&[("PIP_PROXY", "four:4"), both[0]], "http://a/").as_deref(), Some("four"));
        assert_eq!(uses(&[], "https://a/"), None);
    }

    #[test]
    fn some_hosts_are_direct() {
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
            assert_eq!(uses(&variables, url).is_none(), direct, "{url}");
        }
        assert_eq!(uses(&[("ALL_PROXY", "http://p:1"), ("no_proxy", "*")], "https://a/"), None);
    }

    #[test]
    fn a_bad_address_is_an_error_without_the_password() {
        let environment = Environment::fixed([("ALL_PROXY", "nonsense://me:secret@h")]);
        let proxies = Proxies::from_environment(&environment, None);
        let url: Url = "https://a/".parse().unwrap();
        let error = proxies.for_origin(url.origin()).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::BadProxy);
        assert!(!format!("{error:?} {proxies:?}").contains("secret"));
    }
}
