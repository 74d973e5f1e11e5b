//! What is typed.

use std::path::PathBuf;
use std::str::FromStr;

use inkveil_eval::attack::MlcSettings;
use inkveil_vector::FitSettings;

use crate::Outcome;
use crate::defence::Defence;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dataset {
    Sts12,
    Stsb,
}

/// How the formal ε follows from the nominal one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scale {
    Strict,
    Root,
}

impl Scale {
    pub(crate) fn formal(self, nominal: f64, dim: usize) -> f64 {
        match self {
            Scale::Strict => nominal,
            Scale::Root => nominal * (dim as f64).sqrt(),
        }
    }
}

pub(crate) struct Options {
    pub(crate) folder: PathBuf,
    pub(crate) dataset: Dataset,
    pub(crate) pack: PathBuf,
    pub(crate) detector: PathBuf,
    pub(crate) seeds: u64,
    pub(crate) epsilons: Vec<f64>,
    pub(crate) defences: Vec<Defence>,
    pub(crate) scale: Scale,
    pub(crate) shrink: bool,
    pub(crate) floor: f64,
    pub(crate) min_count: usize,
    pub(crate) test_share: f64,
    pub(crate) attacker: MlcSettings,
    /// Whether the attacker noises what is trained on anew each time it is seen.
    pub(crate) fresh_noise: bool,
    pub(crate) json: Option<PathBuf>,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) time: bool,
}

impl Options {
    pub(crate) fn from_arguments() -> Outcome<Self> {
        let mut options = Self {
            folder: PathBuf::new(),
            dataset: Dataset::Sts12,
            pack: "models/en".into(),
            detector: "models/en".into(),
            seeds: 5,
            epsilons: vec![5.0, 10.0, 20.0, 30.0, 40.0],
            defences: Vec::new(),
            scale: Scale::Root,
            shrink: false,
            floor: 0.0,
            min_count: 10,
            test_share: 0.2,
            attacker: MlcSettings::strong(),
            fresh_noise: true,
            json: None,
            cache: None,
            time: false,
        };
        let (mut only, mut lambdas) = (Vec::new(), vec![1e-3]);
        let (mut dataset, mut attacker, mut epochs) = (None, None, None);
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--dataset" => dataset = Some(value()?),
                "--pack" => options.pack = value()?.into(),
                "--detector" => options.detector = value()?.into(),
                "--seeds" => options.seeds = value()?.parse()?,
                "--epsilons" => options.epsilons = list(&value()?)?,
                "--only" => only = list(&value()?)?,
                "--lambdas" => lambdas = list(&value()?)?,
                "--scale" => options.scale = scale(&value()?)?,
                "--shrink" => options.shrink = true,
                "--floor" => options.floor = value()?.parse()?,
                "--min-count" => options.min_count = value()?.parse()?,
                "--test-share" => options.test_share = value()?.parse()?,
                "--attacker" => attacker = Some(value()?),
                "--epochs" => epochs = Some(value()?.parse()?),
                "--json" => options.json = Some(value()?.into()),
                "--cache" => options.cache = Some(value()?.into()),
                "--time" => options.time = true,
                flag if flag.starts_with("--") => {
                    return Err(format!("there is no {flag}; the head of main.rs has what there is").into());
                }
                _ => options.folder = word.into(),
            }
        }
        options.dataset = match dataset.as_deref() {
            Some("sts12") => Dataset::Sts12,
            Some("stsb") => Dataset::Stsb,
            _ => return Err("name the data: --dataset sts12 or --dataset stsb".into()),
        };
        (options.attacker, options.fresh_noise) = match attacker.as_deref() {
            None | Some("strong") => (MlcSettings::strong(), true),
            Some("published") => (MlcSettings::default(), false),
            Some(_) => return Err("--attacker is strong or published".into()),
        };
        options.attacker.epochs = epochs.unwrap_or(options.attacker.epochs);
        if options.folder.as_os_str().is_empty() {
            return Err("name the folder of the data, unpacked".into());
        }
        options.defences = Defence::chosen(&only, &lambdas)?;
        Ok(options)
    }

    /// Everything but the defence, ε and seed that a cell's figures depend on, besides the data and the encoder.
    pub(crate) fn shared(&self) -> String {
        let Self { scale, shrink, min_count, test_share, attacker, fresh_noise, .. } = self;
        let masks = FitSettings::default();
        format!("{scale:?} {shrink} {min_count} {test_share} {attacker:?} {fresh_noise} {masks:?}")
    }
}

fn scale(name: &str) -> Outcome<Scale> {
    match name {
        "strict" => Ok(Scale::Strict),
        "root" => Ok(Scale::Root),
        _ => Err("--scale is strict or root".into()),
    }
}

fn list<T: FromStr<Err: Into<Box<dyn std::error::Error + Send + Sync>>>>(text: &str) -> Outcome<Vec<T>> {
    text.split(',').map(|part| part.trim().parse().map_err(Into::into)).collect()
}
