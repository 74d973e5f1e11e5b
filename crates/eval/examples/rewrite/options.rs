//! What is typed.

use std::path::PathBuf;

use crate::Outcome;

pub(crate) struct Options {
    pub(crate) command: String,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) data: Option<PathBuf>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) pack: PathBuf,
    pub(crate) methods: Option<Vec<String>>,
    pub(crate) json: Option<PathBuf>,
    pub(crate) radius: f64,
    pub(crate) seed: u64,
}

impl Options {
    pub(crate) fn from_arguments() -> Outcome<Self> {
        let mut options = Self {
            command: String::new(),
            folder: None,
            data: None,
            out: None,
            pack: "models/en".into(),
            methods: None,
            json: None,
            radius: 0.15,
            seed: 1,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix("--") else {
                match options.command.is_empty() {
                    true => options.command = word,
                    false if options.folder.is_none() => options.folder = Some(word.into()),
                    false => return Err("give one folder only".into()),
                }
                continue;
            };
            let value = words.next().ok_or_else(|| format!("--{flag} needs a value"))?;
            match flag {
                "data" => options.data = Some(value.into()),
                "out" => options.out = Some(value.into()),
                "pack" => options.pack = value.into(),
                "methods" => options.methods = Some(value.split(',').map(str::to_owned).collect()),
                "json" => options.json = Some(value.into()),
                "radius" => options.radius = value.parse()?,
                "seed" => options.seed = value.parse()?,
                other => return Err(format!("there is no option --{other}").into()),
            }
        }
        Ok(options)
    }

    /// The folder with a folder for each set.
    pub(crate) fn folder(&self) -> Outcome<&PathBuf> {
        Ok(self.folder.as_ref().ok_or("name the folder that prepare wrote")?)
    }
}
