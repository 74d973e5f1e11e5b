//! Walks a request with a table: collects the texts to veil and puts the veiled texts in their place.

use std::fmt;

use super::escapes::{escaped_document, readable, whole_number};
use super::media::{encoded, is_media, text_file};
use super::table::{Action, Alive, Table};
use crate::answer::SEALED;
use crate::json::{Json, is_number};

/// Who may see the values of a text in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vault {
    /// The definition of a tool: its values are restored in the arguments of tools only.
    Tools,
    /// A text of the operator: its values are not restored.
    System,
    /// A text of the user: its values are restored everywhere.
    Open,
}

/// What a leaf is in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafKind {
    /// A string.
    Text,
    /// The key of a field.
    Key,
    /// A number.
    Number,
}

/// A text of a request.
#[derive(Clone)]
pub struct Leaf {
    /// The text. **Private.**
    pub text: String,
    /// What it is in the document.
    pub kind: LeafKind,
    /// Who may see its values.
    pub vault: Vault,
    /// The name of its field, if that says what the text is.
    pub context: Option<String>,
    /// The role of the message that it belongs to is `user`.
    pub by_user: bool,
    /// The number of the message that it belongs to.
    pub message: usize,
    place: Vec<usize>,
    /// How the text is written in the request, if detection reads it in another way.
    spelling: Option<String>,
}

impl Leaf {
    /// A text that does not come from a request of a protocol.
    pub fn text(text: String, vault: Vault, message: usize) -> Self {
        let kind = LeafKind::Text;
        Self { text, kind, vault, context: None, by_user: true, message, place: Vec::new(), spelling: None }
    }
}

impl fmt::Debug for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Leaf({:?}, {:?}, {} bytes)", self.kind, self.vault, self.text.len())
    }
}

/// Why a request is refused. It names the position, never the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The position.
    pub path: String,
    /// The reason.
    pub why: &'static str,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.why)
    }
}

/// Checks values that only the provider can read, and makes pseudonyms.
pub(crate) trait Seals {
    /// Returns a value without the gateway's seal, if the seal is right for it and for the text beside it.
    fn open(&self, sealed: &str, beside: &str) -> Option<String>;
    /// Returns the pseudonym of a user.
    fn pseudonym(&self, name: &str) -> String;
}

/// The walk over one request.
pub(crate) struct Walker<'w> {
    table: &'w Table,
    seals: &'w dyn Seals,
    media_passes: bool,
    leaves: Vec<Leaf>,
    documents: Vec<Document>,
    place: Vec<usize>,
    path: Vec<String>,
    by_user: bool,
    message: usize,
    /// Whether the object that is walked is a thought whose seal is right.
    is_sealed_thought: bool,
}

/// A document inside a string. The walk puts its content in the place of the string.
struct Document {
    place: Vec<usize>,
    /// The string, which stays as it is if nothing in it is veiled.
    original: String,
    form: Form,
}

/// How the content of a document becomes a string again.
enum Form {
    /// JSON.
    Json,
    /// Text in base64, after this prefix.
    Base64(String),
    /// JSON in base64, after this prefix.
    Base64Json(String),
}

/// A number with fewer digits says little.
const LONG_NUMBER: usize = 7;
/// The longest name that passes.
const LONGEST_NAME: usize = 256;

const FREE_TEXT: &str = "free text is not allowed here, because it would not be veiled";
const UNKNOWN: &str =
    "the gateway does not know this field; allow it by name under [fields] in the settings, or leave it out";
const MEDIA: &str = "images, sounds and files are refused, because they are not veiled; send text as a data URL of the type text/plain, \
     text/markdown, text/csv or application/json in base64, or let all media pass with media = \"pass\"";
const NUMBERS: &str = "token ids are not veiled; send text";

