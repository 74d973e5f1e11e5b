//! What is typed.

use std::path::{Path, PathBuf};

use inkveil_style::StyleEncoder;

use crate::Outcome;

pub(crate) struct Options {
    pub(crate) command: String,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) pack: PathBuf,
    pub(crate) style: Option<PathBuf>,
    pub(crate) also: Vec<PathBuf>,
    pub(crate) words: usize,
    pub(crate) pairs: usize,
    pub(crate) authors: usize,
    pub(crate) texts: usize,
    pub(crate) seed: u64,
    pub(crate) radius: f64,
}

impl Options {
    pub(crate) fn from_arguments() -> Outcome<Self> {
        let mut options = Self {
            command: String::new(),
            files: Vec::new(),
            pack: "models/en".into(),
            style: None,
            also: Vec::new(),
            words: 150,
            pairs: 2000,
            authors: 50,
            texts: 40,
            seed: 1,
            radius: 0.3,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix("--") else {
                match options.command.is_empty() {
                    true => options.command = word,
                    false => options.files.push(word.into()),
                }
                continue;
            };
            let value = words.next().ok_or_else(|| format!("--{flag} needs a value"))?;
            match flag {
                "pack" => options.pack = value.into(),
                "style" => options.style = Some(value.into()),
                "also" => options.also = value.split(',').map(PathBuf::from).collect(),
                "words" => options.words = value.parse()?,
                "pairs" => options.pairs = value.parse()?,
                "authors" => options.authors = value.parse()?,
                "texts" => options.texts = value.parse()?,
                "radius" => options.radius = value.parse()?,
                "seed" => options.seed = value.parse()?,
                other => return Err(format!("there is no option --{other}").into()),
            }
        }
        Ok(options)
    }

    pub(crate) fn encoder(&self) -> Outcome<StyleEncoder> {
        Ok(match &self.style {
            Some(file) => self.with_weights(file)?,
            None => StyleEncoder::open(&self.pack)?,
        })
    }

    pub(crate) fn with_weights(&self, file: &Path) -> Outcome<StyleEncoder> {
        Ok(StyleEncoder::with_weights(&self.pack, file)?)
    }
}
