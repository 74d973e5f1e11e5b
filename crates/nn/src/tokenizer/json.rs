//! The file `tokenizer.json`.
//!
//! The file is parsed here and its parts are passed to the library, for two reasons. The library
//! would read a model into a tree of values and copy it twice, which takes longer than everything
//! else together. And it does not check merges.

use serde::Deserialize;
use serde_json::value::RawValue;
use tokenizers::models::unigram::Unigram;
use tokenizers::models::wordlevel::WordLevel;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::{
    AddedToken, DecoderWrapper, ModelWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper,
    Tokenizer,
};

use super::guard::FORMAT;
use super::{bpe, guard};
use crate::{Error, ErrorKind};

#[derive(Deserialize)]
struct TokenizerFile<'a> {
    #[serde(default)]
    added_tokens: Vec<AddedEntry>,
    #[serde(borrow)]
    normalizer: Option<&'a RawValue>,
    #[serde(borrow)]
    pre_tokenizer: Option<&'a RawValue>,
    #[serde(borrow)]
    post_processor: Option<&'a RawValue>,
    #[serde(borrow)]
    decoder: Option<&'a RawValue>,
    #[serde(borrow)]
    model: &'a RawValue,
}

/// A token that is matched before the text is split.
#[derive(Deserialize)]
struct AddedEntry {
    id: u32,
    #[serde(flatten)]
    token: AddedToken,
}

#[derive(Deserialize)]
struct ModelType {
    #[serde(rename = "type")]
    kind: Option<String>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Tokenizer, Error> {
    let text = std::str::from_utf8(bytes).map_err(|_| Error::corrupt(FORMAT, "it is not UTF-8"))?;
    let file: TokenizerFile<'_> = guard::parse_json(text)?;
    let mut tokenizer = Tokenizer::new(model(file.model.get())?);
    let normalizer: Option<NormalizerWrapper> = part(file.normalizer)?;
    guard::build(|| tokenizer.with_normalizer(normalizer).map(drop))?;
    tokenizer.with_pre_tokenizer(part::<PreTokenizerWrapper>(file.pre_tokenizer)?);
    tokenizer.with_post_processor(part::<PostProcessorWrapper>(file.post_processor)?);
    tokenizer.with_decoder(part::<DecoderWrapper>(file.decoder)?);
    add(&mut tokenizer, file.added_tokens)?;
    Ok(tokenizer)
}

fn model(text: &str) -> Result<ModelWrapper, Error> {
    let kind = guard::parse_json::<ModelType>(text)?.kind;
    Ok(match kind.as_deref() {
        Some("BPE") => ModelWrapper::BPE(bpe::from_json(text)?),
        Some("WordPiece") => ModelWrapper::WordPiece(guard::parse_json::<WordPiece>(text)?),
        Some("WordLevel") => ModelWrapper::WordLevel(guard::parse_json::<WordLevel>(text)?),
        Some("Unigram") => ModelWrapper::Unigram(guard::parse_json::<Unigram>(text)?),
        _ => {
            return Err(ErrorKind::Unsupported {
                what: "a tokenizer model of an unknown type".to_owned(),
                advice: "use one of type BPE, WordPiece, WordLevel or Unigram",
            }
            .into());
        }
    })
}

/// Adds tokens. The library numbers them itself, so their ids are compared with the file.
fn add(tokenizer: &mut Tokenizer, added: Vec<AddedEntry>) -> Result<(), Error> {
    let wanted: Vec<(String, u32)> =
        added.iter().map(|added| (added.token.content.clone(), added.id)).collect();
    guard::build(|| tokenizer.add_tokens(added.into_iter().map(|added| added.token)))?;
    for (position, (token, id)) in wanted.iter().enumerate() {
        if tokenizer.token_to_id(token) != Some(*id) {
            return Err(Error::corrupt(
                FORMAT,
                format!("the added token {position} does not get its id {id}"),
            ));
        }
    }
    Ok(())
}

fn part<T: for<'a> Deserialize<'a>>(text: Option<&RawValue>) -> Result<Option<T>, Error> {
    text.map(|text| guard::parse_json(text.get())).transpose()
}