impl<'w> Walker<'w> {
    /// Collects the texts of a request. What stands in the request afterwards is not yet fit to leave.
    ///
    /// # Errors
    /// If a position is not covered, or must not be used.
    pub(crate) fn collect(
        table: &'w Table,
        seals: &'w dyn Seals,
        media_passes: bool,
        request: &mut Json,
    ) -> Result<Self, Refusal> {
        let mut walker = Self {
            table,
            seals,
            media_passes,
            leaves: Vec::new(),
            documents: Vec::new(),
            place: Vec::new(),
            path: Vec::new(),
            by_user: false,
            message: 0,
            is_sealed_thought: false,
        };
        if !matches!(request, Json::Object(_)) {
            return Err(Refusal { path: "body".to_owned(), why: "the body is not an object" });
        }
        walker.node(request, &table.all(), 0)?;
        // Definitions and instructions come first, because they are the same in every request of a conversation.
        walker.leaves.sort_by_key(|leaf| leaf.vault);
        Ok(walker)
    }

    /// The texts, in the order in which they are veiled.
    pub(crate) fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// Puts veiled texts in the place of the texts.
    ///
    /// # Errors
    /// If there are more or fewer of them, or a place is gone. Nothing may leave then.
    pub(crate) fn write(self, request: &mut Json, veiled: Vec<String>) -> Result<(), Refusal> {
        let lost = || Refusal { path: "body".to_owned(), why: "a text got lost" };
        if veiled.len() != self.leaves.len() {
            return Err(lost());
        }
        let mut changed = vec![false; self.documents.len()];
        for (leaf, mut text) in self.leaves.iter().zip(veiled) {
            if text != leaf.text {
                for (document, changed) in self.documents.iter().zip(&mut changed) {
                    *changed |= leaf.place.starts_with(&document.place);
                }
            } else if let Some(spelling) = &leaf.spelling {
                text.clone_from(spelling);
            }
            match leaf.kind {
                LeafKind::Key => {
                    let (last, parent) = leaf.place.split_last().ok_or_else(lost)?;
                    match at(request, parent) {
                        Some(Json::Object(fields)) => fields.get_mut(*last).ok_or_else(lost)?.0 = text,
                        _ => return Err(lost()),
                    }
                }
                LeafKind::Text => *at(request, &leaf.place).ok_or_else(lost)? = Json::String(text),
                LeafKind::Number => {
                    let number = if is_number(&text) { Json::Number(text) } else { Json::String(text) };
                    *at(request, &leaf.place).ok_or_else(lost)? = number;
                }
            }
        }
        // A document inside another one was found after it.
        for (document, changed) in self.documents.into_iter().zip(changed).rev() {
            let node = at(request, &document.place).ok_or_else(lost)?;
            let text = match (changed, document.form) {
                (false, _) => document.original,
                (true, Form::Json) => node.write(),
                (true, Form::Base64Json(prefix)) => encoded(&prefix, &node.write()),
                (true, Form::Base64(prefix)) => encoded(&prefix, node.as_str().ok_or_else(lost)?),
            };
            *node = Json::String(text);
        }
        Ok(())
    }

    fn refuse(&self, why: &'static str) -> Refusal {
        Refusal { path: self.path.join(""), why }
    }

    fn node(&mut self, node: &mut Json, alive: &Alive, depth: usize) -> Result<(), Refusal> {
        let (action, goes_on, inside_first) = self.table.here(alive, depth);
        match node {
            Json::Null if action.is_some() || goes_on => Ok(()),
            Json::Array(_) | Json::Object(_) if inside_first || !action.is_some_and(Action::takes_all) => {
                if !goes_on {
                    return Err(self.refuse(UNKNOWN));
                }
                self.inside(node, alive, depth)
            }
            _ => self.act(node, action.ok_or_else(|| self.refuse(UNKNOWN))?),
        }
    }

