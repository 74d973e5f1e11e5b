//! What is asked for.

use std::path::PathBuf;

use crate::Outcome;

pub(crate) struct Options {
    pub(crate) texts: PathBuf,
    pub(crate) pack: PathBuf,
    pub(crate) epsilon: f64,
    pub(crate) seeds: u64,
    pub(crate) most: usize,
    pub(crate) least: usize,
    /// Names of groups and the files of their words.
    pub(crate) words: Vec<(String, PathBuf)>,
    pub(crate) cache: Option<PathBuf>,
}

impl Options {
    pub(crate) fn from_arguments() -> Outcome<Self> {
        let mut options = Self {
            texts: PathBuf::new(),
            pack: "models/en".into(),
            epsilon: 10.0,
            seeds: 3,
            most: 12_000,
            least: 30,
            words: Vec::new(),
            cache: None,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--pack" => options.pack = value()?.into(),
                "--epsilon" => options.epsilon = value()?.parse()?,
                "--seeds" => options.seeds = value()?.parse()?,
                "--most" => options.most = value()?.parse()?,
                "--least" => options.least = value()?.parse()?,
                "--cache" => options.cache = Some(value()?.into()),
                "--words" => {
                    let value = value()?;
                    let (name, file) = value.split_once('=').ok_or("--words is NAME=FILE")?;
                    options.words.push((name.to_owned(), file.into()));
                }
                other if other.starts_with("--") => return Err(format!("there is no {other}").into()),
                file => options.texts = file.into(),
            }
        }
        if options.texts.as_os_str().is_empty() {
            return Err("groups TEXTS: name a file, .txt with one text to a line or .jsonl with marks".into());
        }
        Ok(options)
    }
}
