//! A small untrained model of two layers, in a folder with the layout of real models.

use std::path::Path;

use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::train::save_weights;
use inkveil_nn::{Device, Init, Scope};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// The control tokens of ChatML, with ids after the 256 bytes.
pub(crate) const CONTROLS: [&str; 3] = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
/// The context length of the model in tokens.
pub(crate) const CONTEXT: usize = 400;

/// A tokenizer with one token per byte, and these control tokens.
pub(crate) fn bytes(controls: &[&str]) -> Value {
    // GPT-2's mapping of bytes to letters: printable bytes map to themselves, the others to letters
    // after 255.
    let visible = |byte: u32| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let mut next = 256;
    let mut vocabulary = Map::new();
    for byte in 0..256 {
        let letter = if visible(byte) { byte } else { next };
        next += u32::from(!visible(byte));
        vocabulary.insert(char::from_u32(letter).unwrap().to_string(), byte.into());
    }
    let level =
        json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": true});
    json!({
        "added_tokens": added(controls, 256),
        "model": {"type": "BPE", "vocab": vocabulary, "merges": []},
        "pre_tokenizer": level, "decoder": level,
    })
}

/// A tokenizer of whole words that include the control tokens. No chat model has such a tokenizer.
pub(crate) fn words() -> Value {
    let words = ["unknown", "system", "user", "assistant"].into_iter().chain(CONTROLS);
    let vocabulary: Map<String, Value> =
        words.enumerate().map(|(id, word)| (word.to_owned(), id.into())).collect();
    json!({
        "added_tokens": added(&CONTROLS, 4),
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "unknown"},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
    })
}

fn added(controls: &[&str], first: usize) -> Vec<Value> {
    let control = |(id, control): (usize, &&str)| {
        json!({
            "id": id + first, "content": control, "special": true, "single_word": false,
            "lstrip": false, "rstrip": false, "normalized": false,
        })
    };
    controls.iter().enumerate().map(control).collect()
}

/// Writes a model of a type (`llama`, `qwen2`) with this tokenizer.
pub(crate) fn write(kind: &str, tokenizer: &Value) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = json!({
        "model_type": kind, "vocab_size": 256 + CONTROLS.len(), "hidden_size": 16, "intermediate_size": 24,
        "num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": CONTEXT,
        "rms_norm_eps": 1e-5, "tie_word_embeddings": true,
    });
    let file =
        |name: &str, value: &Value| std::fs::write(folder.path().join(name), value.to_string()).unwrap();
    file("config.json", &config);
    file("tokenizer.json", tokenizer);
    write_weights(&folder.path().join("model.safetensors"), &config);
    folder
}

fn write_weights(path: &Path, config: &Value) {
    let scope = Scope::trainable(None, &Device::Cpu, 1);
    Llama::new(&scope, &LlamaConfig::from_json(config.to_string().as_bytes()).unwrap()).unwrap();
    save_weights(path, &scope.variables()).unwrap();
}

/// Writes adapters of rank 1 for the first layer. With strength 0 they change nothing.
pub(crate) fn write_adapters(path: &Path, strength: f64) {
    let scope = Scope::trainable(None, &Device::Cpu, 2);
    let adapter = scope.enter("model").enter("layers").enter(0).enter("mlp").enter("down_proj");
    adapter.enter("lora_A").get("weight", &[1, 24], Init::Normal { std: 1.0 }).unwrap();
    adapter.enter("lora_B").get("weight", &[16, 1], Init::Normal { std: strength }).unwrap();
    save_weights(path, &scope.variables()).unwrap();
}
