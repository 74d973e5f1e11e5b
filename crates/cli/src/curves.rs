//! `inkveil curves`: what mechanisms do to sensitive words at each ε, shown, measured, drawn and kept.

mod figure;
mod measure;
mod save;
mod show;
mod subject;

use std::path::Path;

use anyhow::anyhow;
use inkveil::{CurvePoint, VeilNotes};
use inkveil_files::{ErrorKind, Output};
use inkveil_lexicon::LexiconKind;
use owo_colors::OwoColorize;

use crate::args::CurvesArgs;
use crate::interrupt;
use crate::outcome::Outcome;
use measure::Bench;
use save::Keeper;
pub(crate) use subject::Subject;

/// What was found out about a mechanism.
struct Curve {
    subject: Subject,
    points: Vec<CurvePoint>,
    /// Whether the pack had it.
    stored: bool,
}

/// What is shown, whatever the format.
struct Findings<'a> {
    pack: &'a str,
    lexicon: LexiconKind,
    /// How many draws the different words are counted of.
    draws: u16,
    curves: Vec<Curve>,
}

pub(crate) fn run(args: &CurvesArgs) -> anyhow::Result<Outcome> {
    let folder = inkveil::pack_folder(&args.pack)?;
    let notes = VeilNotes::open(&folder)?;
    let lexicon = args.lexicon.map_or_else(|| notes.lexicon(), LexiconKind::from);
    let cancel = interrupt::flag()?;
    // Before minutes of work: that their results can be written.
    let keeper = args.save.then(|| Keeper::new(&folder, lexicon, args)).transpose()?;
    let drawing = args.svg.as_deref().map(|path| drawing(path, args.force)).transpose()?;
    if let Some(keeper) = &keeper {
        keeper.recommend(args.threshold(), args.default_lexicon.map(LexiconKind::from))?;
    }

    let mut known = notes.of(lexicon).curves;
    if args.measure || args.draws != CurvesArgs::STORED_DRAWS {
        known.clear();
    }
    let mut curves = Vec::new();
    let mut bench = Bench::new(&folder, lexicon, args, cancel);
    let subjects = args.subjects();
    for (at, subject) in subjects.iter().enumerate() {
        let stored = known.remove(subject.name);
        let curve = match stored {
            Some(points) => Curve { subject: *subject, points, stored: true },
            None => {
                let place = format!("{} of {}", at + 1, subjects.len());
                let Some(points) = bench.measure(subject, &place)? else {
                    return Ok(interrupted(subject, args.save));
                };
                if let Some(keeper) = &keeper {
                    keeper.keep(subject, &points)?;
                }
                Curve { subject: *subject, points, stored: false }
            }
        };
        curves.push(curve);
    }
    let findings = Findings { pack: &args.pack, lexicon, draws: args.draws, curves };
    present(&findings, args, drawing)
}

/// Writes the drawing, and then the numbers, unless the drawing is on standard output.
fn present(findings: &Findings<'_>, args: &CurvesArgs, drawing: Option<Output>) -> anyhow::Result<Outcome> {
    if let Some(drawing) = drawing {
        drawing.put(figure::svg(findings)?.as_bytes())?;
    }
    match args.svg.as_deref() {
        Some(path) if is_stdout(path) => {}
        _ if args.json => show::json(findings)?,
        _ if args.csv => show::csv(findings)?,
        _ => show::table(findings)?,
    }
    let stored: Vec<&str> = findings.curves.iter().filter(|c| c.stored).map(|c| c.subject.name).collect();
    if !stored.is_empty() {
        note(&format!("as the pack has stored it: {}; --measure measures anew", stored.join(", ")));
    }
    if findings.curves.len() > 1 {
        note(
            "each ε is in its mechanism's own metric: compare where as many words survive, not where ε is the same",
        );
    }
    Ok(Outcome::Success)
}

fn note(words: &str) {
    anstream::eprintln!("{} {words}", "note:".yellow().bold());
}

fn interrupted(subject: &Subject, save: bool) -> Outcome {
    let rest = if save { "; what was measured before it is saved" } else { ", and nothing is shown" };
    anstream::eprintln!(
        "{} {} was not measured to its end{rest}",
        "interrupted:".yellow().bold(),
        subject.name
    );
    Outcome::Interrupted
}

/// The file of a drawing, or standard output.
fn drawing(path: &Path, replace: bool) -> anyhow::Result<Output> {
    if is_stdout(path) {
        return Ok(Output::stdout());
    }
    Output::file(path, replace).map_err(|error| match error.kind() {
        ErrorKind::Exists => {
            anyhow!("{} exists already; choose another name, or say --force", path.display())
        }
        _ => error.into(),
    })
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}
