//! The view Write: what is sensitive, the veiled text, the release, and answers.

use std::collections::BTreeMap;

use inkveil::detect::Span;
use inkveil::explain::ExplainedUnit;
use inkveil::release::{TurnPreview, TurnText};
use inkveil::restore::{ReplacementMap, RestoreOptions, Restorer};
use inkveil::{Overrides, Receipt, Treatment};

use super::access::{NAME, caller};
use super::decisions::overrides;
use super::places::Utf16;
use crate::engine::{Engine, Terms};
use crate::error::Failure;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::mode::Mode;
use crate::native::{only, texts};
use crate::secret::ConversationName;

/// The longest text of the page, in bytes.
const LONGEST: usize = 1 << 20;
/// The longest name of a session.
const LONGEST_SESSION: usize = 64;

const FIELDS: &[&str] = &["text", "task", "level", "session", "overrides"];

/// A text of the page, and how it is veiled.
pub(super) struct Draft<'d> {
    pub(super) text: &'d str,
    pub(super) task: Option<&'d str>,
    pub(super) overrides: Overrides,
    pub(super) terms: Terms,
}

impl<'d> Draft<'d> {
    /// Reads a draft.
    ///
    /// # Errors
    /// If a field is missing or wrong, or the text is too long.
    pub(super) fn read(gateway: &Gateway, document: &'d Json) -> Result<Self, Failure> {
        let text =
            document.str_of("text").ok_or_else(|| Failure::bad("text", "give a string in \"text\""))?;
        if text.len() > LONGEST {
            let message = "the page takes texts of at most 1 MB; use `inkveil text --file` for longer ones";
            return Err(Failure::bad("too_long", message));
        }
        let (task, terms) = (task(document), terms(gateway, document)?);
        Ok(Self { text, task, overrides: overrides(document, text)?, terms })
    }

    fn turn(&self) -> TurnText<'d> {
        TurnText { text: self.text, field: None, task: self.task }
    }

    /// Veils the draft for its owner to see.
    pub(super) fn preview(&self, engine: &Engine) -> Result<TurnPreview, Failure> {
        Ok(engine.preview(self.terms.mode, self.turn(), &self.overrides, &self.terms.key)?)
    }
}

fn task(document: &Json) -> Option<&str> {
    document.str_of("task").map(str::trim).filter(|task| !task.is_empty())
}

/// The level as a mode, the key of the session, and the account of the page.
fn terms(gateway: &Gateway, document: &Json) -> Result<Terms, Failure> {
    let mode = match document.str_of("level").unwrap_or("light") {
        "light" => Mode::Surrogates,
        "medium" => Mode::Placeholders,
        "strict" => Mode::Stamp,
        _ => return Err(Failure::bad("level", "levels are light, medium and strict")),
    };
    let session = document.str_of("session").unwrap_or("page");
    if session.len() > LONGEST_SESSION {
        return Err(Failure::bad("session", "the id of a session has at most 64 characters"));
    }
    let page = caller(gateway);
    let wrong = |_| Failure::unavailable("veil_failed", "the key of the conversation cannot be made");
    let name = ConversationName::Session(session.to_owned());
    let key = gateway.secret().conversation(page.id, &name).map_err(wrong)?;
    let account = gateway.runtime().settings.account(Some(NAME), page.id);
    Ok(Terms { mode, key, account, route: NAME })
}

/// Marks what the fast tier finds. It answers within milliseconds, for a person who types.
///
/// # Errors
/// If the document is wrong or detection fails.
pub(super) fn marks(_: &Gateway, engine: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &["text"])?;
    let text = document.str_of("text").unwrap_or_default();
    let places = Utf16::of(text);
    let spans = engine.quick_marks(text)?;
    let mark = |span: &Span| {
        let [start, end] = places.range(&span.range());
        Json::object([
            ("start", Json::count(start)),
            ("end", Json::count(end)),
            ("kind", Json::text(span.kind.name())),
            ("why", Json::text(span.reason.to_string())),
        ])
    };
    Ok(Json::object([("marks", Json::Array(spans.iter().map(mark).collect()))]))
}

/// Veils a text for its owner to see. Nothing leaves, so nothing is charged.
///
/// # Errors
/// If the document is wrong or a model fails.
pub(super) fn veil(gateway: &Gateway, engine: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, FIELDS)?;
    let draft = Draft::read(gateway, document)?;
    let preview = draft.preview(engine)?;
    let (before, after) = (Utf16::of(draft.text), Utf16::of(&preview.text));
    let shown = preview.units.iter().filter(|unit| unit.kind.is_some() || unit.is_changed());
    let changes: Vec<Json> = shown.map(|unit| change(unit, &before, &after)).collect();
    let kept = preview.kept.iter().map(|range| pair(before.range(range)));
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for unit in preview.units.iter().filter(|unit| unit.is_word()) {
        *counts.entry(way(unit)).or_default() += 1;
    }
    let counts = counts.into_iter().map(|(way, count)| (way.to_owned(), Json::count(count)));
    Ok(Json::object([
        ("text", Json::text(preview.text.clone())),
        ("changes", Json::Array(changes)),
        ("kept", Json::Array(kept.collect())),
        ("counts", Json::Object(counts.collect())),
        ("receipt", receipt_json(&preview.receipt)),
    ]))
}

