//! Reads the organisers' files: JSON lines and tables as in BEIR, judgements as in TREC.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::Error;

/// Names of columns in the organisers' tables.
const IDS: [&str; 5] = ["_id", "id", "qid", "query-id", "docid"];
const TEXTS: [&str; 3] = ["text", "question", "query"];
const QUERIES: [&str; 2] = ["query-id", "qid"];
const DOCUMENTS: [&str; 2] = ["corpus-id", "docid"];
const SCORES: [&str; 2] = ["score", "relevance"];

/// A query or a document.
#[derive(Clone, PartialEq, Eq)]
pub struct SearchText {
    /// Its identifier in judgements.
    pub id: String,
    /// The text.
    pub text: String,
}

impl fmt::Debug for SearchText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SearchText({})", self.id)
    }
}

/// The relevance of a document for a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The query's id.
    pub query: String,
    /// The document's id.
    pub document: String,
    /// The relevance, 0 or more.
    pub relevance: f64,
}

/// Reads the queries or documents of a file: JSON lines with `_id`, `text` and an optional `title`
/// (`.jsonl`), or lines of an id, a tab and a text. Files with more columns have a header.
///
/// ```
/// use inkveil_eval::retrieval;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("queries.jsonl");
/// std::fs::write(&file, "{\"_id\": \"q1\", \"text\": \"how do tides work\"}\n")?;
/// assert_eq!(retrieval::read_texts(&file)?[0].id, "q1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the file cannot be read, a line lacks a field, or an id is repeated.
pub fn read_texts(path: &Path) -> Result<Vec<SearchText>, Error> {
    let text = read(path)?;
    let is_json = path.extension().is_some_and(|ending| ending == "jsonl");
    let header = Header::of(&text, &IDS).filter(|_| !is_json);
    let columns = header.as_ref().map(|header| header.text_columns()).transpose();
    let columns = columns.map_err(|error| error.in_file(path))?;
    let parse = |line: &str| match (&header, columns) {
        _ if is_json => json_text(line),
        (Some(header), Some((id, text))) => {
            let fields = header.fields(line)?;
            Ok(SearchText { id: fields[id].trim().to_owned(), text: fields[text].trim().to_owned() })
        }
        _ => {
            let (id, text) =
                line.split_once('\t').ok_or_else(|| Error::format("expected an id, a tab and a text"))?;
            Ok(SearchText { id: id.trim().to_owned(), text: text.trim().to_owned() })
        }
    };
    let mut lines: HashMap<String, usize> = HashMap::new();
    let unique = |at: usize, line: &str| {
        let entry = parse(line)?;
        if entry.id.is_empty() {
            return Err(Error::format("the id is empty"));
        }
        match lines.insert(entry.id.clone(), at + 1) {
            None => Ok(entry),
            Some(first) => Err(Error::format(format!("its id is also in line {first}"))),
        }
    };
    rows(path, &text, usize::from(header.is_some()), unique)
}

/// A line of BEIR's `corpus.jsonl` or `queries.jsonl`.
#[derive(Deserialize)]
struct JsonText {
    #[serde(alias = "id")]
    _id: Option<String>,
    title: Option<String>,
    text: Option<String>,
}

fn json_text(line: &str) -> Result<SearchText, Error> {
    let wrong = "not a JSON object with the text fields \"_id\", \"title\" and \"text\"";
    // The message of serde may quote the line, so it is dropped.
    let row: JsonText = serde_json::from_str(line).map_err(|_| Error::format(wrong))?;
    let missing = |field: &str| Error::format(format!("there is no field {field:?}"));
    let text = row.text.ok_or_else(|| missing("text"))?;
    let title = row.title.unwrap_or_default();
    Ok(SearchText {
        id: row._id.ok_or_else(|| missing("_id"))?,
        text: format!("{title} {text}").trim().to_owned(),
    })
}

