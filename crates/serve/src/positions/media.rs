//! Files inside a request. Text in base64 is decoded, veiled and encoded again.

use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use base64::engine::{DecodePaddingMode, general_purpose};

use super::names::is_name;
use crate::json::Json;

/// A longer type holds something else.
const LONGEST_TYPE: usize = 128;

/// The types whose content is text. Types that can hide text from detection, such as HTML with entities, are not here.
const TEXT: [&str; 5] =
    ["text/plain", "text/markdown", "text/csv", "text/tab-separated-values", "application/json"];

/// A text in base64.
pub(super) struct TextFile {
    /// The text. **Private.**
    pub(super) text: String,
    /// Whether its type says that it is JSON.
    pub(super) is_json: bool,
    /// What stands before the base64.
    pub(super) prefix: String,
}

/// Returns the text of a data URL, or of a source with `type`, `media_type` and `data`, and the number of the field that
/// holds it. Returns nothing if this is not declared as text, or cannot be read as text.
pub(super) fn text_file(node: &Json) -> Option<(Option<usize>, TextFile)> {
    match node {
        Json::String(url) => Some((None, of_data_url(url)?)),
        Json::Object(fields) => {
            let known = |key: &str| matches!(key, "type" | "media_type" | "data");
            if node.str_of("type") != Some("base64") || !fields.iter().all(|(key, _)| known(key)) {
                return None;
            }
            let kind = text_type(node.str_of("media_type")?)?;
            let (text, prefix) = (decoded(node.str_of("data")?)?, String::new());
            let place = fields.iter().position(|(key, _)| key == "data")?;
            Some((Some(place), TextFile { text, is_json: kind.is_json, prefix }))
        }
        _ => None,
    }
}

/// Whether a string can be an image, a sound or a file, or say which one: a name, an address, or base64. Any other string is
/// text beside a file.
pub(super) fn is_media(text: &str) -> bool {
    is_name(text) || is_base64(text) || is_address(text) || is_data_url(text)
}

fn is_base64(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte))
}

/// Whether a text is the address of a file. An `@` would be a part of a name or of a password, also if it is encoded once
/// or several times (`%40`, `%2540`).
fn is_address(text: &str) -> bool {
    let encoded_at = |after: &str| after.trim_start_matches("25").starts_with("40");
    ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme))
        && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'@')
        && !text.split('%').skip(1).any(encoded_at)
}

fn is_data_url(text: &str) -> bool {
    let Some((head, data)) = text.strip_prefix("data:").and_then(|rest| rest.split_once(',')) else {
        return false;
    };
    let is_kind = |byte: u8| byte.is_ascii_alphanumeric() || b"/+.-;=_".contains(&byte);
    let kind =
        head.strip_suffix(";base64").filter(|kind| kind.len() <= LONGEST_TYPE && kind.bytes().all(is_kind));
    kind.is_some() && is_base64(data)
}

/// The base64 of a text.
pub(super) fn encoded(prefix: &str, text: &str) -> String {
    format!("{prefix}{}", STANDARD.encode(text))
}

fn of_data_url(url: &str) -> Option<TextFile> {
    let (scheme, rest) = url.split_at_checked("data:".len())?;
    if !scheme.eq_ignore_ascii_case("data:") {
        return None;
    }
    let (head, data) = rest.split_once(',')?;
    let (kind, base64) = head.rsplit_once(';')?;
    if !base64.trim().eq_ignore_ascii_case("base64") {
        return None;
    }
    let kind = text_type(kind)?;
    let prefix = format!("data:{}{};base64,", kind.name, kind.charset);
    Some(TextFile { text: decoded(data)?, is_json: kind.is_json, prefix })
}

/// A type of text.
struct TextType {
    name: &'static str,
    charset: &'static str,
    is_json: bool,
}

/// Reads a type. Another parameter than the character set may hold text itself, for example the name of a file.
fn text_type(written: &str) -> Option<TextType> {
    let mut parts = written.split(';').map(str::trim);
    let kind = parts.next()?;
    let name = TEXT.into_iter().find(|known| known.eq_ignore_ascii_case(kind))?;
    let mut charset = "";
    for parameter in parts {
        let (key, value) = parameter.split_once('=')?;
        let value = value.trim_matches('"');
        let is_known = value.eq_ignore_ascii_case("utf-8") || value.eq_ignore_ascii_case("us-ascii");
        if !key.eq_ignore_ascii_case("charset") || !is_known {
            return None;
        }
        charset = ";charset=utf-8";
    }
    Some(TextType { name, charset, is_json: name == "application/json" })
}

