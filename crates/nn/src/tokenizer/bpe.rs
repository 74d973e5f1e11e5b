//! Byte pair encoding, as in GPT-2.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{AddedToken, Tokenizer};

use super::guard::{self, FORMAT};
use crate::Error;

/// GPT-2's token for the end of a text.
const END_OF_TEXT: &str = "<|endoftext|>";

/// The BPE model in a `tokenizer.json`.
#[derive(Deserialize)]
struct BpeModel<'a> {
    vocab: Vocab,
    #[serde(borrow)]
    merges: Vec<Merge<'a>>,
    unk_token: Option<String>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
    #[serde(default)]
    fuse_unk: bool,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(default)]
    ignore_merges: bool,
}

pub(super) fn from_json(text: &str) -> Result<BPE, Error> {
    let model: BpeModel<'_> = guard::parse_json(text)?;
    let prefix = model.continuing_subword_prefix.as_deref().unwrap_or("");
    let merges = model.merges.iter().map(|merge| (merge.left.as_ref(), merge.right.as_ref()));
    let merges = checked_merges(merges, &model.vocab, prefix)?;
    let mut builder = BPE::builder()
        .fuse_unk(model.fuse_unk)
        .byte_fallback(model.byte_fallback)
        .ignore_merges(model.ignore_merges);
    // A missing value and null mean the same, but an empty text would be something else.
    if let Some(token) = model.unk_token {
        builder = builder.unk_token(token);
    }
    if let Some(prefix) = model.continuing_subword_prefix {
        builder = builder.continuing_subword_prefix(prefix);
    }
    if let Some(suffix) = model.end_of_word_suffix {
        builder = builder.end_of_word_suffix(suffix);
    }
    guard::build(|| builder.vocab_and_merges(model.vocab, merges).build())
}

/// Builds GPT-2's tokenizer from `vocab.json` and `merges.txt`.
pub(super) fn gpt2(vocabulary: &[u8], merges: &[u8]) -> Result<Tokenizer, Error> {
    let utf8 = |bytes| std::str::from_utf8(bytes).map_err(|_| Error::corrupt(FORMAT, "it is not UTF-8"));
    let vocabulary: Vocab = guard::parse_json(utf8(vocabulary)?)?;
    let lines = utf8(merges)?.lines().filter(|line| !line.is_empty() && !line.starts_with("#version"));
    let mut tokenizer = byte_level(vocabulary, lines)?;
    tokenizer.with_pre_tokenizer(Some(ByteLevel::new(false, false, true)));
    if tokenizer.token_to_id(END_OF_TEXT).is_some() {
        guard::build(|| tokenizer.add_special_tokens([AddedToken::from(END_OF_TEXT, true)]))?;
    }
    Ok(tokenizer)
}

/// Builds a byte-level tokenizer without a word splitter. Merges are pairs of tokens separated by a
/// space.
pub(super) fn byte_level<'a>(
    vocabulary: Vocab,
    merges: impl Iterator<Item = &'a str>,
) -> Result<Tokenizer, Error> {
    let pairs = merges.map(|line| line.split_once(' ').unwrap_or((line, "")));
    let merges = checked_merges(pairs, &vocabulary, "")?;
    let model = guard::build(|| BPE::builder().vocab_and_merges(vocabulary, merges).build())?;
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.with_decoder(Some(ByteLevel::default()));
    Ok(tokenizer)
}

/// Checks merges, because the library copies them into a buffer without a check: both halves and
/// the whole must be tokens. All but the first half carry the `prefix`, which the whole contains
/// once.
fn checked_merges<'a>(
    pairs: impl Iterator<Item = (&'a str, &'a str)>,
    vocabulary: &Vocab,
    prefix: &str,
) -> Result<Vec<(String, String)>, Error> {
    let mut whole = String::new();
    let check = |(position, (left, right)): (usize, (&str, &str))| {
        let rest = right.strip_prefix(prefix).filter(|rest| !rest.is_empty() && !left.is_empty());
        whole.clear();
        whole.push_str(left);
        whole.push_str(rest.unwrap_or_default());
        let known = |token: &str| vocabulary.contains_key(token);
        match rest.is_some() && known(left) && known(right) && known(&whole) {
            true => Ok((left.to_owned(), right.to_owned())),
            false => Err(Error::corrupt(
                FORMAT,
                format!("merge {} does not join two tokens into a third one", position + 1),
            )),
        }
    };
    pairs.enumerate().map(check).collect()
}

/// A merge: a pair or, in older files, one text with a space in it.
struct Merge<'a> {
    left: Cow<'a, str>,
    right: Cow<'a, str>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Merge<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MergeVisitor)
    }
}

struct MergeVisitor;

impl<'de> Visitor<'de> for MergeVisitor {
    type Value = Merge<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("two tokens")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        let (left, right) =
            text.split_once(' ').ok_or_else(|| E::custom("a merge does not consist of two tokens"))?;
        Ok(Merge { left: left.into(), right: right.into() })
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        let (left, right) =
            text.split_once(' ').ok_or_else(|| E::custom("a merge does not consist of two tokens"))?;
        Ok(Merge { left: left.to_owned().into(), right: right.to_owned().into() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> Result<Self::Value, A::Error> {
        let mut next = || pair.next_element::<BorrowedText<'de>>();
        match (next()?, next()?, next()?) {
            (Some(left), Some(right), None) => Ok(Merge { left: left.0, right: right.0 }),
            _ => Err(A::Error::custom("a merge does not consist of two tokens")),
        }
    }
}

/// A text that is borrowed from the file unless it contains escapes.
#[derive(Deserialize)]
struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    const VOCABULARY: &str = r#"{"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġab": 4, "<|endoftext|>": 5}"#;

    fn json(merges: &str, more: &str) -> String {
        format!(r#"{{"type": "BPE", "vocab": {VOCABULARY}, "merges": {merges} {more}}}"#)
    }

    #[test]
    fn both_spellings_of_merges_are_read() {
        for merges in
            [r#"["a b", "Ġ ab"]"#, r#"[["a", "b"], ["\u0120", "ab"]]"#, r#"["\u0061 b", ["Ġ", "ab"]]"#]
        {
            assert!(from_json(&json(merges, "")).is_ok(), "{merges}");
        }
    }

    #[test]
    fn invalid_merges_are_errors() {
        for merges in [
            r#"["a"]"#,
            r#"["b a"]"#,
            r#"[["a"]]"#,
            r#"[["a", "b", "c"]]"#,
            r#"[["a", ""]]"#,
            r#"["ab Ġab"]"#,
        ] {
            assert!(from_json(&json(merges, "")).is_err(), "{merges}");
        }
        // The prefix is longer than the token.
        assert!(from_json(&json(r#"["a b"]"#, r#", "continuing_subword_prefix": "long""#)).is_err());
        assert!(gpt2(VOCABULARY.as_bytes(), b"a b\nb\n").is_err());
        assert!(gpt2(b"[]", b"").is_err());
    }

    #[test]
    fn gpt2_is_read_from_two_files() {
        let tokenizer = gpt2(VOCABULARY.as_bytes(), "#version: 0.2\na b\nĠ ab\n".as_bytes()).unwrap();
        let encoding = tokenizer.encode("ab ab", false).unwrap();
        assert_eq!(encoding.get_ids(), [2, 4]);
        assert_eq!(tokenizer.decode(&[2, 4, 5], true).unwrap(), "ab ab");
    }
}
