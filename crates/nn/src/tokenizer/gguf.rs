//! The tokenizer in the header of a GGUF file: byte-level BPE, as in GPT-2, SmolLM and Qwen.

use tokenizers::models::bpe::Vocab;
use tokenizers::normalizers::unicode::NFC;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::processors::template::TemplateProcessing;
use tokenizers::tokenizer::normalizer::SplitDelimiterBehavior;
use tokenizers::{AddedToken, PreTokenizerWrapper, Tokenizer};

use super::bpe;
use super::guard::{self, FORMAT};
use crate::weights::gguf::Metadata;
use crate::{Error, ErrorKind, Weights};

/// Qwen's pattern for splitting text into words.
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// The default patterns, applied one after another.
const DEFAULT: [&str; 4] = [
    r"[\p{P}\$\+<=>\^~\|]+",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
    r"\p{N}+",
    r"[0-9][0-9][0-9]",
];
/// The types of tokens that are matched before the text is split.
const CONTROL: i64 = 3;
const USER_DEFINED: i64 = 4;

pub(super) fn read(weights: &Weights) -> Result<Tokenizer, Error> {
    let Some(metadata) = weights.metadata() else {
        return Err(Error::argument(
            "these weights are not a GGUF file and contain no tokenizer; open the folder of the model instead",
        ));
    };
    match metadata.text("tokenizer.ggml.model") {
        Some("gpt2") => {}
        Some(other) => return Err(unsupported(format!("a GGUF tokenizer of type {other:?}"))),
        None => return Err(Error::corrupt(FORMAT, "the GGUF header does not contain one")),
    }
    let missing = |what| Error::corrupt(FORMAT, format!("the GGUF header has no {what}"));
    let tokens = metadata.texts("tokenizer.ggml.tokens")?.ok_or_else(|| missing("tokens"))?;
    let merges = metadata.texts("tokenizer.ggml.merges")?.ok_or_else(|| missing("merges"))?;
    let vocabulary: Vocab = (0..).zip(&tokens).map(|(id, &token)| (token.to_owned(), id)).collect();
    if vocabulary.len() != tokens.len() {
        return Err(Error::corrupt(FORMAT, "a token occurs twice"));
    }
    let mut tokenizer = bpe::byte_level(vocabulary, merges.into_iter())?;
    split(&mut tokenizer, metadata.text("tokenizer.ggml.pre").unwrap_or("default"))?;
    add_tokens(&mut tokenizer, metadata, &tokens)?;
    surround(&mut tokenizer, metadata, &tokens)?;
    Ok(tokenizer)
}

/// Sets the word splitter, which the header gives by name.
fn split(tokenizer: &mut Tokenizer, name: &str) -> Result<(), Error> {
    let bytes = |use_regex| PreTokenizerWrapper::ByteLevel(ByteLevel::new(false, false, use_regex));
    let pattern = |pattern: &str| {
        let pattern = SplitPattern::Regex(pattern.to_owned());
        guard::build(|| Split::new(pattern, SplitDelimiterBehavior::Isolated, false))
            .map(PreTokenizerWrapper::Split)
    };
    let parts = match name {
        "gpt-2" => vec![bytes(true)],
        "smollm" => vec![PreTokenizerWrapper::Digits(Digits::new(true)), bytes(true)],
        "qwen2" => vec![pattern(QWEN2)?, bytes(false)],
        "default" => {
            let mut parts = DEFAULT.iter().map(|&text| pattern(text)).collect::<Result<Vec<_>, _>>()?;
            parts.push(bytes(false));
            parts
        }
        other => return Err(unsupported(format!("a GGUF tokenizer that splits words as {other:?}"))),
    };
    tokenizer.with_pre_tokenizer(Some(Sequence::new(parts)));
    if name == "qwen2" {
        guard::build(|| tokenizer.with_normalizer(Some(NFC)).map(drop))?;
    }
    Ok(())
}

fn add_tokens(tokenizer: &mut Tokenizer, metadata: &Metadata, tokens: &[&str]) -> Result<(), Error> {
    let types = metadata.integers("tokenizer.ggml.token_type")?.unwrap_or_default();
    let of_type = |wanted: i64| {
        let special = wanted == CONTROL;
        let typed = tokens.iter().zip(&types).filter(move |&(_, &found)| found == wanted);
        typed.map(move |(&token, _)| AddedToken::from(token, special).normalized(false))
    };
    guard::build(|| tokenizer.add_special_tokens(of_type(CONTROL)))?;
    guard::build(|| tokenizer.add_tokens(of_type(USER_DEFINED)))?;
    Ok(())
}

/// Sets the tokens to add before and after a text.
fn surround(tokenizer: &mut Tokenizer, metadata: &Metadata, tokens: &[&str]) -> Result<(), Error> {
    let token = |name: &str| {
        if !metadata.flag(&format!("tokenizer.ggml.add_{name}_token")).unwrap_or(false) {
            return Ok(None);
        }
        let id = metadata.unsigned(&format!("tokenizer.ggml.{name}_token_id"));
        let id = id.and_then(|id| u32::try_from(id).ok());
        let found = id.and_then(|id| Some((tokens.get(id as usize)?.to_string(), id)));
        found.map(Some).ok_or_else(|| {
            Error::corrupt(FORMAT, format!("it adds a {name} token that is not in its vocabulary"))
        })
    };
    let (before, after) = (token("bos")?, token("eos")?);
    if before.is_none() && after.is_none() {
        return Ok(());
    }
    // The template needs names, and a token's text may be anything.
    let mut template = vec!["$A".to_owned()];
    let mut special = Vec::new();
    if let Some((text, id)) = before {
        template.insert(0, "BOS".to_owned());
        special.push(("BOS".to_owned(), id, text));
    }
    if let Some((text, id)) = after {
        template.push("EOS".to_owned());
        special.push(("EOS".to_owned(), id, text));
    }
    let processing = guard::build(|| {
        let special = special
            .into_iter()
            .map(|(name, id, text)| {
                tokenizers::processors::template::SpecialToken::new(name, vec![id], vec![text])
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| e.to_string())?;
        TemplateProcessing::builder()
            .try_single(template)?
            .special_tokens(special)
            .build()
            .map_err(|e| e.to_string())
    })?;
    tokenizer.with_post_processor(Some(processing));
    Ok(())
}

fn unsupported(what: String) -> Error {
    let advice = "use a model with byte-level BPE (GPT-2, SmolLM, Qwen), or the tokenizer.json of the model";
    ErrorKind::Unsupported { what, advice }.into()
}
