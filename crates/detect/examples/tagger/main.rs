//! Makes and measures the taggers of `inkveil-detect`.
//!
//! ```text
//! tagger train fast     --data DIR --pack models/en --out models/en/tagger-fast.safetensors
//! tagger train accurate --data DIR --pack models/en --out models/en/tagger-accurate.safetensors [--device cuda]
//! tagger score [fast|accurate|rules] --data DIR --pack models/en [--on SET] [--spans]
//! tagger alarms FILE… [--tier fast]  what is flagged in files that hold nothing sensitive, by rule
//! tagger gold SET --data DIR [--first N]  the held-out part of a set, in the format of presidio-research, for other tools
//! tagger large MEGABYTES [--text FILE]    a large file to measure speed and memory with
//! ```
//!
//! `DIR` holds the public datasets by folder name (see `sources.rs`). Options: `--epochs`, `--rate`, `--batch`, `--seed`.
#![allow(clippy::print_stdout)]

mod augment;
mod labels;
mod large;
mod score;
mod sources;
mod templates;

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use inkveil_detect::Gazetteer;
use inkveil_detect::train::{LabelledText, TrainingPlan, TrainingProgress, train_accurate, train_fast};
use inkveil_nn::Device;
use inkveil_surrogates::Lists;

use crate::augment::Augment;
use crate::templates::Templates;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// How often each template is filled in per epoch.
const FILLS: usize = 12;

fn main() -> Outcome<()> {
    let (words, options) = arguments();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["train", tier @ ("fast" | "accurate")] => train(tier, &options),
        ["score"] => score::score("fast", &options),
        ["score", tier] => score::score(tier, &options),
        ["alarms", ref files @ ..] => score::alarms(files, &options),
        ["gold", set] => score::gold(set, &options),
        ["large", megabytes] => large::large(megabytes, &options),
        _ => Err("see the top of examples/tagger/main.rs for what this does".into()),
    }
}

/// Words, and options with their values.
struct Options(HashMap<String, String>);

impl Options {
    fn get<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        self.0.get(name).map_or(default, String::as_str)
    }

    fn number<T: std::str::FromStr>(&self, name: &str, default: T) -> Outcome<T> {
        match self.0.get(name) {
            Some(value) => value.parse().map_err(|_| format!("--{name} is not a number").into()),
            None => Ok(default),
        }
    }
}

fn arguments() -> (Vec<String>, Options) {
    let (mut words, mut options) = (Vec::new(), HashMap::new());
    let mut all = std::env::args().skip(1).peekable();
    while let Some(word) = all.next() {
        match word.strip_prefix("--") {
            Some(name) => {
                let value = all.next_if(|next| !next.starts_with("--")).unwrap_or_default();
                options.insert(name.to_owned(), value);
            }
            None => words.push(word),
        }
    }
    (words, Options(options))
}

fn train(tier: &str, options: &Options) -> Outcome<()> {
    let pack = Path::new(options.get("pack", "models/en"));
    let data = Path::new(options.get("data", "../shared/data"));
    let default_out = pack.join(format!("tagger-{tier}.safetensors"));
    let out = options.get("out", default_out.to_str().unwrap_or_default());
    let seed = options.number("seed", 4)?;
    let device = match options.get("device", "cpu") {
        "cuda" => Device::new_cuda(0)?,
        _ => Device::Cpu,
    };
    let (epochs, rate, batch) = if tier == "fast" { (12, 2e-3, 4096) } else { (4, 1e-3, 8192) };
    let plan = TrainingPlan {
        epochs: options.number("epochs", epochs)?,
        batch_words: options.number("batch", batch)?,
        rate: options.number("rate", rate)?,
        seed,
        device,
    };
    let gazetteer = Gazetteer::open(&pack.join(Gazetteer::FILE))?;
    let lists = Arc::new(Lists::open(&templates::folder("surrogates/lists"))?.split(false));
    let templates = Templates::open()?.train();
    let real = sources::train(data)?;
    println!("{} templates, {} labelled texts", templates.len(), real.len());
    let mut epoch_of = |epoch: u64| -> Vec<LabelledText> {
        let mut texts = templates.fill(&lists, FILLS, seed ^ (epoch + 1) << 8);
        texts.extend(real.iter().cloned());
        Augment::new(seed ^ (epoch + 1) << 16).all(texts)
    };
    let start = Instant::now();
    let mut report = |at: TrainingProgress| {
        let TrainingProgress { epoch, step, loss, right } = at;
        let seconds = start.elapsed().as_secs();
        println!("epoch {epoch} step {step} loss {loss:.4} words right {:.2} % {seconds} s", right * 100.0);
    };
    match tier {
        "fast" => train_fast(&gazetteer, &mut epoch_of, &plan, Path::new(out), &mut report)?,
        _ => train_accurate(pack, &gazetteer, &mut epoch_of, &plan, Path::new(out), &mut report)?,
    }
    println!("written in {} s", start.elapsed().as_secs());
    Ok(())
}
