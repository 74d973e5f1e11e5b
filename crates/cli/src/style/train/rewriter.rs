//! `inkveil style train bootstrap`, `sft` and `grpo`.

use std::fmt::Arguments;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, ensure};
use indicatif::ProgressBar;
use inkveil_files::Output;
use inkveil_style::train::{
    AuthorModel, GrpoPoint, GrpoTools, Learning, Policy, RewriterSettings, SftPoint, steps_to,
};
use inkveil_style::{AuthorText, ErrorKind, JudgeModels, read_corpus, train};
use serde::Serialize;

use super::curve;
use crate::args::{BootstrapArgs, GrpoArgs, SftArgs, StageArgs};
use crate::outcome::Outcome;
use crate::style::{models, tools};
use crate::{device, interrupt, progress};
use inkveil::pack_folder;

pub(super) fn bootstrap(args: &BootstrapArgs) -> anyhow::Result<Outcome> {
    let stage = Stage::open(&args.stage, "jsonl")?;
    let (texts, judge) = (stage.texts()?, judge_models(&args.stage)?);
    let geometry = judge.memory().geometry()?;
    let teacher = models::open(&args.teacher, None, device::open(args.stage.device)?)?;
    let bar = stage.bar("rewriting {bar:30} {human_pos}/{human_len} texts  {eta} left  {msg}", 0);
    let made = train::bootstrap(
        &judge.judge(&geometry),
        teacher.writer(),
        &texts,
        &stage.settings.bootstrap,
        &args.stage.output,
        &mut |point| {
            bar.set_length(point.all as u64);
            bar.set_position(point.done as u64);
            bar.suspend(|| {
                stage.say(format_args!(
                    "{:>6} of {} texts, {} good rewrites",
                    point.done, point.all, point.good
                ));
            });
            stage.goes_on()
        },
    );
    bar.finish_and_clear();
    let point = made.map_err(|error| stage.stopped(error, "the rows so far are written"))?;
    stage.say(format_args!(
        "{}: {} texts, {} with a rewrite that keeps {} of the meaning",
        args.stage.output.display(),
        point.all,
        point.good,
        stage.settings.bootstrap.rules.meaning
    ));
    Ok(Outcome::Success)
}

pub(super) fn sft(args: &SftArgs) -> anyhow::Result<Outcome> {
    let stage = Stage::open(&args.stage, "safetensors")?;
    let files = stage.outputs()?;
    let plan = &stage.settings.sft;
    let learning = Learning::Adapters { rank: plan.rank, seed: plan.seed };
    let policy =
        Policy::open(&inkveil::model_path(&args.model)?, None, learning, &device::open(args.stage.device)?)?;
    let bar = stage.bar("tuning {bar:30} step {human_pos}  {msg}", 0);
    let tuned = train::sft(&policy, &args.pairs, plan, &args.stage.output, &mut |point: &SftPoint| {
        bar.set_position(point.step);
        bar.set_message(format!("loss {:.3}", point.loss));
        if let Some(held) = point.held_out {
            bar.suspend(|| {
                stage.say(format_args!("step {:>5}  loss {:.3}  held-out {held:.3}", point.step, point.loss));
            });
        }
        stage.goes_on()
    });
    bar.finish_and_clear();
    let points = tuned.map_err(|error| stage.stopped(error, CHECKPOINT))?;
    files.write(&points, || curve::sft(&points))?;
    stage.remove_checkpoint();
    stage.say(format_args!("{}: {} steps", args.stage.output.display(), points.len()));
    Ok(Outcome::Success)
}

pub(super) fn grpo(args: &GrpoArgs) -> anyhow::Result<Outcome> {
    let stage = Stage::open(&args.stage, "safetensors")?;
    let files = stage.outputs()?;
    let (texts, judge) = (stage.texts()?, judge_models(&args.stage)?);
    let geometry = judge.memory().geometry()?;
    let plan = &stage.settings.grpo;
    let authors = AuthorModel::train(&texts, plan.authors, plan.seed)?;
    stage.say(format_args!(
        "attribution model: {} authors, {:.1} % of held-out texts right",
        authors.authors(),
        100.0 * authors.accuracy
    ));
    let (folder, device) = (inkveil::model_path(&args.model)?, device::open(args.stage.device)?);
    let learning = Learning::Adapters { rank: plan.rank, seed: plan.seed };
    let policy = Policy::open(&folder, args.from.as_deref(), learning, &device)?;
    let reference = Policy::open(&folder, args.from.as_deref(), Learning::Nothing, &device)?;
    let tools = GrpoTools {
        judge: judge.judge(&geometry),
        memory: judge.memory(),
        authors: &authors,
        policy: &policy,
        reference: &reference,
    };
    let bar = stage.bar("tuning {bar:30} {human_pos}/{human_len} steps  {eta} left  {msg}", plan.steps);
    let tuned = train::grpo(&tools, &texts, plan, &args.stage.output, &mut |point| {
        bar.set_position(point.step);
        bar.suspend(|| stage.say(format_args!("{}", in_words(point))));
        stage.goes_on()
    });
    bar.finish_and_clear();
    let points = tuned.map_err(|error| stage.stopped(error, CHECKPOINT))?;
    files.write(&points, || curve::grpo(&points))?;
    stage.remove_checkpoint();
    let to = |share| steps_to(&points, share).map_or_else(|| "?".to_owned(), |step| step.to_string());
    stage.say(format_args!(
        "{}: {} steps; uncertainty came 80 % of its way in {} steps, 90 % in {}",
        args.stage.output.display(),
        points.len(),
        to(0.8),
        to(0.9)
    ));
    Ok(Outcome::Success)
}

