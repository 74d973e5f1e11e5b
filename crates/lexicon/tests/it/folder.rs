//! Tiny models in temporary folders.

use std::path::Path;

use safetensors::tensor::{Dtype, TensorView, serialize};
use serde_json::json;
use tempfile::TempDir;

/// Words and pieces of a WordPiece vocabulary; ids are positions.
pub(crate) const TOKENS: [&str; 24] = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[unused0]",
    "the",
    "doctor",
    "nurse",
    "walk",
    "##ing",
    "##s",
    "river",
    "tea",
    "cafe",
    ",",
    ".",
    "!",
    "1",
    "##9",
    "中",
    "e",
    "##e",
    "a",
    "boston",
];

pub(crate) const DIMENSION: usize = 8;

pub(crate) fn id(token: &str) -> u32 {
    TOKENS.iter().position(|known| *known == token).unwrap() as u32
}

/// Writes a model with a WordPiece tokenizer that lower-cases and strips accents.
pub(crate) fn wordpiece() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let vocabulary: serde_json::Map<_, _> =
        TOKENS.iter().enumerate().map(|(id, token)| ((*token).to_owned(), json!(id))).collect();
    let added = |id: usize| {
        json!({"id": id, "content": TOKENS[id], "single_word": false, "lstrip": false, "rstrip": false,
               "normalized": false, "special": true})
    };
    let tokenizer = json!({
        "added_tokens": [added(0), added(1), added(2), added(3)],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                       "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": vocabulary},
    });
    write(folder.path(), "tokenizer.json", tokenizer.to_string().as_bytes());
    write_table(folder.path(), "embeddings.word_embeddings.weight", &rows(TOKENS.len()));
    folder
}

/// Writes a model with a byte-level vocabulary: the 256 bytes, then the merged tokens.
pub(crate) fn byte_level() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let own = |byte: u32| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    let others = (0..256).filter(|byte| !own(*byte)).count() as u32;
    let letters = (0..256).filter(|byte| own(*byte)).chain(256..256 + others);
    let mut tokens: Vec<String> = letters.map(|code| char::from_u32(code).unwrap().to_string()).collect();
    let merges = [("t", "e"), ("te", "a"), ("Ġ", "tea"), ("h", "o"), ("ho", "t"), ("Ġ", "hot")];
    tokens.extend(merges.iter().map(|(left, right)| format!("{left}{right}")));
    let vocabulary: serde_json::Map<_, _> =
        tokens.iter().enumerate().map(|(id, token)| (token.clone(), json!(id))).collect();
    write(folder.path(), "vocab.json", serde_json::Value::Object(vocabulary).to_string().as_bytes());
    let merges: String = merges.iter().map(|(left, right)| format!("{left} {right}\n")).collect();
    write(folder.path(), "merges.txt", format!("#version: 0.2\n{merges}").as_bytes());
    write_table(folder.path(), "wte.weight", &rows(tokens.len()));
    folder
}

/// Pseudo-random numbers that are not zero and have a common part, so that centring has an effect.
pub(crate) fn rows(count: usize) -> Vec<f32> {
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32 - 0.2
    };
    (0..count * DIMENSION).map(|_| next()).collect()
}

pub(crate) fn write_table(folder: &Path, name: &str, rows: &[f32]) {
    let bytes: Vec<u8> = rows.iter().flat_map(|x| x.to_le_bytes()).collect();
    let view = TensorView::new(Dtype::F32, vec![rows.len() / DIMENSION, DIMENSION], &bytes).unwrap();
    write(folder, "model.safetensors", &serialize([(name, view)], None).unwrap());
}

pub(crate) fn write(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(name), bytes).unwrap();
}
