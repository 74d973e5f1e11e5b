//! Writes an untrained language model of one layer, in the usual folder layout.

use std::path::Path;

use inkveil::nn::models::{Llama, LlamaConfig};
use inkveil::nn::train::save_weights;
use inkveil::nn::{Device, Scope};
use serde_json::{Map, Value, json};

/// The control tokens of ChatML, after the 256 bytes.
const CONTROLS: [&str; 3] = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];

pub(crate) fn write(folder: &Path) {
    std::fs::create_dir(folder).unwrap();
    let config = json!({
        "model_type": "llama", "vocab_size": 300, "hidden_size": 16, "intermediate_size": 24,
        "num_hidden_layers": 1, "num_attention_heads": 2, "max_position_embeddings": 4096,
        "rms_norm_eps": 1e-5, "tie_word_embeddings": true,
    });
    std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
    std::fs::write(folder.join("tokenizer.json"), tokenizer().to_string()).unwrap();
    let scope = Scope::trainable(None, &Device::Cpu, 1);
    Llama::new(&scope, &LlamaConfig::from_json(config.to_string().as_bytes()).unwrap()).unwrap();
    save_weights(&folder.join("model.safetensors"), &scope.variables()).unwrap();
}

/// Returns a tokenizer with one token per byte.
fn tokenizer() -> Value {
    // GPT-2 writes visible bytes as themselves and the others as letters after 255.
    let visible = |byte: u32| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let mut next = 256;
    let mut vocabulary = Map::new();
    for byte in 0..256 {
        let letter = if visible(byte) { byte } else { next };
        next += u32::from(!visible(byte));
        vocabulary.insert(char::from_u32(letter).unwrap().to_string(), byte.into());
    }
    let control = |(id, control): (usize, &str)| {
        json!({
            "id": id + 256, "content": control, "special": true, "single_word": false,
            "lstrip": false, "rstrip": false, "normalized": false,
        })
    };
    let controls: Vec<Value> = CONTROLS.into_iter().enumerate().map(control).collect();
    let level =
        json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": true});
    json!({
        "added_tokens": controls,
        "model": {"type": "BPE", "vocab": vocabulary, "merges": []},
        "pre_tokenizer": level, "decoder": level,
    })
}
