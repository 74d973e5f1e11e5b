//! The file an attacker is kept in. It has the sensitive words in it: it is as private as the texts.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use inkveil_detect::Span;
use inkveil_eval::Sensitive;
use inkveil_eval::attack::Mlc;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

/// Where the words are in the file's metadata.
const KEY: &str = "inkveil-attacker";

/// The network and what its outputs stand for.
pub(super) fn to_bytes(mlc: &Mlc, sensitive: &Sensitive) -> anyhow::Result<Vec<u8>> {
    let words: Vec<&str> = sensitive.words().iter().map(|word| word.text.as_str()).collect();
    let tensors = mlc.network().tensors();
    let bytes: Vec<Vec<u8>> =
        tensors.iter().map(|(_, _, values)| values.iter().flat_map(|x| x.to_le_bytes()).collect()).collect();
    let mut views = Vec::with_capacity(tensors.len());
    for ((name, shape, _), bytes) in tensors.into_iter().zip(&bytes) {
        views.push((name, TensorView::new(Dtype::F32, shape, bytes)?));
    }
    let note = HashMap::from([(KEY.to_owned(), serde_json::to_string(&words)?)]);
    Ok(safetensors::serialize(views, Some(note))?)
}

/// What the outputs of the attacker in a file stand for.
pub(crate) fn words_of(path: &Path) -> anyhow::Result<Vec<String>> {
    let none = || anyhow!("{}: not an attacker of `inkveil attack vector --save-attacker`", path.display());
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (_, header) = SafeTensors::read_metadata(&bytes).map_err(|_| none())?;
    let words = header.metadata().as_ref().and_then(|all| all.get(KEY)).ok_or_else(none)?;
    serde_json::from_str(words).map_err(|_| none())
}

/// Which outputs are right for each text.
pub(crate) fn answers(
    words: &[String],
    texts: &[&str],
    spans: &[Vec<Span>],
) -> anyhow::Result<Vec<Vec<usize>>> {
    let sensitive = Sensitive::in_spans(texts, spans, 1)?;
    let numbers: HashMap<&str, usize> =
        words.iter().enumerate().map(|(n, word)| (word.as_str(), n)).collect();
    let of_word: Vec<Option<usize>> =
        sensitive.words().iter().map(|word| numbers.get(word.text.as_str()).copied()).collect();
    let of_text = |tokens: &Vec<usize>| tokens.iter().filter_map(|&token| of_word[token]).collect();
    Ok(sensitive.tokens().iter().map(of_text).collect())
}
