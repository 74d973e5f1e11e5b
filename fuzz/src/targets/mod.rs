//! The targets.

mod concepts;
mod config;
mod conversions;
mod detect;
mod detect_fast;
mod documents;
mod entities;
mod epsilon;
mod gazetteer;
mod gguf;
mod index_page;
mod jsonl;
mod ledger;
mod manifest;
mod map;
mod mask;
mod memory;
mod notation;
mod npy;
mod parquet;
mod read_weights;
mod receipt;
mod records;
mod restore;
mod round_trip;
mod safetensors;
mod settings;
mod style;
mod tokenizer;
mod veil;
mod weights_safetensors;

use std::path::{Path, PathBuf};

/// A target: a function that panics if something is wrong with what it makes of the bytes.
pub type Target = fn(&[u8]);

/// All targets by their names.
pub const TARGETS: &[(&str, Target)] = &[
    ("concepts", concepts::run),
    ("config", config::run),
    ("conversions", conversions::run),
    ("detect", detect::run),
    ("detect_fast", detect_fast::run),
    ("document_chat", documents::chat),
    ("document_docx", documents::docx),
    ("document_html", documents::html),
    ("document_mail", documents::mail),
    ("document_markdown", documents::markdown),
    ("document_odf", documents::odf),
    ("document_pdf", documents::pdf),
    ("document_pptx", documents::pptx),
    ("document_xlsx", documents::xlsx),
    ("entities", entities::run),
    ("epsilon", epsilon::run),
    ("gazetteer", gazetteer::run),
    ("gguf", gguf::run),
    ("index_page", index_page::run),
    ("jsonl", jsonl::run),
    ("ledger", ledger::run),
    ("manifest", manifest::run),
    ("map", map::run),
    ("mask", mask::run),
    ("memory", memory::run),
    ("notation", notation::run),
    ("npy", npy::run),
    ("parquet", parquet::run),
    ("receipt", receipt::run),
    ("records", records::run),
    ("restore", restore::run),
    ("safetensors", safetensors::run),
    ("settings", settings::run),
    ("style", style::run),
    ("tokenizer", tokenizer::run),
    ("veil", veil::run),
    ("weights_safetensors", weights_safetensors::run),
];

/// Separates the parts of an input.
const BORDER: char = '\0';

/// The folder of the pack `en`.
fn pack() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/en");
    std::env::var_os("INKVEIL_FUZZ_PACK").map_or_else(own, PathBuf::from)
}

/// Whether a text is one JSON value.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}
