//! The columns of a table: which hold the texts, which are copied, and what a copied one must not hold.
//!
//! If the user names no column, one is chosen by its name. The user has then not said that the other columns may be
//! copied, so their strings are checked before anything is written: a sentence, or something that detection finds, ends
//! the release.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use inkveil_detect::{Detector, Settings, Tier};
use inkveil_error::name_list;
use inkveil_privacy::Receipt;
use inkveil_rows::{ColumnUse, CopiedValue, Texts};

use super::account::lock;
use super::observer::{Notice, Observer};
use crate::error::{Error, ErrorKind};

/// Watches the columns of a release.
#[derive(Default)]
pub(super) struct ColumnWatch {
    told: AtomicBool,
    told_parts: AtomicBool,
    /// Values that were checked. Labels and the like occur in many rows.
    clean: Mutex<BTreeSet<CopiedValue>>,
    /// The rules, for a release without a detector of its own.
    rules: Mutex<Option<Detector>>,
}

/// Values with this many words are texts.
const WORDS: usize = 3;
/// The number of checked values that are kept.
const KEPT: usize = 100_000;

impl ColumnWatch {
    /// Says which column was chosen, once, and checks what is copied.
    ///
    /// # Errors
    /// If a copied column holds texts, or `detector` finds something in it.
    pub(super) fn check(
        &self,
        texts: &Texts,
        detector: Option<&Detector>,
        observer: &dyn Observer,
    ) -> Result<(), Error> {
        self.tell(texts.columns(), observer);
        let unknown: Vec<&CopiedValue> = {
            let clean = lock(&self.clean);
            texts.copied().iter().filter(|copied| !clean.contains(copied)).collect()
        };
        if unknown.is_empty() {
            return Ok(());
        }
        if let Some(text) = unknown.iter().find(|copied| is_text(&copied.value)) {
            return Err(
                ErrorKind::CopiedText { column: name_list(std::slice::from_ref(&text.column)) }.into()
            );
        }
        let values: Vec<&str> = unknown.iter().map(|copied| copied.value.as_str()).collect();
        let found = match detector {
            Some(detector) => detector.detect(&values),
            None => {
                let mut rules = lock(&self.rules);
                let detector = match rules.take() {
                    Some(detector) => detector,
                    None => Detector::open(None, Settings::of(Tier::Rules))?,
                };
                rules.insert(detector).detect(&values)
            }
        }?;
        if let Some((copied, spans)) = unknown.iter().zip(&found).find(|(_, spans)| !spans.is_empty()) {
            let kind = spans.first().map(|span| span.kind.name().to_owned()).unwrap_or_default();
            return Err(ErrorKind::CopiedFinding {
                column: name_list(std::slice::from_ref(&copied.column)),
                kind,
            }
            .into());
        }
        let mut clean = lock(&self.clean);
        if clean.len() + unknown.len() <= KEPT {
            clean.extend(unknown.into_iter().cloned());
        }
        Ok(())
    }

    /// Says which column was chosen, or that a text comes in parts, once.
    pub(super) fn tell(&self, columns: &ColumnUse, observer: &dyn Observer) {
        if columns.parts && !self.told_parts.swap(true, Ordering::Relaxed) {
            observer.notice(&Notice::TextInParts);
        }
        if columns.chosen && !columns.texts.is_empty() && !self.told.swap(true, Ordering::Relaxed) {
            let names = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>();
            let copied = (!columns.copied.is_empty()).then(|| name_list(&names(&columns.copied)));
            observer.notice(&Notice::ColumnChosen { texts: name_list(&names(&columns.texts)), copied });
        }
    }
}

/// Whether a value is a text: several words with letters in them.
fn is_text(value: &str) -> bool {
    let is_word = |word: &&str| word.chars().any(char::is_alphabetic);
    value.split_whitespace().filter(is_word).nth(WORDS - 1).is_some()
}

/// Adds to a receipt which columns hold the texts and which are copied.
pub(super) fn with_columns(receipt: Receipt, columns: &ColumnUse) -> Receipt {
    let list = |names: &BTreeSet<String>| name_list(&names.iter().cloned().collect::<Vec<_>>());
    let mut notes = Vec::new();
    if columns.all {
        notes.push("every string of a row is a text".to_owned());
    } else if !columns.texts.is_empty() {
        let why = if columns.chosen { ", chosen by the name" } else { "" };
        notes.push(format!("texts were read from the column {}{why}", list(&columns.texts)));
    }
    if columns.parts {
        notes.push("long texts were veiled in parts, each as a text of its own".to_owned());
    }
    notes.extend(removed_note(&columns.removed));
    let mut copied = Vec::new();
    if !columns.copied.is_empty() {
        copied.push(format!("the columns {}: they are copied unchanged", list(&columns.copied)));
    }
    match notes.is_empty() && copied.is_empty() {
        true => receipt,
        false => receipt.also_noted(notes).also_not_covered(copied),
    }
}

/// What was removed from documents, in words. None if nothing was.
pub fn removed_in_words(removed: &BTreeMap<String, u64>) -> Option<String> {
    let list: Vec<String> = removed.iter().map(|(what, count)| format!("{what} ({count})")).collect();
    (!list.is_empty()).then(|| list.join(", "))
}

/// The note of a receipt about what was removed.
pub(super) fn removed_note(removed: &BTreeMap<String, u64>) -> Option<String> {
    removed_in_words(removed).map(|list| format!("removed from the document, not veiled: {list}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_texts_and_labels_are_not() {
        for text in ["My knee hurts since Monday.", "la casa blanca", "Привет как дела"] {
            assert!(is_text(text), "{text}");
        }
        for value in ["", "positive", "very good", "10 000 km", "2024-01-02 10:30", "a-b_c.d/e"] {
            assert!(!is_text(value), "{value}");
        }
    }
}
