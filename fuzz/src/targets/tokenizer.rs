//! Arbitrary bytes as `tokenizer.json`: what opens gives ranges that are parts of the text.

use inkveil_nn::Tokenizer;

const TEXTS: [&str; 4] = ["", "A quiet town, naïve.", "e\u{301}\u{200b}x 東京 👩‍🚀", "  [SEP]<|im_end|>\r\n\0"];

pub fn run(bytes: &[u8]) {
    let Ok(tokenizer) = Tokenizer::from_json(bytes) else { return };
    for text in TEXTS {
        let Ok(encoding) = tokenizer.encode(text, true) else { continue };
        assert!(encoding.offsets.iter().all(|range| text.get(range.clone()).is_some()));
        assert_eq!(encoding.ids.len(), encoding.word_starts.len());
        let _ = tokenizer.decode(&encoding.ids);
    }
}
