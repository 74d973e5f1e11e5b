//! Arbitrary bytes as GGUF: weights, the settings of a model, and its tokenizer.

use inkveil_nn::Tokenizer;
use inkveil_nn::models::LlamaConfig;

pub fn run(bytes: &[u8]) {
    // The first bytes are given, so that the fuzzer need not find them.
    let file = [b"GGUF\x03\0\0\0".as_slice(), bytes].concat();
    if let Some(weights) = super::read_weights::read_weights(&file) {
        if let Ok(config) = LlamaConfig::from_gguf(&weights) {
            assert!(config.heads % config.key_heads == 0 && config.head_width % 2 == 0);
        }
        if let Ok(tokenizer) = Tokenizer::from_gguf(&weights) {
            let _ = tokenizer
                .encode("A quiet town, naïve.", true)
                .map(|encoding| tokenizer.decode(&encoding.ids));
        }
    }
}
