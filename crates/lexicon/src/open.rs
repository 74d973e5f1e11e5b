//! Lexicons from folders and tables.

use std::io::Read as _;
use std::path::Path;

use inkveil_nn::{SentenceEncoder, Tokenizer, Weights};

use crate::checksum::Checksum;
use crate::description::{self, Description, Section};
use crate::lexicon::{Reader, unknown_token};
use crate::source::Source;
use crate::words::WordIndex;
use crate::{Error, ErrorKind, Kind, Lexicon, UnitTable, Vocabulary};

/// The longest list of words that is read.
const LONGEST_LIST: u64 = 64 << 20;

impl Lexicon {
    /// Opens the lexicon of a folder: of tokens if it has a tokenizer, otherwise of words.
    ///
    /// A folder in the layout of Hugging Face is enough: the tokenizer and the model's input table, used as it is. With a
    /// `lexicon.json` (see [`build_lexicon`](crate::build_lexicon)) the table is centred as it says.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let only_words = !has_tokenizer(folder) && folder.join(description::WORDS).exists();
        Self::open_kind(folder, if only_words { Kind::Words } else { Kind::Subword })
    }

    /// Opens the lexicon of tokens or that of words of a folder.
    pub fn open_kind(folder: &Path, kind: Kind) -> Result<Self, Error> {
        let description = Description::read(folder)?;
        let opened = Opened::open(folder, kind)?;
        let source = opened.source(folder)?;
        let vocabulary = opened.vocabulary(source.rows());
        let section = description.as_ref().and_then(|description| description.section(kind));
        let stored = section.filter(|section| section.checksum == checksum(&vocabulary, &source));
        if section.is_some() && stored.is_none() {
            return Err(Error::from(ErrorKind::Stale).in_file(&folder.join(description::FILE)));
        }
        let centring = |section: &Section| description::read_centring(folder, kind, section);
        let centring = stored.map(centring).transpose()?.flatten();
        let table = UnitTable::build(&source, centring.as_ref());
        drop(source);
        let geometry = stored.map(|section| section.geometry.clone());
        let reader = opened.into_reader(&vocabulary)?;
        Self::assemble(reader, vocabulary, table, centring, geometry).map_err(|e| e.in_file(folder))
    }

    /// A lexicon of words with a vector for each, for example of GloVe: rows of `dimension` numbers, in the order of the words.
    ///
    /// ```
    /// use inkveil_lexicon::{Kind, Lexicon};
    ///
    /// let lexicon = Lexicon::words_from_table(vec!["tea".into(), "pot".into()], &[1.0, 2.0, 3.0, -1.0], 2)?;
    /// assert_eq!(lexicon.kind(), Kind::Words);
    /// assert_eq!(lexicon.find("TEA"), Some(0));
    /// # Ok::<(), inkveil_lexicon::Error>(())
    /// ```
    pub fn words_from_table(words: Vec<String>, rows: &[f32], dimension: usize) -> Result<Self, Error> {
        let source = Source::floats(rows, dimension)?;
        let vocabulary = Vocabulary::of_words(&words);
        let reader = Reader::Words(WordIndex::new(&vocabulary)?);
        Self::assemble(reader, vocabulary, UnitTable::build(&source, None), None, None)
    }

    /// A lexicon of words with the vectors that a sentence encoder gives to each word alone. Synonyms lie closer together than
    /// in the encoder's input table.
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

/// The vectors that a sentence encoder gives to words, each alone: one row after the other. `progress` is told how many words
/// of how many are done.
pub fn word_vectors(
    encoder: &SentenceEncoder,
    words: &[String],
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<f32>, Error> {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    Ok(encoder.encode_with(&texts, progress)?.concat())
}

/// The files of a lexicon, opened but not put together.
pub(crate) struct Opened {
    entries: Entries,
    weights: Weights,
}

enum Entries {
    Tokens(Box<Tokenizer>),
    Words(Vec<String>),
}

impl Opened {
    pub(crate) fn open(folder: &Path, kind: Kind) -> Result<Self, Error> {
        let (entries, weights) = match kind {
            Kind::Subword => (Entries::Tokens(Box::new(Tokenizer::open(folder)?)), Weights::open(folder)?),
            Kind::Words => {
                let words = Entries::Words(read_words(folder)?);
                (words, Weights::open(&folder.join(description::WORD_VECTORS))?)
            }
        };
        Ok(Self { entries, weights })
    }

    pub(crate) fn source(&self, folder: &Path) -> Result<Source<'_>, Error> {
        let source = Source::find(&self.weights).map_err(|e| e.in_file(folder))?;
        match &self.entries {
            Entries::Tokens(tokenizer) => tokenizer.check_rows(source.rows())?,
            Entries::Words(words) if words.len() != source.rows() => {
                let mismatch = ErrorKind::Mismatch { tokens: words.len(), rows: source.rows() };
                return Err(Error::from(mismatch).in_file(folder));
            }
            Entries::Words(_) => {}
        }
        Ok(source)
    }

    /// One entry per row of the table.
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

    pub(crate) fn into_reader(self, vocabulary: &Vocabulary) -> Result<Reader, Error> {
        Ok(match self.entries {
            Entries::Tokens(tokenizer) => Reader::Tokenizer(tokenizer),
            Entries::Words(_) => Reader::Words(WordIndex::new(vocabulary)?),
        })
    }
}

/// A checksum of vocabulary and table in hexadecimal.
pub(crate) fn checksum(vocabulary: &Vocabulary, source: &Source<'_>) -> String {
    let mut sum = Checksum::new();
    for id in 0..u32::try_from(vocabulary.len()).unwrap_or(u32::MAX) {
        sum.add(vocabulary.text(id).unwrap_or_default().as_bytes());
    }
    sum.add_number(source.checksum());
    format!("{:016x}", sum.finish())
}

fn has_tokenizer(folder: &Path) -> bool {
    ["tokenizer.json", "vocab.json", "vocab.txt"].iter().any(|name| folder.join(name).exists())
}

/// One word per line.
fn read_words(folder: &Path) -> Result<Vec<String>, Error> {
    let path = folder.join(description::WORDS);
    let file = std::fs::File::open(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            let advice = "it needs words.txt and words.safetensors";
            Error::from(ErrorKind::NoSuchKind { kind: Kind::Words.name(), advice }).in_file(folder)
        }
        _ => Error::io("open it", &error).in_file(&path),
    })?;
    let mut text = String::new();
    file.take(LONGEST_LIST).read_to_string(&mut text).map_err(|e| Error::io("read it", &e).in_file(&path))?;
    Ok(text.lines().map(str::to_owned).collect())
}
