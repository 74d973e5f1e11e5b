//! Who sends a request: a local key, or the key of the upstream.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
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
    /// If there are local keys and the request has none of them.
    pub fn of(headers: &HeaderMap, settings: &Settings, secret: &GatewaySecret) -> Result<Self, Failure> {
        let bearer = |value: &HeaderValue| -> Option<String> {
            let text = value.to_str().ok()?;
            Some(text.strip_prefix("Bearer ").unwrap_or(text).trim().to_owned())
        };
        let usual = ["x-api-key", "authorization", "api-key"].map(HeaderName::from_static);
        let own =
            usual.into_iter().find_map(|name| headers.get(&name).map(|value| (name.clone(), value.clone())));
        if settings.keys.is_empty() {
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
