//! Trains and measures the taggers of `inkveil-detect`.

mod args;
mod augment;
mod hostile;
mod labels;
mod large;
mod posts;
mod score;
mod sources;
mod templates;

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Subcommand;
use inkveil_detect::Gazetteer;
use inkveil_detect::train::{LabelledText, TrainingPlan, TrainingProgress, train_accurate, train_fast};
use inkveil_nn::Device;
use inkveil_surrogates::Lists;

use args::{AlarmArgs, DeviceName, GoldArgs, HostileArgs, LargeArgs, ScoreArgs, TaggerName, TrainArgs};
use augment::Augment;
use posts::Posts;
use templates::Templates;

/// How often each template is filled in per epoch.
const FILLS: usize = 12;

/// Train and measure the taggers of inkveil-detect
#[derive(Debug, Subcommand)]
pub(crate) enum TaggerCommand {
    Train(TrainArgs),
    Score(ScoreArgs),
    Alarms(AlarmArgs),
    Gold(GoldArgs),
    Large(LargeArgs),
    Hostile(HostileArgs),
}

pub(crate) fn run(command: &TaggerCommand) -> anyhow::Result<()> {
    match command {
        TaggerCommand::Train(args) => train(args),
        TaggerCommand::Score(args) => score::score(args),
        TaggerCommand::Alarms(args) => score::alarms(args),
        TaggerCommand::Gold(args) => score::gold(args),
        TaggerCommand::Large(args) => large::large(args),
        TaggerCommand::Hostile(args) => hostile::hostile(args),
    }
}

fn train(args: &TrainArgs) -> anyhow::Result<()> {
    let pack = &args.pack.pack;
    let (name, epochs, rate, batch) = match args.tagger {
        TaggerName::Fast => ("fast", 12, 2e-3, 4096),
        TaggerName::Accurate => ("accurate", 4, 1e-3, 8192),
    };
    let output = args.output.clone().unwrap_or_else(|| pack.join(format!("tagger-{name}.safetensors")));
    let device = match args.device {
        DeviceName::Cpu => Device::Cpu,
        DeviceName::Cuda => Device::new_cuda(0)?,
    };
    let plan = TrainingPlan {
        epochs: args.epochs.unwrap_or(epochs),
        batch_words: args.batch.unwrap_or(batch),
        rate: args.rate.unwrap_or(rate),
        seed: args.seed,
        device,
        limit: args.minutes.map(|minutes| Duration::from_secs_f64(minutes * 60.0)),
    };
    let gazetteer = Gazetteer::open(&pack.join(Gazetteer::FILE))?;
    let lists = Arc::new(Lists::open(&templates::folder("surrogates/lists"))?.split(false));
    let templates = Templates::open()?.train();
    let real = sources::train(&args.data.data)?;
    println!("{} templates, {} texts, {} posts", templates.len(), real.edited.len(), real.posts.len());
    let posts = Posts::new(&real, args.copies, args.emphasis);
    let mut epoch_of = |epoch: u64| -> Vec<LabelledText> {
        let mut texts = templates.fill(&lists, FILLS, args.seed ^ (epoch + 1) << 8);
        texts.extend(real.edited.iter().cloned());
        let mut texts = Augment::new(args.seed ^ (epoch + 1) << 16).all(texts);
        texts.extend(posts.epoch(&lists, args.seed ^ (epoch + 1) << 24));
        texts
    };
    let start = Instant::now();
    let mut report = |at: TrainingProgress| {
        let TrainingProgress { epoch, step, loss, right } = at;
        let seconds = start.elapsed().as_secs();
        println!("epoch {epoch} step {step} loss {loss:.4} words right {:.2} % {seconds} s", right * 100.0);
    };
    match args.tagger {
        TaggerName::Fast => train_fast(pack, &gazetteer, &mut epoch_of, &plan, &output, &mut report)?,
        TaggerName::Accurate => {
            train_accurate(pack, &gazetteer, &mut epoch_of, &plan, &output, &mut report)?;
        }
    }
    println!("written in {} s", start.elapsed().as_secs());
    Ok(())
}
