//! Rows with `[KIND]` in place of what was found in their texts, and nothing else changed.

use inkveil_files::Sha256Sum;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use inkveil_detect::Detector;
use inkveil_files::{Input, Output};
use inkveil_rows::{
    BatchAddress, Changed, FileDone, Job, JobProgress, Packing, RecordFormat, RecordReader, Texts, Work,
    stream,
};

use super::plan::Plan;
use super::report::placeholder;
use super::source;
use crate::args::{DetectArgs, OnError};
use crate::corpus::{self, Corpus, Failed, JobBar, Target};
use crate::interrupt;
use crate::outcome::Outcome;

/// Masks files of rows, or rows in a pipe.
pub(super) fn run(args: &DetectArgs, plan: &Plan<'_>, detector: &Detector) -> anyhow::Result<Outcome> {
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let found = match (output, plan.rows()) {
        (Some(output), Some(_)) => to_files(args, output, detector)?,
        (Some(_), None) => bail!("--mask writes rows to a file if all inputs are files of rows"),
        (None, _) => to_stdout(args, plan, detector)?,
    };
    Ok(if args.check && found > 0 { Outcome::Failure } else { Outcome::Success })
}

fn to_files(args: &DetectArgs, output: &Path, detector: &Detector) -> anyhow::Result<u64> {
    let names: Vec<PathBuf> = args.files.clone();
    let corpus = Corpus::new(&names, args.tables.from, false)?;
    let about = format!("mask {:?} {:?} {:?} {:?}", args.tier, args.threshold, args.kinds, args.ignore_kinds);
    let settings = match &args.settings {
        Some(path) => format!("{about} {}", Sha256Sum::of_file(path)?.to_string()),
        None => about,
    };
    let target = Target {
        corpus: &corpus,
        output,
        job: &args.job,
        options: corpus::options(&args.tables),
        settings,
        force: args.force,
    };
    let cancel = interrupt::flag()?;
    let settings = target.settings()?;
    let mut job = match args.job.resume {
        true => Job::resume(settings).map_err(corpus::advise)?,
        false => Job::begin(settings, Vec::new().into()).map_err(corpus::advise)?,
    };
    let work = Mask { detector, bar: JobBar::new("detect", corpus.bytes(), args.quiet), found: 0.into() };
    let ended = job.run(&work, &cancel);
    work.bar.end();
    let summary = corpus::settle(ended, job)?;
    corpus::say_rejected(&summary);
    Ok(work.found.into_inner())
}

fn to_stdout(args: &DetectArgs, plan: &Plan<'_>, detector: &Detector) -> anyhow::Result<u64> {
    ensure!(
        args.job.to.is_none() && !args.job.resume,
        "--to and --resume need a file; name it with --output"
    );
    let [input] = plan.inputs.as_slice() else {
        bail!("several files are written to a folder; name it with --output")
    };
    let (input, format, packing) = match input {
        source::Input::Rows(file) => (Input::path(&file.input), file.format, file.packing),
        source::Input::StdinRows(format) => (Input::stdin(), *format, Packing::None),
        _ => bail!("--mask takes rows or texts, not both at once"),
    };
    ensure!(
        !matches!(format, RecordFormat::Parquet | RecordFormat::Arrow),
        "{format} needs a file to be written to; name one with --output"
    );
    let mut options = corpus::options(&args.tables);
    options.reject = args.job.on_error == OnError::Reject;
    let mut reader = RecordReader::open(input, format, packing, &options)?;
    if let Some(most) = args.job.sample {
        reader.take(most);
    }
    let work = Mask { detector, bar: JobBar::new("detect", 0, true), found: 0.into() };
    let mut out = Output::stdout().stream();
    let summary = stream(reader, &work, &*interrupt::flag()?, &mut out).map_err(|failed| failed.0)?;
    out.finish(summary.rows).commit()?;
    corpus::say_rejected(&summary);
    Ok(work.found.into_inner())
}

struct Mask<'d> {
    detector: &'d Detector,
    bar: JobBar,
    /// How much was found in all files.
    found: std::sync::atomic::AtomicU64,
}

impl Work for Mask<'_> {
    type Error = Failed;
    type Note = u64;

    fn change(&self, texts: &Texts, _: BatchAddress) -> Result<(Changed, u64), Failed> {
        let strs: Vec<&str> = texts.iter().collect();
        let all = self.detector.detect(&strs).map_err(anyhow::Error::from)?;
        let mut found = 0;
        let mut masked = Vec::with_capacity(strs.len());
        for (text, spans) in strs.into_iter().zip(all) {
            let (mut written, mut at) = (String::with_capacity(text.len()), 0);
            for span in &spans {
                written.push_str(text.get(at..span.start).unwrap_or_default());
                written.push_str(&placeholder(span));
                at = span.end;
            }
            written.push_str(text.get(at..).unwrap_or_default());
            found += spans.len() as u64;
            masked.push(Some(written));
        }
        self.found.fetch_add(found, std::sync::atomic::Ordering::Relaxed);
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
