//! Arbitrary bytes as weights: safetensors, with 8-bit rows among them.

pub fn run(bytes: &[u8]) {
    if !bytes.starts_with(b"GGUF") {
        super::read_weights::read_weights(bytes);
    }
}