/// Decodes base64, if it holds text in UTF-8 and no other format that is called text.
fn decoded(data: &str) -> Option<String> {
    const ANY_PADDING: GeneralPurposeConfig =
        general_purpose::PAD.with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let engine = GeneralPurpose::new(&base64::alphabet::STANDARD, ANY_PADDING);
    let text = String::from_utf8(engine.decode(data).ok()?).ok()?;
    let is_text = !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}'));
    let is_other = ["%PDF", "{\\rtf", "%!PS"].iter().any(|start| text.trim_start().starts_with(start));
    (is_text && !is_other).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(kind: &str, text: &[u8]) -> Json {
        Json::text(format!("data:{kind};base64,{}", STANDARD.encode(text)))
    }

    #[test]
    fn text_is_read_and_written() {
        for (kind, prefix) in [
            ("text/plain", "data:text/plain;base64,"),
            ("TEXT/CSV; charset=\"UTF-8\"", "data:text/csv;charset=utf-8;base64,"),
            ("application/json", "data:application/json;base64,"),
        ] {
            let (place, file) = text_file(&url(kind, "é\tAna\r\n".as_bytes())).unwrap();
            assert_eq!((place, file.text.as_str(), file.prefix.as_str()), (None, "é\tAna\r\n", prefix));
        }
        let source = Json::parse(br#"{"type":"base64","media_type":"text/plain","data":"QW5h"}"#).unwrap();
        let (place, file) = text_file(&source).unwrap();
        assert_eq!((place, file.text.as_str(), file.prefix.as_str()), (Some(2), "Ana", ""));
        assert_eq!(encoded("x,", "Ana"), "x,QW5h");
        // Some programs leave the padding out.
        assert_eq!(text_file(&Json::text("data:text/plain;base64,QW4")).unwrap().1.text, "An");
    }

    #[test]
    fn text_beside_a_file_is_no_file() {
        for text in
            ["", "low", "U3Rhaw==", "https://example.org/a.png?b=c%20d%2F40", "data:image/png;base64,QW5h"]
        {
            assert!(is_media(text), "{text}");
        }
        for text in [
            "Ana Lima",
            "ana@example.org",
            "https://ana@example.org/a",
            "https://example.org/ana%40example.com",
            "https://example.org/ana%252540example.com",
            "https://example.org/?q=Ana Lima",
            "data:text/plain,Ana%20Lima",
            "data:image/svg+xml,<svg>Ana</svg>",
            "data:image/png;name=Ana Lima;base64,QW5h",
            "data:image/png;base64,Ana Lima",
        ] {
            assert!(!is_media(text), "{text}");
        }
    }

    #[test]
    fn what_is_not_surely_text_is_not_read() {
        for node in [
            url("image/png", b"x"),
            url("text/html", b"x"),
            url("application/pdf", b"x"),
            url("text/plain;name=Ana.txt", b"x"),
            url("text/plain;charset=utf-16", b"x"),
            url("text/plain", b"\xff\xfea\0"),
            url("text/plain", b"a\0b"),
            url("text/plain", b"%PDF-1.7"),
            url("text/plain", b" {\\rtf1"),
            Json::text("data:text/plain,Ana"),
            Json::text("data:text/plain;base64,Q!"),
            Json::text("data:;base64,QW5h"),
            Json::text("https://example.org/data:text/plain;base64,QW5h"),
            Json::text("QW5h"),
            Json::text("é"),
            Json::parse(br#"{"type":"base64","media_type":"text/plain","data":"QW5h","name":"Ana"}"#)
                .unwrap(),
            Json::parse(br#"{"type":"url","media_type":"text/plain","data":"QW5h"}"#).unwrap(),
            Json::parse(br#"{"type":"base64","data":"QW5h"}"#).unwrap(),
            Json::Null,
        ] {
            assert!(text_file(&node).is_none(), "{}", node.write());
        }
    }
}
