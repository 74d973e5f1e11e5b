//! Documents in memory: bytes in, bytes out.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use inkveil_documents::{Document, DocumentFormat, Limits, Purpose};
use inkveil_files::Sha256Sum;
use inkveil_privacy::Receipt;
use inkveil_restore::{ReplacementMap, RestoreOptions, RestoreReport, Restorer};

use super::columns::removed_note;
use super::memory::{MemoryRelease, MemoryText};
use super::observer::Observer;
use crate::error::{Error, ErrorKind};
use crate::explain::ExplainedUnit;

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
    map: &ReplacementMap,
    options: RestoreOptions,
    bytes: &[u8],
    format: DocumentFormat,
) -> Result<(Vec<u8>, RestoreReport), Error> {
    let document = open(bytes, format, Purpose::Keep)?;
    let (restored, report) = Restorer::new(map, options)?.restore_text(document.text());
    Ok((document.written(&restored)?, report))
}

fn open(bytes: &[u8], format: DocumentFormat, purpose: Purpose) -> Result<Document, Error> {
    Ok(Document::open(bytes, format, purpose, &Limits::default())?)
}
