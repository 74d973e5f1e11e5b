//! What is typed.

use std::path::PathBuf;

use crate::Outcome;

pub(crate) struct Options {
    pub(crate) documents: PathBuf,
    pub(crate) queries: PathBuf,
    pub(crate) judgements: PathBuf,
    pub(crate) concept: PathBuf,
    pub(crate) pack: PathBuf,
    pub(crate) detector: PathBuf,
    pub(crate) seeds: u64,
    pub(crate) epsilons: Vec<f64>,
    /// Whether queries get noise too.
    pub(crate) both: bool,
    /// Words in fewer documents are not attacked; 0 for no attack at all.
    pub(crate) least: usize,
    pub(crate) json: Option<PathBuf>,
    pub(crate) cache: Option<PathBuf>,
}

impl Options {
    pub(crate) fn from_arguments() -> Outcome<Self> {
        let mut options = Self {
            documents: PathBuf::new(),
            queries: PathBuf::new(),
            judgements: PathBuf::new(),
            concept: PathBuf::new(),
            pack: "models/en".into(),
            detector: "models/en".into(),
            seeds: 5,
            epsilons: vec![5.0, 10.0, 20.0, 30.0, 40.0],
            both: false,
            least: 40,
            json: None,
            cache: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--documents" => options.documents = value()?.into(),
                "--queries" => options.queries = value()?.into(),
                "--judgements" => options.judgements = value()?.into(),
                "--concept" => options.concept = value()?.into(),
                "--pack" => options.pack = value()?.into(),
                "--detector" => options.detector = value()?.into(),
                "--seeds" => options.seeds = value()?.parse()?,
                "--epsilons" => {
                    options.epsilons = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?;
                }
                "--both" => options.both = true,
                "--least" => options.least = value()?.parse()?,
                "--json" => options.json = Some(value()?.into()),
                "--cache" => options.cache = Some(value()?.into()),
                _ => return Err(format!("there is no {word}; the head of main.rs has what there is").into()),
            }
        }
        for (file, flag) in [
            (&options.documents, "--documents"),
            (&options.queries, "--queries"),
            (&options.judgements, "--judgements"),
            (&options.concept, "--concept"),
        ] {
            if file.as_os_str().is_empty() {
                return Err(format!("name a file: {flag} FILE").into());
            }
        }
        Ok(options)
    }
}
