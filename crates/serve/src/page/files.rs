//! The files of the page, and the headers that keep it to itself.

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};

use super::access::guard;
use super::sealed;
use crate::error::Failure;

/// A file of the page, its type and its content.
type File = (&'static str, &'static str, &'static [u8]);

macro_rules! files {
    ($($name:literal $kind:literal,)*) => {
        &[$(($name, $kind, include_bytes!(concat!("../../page/", $name)))),*]
    };
}

/// All files of the page.
const FILES: &[File] = files! {
    "index.html" "text/html; charset=utf-8",
    "style.css" "text/css; charset=utf-8",
    "icon.svg" "image/svg+xml",
    "main.js" "text/javascript; charset=utf-8",
    "strings.js" "text/javascript; charset=utf-8",
    "dom.js" "text/javascript; charset=utf-8",
    "api.js" "text/javascript; charset=utf-8",
    "settings.js" "text/javascript; charset=utf-8",
    "draft.js" "text/javascript; charset=utf-8",
    "spans.js" "text/javascript; charset=utf-8",
    "editor.js" "text/javascript; charset=utf-8",
    "menu.js" "text/javascript; charset=utf-8",
    "charts.js" "text/javascript; charset=utf-8",
    "tables.js" "text/javascript; charset=utf-8",
    "receipt.js" "text/javascript; charset=utf-8",
    "write.js" "text/javascript; charset=utf-8",
    "style.js" "text/javascript; charset=utf-8",
    "vectors.js" "text/javascript; charset=utf-8",
    "gateway.js" "text/javascript; charset=utf-8",
    "attack.js" "text/javascript; charset=utf-8",
};

/// What the page may load: files of this program. No script or style may stand in the page itself, and scripts
/// cannot write HTML.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// Sets the headers that every answer to the page has. No other origin is allowed to read it.
pub(super) fn seal(headers: &mut HeaderMap) {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for name in ["cross-origin-resource-policy", "cross-origin-opener-policy"] {
        headers.insert(name, HeaderValue::from_static("same-origin"));
    }
}

/// The page.
pub(super) async fn index(headers: HeaderMap) -> Response<Body> {
    file(Path("index.html".to_owned()), headers).await
}

/// A file of the page.
pub(super) async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response<Body> {
    if let Err(failure) = guard_file(&headers) {
        return sealed(failure.response(false));
    }
    let Some((_, kind, content)) = FILES.iter().find(|(known, ..)| *known == name) else {
        let failure = Failure::new(StatusCode::NOT_FOUND, "no_file", "the page has no such file");
        return sealed(failure.response(false));
    };
    let mut response = Response::new(Body::from(*content));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    sealed(response)
}

/// A link to the page may stand anywhere, so the site of the link does not matter. The host does.
fn guard_file(headers: &HeaderMap) -> Result<(), Failure> {
    let mut headers = headers.clone();
    headers.remove("sec-fetch-site");
    guard(&headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_small_and_asks_for_nothing_elsewhere() {
        let bytes: usize = FILES.iter().map(|(.., content)| content.len()).sum();
        assert!(bytes < 300_000, "{bytes}");
        for (name, _, content) in FILES {
            let text = std::str::from_utf8(content).unwrap();
            let known = ["http://www.w3.org/", "http://127.0.0.1", "https://api.openai.com"];
            for (at, _) in text.match_indices("://") {
                let start =
                    text[..at].rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |before| before + 1);
                assert!(
                    known.iter().any(|known| text[start..].starts_with(known)),
                    "{name}: {}",
                    &text[start..]
                );
            }
            assert!(!text.contains("innerHTML") && !text.contains("eval("), "{name}");
            assert!(!name.ends_with(".html") || !text.contains("style="), "{name}");
        }
        assert!(!POLICY.contains("unsafe") && !POLICY.contains('*'));
    }

    #[test]
    fn every_file_of_the_folder_is_built_in() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let is_source = name.ends_with(".js") || name.ends_with(".css") || name.ends_with(".svg");
            assert!(!is_source || FILES.iter().any(|(known, ..)| *known == name), "{name}");
        }
    }
}