/// Reads the judgements of a file: a table with a header (`query-id`, `corpus-id` and `score`,
/// separated by tabs or commas; without a score every line is relevant), or TREC's lines of query,
/// 0, document and relevance.
///
/// ```
/// use inkveil_eval::retrieval;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("test.qrel");
/// std::fs::write(&file, "q1 0 d7 2\n")?;
/// assert_eq!(retrieval::read_judgements(&file)?[0].relevance, 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the file cannot be read, a line lacks a field, or a relevance is not a number.
pub fn read_judgements(path: &Path) -> Result<Vec<Judgement>, Error> {
    let text = read(path)?;
    let Some(header) = Header::of(&text, &QUERIES) else {
        return rows(path, &text, 0, |_, line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            match fields[..] {
                [query, _, document, relevance] => judgement(query, document, relevance),
                _ => Err(Error::format(format!(
                    "expected query, 0, document and relevance, or a header line with {:?}; found {} fields",
                    QUERIES[0],
                    fields.len()
                ))),
            }
        });
    };
    let column = |what: &str, names: &[&str]| header.needed(what, names).map_err(|error| error.in_file(path));
    let (query, document) = (column("a query", &QUERIES)?, column("a document", &DOCUMENTS)?);
    let score = header.position(&SCORES);
    rows(path, &text, 1, |_, line| {
        let fields = header.fields(line)?;
        judgement(fields[query], fields[document], score.map_or("1", |score| fields[score]))
    })
}

fn judgement(query: &str, document: &str, relevance: &str) -> Result<Judgement, Error> {
    let relevance: Option<f64> = relevance.trim().parse().ok().filter(|x: &f64| x.is_finite());
    let relevance = relevance.ok_or_else(|| Error::format("the relevance is not a number"))?;
    Ok(Judgement { query: query.trim().to_owned(), document: document.trim().to_owned(), relevance })
}

/// The header of a table.
struct Header<'a> {
    separator: char,
    names: Vec<&'a str>,
}

impl<'a> Header<'a> {
    /// None if the first line has none of these columns.
    fn of(text: &'a str, one_of: &[&str]) -> Option<Self> {
        let first = text.lines().next()?;
        let separator = if first.contains('\t') { '\t' } else { ',' };
        let names: Vec<&str> = first.split(separator).map(str::trim).collect();
        let header = Self { separator, names };
        header.position(one_of).is_some().then_some(header)
    }

    fn position(&self, names: &[&str]) -> Option<usize> {
        self.names.iter().position(|name| names.contains(name))
    }

    fn needed(&self, what: &str, names: &[&str]) -> Result<usize, Error> {
        let missing = || {
            Error::format(format!("no column for {what}; expected one of {}", names.join(", "))).in_line(0)
        };
        self.position(names).ok_or_else(missing)
    }

    /// The columns of the id and the text.
    fn text_columns(&self) -> Result<(usize, usize), Error> {
        Ok((self.needed("an id", &IDS)?, self.needed("a text", &TEXTS)?))
    }

    /// The fields of a line, one for each column.
    fn fields<'b>(&self, line: &'b str) -> Result<Vec<&'b str>, Error> {
        let fields: Vec<&str> = line.split(self.separator).collect();
        match fields.len() == self.names.len() {
            true => Ok(fields),
            false => Err(Error::format(format!("{} fields in {} columns", fields.len(), self.names.len()))),
        }
    }
}

