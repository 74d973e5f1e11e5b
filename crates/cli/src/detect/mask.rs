//! Rows with `[KIND]` in place of what was found in their texts, and nothing else changed.

use std::path::Path;

use anyhow::{bail, ensure};
use inkveil::detect::Detector;
use inkveil::files::{Input, Output, Sha256Sum, is_pipe};
use inkveil::release::{Destination, mask_files, mask_pipe};
use inkveil::rows::{Packing, RecordFormat, RecordOptions, RecordReader};

use super::inputs;
use super::plan::Plan;
use crate::args::{DetectArgs, OnError};
use crate::interrupt;
use crate::observer::TerminalObserver;
use crate::text::report_rejected;

/// Masks files of rows, or rows in a pipe, and returns the number of spans.
pub(super) fn run(args: &DetectArgs, plan: &Plan<'_>, detector: &Detector) -> anyhow::Result<u64> {
    let files_only = || plan.inputs.iter().all(|input| matches!(input, inputs::Input::Rows(_)));
    match args.output.as_deref().filter(|path| *path != Path::new("-")) {
        Some(output) if files_only() => to_files(args, output, plan, detector),
        Some(_) => bail!("--mask with --output needs tables as its only inputs"),
        None => to_stdout(args, plan, detector),
    }
}

fn to_files(args: &DetectArgs, output: &Path, plan: &Plan<'_>, detector: &Detector) -> anyhow::Result<u64> {
    let corpus = crate::corpus::open(&args.files, &args.tables, false)?;
    // A pipe was read already.
    let config = plan.config.as_deref().filter(|path| !is_pipe(path));
    let config = config.map(Sha256Sum::of_file).transpose()?;
    let identity = format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {config:?}",
        args.language, args.unsupported, args.tier, args.threshold, args.kinds, args.ignore_kinds, plan.pack
    );
    let destination = Destination { options: options(args), ..Destination::new(&corpus, output.to_owned()) };
    let destination = args.job.apply(destination, args.force);
    let cancel = interrupt::flag()?;
    let observer = TerminalObserver::new("detect", Some(corpus.bytes()), args.quiet);
    let ended = mask_files(detector, &destination, &identity, &plan.account, &observer, &cancel);
    observer.end();
    let (summary, found) = ended?;
    report_rejected(&summary);
    Ok(found)
}

fn to_stdout(args: &DetectArgs, plan: &Plan<'_>, detector: &Detector) -> anyhow::Result<u64> {
    ensure!(args.job.to.is_none() && !args.job.resume, "--to and --resume need --output");
    let [input] = plan.inputs.as_slice() else {
        bail!("several files are written to a folder; name it with --output")
    };
    let (input, format, packing) = match input {
        inputs::Input::Rows(file) => (Input::path(&file.input), file.format, file.packing),
        inputs::Input::StdinRows(format) => (Input::stdin(), *format, Packing::None),
        _ => bail!("--mask takes rows or texts, not both at once"),
    };
    ensure!(
        !matches!(format, RecordFormat::Parquet | RecordFormat::Arrow),
        "{format} needs a file to write to; name one with --output"
    );
    let mut options = options(args);
    options.reject = args.job.on_error == OnError::Reject;
    let mut reader = RecordReader::open(input, format, packing, &options)?;
    if let Some(rows) = args.job.sample {
        reader.take(rows);
    }
    let mut out = Output::stdout()?.stream();
    let (observer, cancel) = (TerminalObserver::without_bar(), interrupt::flag()?);
    let (summary, found) =
        mask_pipe(detector, reader, &plan.dataset(), &plan.account, &mut out, &observer, &cancel)?;
    out.finish(summary.rows).commit()?;
    report_rejected(&summary);
    Ok(found)
}

/// How rows are read.
fn options(args: &DetectArgs) -> RecordOptions {
    let mut options = RecordOptions { parts: true, ..args.tables.options() };
    options.columns.subject.clone_from(&args.account.subject_column);
    options
}
