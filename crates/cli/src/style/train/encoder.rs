//! `inkveil style train encoder`.

use std::sync::atomic::Ordering;

use anyhow::ensure;
use inkveil::files::Output;
use inkveil::pages::encoder_training;
use inkveil::style::train::{EncoderPlan, EncoderSettings, checkpoint_of, train_encoder};
use inkveil::style::{ErrorKind, read_corpora};

use crate::args::TrainEncoderArgs;
use crate::outcome::Outcome;
use crate::{device, interrupt, progress};
use inkveil::pack_folder;

pub(super) fn encoder(args: &TrainEncoderArgs) -> anyhow::Result<Outcome> {
    let cancel = interrupt::flag()?;
    inkveil::files::refuse_same_file(&[
        ("the settings", Some(&args.settings)),
        ("--output", Some(&args.output)),
        ("--curve", args.curve.as_deref()),
    ])?;
    ensure!(
        args.output.extension().is_some_and(|ending| ending == "safetensors"),
        "--output is a file of weights; its name must end with .safetensors"
    );
    ensure!(
        args.force || !inkveil::files::is_taken(&args.output),
        "{} exists; use --force to replace it",
        args.output.display()
    );
    // Opened before training, so that no result is lost to a file that cannot be written.
    let card_file = Output::file(args.output.with_extension("json"), args.force)?;
    let curve_file = args.curve.as_ref().map(|path| Output::file(path, args.force)).transpose()?;
    let EncoderSettings { texts: files, plan } = EncoderSettings::open(&args.settings)?;
    let texts = read_corpora(&files)?;
    let plan = EncoderPlan { device: device::open(args.device)?, ..plan };
    let say = |what: std::fmt::Arguments<'_>| {
        if !args.quiet {
            say!("{what}");
        }
    };
    say(format_args!("{} texts from {} files", texts.len(), files.len()));
    let bar = progress::bar(
        Some(plan.steps),
        "training {bar:30} {human_pos}/{human_len} steps  {eta} left  {msg}",
        args.quiet,
    );
    let trained = train_encoder(&pack_folder(&args.pack)?, texts, &plan, &args.output, &mut |point| {
        bar.set_position(point.step);
        bar.set_message(format!("loss {:.3}", point.loss));
        if let Some(auc) = point.auc {
            bar.suspend(|| {
                say(format_args!("step {:>6}  loss {:.3}  held-out AUC {auc:.4}", point.step, point.loss));
            });
        }
        !cancel.load(Ordering::Relaxed)
    });
    bar.finish_and_clear();
    let (card, curve) = trained.map_err(|error| match error.kind() {
        ErrorKind::Stopped => {
            say(format_args!(
                "stopped; the same command resumes from the checkpoint {}",
                checkpoint_of(&args.output).display()
            ));
            crate::outcome::interrupted()
        }
        _ => anyhow::Error::from(error),
    })?;
    if let Some(output) = curve_file {
        output.put(encoder_training(&curve).as_bytes())?;
    }
    card_file.put(card.to_json().as_bytes())?;
    std::fs::remove_file(checkpoint_of(&args.output)).ok();
    say(format_args!(
        "{}: trained on {} authors and {} texts; on {} held-out authors {:.1} % of pairs are in the right order",
        args.output.display(),
        card.trained_on.authors,
        card.trained_on.texts,
        card.checked_on.authors,
        100.0 * card.auc
    ));
    Ok(Outcome::Success)
}
