//! `lexicon.json`: what was computed about the lexicons of a folder, so that opening them is quick.
//!
//! Beside it, `lexicon.safetensors` has the numbers of the centring: `subword.mean`, `subword.components`, and the same for
//! `words`.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use inkveil_nn::Weights;
use serde::{Deserialize, Serialize};

use crate::{Centring, Error, ErrorKind, Geometry, Kind};

pub(crate) const FILE: &str = "lexicon.json";
pub(crate) const NUMBERS: &str = "lexicon.safetensors";
/// The words of a lexicon of words, one per line.
pub(crate) const WORDS: &str = "words.txt";
/// Their vectors, as the tensor `words`.
pub(crate) const WORD_VECTORS: &str = "words.safetensors";

const FORMAT: &str = "lexicon.json";
const VERSION: u32 = 1;
/// No description is longer; a wrong file is not read into memory.
const LONGEST: u64 = 1 << 20;

/// What is known of the lexicons of a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    format: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subword: Option<Section>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    words: Option<Section>,
}

/// What is known of one lexicon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Section {
    pub(crate) entries: usize,
    pub(crate) dimension: usize,
    /// Of vocabulary and table, in hexadecimal.
    pub(crate) checksum: String,
    /// How many principal components are left out; none if the table is used as it is.
    pub(crate) components: Option<usize>,
    pub(crate) geometry: Geometry,
}

/// The part that every version has.
#[derive(Deserialize)]
struct Header {
    format: u32,
}

impl Description {
    pub(crate) fn new() -> Self {
        Self { format: VERSION, subword: None, words: None }
    }

    /// Reads the description of a folder, if it has one.
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
            return Err(Error::corrupt(FORMAT, "it has distances that cannot be"));
        }
        Ok(description)
    }

    pub(crate) fn section(&self, kind: Kind) -> Option<&Section> {
        match kind {
            Kind::Subword => self.subword.as_ref(),
            Kind::Words => self.words.as_ref(),
        }
    }

    pub(crate) fn set(&mut self, kind: Kind, section: Section) {
        match kind {
            Kind::Subword => self.subword = Some(section),
            Kind::Words => self.words = Some(section),
        }
    }

    pub(crate) fn to_json(&self) -> Result<String, Error> {
        let failed = |_| Error::argument("the description of a lexicon has numbers that JSON cannot write");
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(failed)
    }
}

/// The centring that a section speaks of, from `lexicon.safetensors`.
pub(crate) fn read_centring(folder: &Path, kind: Kind, section: &Section) -> Result<Option<Centring>, Error> {
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
