//! Who may use the page, and from where.
//!
//! The page can read what a person writes, so other programs and other pages must not reach it. A link with a
//! key that works once opens it. The key is in the fragment of the address, which browsers do not send. The
//! page exchanges it for a token, which it keeps for its tab and sends with every request.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response, StatusCode, header};
use inkveil::files::hex;
use sha2::{Digest as _, Sha256};

use super::sealed;
use crate::caller::{Caller, is_address};
use crate::engine::Engine;
use crate::error::{Failure, json};
use crate::gateway::Gateway;
use crate::incoming::json_body;
use crate::json::Json;
use crate::settings::Settings;

/// The header with the token of the page.
const TOKEN: &str = "x-inkveil-page";
/// The most links that are open, tabs that are in use, and masks that are kept.
const MOST_LINKS: usize = 8;
const MOST_TOKENS: usize = 64;
const MOST_MASKS: usize = 8;

type Sum = [u8; 32];

/// Who may use the page. Keys and tokens are kept as checksums.
#[derive(Default)]
pub struct Page {
    links: Mutex<Vec<Sum>>,
    tokens: Mutex<Vec<Sum>>,
    masks: Mutex<Vec<(String, Vec<u8>)>>,
}

impl Page {
    /// Makes a key that opens the page once.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn new_key(&self) -> anyhow::Result<String> {
        let key = secret()?;
        keep(&self.links, sum(&key), MOST_LINKS);
        Ok(key)
    }

    /// Exchanges a key for a token.
    fn enter(&self, key: &str, settings: &Settings) -> Result<String, Failure> {
        let given = sum(key);
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let before = links.len();
        links.retain(|link| *link != given);
        let was_link = links.len() < before;
        drop(links);
        if !was_link && !settings.keys.iter().any(|key| key.sha256 == given) {
            return Err(refused());
        }
        let failed = |_| Failure::unavailable("no_randomness", "the system has no randomness");
        let token = secret().map_err(failed)?;
        keep(&self.tokens, sum(&token), MOST_TOKENS);
        Ok(token)
    }

    fn knows(&self, token: &str) -> bool {
        let given = sum(token);
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).contains(&given)
    }

    /// Keeps the bytes of a mask until they are downloaded, and returns their id.
    pub(super) fn keep_mask(&self, mask: Vec<u8>) -> String {
        let id = hex::encode(&Sha256::digest(&mask)[..12]);
        let mut masks = self.masks.lock().unwrap_or_else(PoisonError::into_inner);
        if masks.len() == MOST_MASKS {
            masks.remove(0);
        }
        masks.push((id.clone(), mask));
        id
    }

    /// The mask with an id.
    pub(super) fn mask(&self, id: &str) -> Option<Vec<u8>> {
        let masks = self.masks.lock().unwrap_or_else(PoisonError::into_inner);
        masks.iter().find(|(known, _)| known == id).map(|(_, mask)| mask.clone())
    }
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Page")
    }
}

fn secret() -> anyhow::Result<String> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).map_err(|_| anyhow::anyhow!("the system has no randomness"))?;
    Ok(hex::encode(bytes))
}

fn sum(key: &str) -> Sum {
    Sha256::digest(key.as_bytes()).into()
}

fn keep(list: &Mutex<Vec<Sum>>, new: Sum, most: usize) {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    if list.len() == most {
        list.remove(0);
    }
    list.push(new);
}

fn refused() -> Failure {
    let message =
        "this link was used, or it is not from this program; start `inkveil open` again for a new one";
    Failure::new(StatusCode::UNAUTHORIZED, "page_key", message)
}

/// Refuses requests that a page from elsewhere could send.
///
/// A name in DNS can point to this machine, so only addresses and `localhost` are accepted as the host. A
/// request that a browser sends for another page names another origin or another site.
///
/// # Errors
/// If the host or the origin is a foreign one.
pub(super) fn guard(headers: &HeaderMap) -> Result<(), Failure> {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let foreign = |code, message: &str| Err(Failure::new(StatusCode::FORBIDDEN, code, message));
    let host = text(header::HOST).unwrap_or_default();
    if !is_address(host) {
        return foreign("page_host", "the page is used at an address such as 127.0.0.1, or at localhost");
    }
    if headers.contains_key(header::ORIGIN) {
        let origin = text(header::ORIGIN).unwrap_or_default();
        let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if own != Some(host) {
            return foreign("page_origin", "the request comes from another page");
        }
    }
    match headers.get("sec-fetch-site").map(|site| site.as_bytes()) {
        None | Some(b"same-origin" | b"none") => Ok(()),
        Some(_) => foreign("page_origin", "the request comes from another page"),
    }
}

/// Checks the token of a request.
///
/// # Errors
/// If it has none that was given out.
pub(super) fn entered(gateway: &Gateway, headers: &HeaderMap) -> Result<(), Failure> {
    let token = headers.get(TOKEN).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match gateway.page().knows(token) {
        true => Ok(()),
        false => Err(refused()),
    }
}

/// Exchanges the key of a link, or a local key, for a token.
pub(super) async fn enter(State(gateway): State<Arc<Gateway>>, request: Request) -> Response<Body> {
    let runtime = gateway.runtime();
    let (parts, body) = request.into_parts();
    let entered = async {
        guard(&parts.headers)?;
        let document = json_body(&runtime.settings, &parts.headers, body).await?;
        let key = document.str_of("key").ok_or_else(refused)?;
        gateway.page().enter(key, &runtime.settings)
    };
    sealed(match entered.await {
        Ok(token) => json(StatusCode::OK, &Json::object([("token", Json::text(token))])),
        Err(failure) => failure.response(false),
    })
}

/// Makes a key for another window.
pub(super) fn link(gateway: &Gateway, _: &Engine, _: &Json) -> Result<Json, Failure> {
    let failed = |_| Failure::unavailable("no_randomness", "the system has no randomness");
    let key = gateway.page().new_key().map_err(failed)?;
    Ok(Json::object([("key", Json::text(key))]))
}

/// Who the page is, for replacements and the ledger.
pub(super) fn caller(gateway: &Gateway) -> Caller {
    Caller::page(gateway.secret())
}

/// The name of the page in the ledger.
pub(super) const NAME: &str = "page";

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_this_page_at_an_address_is_served() {
        for host in ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:9", "[::1]", "192.168.1.7:80"] {
            assert!(guard(&headers(&[("host", host)])).is_ok(), "{host}");
        }
        for host in ["evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example", "", "::1:x"] {
            assert!(guard(&headers(&[("host", host)])).is_err(), "{host}");
        }
        let own = ("host", "127.0.0.1:8080");
        for (name, value, fits) in [
            ("origin", "http://127.0.0.1:8080", true),
            ("origin", "http://127.0.0.1:9", false),
            ("origin", "http://evil.example", false),
            ("origin", "null", false),
            ("sec-fetch-site", "same-origin", true),
            ("sec-fetch-site", "cross-site", false),
            ("sec-fetch-site", "same-site", false),
        ] {
            assert_eq!(guard(&headers(&[own, (name, value)])).is_ok(), fits, "{name}: {value}");
        }
    }

    #[test]
    fn a_key_works_once_and_gives_a_token() {
        let (page, settings) = (Page::default(), Settings::default());
        let key = page.new_key().unwrap();
        assert!(page.enter("other", &settings).is_err());
        let token = page.enter(&key, &settings).unwrap();
        assert!(page.knows(&token) && !page.knows(&key));
        assert!(page.enter(&key, &settings).is_err());
    }
}
