//! The whole text veil on the built-in pack.

#![allow(clippy::unwrap_used)]

mod budgets;
mod clitics;
mod consistent;
mod generated;
mod layout;
mod linked;
mod properties;
mod published;
mod restore;
mod zero;

use std::path::PathBuf;
use std::sync::OnceLock;

use inkveil_lexicon::LexiconKind;
use inkveil_privacy::NoiseKey;
use inkveil_text::{Budget, Budgets, Document, TextSettings, TextVeil, Veiled};

fn pack() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"))
}

fn settings(kind: LexiconKind, budgets: &str) -> TextSettings {
    let mut settings = TextSettings::default();
    settings.lexicon = Some(kind);
    settings.tasks = vec!["What helps against a sore knee?".to_owned()];
    settings.budget = Budget::Each(budgets.parse::<Budgets>().unwrap());
    settings
}

fn open(settings: TextSettings) -> TextVeil {
    TextVeil::open(&pack(), settings).unwrap()
}

/// One veil for each lexicon, shared by many tests.
fn shared(kind: LexiconKind) -> &'static TextVeil {
    static VEILS: [OnceLock<TextVeil>; 2] = [const { OnceLock::new() }; 2];
    VEILS[usize::from(kind == LexiconKind::Words)].get_or_init(|| open(settings(kind, "60,20,140,110")))
}

fn veil<'t>(veil: &TextVeil, text: &'t str, seed: u64) -> Veiled<'t> {
    let key = NoiseKey::insecure_from_seed(seed);
    veil.veil_all(&[Document::new(text)], 0, &key).unwrap().remove(0)
}

const KINDS: [LexiconKind; 2] = [LexiconKind::Subword, LexiconKind::Words];

const LETTER: &str = "Dear Dr. Ines Castro,\n\nmy knee hurts since 3 March 2021, when I fell near Lake Geneva. \
    Please call me at +351 912 345 678 or write to tomas@example.org — 🙂 thanks!\nTomás Reyes";
