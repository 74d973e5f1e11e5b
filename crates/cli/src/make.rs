//! `inkveil models make` and `inkveil models add`.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::bail;
use indicatif::ProgressBar;
use inkveil::lexicon::{BuildStep, COMPACT_MODEL_FILES, build_compact_model};
use inkveil::pack::{DerivedPack, LICENCE_FILE, Manifest, Provenance, find_pack};

use crate::args::{AddArgs, MakeArgs};
use crate::models::size;
use crate::outcome::Outcome;
use crate::{interrupt, progress};

pub(crate) fn run(args: &MakeArgs) -> anyhow::Result<Outcome> {
    if inkveil::files::is_taken(&args.output) && !args.force {
        bail!("{} already exists; choose another folder or use --force", args.output.display());
    }
    let source = find_pack(&args.from)?;
    if source.manifest().is_none() {
        bail!(
            "{} has no manifest, so its licence is unknown; copy it into the cache first, with `inkveil pull path:FOLDER --name NAME`",
            source.folder().display()
        );
    }
    if args.licence_text.is_none() && !source.has(LICENCE_FILE) {
        bail!("the pack contains no licence text; give one with --licence-text FILE");
    }
    let made_by =
        format!("inkveil models make {} --from {} --components {}", args.name, args.from, args.components);
    let pack = DerivedPack {
        name: args.name.clone(),
        source: &source,
        licence_text: args.licence_text.as_deref(),
        made_by: &made_by,
        about: &COMPACT_MODEL_FILES,
    };
    let cancel = interrupt::flag()?;
    let made = pack.make(&args.output, |folder| build(source.folder(), folder, args.components, &cancel));
    let manifest = match made {
        Ok(manifest) => manifest,
        Err(error) if error.is::<Interrupted>() => {
            tell!(yellow, "interrupted:", "nothing was written");
            return Ok(Outcome::Interrupted);
        }
        Err(error) => return Err(error),
    };
    tell!(green, "ok:", "{} is in {}, {}", args.name, args.output.display(), size(manifest.bytes()));
    Ok(Outcome::Success)
}

/// The user interrupted the work.
#[derive(Debug)]
struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// Writes the files of the new pack, with a progress bar for each step.
fn build(source: &Path, folder: &Path, components: usize, cancel: &AtomicBool) -> anyhow::Result<()> {
    let mut current: Option<(BuildStep, ProgressBar)> = None;
    let flow = build_compact_model(source, folder, components, &mut |step, done, total| {
        let bar = match &mut current {
            Some((shown, bar)) if *shown == step => &*bar,
            _ => {
                if let Some((_, bar)) = current.take() {
                    bar.finish_and_clear();
                }
                &current.insert((step, step_bar(step))).1
            }
        };
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        match cancel.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    if let Some((_, bar)) = current {
        bar.finish_and_clear();
    }
    match flow? {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Interrupted.into()),
    }
}

fn step_bar(step: BuildStep) -> ProgressBar {
    match step {
        BuildStep::Weights => progress::bar(None, "weights to 8 bits {bar:30} {pos}/{len}", false),
        BuildStep::Words => progress::bar(None, "words {bar:30} {pos}/{len}  {eta} left", false),
        BuildStep::Distances(kind) => {
            let bar = progress::bar(None, "{msg} {spinner}", false);
            bar.set_message(format!("distances of the {kind} lexicon"));
            bar
        }
    }
}

/// Records a file of a pack's folder in its manifest.
pub(crate) fn add(args: &AddArgs) -> anyhow::Result<Outcome> {
    let provenance = Provenance::new(&args.licence, &args.origin, &args.made_by);
    let manifest = Manifest::read(&args.folder)?;
    manifest.with_file(&args.folder, &args.file, &args.about, provenance)?.write(&args.folder)?;
    tell!(green, "ok:", "{} is recorded in {}", args.file, args.folder.display());
    Ok(Outcome::Success)
}