    fn inside(&mut self, node: &mut Json, alive: &Alive, depth: usize) -> Result<(), Refusal> {
        match node {
            Json::Object(fields) => {
                let is_sealed_thought = self.unseal_thinking(fields)?;
                for (index, (key, value)) in fields.iter_mut().enumerate() {
                    let alive = self.table.field(alive, depth, key, value);
                    let shown = if is_name(key) { key.as_str() } else { "(a key)" };
                    self.path.push(if depth == 0 { shown.to_owned() } else { format!(".{shown}") });
                    // A line for any field says nothing about what the field is called.
                    if !is_name(key) {
                        return Err(self.refuse(FREE_TEXT));
                    }
                    self.is_sealed_thought = is_sealed_thought;
                    self.place.push(index);
                    self.node(value, &alive, depth + 1)?;
                    self.place.pop();
                    self.path.pop();
                }
            }
            Json::Array(items) => {
                let messages = depth == 1;
                for (index, item) in items.iter_mut().enumerate() {
                    let alive = self.table.item(alive, depth, item);
                    if messages {
                        self.by_user = item.str_of("role") == Some("user");
                        self.message = index + 1;
                    }
                    self.path.push(format!("[{index}]"));
                    self.place.push(index);
                    self.node(item, &alive, depth + 1)?;
                    self.place.pop();
                    self.path.pop();
                }
                if messages {
                    (self.by_user, self.message) = (false, 0);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Opens the seal of a thought, and returns whether the fields are one. The seal covers the thought too, because the
    /// provider wants both unchanged.
    fn unseal_thinking(&self, fields: &mut [(String, Json)]) -> Result<bool, Refusal> {
        let is_thinking =
            fields.iter().any(|(key, value)| key == "type" && value.as_str() == Some("thinking"));
        let Some(thought) = fields.iter().find(|(key, _)| key == "thinking").map(|(_, value)| value.clone())
        else {
            return Ok(false);
        };
        // The setting with the same name has another type.
        let Some(thought) = thought.as_str().filter(|_| is_thinking) else { return Ok(false) };
        let signature = fields.iter_mut().find(|(key, _)| key == "signature").map(|(_, value)| value);
        match signature {
            Some(Json::String(signature)) => match self.seals.open(signature, thought) {
                Some(opened) => *signature = opened,
                None => return Err(self.refuse(SEAL)),
            },
            _ => return Err(self.refuse(SEAL)),
        }
        Ok(true)
    }

    fn act(&mut self, node: &mut Json, action: Action) -> Result<(), Refusal> {
        match (action, node) {
            (Action::Unchanged, _) => Ok(()),
            (Action::Refuse, Json::Null) => Ok(()),
            (Action::Refuse, Json::Bool(false)) => Ok(()),
            (Action::Refuse, Json::Number(_)) => Err(self.refuse(NUMBERS)),
            (Action::Refuse, _) => Err(self.refuse(
                "this field is refused, because its content would leave unveiled or is kept elsewhere; allow it by name under [fields]",
            )),
            (Action::Media, node) => self.media(node),
            (Action::Pass, Json::String(text)) => match is_name(text) {
                true => Ok(()),
                false => Err(self.refuse(FREE_TEXT)),
            },
            (Action::Pass, Json::Number(_) | Json::Bool(_)) => Ok(()),
            (Action::Veil | Action::Arguments, Json::Number(_)) => Err(self.refuse(NUMBERS)),
            (Action::Pseudonym, Json::String(name)) => {
                *name = self.seals.pseudonym(name);
                Ok(())
            }
            (Action::Veil, node @ Json::String(_)) => self.text(node, Vault::Open, None),
            (Action::System, node @ Json::String(_)) => self.text(node, Vault::System, None),
            (Action::Data, node) => self.data(node, Vault::Open, None),
            (Action::Schema, node) => self.data(node, Vault::Tools, None),
            (Action::Arguments, node @ Json::String(_)) => {
                match node.as_str().and_then(|text| Json::parse(text.as_bytes()).ok()) {
                    Some(content) => self.document(node, content, Vault::Open, None),
                    None => self.text(node, Vault::Open, None),
                }
            }
            (Action::Sealed, Json::String(sealed)) => {
                // A thought and its signature were checked together.
                let last = self.path.last().map(String::as_str);
                if self.is_sealed_thought && matches!(last, Some(".thinking" | ".signature")) {
                    return Ok(());
                }
                *sealed = self.seals.open(sealed, "").ok_or_else(|| self.refuse(SEAL))?;
                Ok(())
            }
            _ => Err(self.refuse("the value has a type that is not expected here")),
        }
    }

    /// Reads the text of a file. What is not text is refused, unless the operator lets it pass. Text beside a file never
    /// passes.
    fn media(&mut self, node: &mut Json) -> Result<(), Refusal> {
        let Some((field, file)) = text_file(node) else {
            return match self.media_passes {
                true => self.passing_media(node),
                false => Err(self.refuse(MEDIA)),
            };
        };
        let inner = match field {
            Some(field) => at(node, &[field]).ok_or_else(|| self.refuse(MEDIA))?,
            None => node,
        };
        let original = inner.as_str().unwrap_or_default().to_owned();
        let document = if file.is_json { Json::parse(file.text.as_bytes()).ok() } else { None };
        let (content, form) = match document {
            Some(document) => (document, Form::Base64Json(file.prefix)),
            None => (Json::String(file.text), Form::Base64(file.prefix)),
        };
        *inner = content;
        self.place.extend(field);
        self.documents.push(Document { place: self.place.clone(), original, form });
        self.data(inner, Vault::Open, None)?;
        if field.is_some() {
            self.place.pop();
        }
        Ok(())
    }

    /// Lets a file pass, with what says which one it is.
    fn passing_media(&mut self, node: &mut Json) -> Result<(), Refusal> {
        match node {
            Json::String(text) if !is_media(text) => Err(self.refuse(FREE_TEXT)),
            Json::Object(fields) if !fields.iter().all(|(key, _)| is_name(key)) => {
                Err(self.refuse(FREE_TEXT))
            }
            Json::Object(fields) => self.each_media(fields.iter_mut().map(|(_, value)| value)),
            Json::Array(items) => self.each_media(items.iter_mut()),
            _ => Ok(()),
        }
    }

    fn each_media<'j>(&mut self, nodes: impl Iterator<Item = &'j mut Json>) -> Result<(), Refusal> {
        for (index, node) in nodes.enumerate() {
            self.place.push(index);
            self.media(node)?;
            self.place.pop();
        }
        Ok(())
    }

    fn leaf(&mut self, text: &str, kind: LeafKind, vault: Vault, context: Option<&str>) {
        let read = if kind == LeafKind::Number { whole_number(text) } else { readable(text) };
        let (text, spelling) = match read {
            Some(read) => (read, Some(text.to_owned())),
            None => (text.to_owned(), None),
        };
        self.leaves.push(Leaf {
            text,
            spelling,
            kind,
            vault,
            context: context.map(str::to_owned),
            by_user: self.by_user,
            message: self.message,
            place: self.place.clone(),
        });
    }

    fn text(&mut self, node: &mut Json, vault: Vault, context: Option<&str>) -> Result<(), Refusal> {
        let text = node.as_str().unwrap_or_default();
        match escaped_document(text) {
            Some(content) => self.document(node, content, vault, context),
            None => {
                self.leaf(text, LeafKind::Text, vault, context);
                Ok(())
            }
        }
    }

    /// Puts the content of a document in the place of the string that holds it, and collects its leaves.
    fn document(
        &mut self,
        node: &mut Json,
        content: Json,
        vault: Vault,
        context: Option<&str>,
    ) -> Result<(), Refusal> {
        let Json::String(original) = std::mem::replace(node, content) else {
            return Err(self.refuse("a string is needed here"));
        };
        self.documents.push(Document { place: self.place.clone(), original, form: Form::Json });
        self.data(node, vault, context)
    }

    /// Collects every leaf of a value.
    fn data(&mut self, node: &mut Json, vault: Vault, context: Option<&str>) -> Result<(), Refusal> {
        match node {
            Json::Null | Json::Bool(_) => {}
            Json::Number(number) => {
                if number.bytes().filter(u8::is_ascii_digit).count() >= LONG_NUMBER {
                    self.leaf(number, LeafKind::Number, vault, context);
                }
            }
            Json::String(_) => self.text(node, vault, context)?,
            Json::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.place.push(index);
                    self.data(item, vault, context)?;
                    self.place.pop();
                }
            }
            Json::Object(fields) => {
                for (index, (key, value)) in fields.iter_mut().enumerate() {
                    // Citations hold such values beside texts.
                    if let Json::String(sealed) = &*value
                        && SEALED.contains(&key.as_str())
                        && let Some(opened) = self.seals.open(sealed, "")
                    {
                        *value = Json::String(opened);
                        continue;
                    }
                    self.place.push(index);
                    self.leaf(key, LeafKind::Key, vault, None);
                    // The words of a schema say nothing about their values.
                    let named = vault == Vault::Open && is_name(key);
                    self.data(value, vault, if named { Some(key.as_str()) } else { None })?;
                    self.place.pop();
                }
            }
        }
        Ok(())
    }
}

const SEAL: &str =
    "this value is not one that this gateway has handed out, so it cannot be checked; leave it out";

fn at<'j>(node: &'j mut Json, place: &[usize]) -> Option<&'j mut Json> {
    place.iter().try_fold(node, |node, &index| match node {
        Json::Array(items) => items.get_mut(index),
        Json::Object(fields) => fields.get_mut(index).map(|(_, value)| value),
        _ => None,
    })
}

