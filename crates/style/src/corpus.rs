//! Texts with their authors.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use inkveil_nn::SplitMix;
use serde_json::{Map, Value};

use crate::Error;

/// A text with its author and its topic.
#[derive(Clone, PartialEq, Eq)]
pub struct AuthorText {
    /// The author.
    pub author: String,
    /// The book, thread or question it is from, if known. Texts with the same topic have similar
    /// content.
    pub topic: Option<String>,
    /// The site, paper or collection it is from, if known. What a source has in common is not the
    /// style of an author.
    pub source: Option<String>,
    /// The text.
    pub text: String,
}

impl AuthorText {
    /// Returns whether both are known to be from the same source.
    pub fn shares_source(&self, other: &Self) -> bool {
        self.source.is_some() && self.source == other.source
    }

    /// Returns whether both are known to have the same topic.
    pub fn shares_topic(&self, other: &Self) -> bool {
        self.topic.is_some() && self.topic == other.topic
    }
}

/// Shows neither text nor author.
impl fmt::Debug for AuthorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AuthorText({} bytes)", self.text.len())
    }
}

/// Reads JSON lines. Each is an object with the strings `author` and `text` and optionally `topic`
/// and `source`. Empty lines and other fields are ignored.
///
/// # Errors
/// If the file cannot be read or a row is not such an object. The error names the file, the row and
/// the field, never a value.
pub fn read_corpus(path: &Path) -> Result<Vec<AuthorText>, Error> {
    let failed = |error: std::io::Error| Error::io("read it", &error).of(path.display());
    let mut texts = Vec::new();
    for (index, line) in BufReader::new(File::open(path).map_err(failed)?).lines().enumerate() {
        let wrong = |what: String| Error::row(path, index + 1, what);
        let line = line.map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidData => wrong("not UTF-8; convert the file first".into()),
            _ => failed(error),
        })?;
        if !line.trim().is_empty() {
            texts.push(parse(&line).map_err(wrong)?);
        }
    }
    match texts.is_empty() {
        true => Err(Error::file(path, "it contains no text")),
        false => Ok(texts),
    }
}

fn parse(line: &str) -> Result<AuthorText, String> {
    // The parser's own message may quote the line, so only the column is kept.
    let mut fields: Map<String, Value> = serde_json::from_str(line).map_err(|error| {
        format!("not a JSON object (at column {}); write one object per line", error.column())
    })?;
    let mut take = |name: &str| match fields.remove(name) {
        Some(Value::String(value)) if !value.trim().is_empty() => Ok(Some(value)),
        Some(Value::String(_) | Value::Null) | None => Ok(None),
        Some(_) => Err(format!("the field {name:?} is not a string")),
    };
    let missing = |name: &str| format!("the field {name:?} is missing or empty");
    Ok(AuthorText {
        author: take("author")?.ok_or_else(|| missing("author"))?,
        topic: take("topic")?,
        source: take("source")?,
        text: take("text")?.ok_or_else(|| missing("text"))?,
    })
}

/// Splits texts so that no author is on both sides. `share` of the authors go to the second side.
/// The split depends only on the seed and the names.
///
/// ```
/// use inkveil_style::{AuthorText, split_authors};
///
/// let text = |n: usize| AuthorText { author: format!("writer {}", n % 10), topic: None, source: None, text: "So.".into() };
/// let (first, second) = split_authors((0..100).map(text).collect(), 0.2, 7);
/// assert_eq!((first.len(), second.len()), (80, 20));
/// assert!(first.iter().all(|a| second.iter().all(|b| a.author != b.author)));
/// ```
pub fn split_authors(texts: Vec<AuthorText>, share: f64, seed: u64) -> (Vec<AuthorText>, Vec<AuthorText>) {
    let names: BTreeMap<&str, ()> = texts.iter().map(|text| (text.author.as_str(), ())).collect();
    let mut names: Vec<String> = names.into_keys().map(str::to_owned).collect();
    SplitMix::named(seed, "authors", &[]).shuffle(&mut names);
    names.truncate((names.len() as f64 * share.clamp(0.0, 1.0)).round() as usize);
    names.sort_unstable();
    texts.into_iter().partition(|text| names.binary_search(&text.author).is_err())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read(content: &[u8]) -> Result<Vec<AuthorText>, String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        let name = file.path().display().to_string();
        read_corpus(file.path()).map_err(|error| error.to_string().replace(&name, "FILE"))
    }

    #[test]
    fn rows_are_read_and_invalid_rows_are_named() {
        let texts = read(b"{\"author\":\"a\",\"text\":\"Hello.\",\"x\":1}\n\n{\"author\":\"b\",\"topic\":\"t\",\"text\":\"Yo\"}\n");
        let texts = texts.unwrap();
        assert_eq!((texts.len(), texts[0].topic.as_deref(), texts[1].topic.as_deref()), (2, None, Some("t")));
        assert!(!format!("{texts:?}").contains("Hello"));
        for (row, said) in [
            ("{\"author\": \"a\"}", "the field \"text\" is missing or empty"),
            ("{\"text\": \"hidden\", \"author\": \" \"}", "the field \"author\" is missing or empty"),
            ("{\"author\": [\"hidden\"], \"text\": \"hidden\"}", "the field \"author\" is not a string"),
            ("\"hidden\"", "not a JSON object (at column 8); write one object per line"),
        ] {
            assert_eq!(read(format!("\n{row}\n").as_bytes()).unwrap_err(), format!("FILE, row 2: {said}"));
        }
        assert!(read(b"{\"author\":\"\xff\"}").unwrap_err().starts_with("FILE, row 1: not UTF-8"));
        assert_eq!(read(b"").unwrap_err(), "FILE: it contains no text");
    }
}
