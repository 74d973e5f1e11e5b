//! Runs a release of vectors and prints its receipt.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use inkveil::VectorVeil;
use inkveil::files::refuse_same_file;
use inkveil::release::{VectorRelease, receipt_beside};
use inkveil::vectors_io::{ReadOptions, VectorFormat};
use owo_colors::OwoColorize as _;

use crate::args::{VectorFileArgs, key_choice};
use crate::interrupt;
use crate::observer::TerminalObserver;
use crate::outcome::Outcome;
use crate::printed;

/// Releases the vectors of a file. `others` are files that are read besides, with their options. `veil`
/// is called when the dimension is known.
pub(crate) fn run(
    args: &VectorFileArgs,
    others: &[(&str, Option<&Path>)],
    veil: impl FnOnce(usize) -> anyhow::Result<VectorVeil>,
) -> anyhow::Result<Outcome> {
    let release = plan(args, others)?;
    let cancel = interrupt::flag()?;
    let bytes = release.input.as_ref().and_then(|path| path.metadata().ok()).map(|found| found.len());
    let observer = TerminalObserver::new("veil", bytes, args.quiet);
    let told = |dim: usize| {
        let veil = veil(dim)?;
        warn(&veil);
        Ok::<_, anyhow::Error>(veil)
    };
    let released = release.run(told, &observer, &cancel);
    observer.end();
    let released = released?;
    if !args.quiet {
        say!("{}", released.receipt.render().trim_end());
        if let Some(path) = &released.receipt_file {
            say!("  receipt       {}", path.display());
        }
    }
    Ok(Outcome::Success)
}

/// Shows what the user should know before the release.
pub(crate) fn warn(veil: &VectorVeil) {
    for warning in veil.warnings() {
        anstream::eprintln!("{} {warning}", "warning:".yellow().bold());
    }
}

/// Checks the arguments.
fn plan(args: &VectorFileArgs, others: &[(&str, Option<&Path>)]) -> anyhow::Result<VectorRelease> {
    let named = |path: &Option<PathBuf>| path.clone().filter(|path| path != Path::new("-"));
    let (input, output) = (named(&args.input), named(&args.output));
    let format = match (args.format, &input) {
        (Some(format), _) => format,
        (None, Some(path)) => VectorFormat::from_path(path).with_context(|| {
            format!("{}: the name does not tell the format; name it with --format", path.display())
        })?,
        (None, None) => VectorFormat::Jsonl,
    };
    if input.is_none() && std::io::stdin().is_terminal() {
        bail!("there is nothing to read; name a file, or pipe vectors in");
    }
    if output.is_none() && format != VectorFormat::Jsonl && printed::is_terminal() {
        bail!("{format} is not plain text; name a file with -o, or pipe the output");
    }
    let receipt = args.receipt.clone().or_else(|| output.as_deref().map(receipt_beside));
    ensure!(
        receipt.as_deref() != Some(Path::new("-")),
        "the receipt needs a file: standard output carries the vectors"
    );
    if let Some(other) = output.as_deref().and_then(VectorFormat::from_path) {
        ensure!(other == format, "the output is {format} like the input, but its name says {other}");
    }
    let own =
        [("the input", input.as_deref()), ("--output", output.as_deref()), ("--receipt", receipt.as_deref())];
    refuse_same_file(&own.into_iter().chain(others.iter().copied()).collect::<Vec<_>>())?;
    Ok(VectorRelease {
        input,
        format,
        options: ReadOptions { column: args.column.clone(), ..ReadOptions::default() },
        output,
        receipt,
        account: args.account.account()?,
        subject_column: args.account.subject_column.clone(),
        overwrite: args.force,
        resume: args.resume,
        // Last, because it prints a warning.
        key: key_choice(args.insecure_seed),
    })
}