/// Whether a text can be the name of something that the protocol defines. Such names have no spaces and no `@`.
pub(crate) fn is_name(text: &str) -> bool {
    text.len() <= LONGEST_NAME
        && text.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'/' | b'$')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoSeals;

    impl Seals for NoSeals {
        fn open(&self, sealed: &str, beside: &str) -> Option<String> {
            sealed.strip_prefix(&format!("seal({beside})")).map(str::to_owned)
        }
        fn pseudonym(&self, _: &str) -> String {
            "pseudonym".to_owned()
        }
    }

    fn walk(table: &str, request: &str) -> Result<(Vec<String>, String), Refusal> {
        let table = Table::parse(table).unwrap();
        let mut request = Json::parse(request.as_bytes()).unwrap();
        let walker = Walker::collect(&table, &NoSeals, false, &mut request)?;
        let texts: Vec<String> = walker.leaves().iter().map(|leaf| leaf.text.clone()).collect();
        let veiled = texts.iter().map(|text| match text.parse::<u64>() {
            Ok(_) => "7".to_owned(),
            Err(_) => format!("<{text}>"),
        });
        walker.write(&mut request, veiled.collect())?;
        Ok((texts, request.write()))
    }

    #[test]
    fn texts_are_taken_out_and_put_back() {
        let table = "m[].t veil\ns system\na arguments\nd data\nu pseudonym\nx.y sealed";
        let (texts, out) = walk(
            table,
            r#"{"m":[{"t":"one"},{"t":null}],"a":"{\"k\": [1234567, 5]}","s":"sys","d":{"e":true},"u":"Ana","x":{"y":"seal()z"}}"#,
        )
        .unwrap();
        assert_eq!(
            texts,
            ["sys", "one", "k", "1234567", "d", "e"].into_iter().filter(|t| *t != "d").collect::<Vec<_>>()
        );
        assert_eq!(
            out,
            r#"{"m":[{"t":"<one>"},{"t":null}],"a":"{\"<k>\":[7,5]}","s":"<sys>","d":{"<e>":true},"u":"pseudonym","x":{"y":"z"}}"#
        );
        assert_eq!(walk(table, r#"{"a":"{not json"}"#).unwrap().1, r#"{"a":"<{not json>"}"#);
    }

    #[test]
    fn an_unchanged_document_keeps_its_spelling() {
        let table = Table::parse("a arguments").unwrap();
        let mut request = Json::parse(br#"{"a":"{ \"k\" : 1 }"}"#).unwrap();
        let walker = Walker::collect(&table, &NoSeals, false, &mut request).unwrap();
        walker.write(&mut request, vec!["k".to_owned()]).unwrap();
        assert_eq!(request.write(), r#"{"a":"{ \"k\" : 1 }"}"#);
    }

    #[test]
    fn text_in_base64_is_veiled_and_encoded_again() {
        let table = "f media\ns{base64} media\nm[].f media";
        let body = |text: &str| format!(r#"{{"m":[{{"f":"data:text/csv;base64,{}"}}]}}"#, encoded("", text));
        let (texts, out) = walk(table, &body("a,Ana\n")).unwrap();
        assert_eq!((texts, out), (vec!["a,Ana\n".to_owned()], body("<a,Ana\n>")));
        let source = |text: &str| {
            let data = encoded("", text);
            format!(r#"{{"s":{{"type":"base64","media_type":"application/json","data":"{data}"}}}}"#)
        };
        let (texts, out) = walk(table, &source("{ \"k\": [1234567, \"Ana\"] }")).unwrap();
        assert_eq!(texts, ["k", "1234567", "Ana"]);
        assert_eq!(out, source(r#"{"<k>":[7,"<Ana>"]}"#));
        assert_eq!(walk(table, &source("{ no")).unwrap().1, source("<{ no>"));
        // Unchanged bytes stay as they are, also without padding.
        let table = Table::parse("f media").unwrap();
        let mut request = Json::parse(br#"{"f":"data:text/plain;base64,QW4"}"#).unwrap();
        let walker = Walker::collect(&table, &NoSeals, false, &mut request).unwrap();
        walker.write(&mut request, vec!["An".to_owned()]).unwrap();
        assert_eq!(request.write(), r#"{"f":"data:text/plain;base64,QW4"}"#);
    }

    #[test]
    fn media_that_are_not_text_pass_only_if_allowed() {
        let table = Table::parse("i media").unwrap();
        let image = r#"{"i":"data:image/png;base64,QW5h"}"#;
        for (passes, expected) in [(true, true), (false, false)] {
            let mut request = Json::parse(image.as_bytes()).unwrap();
            assert_eq!(Walker::collect(&table, &NoSeals, passes, &mut request).is_ok(), expected);
        }
        // Text is veiled, also where media pass.
        let mut request = Json::parse(br#"{"i":"data:text/plain;base64,QW5h"}"#).unwrap();
        assert_eq!(Walker::collect(&table, &NoSeals, true, &mut request).unwrap().leaves().len(), 1);
    }

    #[test]
    fn text_beside_media_is_refused_and_text_files_within_are_veiled() {
        let table = Table::parse("i media").unwrap();
        let collected = |request: &str| {
            let mut request = Json::parse(request.as_bytes()).unwrap();
            let walker = Walker::collect(&table, &NoSeals, true, &mut request)?;
            Ok::<_, Refusal>(walker.leaves().iter().map(|leaf| leaf.text.clone()).collect::<Vec<_>>())
        };
        let image = r#"{"i":{"url":"https://example.org/a.png","detail":"low","size":[1,2]}}"#;
        assert_eq!(collected(image).unwrap(), Vec::<String>::new());
        assert_eq!(collected(r#"{"i":{"url":"data:text/plain;base64,QW5h"}}"#).unwrap(), ["Ana"]);
        for request in [
            r#"{"i":"Ana Lima"}"#,
            r#"{"i":{"url":"https://example.org/a.png","alt":"Ana Lima"}}"#,
            r#"{"i":{"Ana Lima":1}}"#,
            r#"{"i":["data:text/plain,Ana%20Lima"]}"#,
        ] {
            assert_eq!(collected(request).unwrap_err().path, "i", "{request}");
        }
    }

    #[test]
    fn escapes_hide_nothing() {
        let table = "t veil\nd data\na arguments";
        // A text that is JSON is veiled leaf by leaf, also if it is inside another one.
        let (texts, out) = walk(table, r#"{"t":"{\"k\":\"a\\nAna\"}"}"#).unwrap();
        assert_eq!(texts, ["k", "a\nAna"]);
        assert_eq!(out, r#"{"t":"{\"<k>\":\"<a\\nAna>\"}"}"#);
        let inner = Json::object([("b", Json::text("x\nAna"))]).write();
        let outer = Json::object([("a", Json::text(inner))]).write();
        let (texts, out) = walk(table, &Json::object([("a", Json::text(&outer))]).write()).unwrap();
        assert_eq!(texts, ["a", "b", "x\nAna"]);
        let veiled = outer.replace("\"a\"", "\"<a>\"").replace("\\\"b\\\"", "\\\"<b>\\\"");
        let veiled = veiled.replace("x\\\\nAna", "<x\\\\nAna>");
        assert_eq!(Json::parse(out.as_bytes()).unwrap().str_of("a"), Some(veiled.as_str()));
        // Elsewhere letters take the place of their escapes, if anything is veiled.
        let (texts, out) = walk(table, r#"{"t":"of Jos\\u00e9: {"}"#).unwrap();
        assert_eq!((texts, out), (vec!["of José: {".to_owned()], r#"{"t":"<of José: {>"}"#.to_owned()));
        let table = Table::parse("t veil").unwrap();
        let same = r#"{"t":"of Jos\\u00e9"}"#;
        let mut request = Json::parse(same.as_bytes()).unwrap();
        let walker = Walker::collect(&table, &NoSeals, false, &mut request).unwrap();
        walker.write(&mut request, vec!["of José".to_owned()]).unwrap();
        assert_eq!(request.write(), same);
        let (texts, out) = walk("d data", r#"{"d":[1234567.0,12.5]}"#).unwrap();
        assert_eq!((texts.concat(), out.as_str()), ("1234567".to_owned(), r#"{"d":[7,12.5]}"#));
    }

    #[test]
    fn sealed_values_beside_texts_go_back_as_they_were() {
        let (texts, out) = walk("d data", r#"{"d":{"encrypted_index":"seal()z","a":"b"}}"#).unwrap();
        assert_eq!(
            (texts.concat(), out.as_str()),
            ("ab".to_owned(), r#"{"d":{"encrypted_index":"z","<a>":"<b>"}}"#)
        );
        // What is not sealed is a text as any other.
        assert_eq!(
            walk("d data", r#"{"d":{"encrypted_index":"Ana"}}"#).unwrap().0,
            ["encrypted_index", "Ana"]
        );
    }

    #[test]
    fn what_no_line_covers_is_refused() {
        let table = "m[].t veil\nk.* pass\np pass\nr refuse\ni media\nx sealed\nc[thinking].type pass\nc[thinking].thinking sealed\nc[thinking].signature sealed";
        for (request, path) in [
            (r#"{"z":1}"#, "z"),
            (r#"{"m":[{"t":"a","u":"b"}]}"#, "m[0].u"),
            (r#"{"m":[{"t":{"deep":"a"}}]}"#, "m[0].t"),
            (r#"{"m":"a"}"#, "m"),
            (r#"{"m":[{"t":7}]}"#, "m[0].t"),
            (r#"{"p":"Ana Lima"}"#, "p"),
            (r#"{"p":"a@b"}"#, "p"),
            (r#"{"p":{}}"#, "p"),
            (r#"{"r":"a"}"#, "r"),
            (r#"{"i":{"url":"a"}}"#, "i"),
            (r#"{"x":"a"}"#, "x"),
            (r#"{"Ana Lima":1}"#, "(a key)"),
            (r#"{"c":[{"type":"thinking","thinking":"a","signature":"b"}]}"#, "c[0]"),
            (r#"{"c":[{"type":"thinking","thinking":"a"}]}"#, "c[0]"),
            (r#"{"c":[{"type":"thinking","signature":"Ana Lima"}]}"#, "c[0].signature"),
            (r#"{"c":[{"type":"thinking","thinking":null,"signature":"Ana Lima"}]}"#, "c[0].signature"),
            (r#"{"k":{"Ana Lima":1}}"#, "k.(a key)"),
            (r#"[]"#, "body"),
        ] {
            assert_eq!(walk(table, request).unwrap_err().path, path, "{request}");
        }
        let sealed = r#"{"c":[{"type":"thinking","thinking":"a","signature":"seal(a)b"}],"r":null,"p":null}"#;
        assert_eq!(walk(table, sealed).unwrap().1, sealed.replace("seal(a)", ""));
    }
}
