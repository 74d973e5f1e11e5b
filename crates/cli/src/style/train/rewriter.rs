//! `inkveil style train bootstrap`, `sft` and `grpo`.

use std::fmt::Arguments;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::ensure;
use indicatif::ProgressBar;
use inkveil::files::Output;
use inkveil::pages::{reward_training, teacher_training};
use inkveil::style::train::{
    GrpoModels, GrpoPoint, Learning, Policy, RewriterSettings, SftPoint, checkpoint_of, steps_to,
};
use inkveil::style::{AuthorText, ErrorKind, RewriteModel, read_corpora, train};
use serde::Serialize;

use crate::args::{BootstrapArgs, GrpoArgs, SftArgs, StageArgs};
use crate::outcome::Outcome;
use crate::{device, interrupt, progress};

pub(super) fn bootstrap(args: &BootstrapArgs) -> anyhow::Result<Outcome> {
    let stage = Stage::open(&args.stage, "jsonl")?;
    let (texts, judge) = (stage.texts()?, args.stage.tools.models().judge()?);
    let geometry = judge.memory().geometry()?;
    let device = device::open(args.stage.device)?;
    let name = inkveil::public_model_name(&args.teacher);
    let teacher = match inkveil::is_remote(&args.teacher) {
        true => RewriteModel::behind_address(&name, inkveil::open_model(&args.teacher)?),
        false => RewriteModel::local(&name, &inkveil::model_path(&args.teacher)?, None, &device)?,
    };
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
            stage.continues()
        },
    );
    bar.finish_and_clear();
    let point = made.map_err(|error| stage.stopped(error, "the rows so far are kept"))?;
    stage.say(format_args!(
        "{}: {} texts, {} of them with a rewrite that keeps {} of the meaning",
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
    let bar = stage.bar("fine-tuning {bar:30} step {human_pos}  {msg}", 0);
    let tuned = train::sft(&policy, &args.pairs, plan, &args.stage.output, &mut |point: &SftPoint| {
        bar.set_position(point.step);
        bar.set_message(format!("loss {:.3}", point.loss));
        if let Some(held) = point.held_out {
            bar.suspend(|| {
                stage.say(format_args!("step {:>5}  loss {:.3}  held-out {held:.3}", point.step, point.loss));
            });
        }
        stage.continues()
    });
    bar.finish_and_clear();
    let points = tuned.map_err(|error| stage.stopped(error, CHECKPOINT))?;
    files.write(&points, || teacher_training(&points))?;
    stage.remove_checkpoint();
    stage.say(format_args!("{}: {} steps", args.stage.output.display(), points.len()));
    Ok(Outcome::Success)
}

pub(super) fn grpo(args: &GrpoArgs) -> anyhow::Result<Outcome> {
    let stage = Stage::open(&args.stage, "safetensors")?;
    let files = stage.outputs()?;
    let (texts, judge) = (stage.texts()?, args.stage.tools.models().judge()?);
    let geometry = judge.memory().geometry()?;
    let plan = &stage.settings.grpo;
    let (model, device) = (inkveil::model_path(&args.model)?, device::open(args.stage.device)?);
    let models = GrpoModels::open(&model, args.from.as_deref(), &texts, plan, &device)?;
    stage.say(format_args!(
        "attribution model: {} authors, accuracy {:.1} % on held-out texts",
        models.authors.authors(),
        100.0 * models.authors.accuracy
    ));
    let tools = models.tools(judge.judge(&geometry));
    let bar = stage.bar("fine-tuning {bar:30} {human_pos}/{human_len} steps  {eta} left  {msg}", plan.steps);
    let tuned = train::grpo(&tools, &texts, plan, &args.stage.output, &mut |point| {
        bar.set_position(point.step);
        bar.suspend(|| stage.say(format_args!("{}", in_words(point))));
        stage.continues()
    });
    bar.finish_and_clear();
    let points = tuned.map_err(|error| stage.stopped(error, CHECKPOINT))?;
    files.write(&points, || reward_training(&points))?;
    stage.remove_checkpoint();
    let to = |share| steps_to(&points, share).map_or_else(|| "?".to_owned(), |step| step.to_string());
    stage.say(format_args!(
        "{}: {} steps; uncertainty covered 80 % of its rise in {} steps, 90 % in {}",
        args.stage.output.display(),
        points.len(),
        to(0.8),
        to(0.9)
    ));
    Ok(Outcome::Success)
}

const CHECKPOINT: &str = "a checkpoint is beside it";

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

/// A stage of training.
struct Stage<'a> {
    args: &'a StageArgs,
    settings: RewriterSettings,
    cancel: Arc<AtomicBool>,
}

impl<'a> Stage<'a> {
    fn open(args: &'a StageArgs, ending: &str) -> anyhow::Result<Self> {
        let cancel = interrupt::flag()?;
        inkveil::files::refuse_same_file(&[
            ("the settings", Some(&args.settings)),
            ("--output", Some(&args.output)),
            ("--log", args.log.as_deref()),
            ("--curve", args.curve.as_deref()),
        ])?;
        ensure!(
            args.output.extension().is_some_and(|found| found == ending),
            "the name of --output must end with .{ending}"
        );
        // Rows of a teacher are appended; everything else is written once.
        ensure!(
            ending == "jsonl" || args.force || !inkveil::files::is_taken(&args.output),
            "{} exists; use --force to replace it",
            args.output.display()
        );
        let settings = RewriterSettings::open(&args.settings)?;
        Ok(Self { args, settings, cancel })
    }

    fn texts(&self) -> anyhow::Result<Vec<AuthorText>> {
        let texts = read_corpora(&self.settings.texts)?;
        self.say(format_args!("{} texts from {} files", texts.len(), self.settings.texts.len()));
        Ok(texts)
    }

    /// Opens the outputs before training, so that no result is lost to a file that cannot be written.
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
            say!("{what}");
        }
    }

    fn continues(&self) -> bool {
        !self.cancel.load(Ordering::Relaxed)
    }

    fn stopped(&self, error: inkveil::style::Error, kept: &str) -> anyhow::Error {
        match error.kind() {
            ErrorKind::Stopped => {
                self.say(format_args!(
                    "stopped; {}: {kept}, and the same command resumes from there",
                    self.args.output.display()
                ));
                crate::outcome::interrupted()
            }
            _ => error.into(),
        }
    }

    fn remove_checkpoint(&self) {
        std::fs::remove_file(checkpoint_of(&self.args.output)).ok();
    }
}

/// The files of the curve.
struct Drawings {
    log: Option<Output>,
    curve: Option<Output>,
}

impl Drawings {
    fn write<P: Serialize>(self, points: &[P], draw: impl FnOnce() -> String) -> anyhow::Result<()> {
        if let Some(log) = self.log {
            let lines: Vec<String> = points.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
            log.put((lines.join("\n") + "\n").as_bytes())?;
        }
        if let Some(output) = self.curve {
            output.put(draw().as_bytes())?;
        }
        Ok(())
    }
}
