//! The page of one package in a Python index: JSON (PEP 691) or HTML (PEP 503).

use std::collections::BTreeMap;

use inkveil_files::Sha256Sum;
use percent_encoding::percent_decode_str;
use serde::Deserialize;

use crate::error::{Error, ErrorKind};

/// More files than any package has.
const MOST_FILES: usize = 1_000_000;

/// A file in a Python index.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexFile {
    /// Its name, for example `tiny_model-1.0-py3-none-any.whl`.
    pub name: String,
    /// Its address, relative to the page.
    pub link: String,
    /// Its size, if the index gives one.
    pub bytes: Option<u64>,
    /// Its SHA-256, if the index gives one.
    pub sha256: Option<Sha256Sum>,
    /// Whether it was withdrawn. It is then used only if this exact version is requested.
    pub yanked: bool,
}

/// Reads the page of a package in either format. Links without a file name are left out.
///
/// ```
/// use inkveil_pack::index::parse_page;
///
/// let files = parse_page("text/html", b"<a href='../tiny-1.0-py3-none-any.whl'>tiny-1.0-py3-none-any.whl</a>")?;
/// assert_eq!(files[0].name, "tiny-1.0-py3-none-any.whl");
/// assert_eq!(files[0].sha256, None);
/// # Ok::<(), inkveil_pack::Error>(())
/// ```
pub fn parse_page(content_type: &str, page: &[u8]) -> Result<Vec<IndexFile>, Error> {
    // Some servers send no content type.
    let looks_like_json = page.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{');
    if content_type.contains("json") || looks_like_json {
        parse_json(page)
    } else {
        Ok(parse_html(&String::from_utf8_lossy(page)))
    }
}

fn parse_json(page: &[u8]) -> Result<Vec<IndexFile>, Error> {
    #[derive(Deserialize)]
    struct Page {
        files: Vec<File>,
    }
    #[derive(Deserialize)]
    struct File {
        filename: String,
        url: String,
        #[serde(default)]
        hashes: BTreeMap<String, String>,
        #[serde(default)]
        size: Option<u64>,
        #[serde(default)]
        yanked: serde_json::Value,
    }
    let page: Page = serde_json::from_slice(page)
        .map_err(|_| ErrorKind::BadPage { what: "it is not the JSON of an index" })?;
    let files = page.files.into_iter().take(MOST_FILES).map(|file| IndexFile {
        sha256: file.hashes.get("sha256").and_then(|sum| sum.parse().ok()),
        name: file.filename,
        link: file.url,
        bytes: file.size,
        // False, true or a reason.
        yanked: !matches!(file.yanked, serde_json::Value::Null | serde_json::Value::Bool(false)),
    });
    Ok(files.collect())
}

/// The links of a page. The rest of the page is ignored.
fn parse_html(page: &str) -> Vec<IndexFile> {
    let mut files = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = rest.get(start..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = after.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let Some((attributes, after)) = tag(rest, "a") else {
            rest = rest.get(1..).unwrap_or_default();
            continue;
        };
        let end = after.find('<').unwrap_or(after.len());
        let (text, after) = after.split_at(end);
        rest = after;
        files.extend(anchor(&attributes, text));
        if files.len() >= MOST_FILES {
            break;
        }
    }
    files
}

fn anchor(attributes: &[(String, String)], text: &str) -> Option<IndexFile> {
    let get = |name: &str| attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let link = get("href")?;
    let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
    let text = unescaped(text.trim());
    // The text is usually the file's name. Otherwise the link contains it.
    let last_segment = path.split('?').next().unwrap_or(path).rsplit('/').next().unwrap_or_default();
    let name = if text.ends_with(".whl") {
        text
    } else {
        percent_decode_str(last_segment).decode_utf8_lossy().into_owned()
    };
    let sha256 =
        fragment.split('&').find_map(|part| part.strip_prefix("sha256=")).and_then(|sum| sum.parse().ok());
    let yanked = get("data-yanked").is_some();
    (!name.is_empty()).then(|| IndexFile { name, link: link.to_owned(), bytes: None, sha256, yanked })
}

/// The attributes of a tag with this name, and the text after it.
fn tag<'a>(text: &'a str, name: &str) -> Option<(Vec<(String, String)>, &'a str)> {
    let after_name = text.get(1 + name.len()..)?;
    let found = text.get(1..1 + name.len())?;
    if !found.eq_ignore_ascii_case(name)
        || !after_name.starts_with(|c: char| c.is_ascii_whitespace() || c == '>')
    {
        return None;
    }
    let mut attributes = Vec::new();
    let mut rest = after_name;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if let Some(after) = rest.strip_prefix('>') {
            return Some((attributes, after));
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>' | '/'))?;
        let (key, after) = rest.split_at(end);
        let after = after.trim_start();
        let (value, after) = match after.strip_prefix('=') {
            Some(after) => attribute_value(after.trim_start())?,
            None => ("", after),
        };
        if key.is_empty() && value.is_empty() {
            // Skips a stray character. Otherwise the loop would not end.
            let mut characters = rest.chars();
            characters.next();
            rest = characters.as_str();
            continue;
        }
        attributes.push((key.to_ascii_lowercase(), unescaped(value)));
        rest = after;
    }
}

