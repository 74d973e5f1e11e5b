//! Opens lexicons from folders and tables.

use std::io::Read as _;
use std::path::Path;

use inkveil_nn::{SentenceEncoder, Tokenizer, Weights};

use crate::checksum::Checksum;
use crate::description::{self, Description, Section};
use crate::lexicon::{Segmenter, unknown_token};
use crate::raw_table::RawTable;
use crate::word_index::WordIndex;
use crate::{Error, ErrorKind, Lexicon, LexiconKind, UnitTable, Vocabulary};

/// The largest list of words accepted.
const LONGEST_LIST: u64 = 64 << 20;

impl Lexicon {
    /// Opens the lexicon in a folder: the subword lexicon if there is a tokenizer, otherwise the
    /// word lexicon.
    ///
    /// A folder in the layout of Hugging Face is enough: the tokenizer and the model's input table,
    /// used unchanged. If there is a `lexicon.json` (see [`build_lexicon`](crate::build_lexicon)),
    /// the table is centred as it specifies.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let only_words = !has_tokenizer(folder) && folder.join(description::WORDS).exists();
        Self::open_kind(folder, if only_words { LexiconKind::Words } else { LexiconKind::Subword })
    }

    /// Opens the lexicon of the given kind in a folder.
    pub fn open_kind(folder: &Path, kind: LexiconKind) -> Result<Self, Error> {
        let description = Description::read(folder)?;
        let files = LexiconFiles::open(folder, kind)?;
        let raw = files.raw_table(folder)?;
        let vocabulary = files.vocabulary(raw.rows());
        let section = description.as_ref().and_then(|description| description.section(kind));
        let stored = section.filter(|section| section.checksum == checksum(&vocabulary, &raw));
        if section.is_some() && stored.is_none() {
            return Err(Error::from(ErrorKind::Stale).in_file(&folder.join(description::FILE)));
        }
        let centring = |section: &Section| description::read_centring(folder, kind, section);
        let centring = stored.map(centring).transpose()?.flatten();
        let table = UnitTable::build(&raw, centring.as_ref());
        drop(raw);
        let geometry = stored.map(|section| section.geometry.clone());
        let segmenter = files.into_segmenter(&vocabulary)?;
        Self::assemble(segmenter, vocabulary, table, centring, geometry).map_err(|e| e.in_file(folder))
    }

    /// Creates a word lexicon with a vector for each word, for example from GloVe. `rows` has
    /// `dimension` numbers per word, in the order of the words.
    ///
    /// ```
    /// use inkveil_lexicon::{Lexicon, LexiconKind};
    ///
    /// let lexicon = Lexicon::words_from_table(vec!["tea".into(), "pot".into()], &[1.0, 2.0, 3.0, -1.0], 2)?;
    /// assert_eq!(lexicon.kind(), LexiconKind::Words);
    /// assert_eq!(lexicon.find("TEA"), Some(0));
    /// # Ok::<(), inkveil_lexicon::Error>(())
    /// ```
    pub fn words_from_table(words: Vec<String>, rows: &[f32], dimension: usize) -> Result<Self, Error> {
        let raw = RawTable::floats(rows, dimension)?;
        let vocabulary = Vocabulary::of_words(&words);
        let segmenter = Segmenter::Words(WordIndex::new(&vocabulary)?);
        Self::assemble(segmenter, vocabulary, UnitTable::build(&raw, None), None, None)
    }

    /// Creates a word lexicon whose vectors are the sentence encodings of the single words.
    /// Synonyms are closer together than in the encoder's input table.
    ///
    /// ```no_run
    /// use std::path::Path;
    ///
    /// use inkveil_lexicon::Lexicon;
    /// use inkveil_nn::SentenceEncoder;
    ///
    /// let encoder = SentenceEncoder::open(Path::new("models/en"))?;
    /// let lexicon = Lexicon::words_from_encoder(&encoder, ["doctor", "physician"].map(String::from).to_vec())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn words_from_encoder(encoder: &SentenceEncoder, words: Vec<String>) -> Result<Self, Error> {
        let rows = word_vectors(encoder, &words, &mut |_, _| ())?;
        Self::words_from_table(words, &rows, encoder.width())
    }
}

