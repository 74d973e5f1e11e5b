//! `--mask` for rows: replaces the spans in texts and keeps everything else.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{bail, ensure};
use inkveil_detect::{Detector, mask};
use inkveil_io::{
    Changed, FileDone, Input, Job, JobProgress, Output, Packing, Place, RecordFormat, RecordReader, Texts,
    Work, stream,
};

use super::inputs;
use super::plan::Plan;
use crate::args::{DetectArgs, OnError};
use crate::corpus::{self, Corpus, Failed, JobBar, Target};
use crate::{digest, interrupt};

/// Masks files of rows, or rows in a pipe, and returns the number of spans.
pub(super) fn run(args: &DetectArgs, plan: &Plan<'_>, detector: &Detector) -> anyhow::Result<u64> {
    let files_only = || plan.inputs.iter().all(|input| matches!(input, inputs::Input::Rows(_)));
    match args.output.as_deref().filter(|path| *path != Path::new("-")) {
        Some(output) if files_only() => to_files(args, output, plan, detector),
        Some(_) => bail!("--mask with --output needs files of rows as its only inputs"),
        None => to_stdout(args, plan, detector),
    }
}

fn to_files(args: &DetectArgs, output: &Path, plan: &Plan<'_>, detector: &Detector) -> anyhow::Result<u64> {
    let corpus = Corpus::new(&args.files, args.tables.from, false)?;
    // A job is resumed only with the same settings.
    let mut settings = format!(
        "mask {:?} {:?} {:?} {:?} {:?}",
        args.tier, args.threshold, args.kinds, args.ignore_kinds, plan.pack
    );
    if let Some(path) = &plan.config {
        settings.push_str(&format!(" {}", digest::of_file(path)?));
    }
    let options = corpus::options(&args.tables);
    let target = Target { corpus: &corpus, output, job: &args.job, options, settings, force: args.force };
    let cancel = interrupt::flag()?;
    let settings = target.settings()?;
    let mut job = match args.job.resume {
        true => Job::resume(settings)?,
        false => Job::begin(settings, "").map_err(corpus::advise)?,
    };
    let work =
        Mask { detector, bar: JobBar::new("detect", corpus.bytes(), args.quiet), found: AtomicU64::new(0) };
    let ended = job.run(&work, &cancel);
    work.bar.end();
    let summary = corpus::settle(ended, job)?;
    corpus::say_rejected(&summary);
    Ok(work.found.into_inner())
}

fn to_stdout(args: &DetectArgs, plan: &Plan<'_>, detector: &Detector) -> anyhow::Result<u64> {
    ensure!(args.job.to.is_none() && !args.job.resume, "--to and --resume need --output");
    let [input] = plan.inputs.as_slice() else {
        bail!("several files are written to a folder; name it with --output")
    };
    let (input, format, packing) = match input {
        inputs::Input::Rows(file) => (Input::path(&file.input), file.format, file.packing),
        inputs::Input::StdinRows(format) => (Input::stdin(), *format, Packing::None),
        _ => bail!("--mask takes either rows or texts, not both"),
    };
    ensure!(
        !matches!(format, RecordFormat::Parquet | RecordFormat::Arrow),
        "{format} cannot be written to standard output; name a file with --output"
    );
    let mut options = corpus::options(&args.tables);
    options.reject = args.job.on_error == OnError::Reject;
    let mut reader = RecordReader::open(input, format, packing, &options)?;
    if let Some(most) = args.job.sample {
        reader.take(most);
    }
    let work = Mask { detector, bar: JobBar::new("detect", 0, true), found: AtomicU64::new(0) };
    let mut out = Output::stdout().stream();
    let summary = stream(reader, &work, &*interrupt::flag()?, &mut out).map_err(|failed| failed.0)?;
    out.finish(summary.rows).commit()?;
    corpus::say_rejected(&summary);
    Ok(work.found.into_inner())
}

struct Mask<'d> {
    detector: &'d Detector,
    bar: JobBar,
    /// The number of spans in all files.
    found: AtomicU64,
}

impl Work for Mask<'_> {
    type Error = Failed;
    type Note = u64;

    fn change(&self, texts: &Texts, _: Place) -> Result<(Changed, u64), Failed> {
        let texts: Vec<&str> = texts.iter().collect();
        let spans = self.detector.detect(&texts).map_err(anyhow::Error::from)?;
        let found = spans.iter().map(Vec::len).sum::<usize>() as u64;
        self.found.fetch_add(found, Ordering::Relaxed);
        let masked = texts.iter().zip(&spans).map(|(text, spans)| Some(mask(text, spans))).collect();
        Ok((Changed { texts: masked, ..Changed::default() }, found))
    }

    fn join(&self, note: &mut u64, later: u64) {
        *note += later;
    }

    fn release(&self, _: &FileDone<'_>, _: &u64) -> Result<(), Failed> {
        Ok(())
    }

    fn progress(&self, progress: &JobProgress<'_>) {
        self.bar.show(progress);
    }
}
