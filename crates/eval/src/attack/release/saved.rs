//! Attackers in files. A file contains the sensitive words, so it is as private as the texts.

use std::collections::HashMap;
use std::path::Path;

use inkveil_detect::Span;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::attack::mlc::Mlc;
use crate::{Error, SensitiveWords};

/// The key of the words in the metadata of the file.
const KEY: &str = "inkveil-attacker";

/// An attacker on vectors, and the words of its outputs. It has no `Debug`, which would print the
/// words.
#[derive(Clone)]
pub struct SavedAttacker {
    mlc: Mlc,
    words: Vec<String>,
}

impl SavedAttacker {
    pub(super) fn new(mlc: Mlc, sensitive: &SensitiveWords) -> Self {
        Self { mlc, words: sensitive.words().iter().map(|word| word.text.clone()).collect() }
    }

    /// Returns the attacker as a safetensors file.
    ///
    /// # Errors
    /// If the file would be too large.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let tensors = self.mlc.network().tensors();
        let bytes: Vec<Vec<u8>> = tensors
            .iter()
            .map(|(_, _, values)| values.iter().flat_map(|x| x.to_le_bytes()).collect())
            .collect();
        let failed = |error| Error::argument("the attacker cannot be written").caused_by(error);
        let mut views = Vec::with_capacity(tensors.len());
        for ((name, shape, _), bytes) in tensors.into_iter().zip(&bytes) {
            views.push((name, TensorView::new(Dtype::F32, shape, bytes).map_err(failed)?));
        }
        let words = serde_json::Value::from(self.words.clone()).to_string();
        safetensors::serialize(views, Some(HashMap::from([(KEY.to_owned(), words)]))).map_err(failed)
    }

    /// Reads the words of the outputs of an attacker.
    ///
    /// # Errors
    /// If the file cannot be read, or has no attacker.
    pub fn words_in(path: &Path) -> Result<Vec<String>, Error> {
        // The causes may quote the words, so they are dropped.
        let invalid = || Error::format("the file has no attacker on vectors").in_file(path);
        let bytes = std::fs::read(path).map_err(|error| Error::io("read the file", error).in_file(path))?;
        let (_, header) = SafeTensors::read_metadata(&bytes).map_err(|_| invalid())?;
        let words = header.metadata().as_ref().and_then(|all| all.get(KEY)).ok_or_else(invalid)?;
        serde_json::from_str(words).map_err(|_| invalid())
    }

    /// Returns the correct outputs for each text, given the words of the outputs and the sensitive
    /// spans of the texts.
    ///
    /// # Errors
    /// If there is not one list of spans for each text.
    pub fn correct_outputs(
        words: &[String],
        texts: &[&str],
        spans: &[Vec<Span>],
    ) -> Result<Vec<Vec<usize>>, Error> {
        let sensitive = SensitiveWords::in_spans(texts, spans, 1)?;
        let numbers: HashMap<&str, usize> = words.iter().map(String::as_str).zip(0..).collect();
        let of_word: Vec<Option<usize>> =
            sensitive.words().iter().map(|word| numbers.get(word.text.as_str()).copied()).collect();
        let of_text = |tokens: &Vec<usize>| tokens.iter().filter_map(|&token| of_word[token]).collect();
        Ok(sensitive.tokens().iter().map(of_text).collect())
    }
}