/// Reads all lines from number `first` on, except blank ones.
fn rows<T>(
    path: &Path,
    text: &str,
    first: usize,
    mut row: impl FnMut(usize, &str) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let lines = text.lines().enumerate().skip(first).filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| row(at, line).map_err(|error| error.in_line(at).in_file(path))).collect()
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| Error::io("read the file", error).in_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn entries(name: &str, text: &str) -> Result<Vec<(String, String)>, String> {
        let (_folder, path) = file(name, text);
        match read_texts(&path) {
            Ok(all) => Ok(all.into_iter().map(|entry| (entry.id, entry.text)).collect()),
            Err(error) => Err(error.to_string().rsplit('/').next().unwrap().to_owned()),
        }
    }

    fn judgements(name: &str, text: &str) -> Result<Vec<Judgement>, String> {
        let (_folder, path) = file(name, text);
        read_judgements(&path).map_err(|error| error.to_string().rsplit('/').next().unwrap().to_owned())
    }

    #[test]
    fn texts_of_every_layout_are_read() {
        let wanted = [("a".to_owned(), "red boats".to_owned()), ("b".to_owned(), "tides".to_owned())];
        let json = "{\"_id\": \"a\", \"title\": \"red\", \"text\": \"boats\"}\n{\"text\": \"tides\", \"id\": \"b\"}\n";
        assert_eq!(entries("q.jsonl", json).unwrap(), wanted);
        assert_eq!(entries("q.docs", "a\tred boats\n\nb\ttides\n").unwrap(), wanted);
        let table = "\tqid\tquestion\twhen\n0\ta\tred boats\tnow\n1\tb\ttides\tlater\n";
        assert_eq!(entries("q.tsv", table).unwrap(), wanted);
    }

    #[test]
    fn errors_do_not_quote_texts() {
        for (name, text, message) in [
            (
                "q.jsonl",
                "{\"_id\": \"a\", \"text\": \"secret\"}\nsecret\n",
                "q.jsonl: line 2: not a JSON object",
            ),
            ("q.jsonl", "{\"_id\": \"a\"}\n", "q.jsonl: line 1: there is no field \"text\""),
            ("q.jsonl", "{\"text\": \"secret\"}\n", "q.jsonl: line 1: there is no field \"_id\""),
            ("q.jsonl", "{\"_id\": 7, \"text\": \"secret\"}\n", "q.jsonl: line 1: not a JSON object with"),
            ("q.docs", "a\tb\nsecret\n", "q.docs: line 2: expected an id, a tab"),
            ("q.docs", "a\tb\n\nc\td\na\tsecret\n", "q.docs: line 4: its id is also in line 1"),
            ("q.docs", "\tsecret\n", "q.docs: line 1: the id is empty"),
            ("q.tsv", "qid\tsecret\n", "q.tsv: line 1: no column for a text"),
            ("q.tsv", "qid\ttext\n1\n", "q.tsv: line 2: 1 fields in 2 columns"),
        ] {
            let error = entries(name, text).unwrap_err();
            assert!(error.contains(message) && !error.contains("secret"), "{error}");
        }
        assert!(read_texts(Path::new("nowhere.docs")).is_err());
    }

    #[test]
    fn judgements_of_every_layout_are_read() {
        let one = |relevance| Judgement { query: "q".into(), document: "d".into(), relevance };
        assert_eq!(judgements("t.csv", "query-id,corpus-id,score\nq,d,2\n").unwrap(), [one(2.0)]);
        assert_eq!(judgements("t.tsv", "query-id\tcorpus-id\tscore\r\nq\td\t0\r\n").unwrap(), [one(0.0)]);
        assert_eq!(judgements("t.tsv", "\tqid\tdocid\n0\tq\td\n").unwrap(), [one(1.0)]);
        assert_eq!(judgements("t.qrel", "q\t0\td\t3\n").unwrap(), [one(3.0)]);
        assert_eq!(judgements("t.qrel", "q 0 d 3\n").unwrap(), [one(3.0)]);
        assert!(judgements("t.qrel", "q 0 d\n").unwrap_err().contains("t.qrel: line 1: expected query"));
        let no_number = judgements("t.csv", "query-id,corpus-id,score\nq,d,high\n").unwrap_err();
        assert_eq!(no_number, "t.csv: line 2: the relevance is not a number");
        let nan = judgements("t.qrel", "q 0 d nan\n").unwrap_err();
        assert_eq!(nan, "t.qrel: line 1: the relevance is not a number");
        let no_document = judgements("t.csv", "query-id,score\nq,1\n").unwrap_err();
        assert!(no_document.starts_with("t.csv: line 1: no column for a document"), "{no_document}");
    }
}
