//! `lexicon.json`: precomputed data about the lexicons of a folder, so that they open quickly.
//!
//! `lexicon.safetensors` beside it stores the centring: `subword.mean`, `subword.components`, and
//! the same for `words`.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use inkveil_nn::Weights;
use serde::{Deserialize, Serialize};

use crate::{Centring, Error, ErrorKind, LexiconGeometry, LexiconKind};

pub(crate) const FILE: &str = "lexicon.json";
pub(crate) const NUMBERS: &str = "lexicon.safetensors";
/// The words of a word lexicon, one per line.
pub(crate) const WORDS: &str = "words.txt";
/// The vectors of these words, as the tensor `words`.
pub(crate) const WORD_VECTORS: &str = "words.safetensors";

const FORMAT: &str = "lexicon.json";
const VERSION: u32 = 1;
/// The largest description accepted, so that a wrong file is not read into memory.
const LONGEST: u64 = 1 << 20;

/// The precomputed data about the lexicons of a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    format: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subword: Option<Section>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    words: Option<Section>,
}

/// The precomputed data about one lexicon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Section {
    pub(crate) entries: usize,
    pub(crate) dimension: usize,
    /// A checksum of vocabulary and table, in hexadecimal.
    pub(crate) checksum: String,
    /// The number of removed principal components, or `None` if the table is not centred.
    pub(crate) components: Option<usize>,
    pub(crate) geometry: LexiconGeometry,
}

/// The part that every version of the file has.
#[derive(Deserialize)]
struct Header {
    format: u32,
}

impl Description {
    pub(crate) fn new() -> Self {
        Self { format: VERSION, subword: None, words: None }
    }

    /// Reads the description of a folder, or `None` if it has none.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, Error> {
        let path = folder.join(FILE);
        match fs::File::open(&path) {
            Ok(file) => Self::parse(file).map(Some).map_err(|e| e.in_file(&path)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("open it", &error).in_file(&path)),
        }
    }

    fn parse(file: fs::File) -> Result<Self, Error> {
        let mut text = String::new();
        file.take(LONGEST).read_to_string(&mut text).map_err(|e| Error::io("read it", &e))?;
        let invalid = |error: serde_json::Error| {
            Error::corrupt(FORMAT, format!("line {}, column {}", error.line(), error.column()))
        };
        let Header { format } = serde_json::from_str(&text).map_err(invalid)?;
        if format != VERSION {
            return Err(ErrorKind::Version { found: format, known: VERSION }.into());
        }
        let description: Self = serde_json::from_str(&text).map_err(invalid)?;
        let plausible = |section: &Section| section.geometry.is_plausible();
        if ![&description.subword, &description.words]
            .iter()
            .all(|section| section.as_ref().is_none_or(plausible))
        {
            return Err(Error::corrupt(FORMAT, "it has impossible distances"));
        }
        Ok(description)
    }

    pub(crate) fn section(&self, kind: LexiconKind) -> Option<&Section> {
        match kind {
            LexiconKind::Subword => self.subword.as_ref(),
            LexiconKind::Words => self.words.as_ref(),
        }
    }

    pub(crate) fn set(&mut self, kind: LexiconKind, section: Section) {
        match kind {
            LexiconKind::Subword => self.subword = Some(section),
            LexiconKind::Words => self.words = Some(section),
        }
    }

    pub(crate) fn to_json(&self) -> Result<String, Error> {
        let failed =
            |_| Error::argument("the description of a lexicon has numbers that JSON cannot represent");
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(failed)
    }
}

/// Reads the centring that belongs to a section from `lexicon.safetensors`.
pub(crate) fn read_centring(
    folder: &Path,
    kind: LexiconKind,
    section: &Section,
) -> Result<Option<Centring>, Error> {
    let Some(count) = section.components else { return Ok(None) };
    let path = folder.join(NUMBERS);
    let weights = Weights::open(&path)?;
    let mean = weights.values(&format!("{kind}.mean"), &[section.dimension])?.into_owned();
    let components = match count {
        0 => Vec::new(),
        _ => weights.values(&format!("{kind}.components"), &[count, section.dimension])?.into_owned(),
    };
    Centring::from_parts(mean, components).map(Some).map_err(|e| e.in_file(&path))
}
