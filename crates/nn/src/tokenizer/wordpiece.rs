//! BERT's tokenizer from `vocab.txt`.

use serde::Deserialize;
use tokenizers::models::bpe::Vocab;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::bert::BertProcessing;
use tokenizers::{AddedToken, Tokenizer, decoders};

use super::guard::{self, FORMAT};
use crate::{Error, ErrorKind};

/// The settings in `tokenizer_config.json`.
#[derive(Deserialize)]
struct BertTokenizerSettings {
    #[serde(default = "yes")]
    do_lower_case: bool,
    strip_accents: Option<bool>,
    #[serde(default = "yes")]
    tokenize_chinese_chars: bool,
}

fn yes() -> bool {
    true
}

/// Builds BERT's tokenizer. `vocabulary` has one token per line in the order of ids; `settings` is
/// the text of `tokenizer_config.json`.
pub(super) fn bert(vocabulary: &[u8], settings: Option<&[u8]>) -> Result<Tokenizer, Error> {
    let utf8 = |bytes| std::str::from_utf8(bytes).map_err(|_| Error::corrupt(FORMAT, "it is not UTF-8"));
    let settings: BertTokenizerSettings = guard::parse_json(settings.map(utf8).transpose()?.unwrap_or("{}"))?;
    let lines = utf8(vocabulary)?.lines();
    let vocabulary: Vocab = (0..).zip(lines).map(|(id, token)| (token.to_owned(), id)).collect();
    let model = guard::build(|| WordPiece::builder().vocab(vocabulary).build())?;

    let mut tokenizer = Tokenizer::new(model);
    let normalizer = BertNormalizer::new(
        true,
        settings.tokenize_chinese_chars,
        settings.strip_accents,
        settings.do_lower_case,
    );
    guard::build(|| tokenizer.with_normalizer(Some(normalizer)).map(drop))?;
    tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
    tokenizer.with_decoder(Some(decoders::wordpiece::WordPiece::default()));
    let id = |token: &str| {
        let id = tokenizer.token_to_id(token);
        let what = || format!("a vocabulary without {token}");
        id.ok_or_else(|| ErrorKind::Unsupported {
            what: what(),
            advice: "use the tokenizer.json of the model",
        })
    };
    let processing =
        BertProcessing::new(("[SEP]".to_owned(), id("[SEP]")?), ("[CLS]".to_owned(), id("[CLS]")?));
    tokenizer.with_post_processor(Some(processing));
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
    let present = special.into_iter().filter(|token| tokenizer.token_to_id(token).is_some());
    let special: Vec<AddedToken> = present.map(|token| AddedToken::from(token, true)).collect();
    guard::build(|| tokenizer.add_special_tokens(special))?;
    Ok(tokenizer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOCABULARY: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ninn\n##s\nInn\n";

    #[test]
    fn lower_case_is_a_setting() {
        let ids = |settings: Option<&[u8]>| {
            let tokenizer = bert(VOCABULARY.as_bytes(), settings).unwrap();
            tokenizer.encode("Inns", true).unwrap().get_ids().to_vec()
        };
        assert_eq!(ids(None), [2, 5, 6, 3]);
        assert_eq!(ids(Some(br#"{"do_lower_case": false}"#)), [2, 7, 6, 3]);
    }

    #[test]
    fn a_vocabulary_needs_its_special_tokens() {
        assert!(bert(b"[UNK]\n[CLS]\na\n", None).is_err());
        assert!(bert(VOCABULARY.as_bytes(), Some(b"[]")).is_err());
    }
}