/// Encodes words with a sentence encoder, each on its own, and returns their vectors one after the
/// other. `progress` receives the number of finished words and the total.
pub fn word_vectors(
    encoder: &SentenceEncoder,
    words: &[String],
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<f32>, Error> {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    Ok(encoder.encode_with(&texts, progress)?.concat())
}

/// The opened files of a lexicon.
pub(crate) struct LexiconFiles {
    entries: Entries,
    weights: Weights,
}

enum Entries {
    Tokens(Box<Tokenizer>),
    Words(Vec<String>),
}

impl LexiconFiles {
    pub(crate) fn open(folder: &Path, kind: LexiconKind) -> Result<Self, Error> {
        let (entries, weights) = match kind {
            LexiconKind::Subword => {
                (Entries::Tokens(Box::new(Tokenizer::open(folder)?)), Weights::open(folder)?)
            }
            LexiconKind::Words => {
                let words = Entries::Words(read_words(folder)?);
                (words, Weights::open(&folder.join(description::WORD_VECTORS))?)
            }
        };
        Ok(Self { entries, weights })
    }

    pub(crate) fn raw_table(&self, folder: &Path) -> Result<RawTable<'_>, Error> {
        let raw = RawTable::find(&self.weights).map_err(|e| e.in_file(folder))?;
        match &self.entries {
            Entries::Tokens(tokenizer) => tokenizer.check_rows(raw.rows())?,
            Entries::Words(words) if words.len() != raw.rows() => {
                let mismatch = ErrorKind::Mismatch { tokens: words.len(), rows: raw.rows() };
                return Err(Error::from(mismatch).in_file(folder));
            }
            Entries::Words(_) => {}
        }
        Ok(raw)
    }

    /// Builds the vocabulary, with one entry per row of the table.
    pub(crate) fn vocabulary(&self, rows: usize) -> Vocabulary {
        let tokenizer = match &self.entries {
            Entries::Words(words) => return Vocabulary::of_words(words),
            Entries::Tokens(tokenizer) => tokenizer,
        };
        let mut special = tokenizer.special_ids().to_vec();
        special.extend(unknown_token(tokenizer));
        let ids = 0..u32::try_from(rows).unwrap_or(u32::MAX);
        Vocabulary::new(ids.map(|id| tokenizer.token(id)), &special)
    }

    pub(crate) fn into_segmenter(self, vocabulary: &Vocabulary) -> Result<Segmenter, Error> {
        Ok(match self.entries {
            Entries::Tokens(tokenizer) => Segmenter::Tokenizer(tokenizer),
            Entries::Words(_) => Segmenter::Words(WordIndex::new(vocabulary)?),
        })
    }
}

/// Computes a checksum of vocabulary and table, in hexadecimal.
pub(crate) fn checksum(vocabulary: &Vocabulary, raw: &RawTable<'_>) -> String {
    let mut sum = Checksum::new();
    for id in 0..u32::try_from(vocabulary.len()).unwrap_or(u32::MAX) {
        sum.add(vocabulary.text(id).unwrap_or_default().as_bytes());
    }
    sum.add_number(raw.checksum());
    format!("{:016x}", sum.finish())
}

fn has_tokenizer(folder: &Path) -> bool {
    ["tokenizer.json", "vocab.json", "vocab.txt"].iter().any(|name| folder.join(name).exists())
}

/// Reads a list with one word per line.
fn read_words(folder: &Path) -> Result<Vec<String>, Error> {
    let path = folder.join(description::WORDS);
    let file = std::fs::File::open(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            let advice = "it needs words.txt and words.safetensors";
            Error::from(ErrorKind::NoSuchKind { kind: LexiconKind::Words.name(), advice }).in_file(folder)
        }
        _ => Error::io("open it", &error).in_file(&path),
    })?;
    let mut text = String::new();
    file.take(LONGEST_LIST).read_to_string(&mut text).map_err(|e| Error::io("read it", &e).in_file(&path))?;
    Ok(text.lines().map(str::to_owned).collect())
}
