//! Placeholders for everything that detection finds in texts. Detection gives no guarantee: what it misses
//! stays in the text. So a ledger is charged ε = ∞ for masked texts, as for every release without a
//! guarantee.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use inkveil_detect::{Detector, Span, mask};
use inkveil_files::{Sha256Sum, hex};
use inkveil_privacy::{
    Epsilon, GroupBudget, Guarantee, Metric, NoiseKey, Receipt, ReceiptBuilder, ReleaseKind, Unit,
};
use inkveil_rows::{
    BatchAddress, Changed, FileDone, Job, JobProgress, RecordReader, Summary, Texts, Work, stream,
};
use serde::{Deserialize, Serialize};

use super::account::{Account, Accounting, PartCharge, Reserved};
use super::columns::ColumnWatch;
use super::files::Destination;
use super::job::{from_kept, kept_secret};
use super::observer::{Notice, Observer, Progress};
use super::rows::content_of;
use super::text_rows::groups_of;
use crate::error::Error;

/// Masks rows in files. `identity` describes the settings of the detector: a job resumes only with the
/// same. Returns the summary and the number of findings.
///
/// # Errors
/// If a row cannot be read, an output exists, a limit would be passed, or the work is cancelled.
pub fn mask_files(
    detector: &Detector,
    destination: &Destination<'_>,
    identity: &str,
    account: &Account,
    observer: &dyn Observer,
    cancel: &AtomicBool,
) -> Result<(Summary, u64), Error> {
    let mut settings = destination.job_settings()?;
    settings.settings = Sha256Sum::of(format!("mask {identity}").as_bytes()).to_string();
    let accounting = account.open(&destination.corpus.name())?;
    let mut job = match destination.resume {
        true => Job::resume(settings)?,
        false => Job::begin(settings, kept_secret(&NoiseKey::fresh()?, accounting.id()))?,
    };
    if let Some(summary) = job.complete() {
        job.finish()?;
        return Ok((summary, 0));
    }
    let (_, id) = from_kept(job.secret())?;
    let accounting = accounting.with_id(id);
    let work = MaskWork {
        detector,
        accounting,
        observer,
        found: AtomicU64::new(0),
        columns: ColumnWatch::default(),
    };
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
/// If a row cannot be read or written, a limit would be passed, or the work is cancelled.
pub fn mask_pipe(
    detector: &Detector,
    reader: RecordReader,
    dataset: &str,
    account: &Account,
    out: &mut dyn Write,
    observer: &dyn Observer,
    cancel: &AtomicBool,
) -> Result<(Summary, u64), Error> {
    let accounting = account.open(dataset)?;
    let found = AtomicU64::new(0);
    let work = MaskWork { detector, accounting, observer, found, columns: ColumnWatch::default() };
    let summary = stream(reader, &work, cancel, out)?;
    Ok((summary, work.found.into_inner()))
}

/// A release of masked texts, piece by piece. It is charged before the first piece is handed out.
///
/// ```
/// use inkveil::release::{Account, MaskRelease, Silent};
///
/// let release = MaskRelease::open(&Account::none(), "letters", &Silent)?;
/// assert_eq!(release.masked("Call me.", &[]), "Call me.");
/// release.confirm()?;
/// # Ok::<(), inkveil::Error>(())
/// ```
pub struct MaskRelease {
    accounting: Accounting,
    permit: Reserved,
}

impl MaskRelease {
    /// Opens the ledger and charges it.
    ///
    /// # Errors
    /// If the ledger cannot be used, or a limit would be passed.
    pub fn open(account: &Account, dataset: &str, observer: &dyn Observer) -> Result<Self, Error> {
        let accounting = account.open(dataset)?;
        let permit = accounting.reserve(&PartCharge::new(0, &receipt(1)?, None), observer)?;
        Ok(Self { accounting, permit })
    }

    /// Returns the receipt of a number of masked texts, with the checksum of the file that holds them, if any.
    ///
    /// # Errors
    /// If the operating system gives no randomness.
    pub fn receipt(texts: u64, sha256: Option<String>) -> Result<Receipt, Error> {
        let builder = builder(texts)?;
        Ok(match sha256 {
            Some(sha256) => builder.sha256(sha256),
            None => builder,
        }
        .build()?)
    }

    /// Returns a text with placeholders.
    pub fn masked(&self, text: &str, spans: &[Span]) -> String {
        mask(text, spans)
    }

    /// Confirms in the ledger that everything has left.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn confirm(self) -> Result<(), Error> {
        self.accounting.commit(self.permit)
    }
}

impl std::fmt::Debug for MaskRelease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MaskRelease")
    }
}

