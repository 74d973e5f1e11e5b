//! Placeholders for everything that detection finds in rows of texts. This is not a release: it has no
//! receipt, because detection gives no guarantee.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use inkveil_detect::{Detector, mask};
use inkveil_files::Sha256Sum;
use inkveil_rows::{
    BatchAddress, Changed, FileDone, Job, JobProgress, RecordReader, Summary, Texts, Work, stream,
};

use super::files::Destination;
use super::observer::{Notice, Observer, Progress, Silent};
use crate::error::Error;

/// Masks rows in files. `identity` describes the settings of the detector: a job resumes only with the
/// same. Returns the summary and the number of findings.
///
/// # Errors
/// If a row cannot be read, an output exists, or the work is cancelled.
pub fn mask_files(
    detector: &Detector,
    destination: &Destination<'_>,
    identity: &str,
    observer: &dyn Observer,
    cancel: &AtomicBool,
) -> Result<(Summary, u64), Error> {
    let mut settings = destination.job_settings()?;
    settings.settings = Sha256Sum::of(format!("mask {identity}").as_bytes()).to_string();
    let mut job = match destination.resume {
        true => Job::resume(settings)?,
        false => Job::begin(settings, Vec::new().into())?,
    };
    let work = MaskWork { detector, observer, found: AtomicU64::new(0) };
    match job.run(&work, cancel) {
        Ok(summary) => {
            job.finish()?;
            Ok((summary, work.found.into_inner()))
        }
        Err(error) => {
            if job.has_parts() {
                observer.notice(&Notice::JobKept(job.folder().to_owned()));
            }
            Err(error)
        }
    }
}

/// Masks rows on their way through a pipe. Returns the summary and the number of findings.
///
/// # Errors
/// If a row cannot be read or written, or the work is cancelled.
pub fn mask_pipe(
    detector: &Detector,
    reader: RecordReader,
    out: &mut dyn Write,
    cancel: &AtomicBool,
) -> Result<(Summary, u64), Error> {
    let work = MaskWork { detector, observer: &Silent, found: AtomicU64::new(0) };
    let summary = stream(reader, &work, cancel, out)?;
    Ok((summary, work.found.into_inner()))
}

struct MaskWork<'a> {
    detector: &'a Detector,
    observer: &'a dyn Observer,
    found: AtomicU64,
}

impl Work for MaskWork<'_> {
    type Error = Error;
    type Note = u64;

    fn change(&self, texts: &Texts, _: BatchAddress) -> Result<(Changed, u64), Error> {
        let texts: Vec<&str> = texts.iter().collect();
        let all = self.detector.detect(&texts)?;
        let found = all.iter().map(Vec::len).sum::<usize>() as u64;
        let masked = texts.iter().zip(&all).map(|(text, spans)| Some(mask(text, spans))).collect();
        self.found.fetch_add(found, Ordering::Relaxed);
        Ok((Changed { texts: masked, ..Changed::default() }, found))
    }

    fn join(&self, note: &mut u64, later: u64) {
        *note += later;
    }

    fn resumed(&self, note: &u64) {
        self.found.fetch_add(*note, Ordering::Relaxed);
    }

    fn release(&self, _: &FileDone<'_>, _: &u64) -> Result<(), Error> {
        Ok(())
    }

    fn progress(&self, progress: &JobProgress<'_>) {
        let JobProgress { input, index, files, rows, bytes } = *progress;
        self.observer.progress(&Progress { file: Some(input), index, files, rows, bytes });
    }
}
