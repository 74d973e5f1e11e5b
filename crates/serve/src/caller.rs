//! Who sends a request: a local key, or the key of the upstream.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use sha2::{Digest as _, Sha256};

use crate::error::Failure;
use crate::secret::{CallerId, GatewaySecret};
use crate::settings::{LocalKey, Settings};
use crate::upstream::Credentials;

/// The header with a local key, if the usual header holds the key of the upstream.
const LOCAL_KEY: &str = "x-inkveil-key";

/// Who sends a request.
pub struct Caller {
    /// The owner of conversations.
    pub id: CallerId,
    /// The local key.
    pub key: Option<LocalKey>,
    own: Option<(HeaderName, HeaderValue)>,
}

impl Caller {
    /// The page of this program.
    pub(crate) fn page(secret: &GatewaySecret) -> Self {
        Self { id: secret.caller("page"), key: None, own: None }
    }

    /// The name of the local key.
    pub fn name(&self) -> Option<&str> {
        self.key.as_ref().map(|key| key.name.as_str())
    }

    /// Finds out who sends a request.
    ///
    /// # Errors
    /// If there are local keys and the request has none of them, or if there are none and a page of another site sends it.
    pub fn of(headers: &HeaderMap, settings: &Settings, secret: &GatewaySecret) -> Result<Self, Failure> {
        let bearer = |value: &HeaderValue| -> Option<String> {
            let text = value.to_str().ok()?;
            Some(text.strip_prefix("Bearer ").unwrap_or(text).trim().to_owned())
        };
        let usual = ["x-api-key", "authorization", "api-key"].map(HeaderName::from_static);
        let own =
            usual.into_iter().find_map(|name| headers.get(&name).map(|value| (name.clone(), value.clone())));
        if settings.keys.is_empty() {
            refuse_other_sites(headers)?;
            let key = own.as_ref().and_then(|(_, value)| bearer(value)).unwrap_or_default();
            return Ok(Self { id: secret.caller(&format!("caller {key}")), key: None, own });
        }
        let find = |value: &HeaderValue| {
            let sum: [u8; 32] = Sha256::digest(bearer(value)?.as_bytes()).into();
            settings.keys.iter().find(|key| key.sha256 == sum).cloned()
        };
        let named = headers.get(LOCAL_KEY).map(find);
        let (key, own) = match named {
            Some(key) => (key, own),
            // The usual header holds a local key, which the upstream must not see.
            None => (own.as_ref().and_then(|(_, value)| find(value)), None),
        };
        match key {
            Some(key) => Ok(Self { id: secret.caller(&format!("key {}", key.name)), key: Some(key), own }),
            None => Err(Failure::new(
                StatusCode::UNAUTHORIZED,
                "unknown_key",
                "the key of the caller is not known here",
            )),
        }
    }

    /// What the upstream gets as credentials: the key in an environment variable, or the caller's own.
    ///
    /// # Errors
    /// If the variable is empty.
    pub(crate) fn credentials(&self, variable: Option<&str>) -> Result<Credentials, Failure> {
        match (variable, &self.own) {
            (Some(variable), _) => match std::env::var(variable) {
                Ok(key) if !key.is_empty() => Ok(Credentials::Key(key)),
                _ => Err(Failure::unavailable(
                    "no_upstream_key",
                    "the environment variable with the key of the upstream is empty",
                )),
            },
            (None, Some((name, value))) => Ok(Credentials::Caller(name.clone(), value.clone())),
            (None, None) => Ok(Credentials::None),
        }
    }
}

/// Refuses what a page of another site lets a browser send. Without local keys such a page could use the upstream's key of
/// the operator. A name in DNS can point to this machine, so the page can be one of the same origin.
///
/// # Errors
/// If the request names an origin or a host elsewhere.
pub(crate) fn refuse_other_sites(headers: &HeaderMap) -> Result<(), Failure> {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let origin = text(&header::ORIGIN).and_then(host_of_page);
    let by_browser = origin.is_some() || headers.contains_key("sec-fetch-site");
    let is_elsewhere = origin.is_some_and(|host| !is_local(host))
        || by_browser && !text(&header::HOST).is_some_and(is_address);
    match is_elsewhere {
        true => Err(Failure::new(StatusCode::FORBIDDEN, "origin", "requests of other sites are refused")),
        false => Ok(()),
    }
}

/// The host of an origin that is a page. A program with a window has a scheme of its own.
fn host_of_page(origin: &str) -> Option<&str> {
    let host = ["http://", "https://"].iter().find_map(|scheme| origin.strip_prefix(scheme));
    host.or((origin == "null").then_some(""))
}

fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

/// Whether a host is an IP address or `localhost`, with or without a port.
pub(crate) fn is_address(host: &str) -> bool {
    let without_port = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    };
    let bare = without_port.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(without_port);
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<std::net::IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_other_sites_are_told_from_programs() {
        let headers = |pairs: &[(&'static str, &str)]| -> HeaderMap {
            pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
        };
        let own = ("host", "127.0.0.1:8080");
        for fits in [
            &[("host", "gateway")][..],
            &[own],
            &[own, ("origin", "http://localhost:6274")],
            &[own, ("origin", "tauri://localhost")],
            &[own, ("sec-fetch-site", "same-origin")],
        ] {
            assert!(refuse_other_sites(&headers(fits)).is_ok(), "{fits:?}");
        }
        for foreign in [
            &[own, ("origin", "https://evil.example")][..],
            &[own, ("origin", "null")],
            &[own, ("origin", "http://localhost.evil.example")],
            &[own, ("origin", "http://evil.example:80@localhost")],
            // Names that point to this machine.
            &[("host", "evil.example:8080"), ("origin", "http://localhost:8080")],
            &[("host", "evil.example:8080"), ("sec-fetch-site", "same-origin")],
        ] {
            assert!(refuse_other_sites(&headers(foreign)).is_err(), "{foreign:?}");
        }
    }
}
