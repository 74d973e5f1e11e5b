//! Arbitrary bytes as weights: safetensors, with 8-bit rows among them.
#![no_main]

mod read_weights;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if !bytes.starts_with(b"GGUF") {
        read_weights::read_weights(bytes);
    }
});
