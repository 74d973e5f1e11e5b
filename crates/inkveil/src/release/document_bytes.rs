//! Documents in memory: bytes in, bytes out.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use inkveil_detect::Span;
use inkveil_documents::{Document, DocumentFormat, Limits, Purpose};
use inkveil_files::Sha256Sum;
use inkveil_privacy::{NoiseKey, Receipt};
use inkveil_restore::{ReplacementMap, RestoreReport, Restorer};

use super::account::Account;
use super::columns::removed_note;
use super::memory::{MemoryRelease, MemoryText};
use super::observer::Observer;
use super::turns::{TurnText, Turns};
use crate::error::{Error, ErrorKind};
use crate::explain::ExplainedUnit;
use crate::overrides::Overrides;

/// A document that was released.
pub struct ReleasedDocument {
    /// The document. A PDF is a new, flat document with the same text.
    pub bytes: Vec<u8>,
    /// The media type of the bytes.
    pub media_type: &'static str,
    /// The usual extension of such a file.
    pub extension: &'static str,
    /// The veiled text.
    pub text: String,
    /// Its receipt, with the checksum of the bytes and what was removed.
    pub receipt: Receipt,
    /// What was removed, and how often.
    pub removed: BTreeMap<String, u64>,
    /// What is sensitive or was changed, by places in the text of the original and in the veiled text. It holds no text.
    pub changes: Vec<ExplainedUnit>,
    /// Its replacements, if the veil's replacements can be restored. **Private**: it holds originals.
    pub pairs: ReplacementMap,
}

impl std::fmt::Debug for ReleasedDocument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReleasedDocument({} bytes)", self.bytes.len())
    }
}

/// The text of a document as it is veiled. **Private.**
pub struct DocumentText {
    /// The text: paragraphs with a blank line between them, cells of a row with a tab.
    pub text: String,
    /// What a release removes, and how often.
    pub removed: BTreeMap<String, u64>,
}

impl std::fmt::Debug for DocumentText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DocumentText({} bytes)", self.text.len())
    }
}

fn removed_of(document: &Document) -> BTreeMap<String, u64> {
    document.removed().iter().map(|(what, count)| (what.to_owned(), count)).collect()
}

/// Veils a document and charges it. The whole document is one text, so a person has one identity in all of it.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::AtomicBool;
/// use inkveil::documents::{DocumentFormat, veil};
/// use inkveil::release::{Account, MemoryRelease, Silent};
/// use inkveil::{NoiseKey, Veil};
///
/// let release =
///     MemoryRelease::open(Arc::new(Veil::text().build()?), NoiseKey::fresh()?, &Account::none(), "letters")?;
/// let page = b"<p>I am <b>Ana</b> Lima from Porto.</p><!-- draft -->";
/// let released = veil(&release, page, DocumentFormat::Html, None, &Silent, &AtomicBool::new(false))?;
/// let html = String::from_utf8_lossy(&released.bytes);
/// assert!(html.starts_with("<p>I am <b>") && !html.contains("Lima") && !html.contains("draft"));
/// assert_eq!(released.removed["comments"], 1);
/// # Ok::<(), inkveil::Error>(())
/// ```
///
/// # Errors
/// If the bytes are no document of this format, a model fails, or a limit would be passed. Nothing may leave then.
pub fn veil(
    release: &MemoryRelease,
    bytes: &[u8],
    format: DocumentFormat,
    task: Option<&str>,
    observer: &dyn Observer,
    cancel: &AtomicBool,
) -> Result<ReleasedDocument, Error> {
    let document = open(bytes, format, Purpose::Release)?;
    let text = MemoryText { task, ..MemoryText::new(document.text()) };
    let released = release.release(&[text], observer, cancel)?;
    let veiled = released.texts.into_iter().next().ok_or(ErrorKind::Bug("a document got lost"))?;
    let written = document.written(&veiled.text)?;
    let removed = removed_of(&document);
    let sum = Sha256Sum::of(&written).to_string();
    let receipt = release.veil().receipt(&released.tally, Some(sum), release.key())?;
    Ok(ReleasedDocument {
        bytes: written,
        media_type: format.media_type(),
        extension: format.extension(),
        receipt: receipt.also_noted(removed_note(&removed)),
        text: veiled.text,
        removed,
        changes: veiled.changes,
        pairs: veiled.pairs,
    })
}

/// Where the text of a document is searched.
pub type FindInDocument<'f> = dyn Fn(TurnText<'_>) -> Result<Vec<Span>, Error> + 'f;

/// Veils a document as a text of a conversation, with decisions of its owner about single words, and charges it. The
/// places of decisions are those of the document's [text](text()).
///
/// # Errors
/// As [`veil`], and if a decision is about a place that is not in the text.
pub fn veil_decided(
    turns: &Turns,
    (bytes, format): (&[u8], DocumentFormat),
    task: Option<&str>,
    find: &FindInDocument<'_>,
    (overrides, key): (&Overrides, &NoiseKey),
    (account, dataset): (&Account, &str),
) -> Result<ReleasedDocument, Error> {
    let document = open(bytes, format, Purpose::Release)?;
    let turn = TurnText { text: document.text(), field: None, task };
    let spans = find(turn)?;
    let preview = turns.preview(turn, spans.clone(), overrides, key)?;
    let mut released = turns.release_with(&[turn], vec![spans], overrides, key, account, dataset)?;
    let veiled = released.turns.pop().ok_or(ErrorKind::Bug("a document got lost"))?;
    let written = document.written(&veiled.text)?;
    released.confirm()?;
    let removed = removed_of(&document);
    let is_shown = |unit: &ExplainedUnit| unit.kind.is_some() || unit.is_changed();
    Ok(ReleasedDocument {
        bytes: written,
        media_type: format.media_type(),
        extension: format.extension(),
        receipt: released.receipt.also_noted(removed_note(&removed)),
        text: veiled.text,
        removed,
        changes: preview.units.into_iter().filter(is_shown).collect(),
        pairs: veiled.pairs,
    })
}

/// Returns the text of a document as a release reads it, for detection and for measures of style.
///
/// # Errors
/// If the bytes are no document of this format.
pub fn text(bytes: &[u8], format: DocumentFormat) -> Result<DocumentText, Error> {
    let document = open(bytes, format, Purpose::Release)?;
    Ok(DocumentText { text: document.text().to_owned(), removed: removed_of(&document) })
}

/// Restores the originals in a document that quotes replacements. Nothing else in it changes. **Private**: the result holds
/// originals.
///
/// # Errors
/// If the bytes are no document of this format, or if it is a PDF, which cannot be changed in place.
pub fn restore(
    restorer: &Restorer,
    bytes: &[u8],
    format: DocumentFormat,
) -> Result<(Vec<u8>, RestoreReport), Error> {
    let document = open(bytes, format, Purpose::Keep)?;
    let (restored, report) = restorer.restore_text(document.text());
    Ok((document.written(&restored)?, report))
}

fn open(bytes: &[u8], format: DocumentFormat, purpose: Purpose) -> Result<Document, Error> {
    Ok(Document::open(bytes, format, purpose, &Limits::default())?)
}