/// What happened to a unit, in one word.
fn way(unit: &ExplainedUnit) -> &'static str {
    match unit.treatment {
        Treatment::Noise if unit.is_changed() => "changed",
        Treatment::Noise => "noised",
        Treatment::Replaced(_) | Treatment::Joined => "replaced",
        Treatment::Kept | Treatment::Punctuation | Treatment::Clitic => "kept",
    }
}

fn pair([start, end]: [u32; 2]) -> Json {
    Json::Array(vec![Json::count(start), Json::count(end)])
}

/// A word with its places in both texts. It holds no text.
fn change(unit: &ExplainedUnit, before: &Utf16, after: &Utf16) -> Json {
    let replacement = unit.replacement.as_ref().map(|new| after.range(&new.range));
    Json::object([
        ("at", pair(before.range(&unit.range))),
        ("to", replacement.map_or(Json::Null, pair)),
        ("kind", unit.kind.as_ref().map_or(Json::Null, |kind| Json::text(kind.name()))),
        ("why", unit.reason.clone().map_or(Json::Null, Json::String)),
        ("way", Json::text(way(unit))),
        ("how", Json::text(unit.outcome())),
        ("relevance", unit.relevance.map_or(Json::Null, |cosine| Json::Number(format!("{cosine:.3}")))),
    ])
}

/// A receipt as JSON, and in words.
pub(super) fn receipt_json(receipt: &Receipt) -> Json {
    let mut json = Json::parse(receipt.to_json().as_bytes()).unwrap_or(Json::Null);
    json.set("in_words", Json::text(receipt.render()));
    json
}

/// Releases a text: it is charged, and may leave.
///
/// # Errors
/// If the document is wrong, a model fails, or a limit would be passed.
pub(super) fn release(gateway: &Gateway, engine: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, FIELDS)?;
    let draft = Draft::read(gateway, document)?;
    let mut released = engine.release(&[draft.turn()], &draft.overrides, &draft.terms)?;
    released.confirm()?;
    let text = released.turns.pop().map(|turn| turn.text).unwrap_or_default();
    let id = gateway.receipts().keep(caller(gateway).id, released.receipt.to_json());
    Ok(Json::object([("text", Json::text(text)), ("receipt", Json::text(id))]))
}

/// Restores an answer to a text that was veiled before. Nothing was stored, so the text is needed again.
///
/// # Errors
/// If the document is wrong or a model fails.
pub(super) fn restore(gateway: &Gateway, engine: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &[FIELDS, &["answer"]].concat())?;
    let answer = document.str_of("answer").unwrap_or_default();
    let pairs = Draft::read(gateway, document)?.preview(engine)?.pairs;
    let originals = originals(&pairs);
    let failed = |_| Failure::unavailable("restore_failed", "the answer could not be restored");
    let restorer = Restorer::new(&pairs, RestoreOptions::default()).map_err(failed)?;
    let (restored, report) = restorer.restore_text(answer);
    Ok(Json::object([
        ("answer", Json::text(restored)),
        ("restored", Json::count(report.restored())),
        ("unsure", Json::count(report.ambiguous().count())),
        ("originals", Json::Array(originals)),
    ]))
}

/// The originals of a map, for the page to mark them in an answer.
fn originals(pairs: &ReplacementMap) -> Vec<Json> {
    let mut originals: Vec<&str> = pairs.pairs().map(|pair| pair.original()).collect();
    originals.sort_unstable();
    originals.dedup();
    originals.into_iter().map(Json::text).collect()
}

/// Releases the cells of a table or the values of JSON lines, together. The page takes them apart and puts them back.
///
/// # Errors
/// If the document is wrong, a model fails, or a limit would be passed.
pub(super) fn table(gateway: &Gateway, engine: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &["texts", "fields", "task", "level", "session", "overrides"])?;
    let (all, terms) = (texts(document)?, terms(gateway, document)?);
    let fields: Vec<Option<&str>> =
        document.get("fields").map_or(&[][..], Json::items).iter().map(Json::as_str).collect();
    if all.iter().map(String::len).sum::<usize>() > LONGEST {
        let message = "the page takes files of at most 1 MB; use `inkveil text --file` for longer ones";
        return Err(Failure::bad("too_long", message));
    }
    // Only decisions about words can hold for many texts.
    let overrides = overrides(document, "")?;
    let turns: Vec<TurnText<'_>> = all
        .iter()
        .enumerate()
        .map(|(index, text)| TurnText {
            text,
            field: fields.get(index).copied().flatten(),
            task: task(document),
        })
        .collect();
    let mut released = engine.release(&turns, &overrides, &terms)?;
    released.confirm()?;
    let changed = released.turns.iter().zip(&all).filter(|(turn, text)| turn.text != **text).count();
    let receipt = receipt_json(&released.receipt);
    gateway.receipts().keep(caller(gateway).id, released.receipt.to_json());
    let texts = released.turns.into_iter().map(|turn| Json::String(turn.text)).collect();
    Ok(Json::object([("texts", Json::Array(texts)), ("changed", Json::count(changed)), ("receipt", receipt)]))
}