/// The receipt of masked texts. What detection misses is kept, and it may miss anything.
fn receipt(texts: u64) -> Result<Receipt, Error> {
    Ok(builder(texts)?.build()?)
}

fn builder(texts: u64) -> Result<ReceiptBuilder, Error> {
    let kept = Guarantee::new(Metric::Discrete, Epsilon::INFINITE, Unit::Document);
    Ok(Receipt::builder(ReleaseKind::Text, "mask", Unit::Document, &NoiseKey::fresh()?)
        .group(GroupBudget::new("all", texts, Epsilon::INFINITE, vec![kept]).with_certainty())
        .treatment("what detection finds", "replaced by its kind", None)
        .not_covered("everything that detection does not find: it is copied unchanged"))
}

struct MaskWork<'a> {
    detector: &'a Detector,
    accounting: Accounting,
    observer: &'a dyn Observer,
    found: AtomicU64,
    columns: ColumnWatch,
}

impl Work for MaskWork<'_> {
    type Error = Error;
    type Note = MaskNote;
    type Permit = Reserved;

    fn change(&self, texts: &Texts, _: BatchAddress) -> Result<(Changed, MaskNote), Error> {
        self.columns.check(texts, Some(self.detector), self.observer)?;
        let mut note = MaskNote { texts: texts.len() as u64, ..MaskNote::default() };
        for subject in (0..texts.len()).filter_map(|index| texts.subject(index)) {
            *note.subjects.entry(subject.to_owned()).or_default() += 1;
        }
        let mut masked = Vec::with_capacity(texts.len());
        let all: Vec<&str> = texts.iter().collect();
        for group in groups_of(texts) {
            let group = &all[group];
            for (text, spans) in group.iter().zip(self.detector.detect(group)?) {
                note.found += spans.len() as u64;
                masked.push(Some(mask(text, &spans)));
            }
        }
        self.found.fetch_add(note.found, Ordering::Relaxed);
        Ok((Changed { texts: masked, ..Changed::default() }, note))
    }

    fn join(&self, note: &mut MaskNote, later: MaskNote) {
        note.found += later.found;
        note.texts += later.texts;
        for (subject, texts) in later.subjects {
            *note.subjects.entry(subject).or_default() += texts;
        }
    }

    fn resumed(&self, note: &MaskNote) -> Result<(), Error> {
        self.found.fetch_add(note.found, Ordering::Relaxed);
        Ok(())
    }

    fn passing(&self, texts: &Texts, part: u64, note: &MaskNote) -> Result<Reserved, Error> {
        self.reserve(part, note, Some(content_of(texts.iter())))
    }

    fn passed(&self, permit: Reserved) -> Result<(), Error> {
        self.accounting.commit(permit)
    }

    fn release(&self, file: &FileDone<'_>, note: &MaskNote) -> Result<Reserved, Error> {
        self.reserve(file.index as u64, note, hex::decode_array(file.fingerprint))
    }

    fn released(&self, file: &FileDone<'_>, permit: Option<Reserved>) -> Result<(), Error> {
        match permit {
            Some(permit) => self.accounting.commit(permit),
            None => self.accounting.commit_earlier(file.index as u64),
        }
    }

    fn progress(&self, progress: &JobProgress<'_>) {
        let JobProgress { input, index, files, rows, bytes } = *progress;
        self.observer.progress(&Progress { file: Some(input), index, files, rows, bytes });
    }
}

impl MaskWork<'_> {
    fn reserve(&self, part: u64, note: &MaskNote, content: Option<[u8; 32]>) -> Result<Reserved, Error> {
        let one = |(subject, texts): (&String, &u64)| Ok::<_, Error>((subject.clone(), receipt(*texts)?));
        let mut by_subject = note.subjects.iter().map(one).collect::<Result<BTreeMap<_, _>, _>>()?;
        let unnamed = note.texts - note.subjects.values().sum::<u64>().min(note.texts);
        if unnamed > 0 && !by_subject.is_empty() {
            // Texts without a subject are charged to the dataset alone.
            by_subject.insert(String::new(), receipt(unnamed)?);
        }
        let whole = receipt(note.texts)?;
        let charge = PartCharge { by_subject: &by_subject, ..PartCharge::new(part, &whole, content) };
        self.accounting.reserve(&charge, self.observer)
    }
}

/// What is known of masked rows.
#[derive(Serialize, Deserialize, Default, Clone)]
struct MaskNote {
    found: u64,
    texts: u64,
    /// The texts of each subject that the input names.
    subjects: BTreeMap<String, u64>,
}
