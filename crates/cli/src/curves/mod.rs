//! `inkveil curves`: how mechanisms treat sensitive words at each ε.

mod show;

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use inkveil::VeilNotes;
use inkveil::curves::CurveEffort;
use inkveil::files::Output;
use inkveil::lexicon::{Lexicon, LexiconKind};
use inkveil_eval::curves::{Curve, CurveFindings, CurveSource, CurveStore, CurveSubject, measure};

use crate::args::CurvesArgs;
use crate::outcome::Outcome;
use crate::{interrupt, printed, progress};

pub(crate) fn run(args: &CurvesArgs) -> anyhow::Result<Outcome> {
    let folder = inkveil::pack_folder(&args.pack)?;
    let notes = VeilNotes::open(&folder)?;
    let lexicon = args.lexicon.unwrap_or_else(|| notes.lexicon());
    let cancel = interrupt::flag()?;
    // Outputs are opened before minutes of work.
    let store = args.save.then(|| store(&folder, lexicon, args)).transpose()?;
    let drawing = args.svg.as_deref().map(|path| drawing(path, args.force)).transpose()?;
    if let Some(store) = &store {
        recommend(store, lexicon, args)?;
    }

    let mut known = notes.of(lexicon).curves;
    if args.measure || args.draws != CurvesArgs::STORED_DRAWS {
        known.clear();
    }
    let mut curves = Vec::new();
    let mut source: Option<CurveSource> = None;
    let subjects = args.subjects();
    for (at, subject) in subjects.iter().enumerate() {
        if let Some(points) = known.remove(subject.name) {
            curves.push(Curve { subject: *subject, points, stored: true });
            continue;
        }
        // Stored curves need no lexicon.
        let source = match &mut source {
            Some(open) => open,
            None => source.insert(open_source(&folder, lexicon, args)?),
        };
        let bar = progress::bar(
            Some(source.effort.points as u64),
            "{spinner} {prefix} {bar:30} {pos}/{len}  {eta} left",
            args.quiet,
        );
        bar.set_prefix(format!("{} ({} of {})", subject.name, at + 1, subjects.len()));
        let shown = bar.clone();
        let report = move |done: usize, all: usize| {
            if done == 0 {
                // Finding the range of ε took time that says nothing about the rest.
                shown.reset_eta();
            }
            shown.set_length(all as u64);
            shown.set_position(done as u64);
        };
        let points = measure(subject, source, report, &cancel);
        bar.finish_and_clear();
        let points = match points {
            Err(error) if matches!(error.kind(), inkveil_eval::ErrorKind::Cancelled) => {
                return Ok(interrupted(subject, args.save));
            }
            points => points?,
        };
        if let Some(store) = &store {
            store.put_curve(subject.name, &points)?;
            saved(subject.name, store);
        }
        curves.push(Curve { subject: *subject, points, stored: false });
    }
    present(&CurveFindings { pack: &args.pack, lexicon, draws: args.draws, curves }, args, drawing)
}

fn open_source(folder: &Path, lexicon: LexiconKind, args: &CurvesArgs) -> anyhow::Result<CurveSource> {
    Ok(CurveSource {
        pack: folder.to_owned(),
        names: inkveil::names_folder(folder)?,
        lexicon: Arc::new(Lexicon::open_kind(folder, lexicon)?),
        effort: CurveEffort {
            words: args.words.into(),
            draws: args.draws.into(),
            points: args.points.into(),
        },
        seed: args.insecure_seed,
    })
}

fn store(folder: &Path, lexicon: LexiconKind, args: &CurvesArgs) -> anyhow::Result<CurveStore> {
    ensure!(
        args.draws == CurvesArgs::STORED_DRAWS,
        "a pack stores the number of distinct words in {} draws; leave out --draws to save",
        CurvesArgs::STORED_DRAWS
    );
    let made_by = format!(
        "inkveil curves --words {} --points {} --insecure-seed {} --save",
        args.words, args.points, args.insecure_seed
    );
    CurveStore::open(folder, lexicon, made_by)
        .context("cannot save in this pack; copy it to another folder and name that folder with --pack")
}

fn recommend(store: &CurveStore, lexicon: LexiconKind, args: &CurvesArgs) -> anyhow::Result<()> {
    if let Some(threshold) = args.threshold() {
        store.put_threshold(threshold)?;
        saved(&format!("threshold {threshold} of the {lexicon} lexicon"), store);
    }
    if let Some(default) = args.default_lexicon {
        store.put_default_lexicon(default)?;
        saved(&format!("default lexicon {default}"), store);
    }
    Ok(())
}

fn saved(what: &str, store: &CurveStore) {
    tell!(green, "saved:", "{what} in {}", store.file().display());
}

/// Writes the drawing, and the numbers unless the drawing is on standard output.
fn present(
    findings: &CurveFindings<'_>,
    args: &CurvesArgs,
    drawing: Option<Output>,
) -> anyhow::Result<Outcome> {
    if let Some(drawing) = drawing {
        drawing.put(findings.svg().as_bytes())?;
    }
    match args.svg.as_deref() {
        Some(path) if is_stdout(path) => {}
        _ if args.json => printed::json(&findings.to_json(), "cannot write the JSON")?,
        _ if args.csv => {
            let values = findings.to_csv();
            printed::stdout()?.write_all(values.as_bytes()).context("cannot write the values")?;
        }
        _ => printed::line(show::table(findings), "cannot write the table")?,
    }
    let stored: Vec<&str> = findings.curves.iter().filter(|c| c.stored).map(|c| c.subject.name).collect();
    if !stored.is_empty() {
        tell!(yellow, "note:", "stored in the pack: {}; --measure measures again", stored.join(", "));
    }
    if findings.curves.len() > 1 {
        tell!(
            yellow,
            "note:",
            "each ε is in its mechanism's own metric; compare mechanisms at equal survival, not at equal ε"
        );
    }
    Ok(Outcome::Success)
}

fn interrupted(subject: &CurveSubject, save: bool) -> Outcome {
    let rest = if save { "; earlier curves are saved" } else { "; nothing is shown" };
    tell!(yellow, "interrupted:", "{} is not finished{rest}", subject.name);
    Outcome::Interrupted
}

/// The file of a drawing, or standard output.
fn drawing(path: &Path, replace: bool) -> anyhow::Result<Output> {
    if is_stdout(path) {
        return Ok(Output::stdout()?);
    }
    let advice = "exists; choose another name, or use --force";
    printed::unless_it_exists(Output::file(path, replace), path, advice)
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}