fn attribute_value(text: &str) -> Option<(&str, &str)> {
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            return inside.split_once(quote);
        }
    }
    let end = text.find(|c: char| c.is_ascii_whitespace() || c == '>')?;
    Some(text.split_at(end))
}

/// Replaces character references by their characters.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let reference =
            after.get(..after.len().min(12)).unwrap_or(after).split_once(';').map(|(name, _)| name);
        match reference.and_then(|name| Some((character(name)?, name.len()))) {
            Some((character, length)) => {
                plain.push(character);
                rest = after.get(length + 1..).unwrap_or_default();
            }
            None => {
                plain.push('&');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn reads_json() {
        let page = format!(
            r#"{{"meta": {{"api-version": "1.1"}}, "name": "tiny", "files": [
                {{"filename": "tiny-1.0-py3-none-any.whl", "url": "https://files.example/a.whl", "size": 7,
                  "hashes": {{"sha256": "{SUM}", "md5": "x"}}, "yanked": false, "new-field": [1]}},
                {{"filename": "tiny-1.1.tar.gz", "url": "b", "hashes": {{}}, "yanked": "broken"}}]}}"#
        );
        let files = parse_page("application/vnd.pypi.simple.v1+json", page.as_bytes()).unwrap();
        assert_eq!((files[0].bytes, files[0].sha256, files[0].yanked), (Some(7), SUM.parse().ok(), false));
        assert_eq!((files[1].link.as_str(), files[1].sha256, files[1].yanked), ("b", None, true));
        assert_eq!(parse_page("", page.as_bytes()).unwrap(), files);
        assert!(parse_page("application/json", b"[]").is_err());
    }

    #[test]
    fn reads_html() {
        let page = format!(
            "<!DOCTYPE html><html><head><title>a</title></head><!-- <a href='no.whl'>no.whl</a> --><abbr title=x>\n\
             <A class=x HREF=\"../../a%2Bb/tiny-1.0%2Bcpu-py3-none-any.whl?x=1&amp;y=2#sha256={SUM}\"\n data-requires-python=\"&gt;=3.8\" >\n\
             tiny-1.0+cpu-py3-none-any.whl</a><br/>\n\
             <a href='tiny-1.1-py3-none-any.whl' data-yanked>download</a><a name=b>b</a><a href=c.whl>c.whl</a></html>"
        );
        let files = parse_page("text/html; charset=utf-8", page.as_bytes()).unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["tiny-1.0+cpu-py3-none-any.whl", "tiny-1.1-py3-none-any.whl", "c.whl"]);
        assert!(files[0].link.contains("?x=1&y=2#sha256="), "{}", files[0].link);
        assert_eq!(files[0].sha256, SUM.parse().ok());
        assert!(!files[0].yanked && files[1].yanked);
    }

    #[test]
    fn replaces_character_references() {
        assert_eq!(unescaped("a&amp;b&#x41;&#66;&nope;&amp &;&#xd800;"), "a&bAB&nope;&amp &;&#xd800;");
    }

    proptest::proptest! {
        #[test]
        fn reading_any_page_does_not_panic(page in "(<a |<A\n|href|=|\"|'|>|</a>|<!--|-->|&amp;|&#x|;|é|#sha256=|/| ){0,60}") {
            let _ = parse_page("text/html", page.as_bytes());
        }
    }
}
