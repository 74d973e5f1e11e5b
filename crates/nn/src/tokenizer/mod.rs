//! Converts text to token ids and back, with byte ranges in the text.

mod bpe;
mod chat;
mod encoding;
mod gguf;
mod guard;
mod json;
mod wordpiece;

use std::fmt;
use std::path::Path;

use tokenizers::Tokenizer as Library;

pub use self::chat::{ChatTemplate, Message, Role};
pub use self::encoding::Encoding;
use self::guard::FORMAT;
use crate::weights::read_small;
use crate::{Error, ErrorKind, Weights};

/// The largest files seen are below 40 MB.
const LONGEST_FILE: u64 = 256 << 20;
/// The largest known vocabularies have fewer than 300,000 ids. The limit keeps a forged id from
/// filling the memory.
const MOST_IDS: u32 = 1 << 22;
/// Tables are often padded to a round number of rows.
const MOST_PADDING: usize = 1024;

/// A tokenizer: converts text to the token ids of a model.
///
/// Text is never interpreted: the name of a special token in it (`[SEP]`, `<|im_end|>`) is encoded
/// letter by letter, so no text can act as a control token. Special tokens are added with
/// `special`, by [`ChatTemplate`], or by their [`id`](Self::id).
///
/// ```
/// use inkveil_nn::Tokenizer;
///
/// let file = br###"{
///     "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
///               "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "cafe": 1, "##s": 2}},
///     "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
///                    "strip_accents": null, "lowercase": true},
///     "pre_tokenizer": {"type": "BertPreTokenizer"}
/// }"###;
/// let tokenizer = Tokenizer::from_json(file)?;
/// let text = "Cafés";
/// let encoding = tokenizer.encode(text, false)?;
/// assert_eq!(encoding.ids, [1, 2]);
/// assert_eq!(&text[encoding.offsets[0].clone()], "Café");
/// assert_eq!(encoding.word_starts, [true, false]);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub struct Tokenizer {
    library: Library,
    /// The token of every id; ids may be missing.
    tokens: Vec<Option<Box<str>>>,
    /// Sorted.
    special_ids: Vec<u32>,
}

impl Tokenizer {
    /// Opens the tokenizer in a folder: `tokenizer.json`, or `vocab.json` with `merges.txt`
    /// (GPT-2), or `vocab.txt` (BERT). The path may also be a file: a `.gguf` file, or a
    /// `tokenizer.json` of any name.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_any(path).map_err(|e| e.in_file(path))
    }

    fn open_any(path: &Path) -> Result<Self, Error> {
        let file = |name: &str| Some(path.join(name)).filter(|path| path.exists());
        let read = |path: &Path| read_small(path, FORMAT, LONGEST_FILE);
        if path.is_file() {
            return match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gguf")) {
                true => Self::from_gguf(&Weights::open(path)?),
                false => Self::from_json(&read(path)?),
            };
        }
        if let Some(json) = file("tokenizer.json") {
            return Self::from_json(&read(&json)?).map_err(|e| e.in_file(&json));
        }
        if let (Some(vocabulary), Some(merges)) = (file("vocab.json"), file("merges.txt")) {
            return Self::from_library(bpe::gpt2(&read(&vocabulary)?, &read(&merges)?)?);
        }
        if let Some(vocabulary) = file("vocab.txt") {
            let settings = file("tokenizer_config.json").map(|path| read(&path)).transpose()?;
            return Self::from_library(wordpiece::bert(&read(&vocabulary)?, settings.as_deref())?);
        }
        // A folder that contains only a GGUF file, or an error that says what a folder of weights
        // needs.
        let weights = Weights::open(path)?;
        match weights.metadata() {
            Some(_) => Self::from_gguf(&weights),
            None => Err(Error::argument(
                "there is no tokenizer in this folder; it must contain tokenizer.json, vocab.json with merges.txt, or vocab.txt",
            )),
        }
    }

    /// Reads a `tokenizer.json`. Truncation, padding and dropout in the file are switched off.
    pub fn from_json(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_library(json::read(bytes)?)
    }

    /// Reads the tokenizer in the header of a GGUF file.
    pub fn from_gguf(weights: &Weights) -> Result<Self, Error> {
        gguf::read(weights).and_then(Self::from_library).map_err(|e| weights.with_path(e))
    }

    fn from_library(mut library: Library) -> Result<Self, Error> {
        library.set_encode_special_tokens(true);
        let vocabulary = library.get_vocab(true);
        let count = vocabulary.values().max().map_or(0, |&largest| u64::from(largest) + 1);
        if count > MOST_IDS.into() {
            return Err(Error::corrupt(FORMAT, format!("its largest id, {}, is too large", count - 1)));
        }
        let mut tokens = vec![None; count as usize];
        for (token, id) in vocabulary {
            tokens[id as usize] = Some(token.into_boxed_str());
        }
        let added = library.get_added_tokens_decoder();
        let mut special_ids: Vec<u32> =
            added.iter().filter(|(_, token)| token.special).map(|(&id, _)| id).collect();
        special_ids.sort_unstable();
        Ok(Tokenizer { library, tokens, special_ids })
    }

    /// Encodes a text. With `special`, the special tokens that the model expects around a text are
    /// added.
    pub fn encode(&self, text: &str, special: bool) -> Result<Encoding, Error> {
        guard::apply(|| self.library.encode(text, special)).map(|encoding| Encoding::new(text, &encoding))
    }

    /// Decodes tokens to text, without special tokens.
    pub fn decode(&self, ids: &[u32]) -> Result<String, Error> {
        guard::apply(|| self.library.decode(ids, true))
    }

    /// Returns one more than the largest id.
    pub fn vocabulary_size(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the token of an id, as the vocabulary writes it: `##s`, `Ġthe`.
    pub fn token(&self, id: u32) -> Option<&str> {
        self.tokens.get(id as usize)?.as_deref()
    }

    /// Returns the id of a token, as the vocabulary writes it.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.library.token_to_id(token)
    }

    /// Returns the ids of special tokens, sorted.
    pub fn special_ids(&self) -> &[u32] {
        &self.special_ids
    }

    /// Checks whether a table of `rows` rows can belong to this tokenizer: every id needs a row,
    /// and up to 1,024 rows may be padding.
    pub fn check_rows(&self, rows: usize) -> Result<(), Error> {
        let tokens = self.vocabulary_size();
        match (tokens..=tokens + MOST_PADDING).contains(&rows) {
            true => Ok(()),
            false => Err(ErrorKind::TokenizerMismatch { tokens, rows }.into()),
        }
    }
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokenizer({} tokens, {} special)", self.vocabulary_size(), self.special_ids.len())
    }
}