const CHECKPOINT: &str = "the checkpoint beside it holds what was learnt";

fn in_words(point: &GrpoPoint) -> String {
    let reward = point.reward;
    format!(
        "step {:>4}  reward {:.3} (uncertainty {:.3}, style {:.3}, entities {:.3}, meaning {:.3})  kept {:.3}  faulty {:.2}  KL {:.4}  clipped {:.3}  {:.0} tokens  gradient {:.3}",
        point.step,
        reward.total,
        reward.uncertainty,
        reward.style,
        reward.entities,
        reward.meaning,
        point.meaning,
        point.faulty,
        point.divergence,
        point.clipped,
        point.tokens,
        point.gradient
    )
}

/// What a stage begins with.
struct Stage<'a> {
    args: &'a StageArgs,
    settings: RewriterSettings,
    cancel: Arc<AtomicBool>,
}

impl<'a> Stage<'a> {
    fn open(args: &'a StageArgs, ending: &str) -> anyhow::Result<Self> {
        let cancel = interrupt::flag()?;
        inkveil_files::refuse_same_file(&[
            ("the settings", Some(&args.settings)),
            ("--output", Some(&args.output)),
            ("--log", args.log.as_deref()),
            ("--curve", args.curve.as_deref()),
        ])?;
        ensure!(
            args.output.extension().is_some_and(|found| found == ending),
            "--output must end with .{ending} here"
        );
        // Rows of a teacher are added to; everything else is made anew.
        ensure!(
            ending == "jsonl" || args.force || !args.output.exists(),
            "{} exists; use --force to replace it",
            args.output.display()
        );
        let text = std::fs::read_to_string(&args.settings)
            .with_context(|| format!("cannot read {}", args.settings.display()))?;
        let settings = RewriterSettings::from_toml(&text, &args.settings)?;
        Ok(Self { args, settings, cancel })
    }

    fn texts(&self) -> anyhow::Result<Vec<AuthorText>> {
        let mut texts = Vec::new();
        for file in &self.settings.texts {
            texts.extend(read_corpus(file)?);
        }
        self.say(format_args!("{} texts from {} files", texts.len(), self.settings.texts.len()));
        Ok(texts)
    }

    /// Opened before the work, so that nothing is learnt for files that cannot be written.
    fn outputs(&self) -> anyhow::Result<Drawings> {
        let open = |path: &Option<std::path::PathBuf>| {
            path.as_ref().map(|path| Output::file(path, self.args.force)).transpose()
        };
        Ok(Drawings { log: open(&self.args.log)?, curve: open(&self.args.curve)? })
    }

    fn bar(&self, template: &str, length: u64) -> ProgressBar {
        progress::bar(Some(length), template, self.args.quiet)
    }

    fn say(&self, what: Arguments<'_>) {
        if !self.args.quiet {
            anstream::eprintln!("{what}");
        }
    }

    fn goes_on(&self) -> bool {
        !self.cancel.load(Ordering::Relaxed)
    }

    fn stopped(&self, error: inkveil_style::Error, kept: &str) -> anyhow::Error {
        match error.kind() {
            ErrorKind::Stopped => {
                self.say(format_args!(
                    "stopped; {}: {kept}, and the same command goes on from there",
                    self.args.output.display()
                ));
                crate::outcome::interrupted()
            }
            _ => error.into(),
        }
    }

    fn remove_checkpoint(&self) {
        std::fs::remove_file(self.args.output.with_extension("checkpoint")).ok();
    }
}

/// Where the curve goes.
struct Drawings {
    log: Option<Output>,
    curve: Option<Output>,
}

impl Drawings {
    fn write<P: Serialize>(
        self,
        points: &[P],
        draw: impl FnOnce() -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        if let Some(log) = self.log {
            let lines: Vec<String> = points.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
            log.put((lines.join("\n") + "\n").as_bytes())?;
        }
        if let Some(output) = self.curve {
            output.put(draw()?.as_bytes())?;
        }
        Ok(())
    }
}

fn judge_models(args: &StageArgs) -> anyhow::Result<JudgeModels> {
    let (encoder, memory) = tools::open(&args.tools)?;
    Ok(JudgeModels::open(&pack_folder(&args.tools.encoder.pack)?, encoder, memory)?)
}
