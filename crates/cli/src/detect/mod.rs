//! `inkveil detect`: finds sensitive information in texts.

mod inputs;
mod list;
mod mask;
mod plan;
mod report;
mod target;

use anyhow::{Context as _, ensure};
use indicatif::ProgressBar;
use inkveil::detect::Detector;

use crate::args::DetectArgs;
use crate::outcome::Outcome;
use crate::{interrupt, progress};
use inputs::{Input, Inputs};
use plan::Plan;
use target::Target;

/// Runs the command. Errors have the exit code 2, so that a script can tell them from findings.
pub(crate) fn run(args: &DetectArgs) -> anyhow::Result<Outcome> {
    detect(args).or_else(|error| {
        Ok(match Outcome::of_error(error) {
            Outcome::Failure => Outcome::Trouble,
            other => other,
        })
    })
}

fn detect(args: &DetectArgs) -> anyhow::Result<Outcome> {
    let plan = Plan::new(args)?;
    let detector = plan.detector()?;
    if args.list {
        return list::print(&detector);
    }
    if args.mask && plan.inputs.iter().any(Input::is_rows) {
        let found = mask::run(args, &plan, &detector)?;
        warn_of_languages(args, &detector);
        return Ok(outcome(args, found));
    }
    ensure!(
        !args.job.resume && args.job.to.is_none() && args.job.sample.is_none(),
        "--resume, --to and --sample need files of rows, --mask and --output"
    );
    let mut target = Target::open(args.output.as_deref(), args.force, args.mask, &plan.input_paths())?;
    let mut report = plan.report(&target)?;
    let cancel = interrupt::flag()?;
    let bar = progress(plan.total_bytes(), args.quiet || target.is_terminal());
    let mut options = args.tables.options();
    // A secret may be in any column.
    options.columns.all |= options.columns.are_chosen();
    // Long texts are searched in windows.
    options.longest_text = options.longest_row;
    let inputs = Inputs::new(plan.inputs, args.lines, options);
    let mut found = 0;
    report.begin(target.writer()).context("cannot write")?;
    let ended = detector.stream(
        inputs,
        &cancel,
        |bytes| bar.inc(bytes),
        |pieces| {
            for piece in pieces {
                report.piece(piece, target.writer()).context("cannot write")?;
                found += piece.spans.len();
            }
            // A reader of a pipe gets every batch at once.
            target.flush().context("cannot write")
        },
    );
    ended.map_err(|error| match error.downcast_ref().map(inkveil::detect::Error::kind) {
        Some(inkveil::detect::ErrorKind::Cancelled) => crate::outcome::interrupted(),
        _ => error,
    })?;
    report.end(target.writer()).context("cannot write")?;
    bar.finish_and_clear();
    target.commit()?;
    report.released()?;
    warn_of_languages(args, &detector);
    Ok(outcome(args, found as u64))
}

fn warn_of_languages(args: &DetectArgs, detector: &Detector) {
    for warning in inkveil::language_warnings(detector).iter().filter(|_| !args.quiet) {
        tell!(yellow, "warning:", "{warning}");
    }
}

fn outcome(args: &DetectArgs, found: u64) -> Outcome {
    if args.check && found > 0 { Outcome::Failure } else { Outcome::Success }
}

/// A progress bar for large inputs. It is `hidden` if the text itself is shown on the terminal.
fn progress(total: Option<u64>, hidden: bool) -> ProgressBar {
    /// Smaller inputs are done before a bar is read.
    const LARGE: u64 = 1 << 20;
    let template = match total {
        Some(_) => "detect {bar:30} {bytes}/{total_bytes}  {eta} left",
        None => "detect {spinner} {bytes}  {elapsed}",
    };
    progress::bar(total, template, hidden || total.is_some_and(|total| total < LARGE))
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::inputs::{Input, Piece};

    /// Has two implementations for types with `Debug`, so that the call below is ambiguous for them.
    trait WithoutDebug<Which> {
        fn check() {}
    }
    impl<T> WithoutDebug<()> for T {}
    impl<T: Debug> WithoutDebug<u8> for T {}

    /// Does not compile if one of these types has `Debug`, which would print the text.
    #[test]
    fn types_with_text_have_no_debug_output() {
        <Piece as WithoutDebug<_>>::check();
        <Input as WithoutDebug<_>>::check();
        <inkveil::detect::windows::Window as WithoutDebug<_>>::check();
        <inkveil::detect::windows::FoundSpan<'_> as WithoutDebug<_>>::check();
    }
}
