//! Rows of texts through a veil: files in, files out, or a pipe.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use inkveil_files::{Output, Sha256Sum, hex, is_taken, remove_leftovers};
use inkveil_ledger::ReleaseId;
use inkveil_privacy::{NoiseKey, Receipt};
use inkveil_rows::{
    Added, BatchAddress, Changed, ColumnUse, FileDone, Job, JobProgress, JobSettings, RecordReader, Texts,
    Work, stream,
};
use inkveil_text::Replacements;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::account::{Account, Accounting, PartCharge, Reserved, lock, sent_part};
use super::columns::{ColumnWatch, with_columns};
use super::files::{Destination, receipt_beside};
use super::job::{KeyChoice, from_kept, kept_secret};
use super::map::{MapFile, MapSettings, SealedPairs};
use super::observer::{Notice, Observer, Progress};
use super::row_veil::{RowVeil, VeiledRow};
use crate::RECEIPT_COLUMN;
use crate::error::{Error, ErrorKind};

pub use inkveil_rows::Summary;

/// The addresses of two files' texts are this many bits apart: no file has more texts.
const FILE_BITS: u32 = 40;

/// Batches with more bytes hold a text that is longer than a batch should be.
pub(super) const LONG: usize = 1 << 20;

/// The index of the file and of the text in it that an address stands for.
pub fn split_address(address: u64) -> (usize, u64) {
    ((address >> FILE_BITS) as usize, address & ((1 << FILE_BITS) - 1))
}

/// Where the receipts of rows go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReceiptPlacement {
    /// One file `OUTPUT.receipt.json` beside each output.
    #[default]
    Sidecar,
    /// A column in each row.
    Column,
}

/// A release of rows of texts.
///
/// ```no_run
/// use std::sync::Arc;
/// use std::sync::atomic::AtomicBool;
/// use inkveil::release::{Account, Corpus, Destination, RowRelease, Silent, TextRows};
/// use inkveil::Veil;
///
/// let veil = Arc::new(Veil::text().build()?);
/// let corpus = Corpus::open(&["reviews.jsonl".into()], None, false)?;
/// let release = RowRelease::new(TextRows::new(veil)).account(Account::new("budget.ledger"));
/// let summary =
///     release.files(&Destination::new(&corpus, "veiled.jsonl"), &Silent, &AtomicBool::new(false))?;
/// println!("{} rows", summary.rows);
/// # Ok::<(), inkveil::Error>(())
/// ```
pub struct RowRelease<V> {
    veil: V,
    key: KeyChoice,
    account: Account,
    map: Option<MapSettings>,
    receipts: ReceiptPlacement,
    by_subject: bool,
    identity: String,
}

impl<V: RowVeil> RowRelease<V> {
    /// A release through this veil, with a fresh key, the ledger that the environment names, and no map.
    pub fn new(veil: V) -> Self {
        Self {
            veil,
            key: KeyChoice::Fresh,
            account: Account::from_environment(),
            map: None,
            receipts: ReceiptPlacement::Sidecar,
            by_subject: false,
            identity: String::new(),
        }
    }

    /// Chooses where noise comes from.
    pub fn key(mut self, key: KeyChoice) -> Self {
        self.key = key;
        self
    }

    /// Charges a ledger.
    pub fn account(mut self, account: Account) -> Self {
        self.account = account;
        self
    }

    /// Charges the subject that the input names in each row, instead of one for all.
    pub fn by_subject(mut self, by_subject: bool) -> Self {
        self.by_subject = by_subject;
        self
    }

    /// Keeps replacements in a map.
    pub fn map(mut self, map: Option<MapSettings>) -> Self {
        self.map = map;
        self
    }

    /// Chooses where receipts go.
    pub fn receipts(mut self, receipts: ReceiptPlacement) -> Self {
        self.receipts = receipts;
        self
    }

    /// Adds something that decides what is released and that the veil does not know, such as the
    /// checksum of a settings file. A job resumes only with the same.
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = identity.into();
        self
    }

    /// Releases files into files.
    ///
    /// # Errors
    /// If an output exists, a row cannot be read, the veil fails, a limit would be passed, or the
    /// work is cancelled. Finished work stays in the job folder and can be resumed.
    pub fn files(
        self,
        destination: &Destination<'_>,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<Summary, Error> {
        let settings = self.job_settings(destination)?;
        let (overwrite, resume) = (destination.overwrite, destination.resume);
        let outputs: Vec<PathBuf> = settings.files.iter().map(|(_, output)| output.clone()).collect();
        // A map or ledger that cannot be used is reported before any work starts.
        let map = self.map.as_ref().map(|map| map.open(resume, overwrite, observer)).transpose()?;
        let accounting = self.account.open(&destination.corpus.name())?;
        let mut job = match resume {
            true => Job::resume(settings)?,
            false => Job::begin(settings, kept_secret(&self.key.key()?, accounting.id()))?,
        };
        if let Some(summary) = job.complete() {
            job.finish()?;
            return Ok(summary);
        }
        let (key, id) = from_kept(job.secret())?;
        let mut work = self.work(key, accounting, id, map, overwrite || resume, observer, cancel);
        work.receipt_path.clone_from(&destination.receipt);
        if resume {
            work.remove_leftovers(&outputs);
        }
        work.learn_map();
        match job.run(&work, cancel) {
            Ok(summary) => {
                job.finish()?;
                Ok(summary)
            }
            Err(error) => {
                if job.has_parts() {
                    observer.notice(&Notice::JobKept(job.folder().to_owned()));
                }
                Err(error)
            }
        }
    }

    /// Releases rows on their way through a pipe. What has left cannot be taken back, so each batch
    /// is charged before it is written. Returns the summary and the receipt of everything.
    ///
    /// # Errors
    /// As [`files`](Self::files); rows written before the error have left.
    pub fn pipe(
        self,
        reader: RecordReader,
        dataset: &str,
        overwrite_map: bool,
        out: &mut dyn Write,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<(Summary, PipeReceipt<V>), Error> {
        let map = self.map.as_ref().map(|map| map.open(false, overwrite_map, observer)).transpose()?;
        let accounting = self.account.open(dataset)?;
        let (key, id) = (self.key.key()?, accounting.id());
        let work = self.work(key, accounting, id, map, false, observer, cancel);
        let summary = stream(reader, &work, cancel, out)?;
        let (tally, columns) = work.total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok((summary, PipeReceipt { veil: work.veil, tally, columns, key: work.key }))
    }

    fn job_settings(&self, destination: &Destination<'_>) -> Result<JobSettings, Error> {
        let mut settings = destination.job_settings()?;
        let described =
            format!("{} {:?} {} {}", self.veil.identity()?, self.receipts, self.by_subject, self.identity);
        settings.settings = Sha256Sum::of(described.as_bytes()).to_string();
        let keeps_old = destination.overwrite || destination.resume;
        if self.receipts == ReceiptPlacement::Sidecar && !keeps_old {
            let beside = settings.files.iter().map(|(_, output)| match &destination.receipt {
                Some(path) => path.clone(),
                None => receipt_beside(output),
            });
            if let Some(path) = beside.into_iter().find(|path| is_taken(path)) {
                return Err(ErrorKind::ReceiptExists { path }.into());
            }
        }
        Ok(settings)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one release, joined here once")]
    fn work<'a>(
        self,
        key: NoiseKey,
        accounting: Accounting,
        id: ReleaseId,
        map: Option<MapFile>,
        overwrite: bool,
        observer: &'a dyn Observer,
        cancel: &'a AtomicBool,
    ) -> ReleaseWork<'a, V> {
        ReleaseWork {
            veil: self.veil,
            key,
            accounting: accounting.with_id(id),
            map,
            known: Mutex::default(),
            by_subject: self.by_subject,
            receipts: self.receipts,
            receipt_path: None,
            overwrite,
            observer,
            cancel,
            total: Mutex::default(),
            columns: ColumnWatch::default(),
            long: Mutex::default(),
        }
    }
}

impl<V> std::fmt::Debug for RowRelease<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowRelease").field("account", &self.account).finish_non_exhaustive()
    }
}

/// Makes the receipt of everything that went through a pipe.
pub struct PipeReceipt<V: RowVeil> {
    veil: V,
    tally: V::Tally,
    columns: ColumnUse,
    key: NoiseKey,
}

impl<V: RowVeil> PipeReceipt<V> {
    /// The receipt, with the checksum of the released bytes.
    ///
    /// # Errors
    /// If sums overflow.
    pub fn receipt(&self, sha256: String) -> Result<Receipt, Error> {
        Ok(with_columns(self.veil.receipt(&self.tally, Some(sha256), &self.key)?, &self.columns))
    }
}

impl<V: RowVeil> std::fmt::Debug for PipeReceipt<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PipeReceipt")
    }
}

/// A veil as the work of a job.
struct ReleaseWork<'a, V: RowVeil> {
    veil: V,
    key: NoiseKey,
    accounting: Accounting,
    map: Option<MapFile>,
    known: Mutex<Replacements>,
    by_subject: bool,
    receipts: ReceiptPlacement,
    /// The receipt's file, if it is not beside the output.
    receipt_path: Option<PathBuf>,
    overwrite: bool,
    observer: &'a dyn Observer,
    cancel: &'a AtomicBool,
    /// Everything that went through a pipe.
    total: Mutex<(V::Tally, ColumnUse)>,
    columns: ColumnWatch,
    /// Held while a long text is veiled.
    long: Mutex<()>,
}

/// What is known of released rows: enough for receipts, charges and the map.
#[derive(Serialize, Deserialize, Default, Clone)]
struct ReleaseNote<T> {
    tally: T,
    subjects: BTreeMap<String, T>,
    /// What became of the columns.
    columns: ColumnUse,
    /// What was replaced, if a map is kept. Encrypted from the start, because notes are kept on disk.
    pairs: Vec<SealedPairs>,
}

impl<V: RowVeil> Work for ReleaseWork<'_, V> {
    type Error = Error;
    type Note = ReleaseNote<V::Tally>;
    type Permit = Reserved;

    fn change(&self, texts: &Texts, address: BatchAddress) -> Result<(Changed, Self::Note), Error> {
        let first = ((address.file as u64) << FILE_BITS) + address.first_text;
        self.columns.check(texts, self.veil.detector(), self.observer)?;
        let rows = self.veiled(texts, first)?;
        let mut note = Self::Note { columns: texts.columns().clone(), ..Self::Note::default() };
        let mut changed = Changed { texts: Vec::with_capacity(texts.len()), ..Changed::default() };
        let mut by_row: Vec<(u64, V::Tally)> = Vec::new();
        if let Some(map) = &self.map {
            note.pairs.push(map.seal(rows.iter().map(|row| &row.pairs))?);
        }
        for (index, VeiledRow { text, tally, .. }) in rows.into_iter().enumerate() {
            changed.texts.push(text);
            self.veil.join(&mut note.tally, &tally);
            if self.by_subject {
                let subject = texts.subject(index).unwrap_or_default().to_owned();
                self.veil.join(note.subjects.entry(subject).or_default(), &tally);
            }
            if self.receipts == ReceiptPlacement::Column {
                match by_row.last_mut().filter(|(row, _)| *row == texts.row(index)) {
                    Some((_, sum)) => self.veil.join(sum, &tally),
                    None => by_row.push((texts.row(index), tally)),
                }
            }
        }
        if self.receipts == ReceiptPlacement::Column {
            let receipt = |(row, tally): (u64, V::Tally)| {
                let receipt = self.veil.receipt(&tally, None, &self.key)?;
                Ok::<_, Error>((row, with_columns(receipt, texts.columns()).to_line()))
            };
            let values = by_row.into_iter().map(receipt).collect::<Result<_, _>>()?;
            changed.added.push(Added { name: RECEIPT_COLUMN.to_owned(), values });
        }
        Ok((changed, note))
    }

    fn join(&self, note: &mut Self::Note, later: Self::Note) {
        self.veil.join(&mut note.tally, &later.tally);
        note.columns.join(&later.columns);
        for (subject, tally) in later.subjects {
            self.veil.join(note.subjects.entry(subject).or_default(), &tally);
        }
        note.pairs.extend(later.pairs);
    }

    fn resumed(&self, note: &Self::Note) -> Result<(), Error> {
        match &self.map {
            Some(map) => note.pairs.iter().try_for_each(|sealed| map.recall(sealed, &mut lock(&self.known))),
            None => Ok(()),
        }
    }

    fn release(&self, file: &FileDone<'_>, note: &Self::Note) -> Result<Reserved, Error> {
        let receipt = self.veil.receipt(&note.tally, Some(file.sha256.to_owned()), &self.key)?;
        let receipt = with_columns(receipt, &note.columns);
        if !note.columns.removed.is_empty() {
            self.observer.notice(&Notice::Removed(note.columns.removed.clone()));
        }
        if let Some(map) = &self.map {
            // A released text must be restorable, so the map comes first.
            map.add_sealed(&note.pairs)?;
        }
        let content = hex::decode_array(file.fingerprint);
        let permit = self.reserve(file.index as u64, &receipt, &note.subjects, content)?;
        if self.receipts == ReceiptPlacement::Sidecar {
            let path = self.receipt_path.clone().unwrap_or_else(|| receipt_beside(file.output));
            write_receipt(&receipt, &path, self.overwrite)?;
        }
        Ok(permit)
    }

    fn released(&self, file: &FileDone<'_>, permit: Option<Reserved>) -> Result<(), Error> {
        match permit {
            Some(permit) => self.accounting.commit(permit),
            None => self.accounting.commit_earlier(file.index as u64),
        }
    }

    fn withholds(&self, note: &Self::Note) -> bool {
        self.veil.withholds(&note.tally)
    }

    fn passing(&self, texts: &Texts, part: u64, note: &Self::Note) -> Result<Reserved, Error> {
        {
            let (tally, columns) = &mut *lock(&self.total);
            self.veil.join(tally, &note.tally);
            columns.join(&note.columns);
        }
        if let Some(map) = &self.map {
            map.add_sealed(&note.pairs)?;
        }
        let receipt = self.veil.receipt(&note.tally, None, &self.key)?;
        self.reserve(part, &receipt, &note.subjects, Some(content_of(texts.iter())))
    }

    fn passed(&self, permit: Reserved) -> Result<(), Error> {
        self.accounting.commit(permit)
    }

    fn workers(&self) -> Option<usize> {
        self.veil.workers()
    }

    fn progress(&self, progress: &JobProgress<'_>) {
        let JobProgress { input, index, files, rows, bytes } = *progress;
        self.observer.progress(&Progress { file: Some(input), index, files, rows, bytes });
    }

    fn added(&self) -> Vec<String> {
        match self.receipts {
            ReceiptPlacement::Column => vec![RECEIPT_COLUMN.to_owned()],
            ReceiptPlacement::Sidecar => Vec::new(),
        }
    }
}

impl<V: RowVeil> ReleaseWork<'_, V> {
    /// Removes receipts and maps that a killed process left under temporary names. The job is locked now.
    fn remove_leftovers(&self, outputs: &[PathBuf]) {
        let beside = |output: &PathBuf| self.receipt_path.clone().unwrap_or_else(|| receipt_beside(output));
        outputs.iter().for_each(|output| remove_leftovers(&beside(output)));
        if let Some(map) = &self.map {
            map.remove_leftovers();
        }
    }

    /// Learns the replacements of files that were released before.
    fn learn_map(&self) {
        if let Some(map) = &self.map {
            map.remember(&mut lock(&self.known));
        }
    }

    fn veiled(&self, texts: &Texts, first: u64) -> Result<Vec<VeiledRow<V::Tally>>, Error> {
        let go_on = || !self.cancel.load(Ordering::Relaxed);
        let permit = |tallies: &[V::Tally]| self.permit_sending(texts, first, tallies);
        // Long texts take their turns, so that memory does not grow with the number of cores.
        let bytes: usize = texts.iter().map(str::len).sum();
        let _turn = (bytes > LONG).then(|| lock(&self.long));
        let veiled = match self.map {
            // Without a map nothing needs to be remembered, and batches run side by side.
            None => self.veil.veil(texts, &mut Replacements::default(), first, &self.key, &go_on, &permit),
            Some(_) => self.veil.veil(texts, &mut lock(&self.known), first, &self.key, &go_on, &permit),
        }?;
        if self.veil.sends() {
            self.accounting.commit_earlier(sent_part(first))?;
        }
        Ok(veiled)
    }

    /// Charges texts that are about to be sent to a server. The file made from its answers costs nothing
    /// more.
    fn permit_sending(&self, texts: &Texts, first: u64, tallies: &[V::Tally]) -> Result<Reserved, Error> {
        let (mut sum, mut subjects) = (V::Tally::default(), BTreeMap::new());
        for (index, tally) in tallies.iter().enumerate() {
            self.veil.join(&mut sum, tally);
            if self.by_subject {
                let subject = texts.subject(index).unwrap_or_default().to_owned();
                self.veil.join(subjects.entry(subject).or_default(), tally);
            }
        }
        let receipt = self.veil.receipt(&sum, None, &self.key)?;
        let by_subject = self.receipts_by_subject(&subjects)?;
        let content = Some(content_of(texts.iter()));
        let charge =
            PartCharge { by_subject: &by_subject, ..PartCharge::new(sent_part(first), &receipt, content) };
        self.accounting.reserve(&charge, self.observer)
    }

    fn reserve(
        &self,
        part: u64,
        receipt: &Receipt,
        subjects: &BTreeMap<String, V::Tally>,
        content: Option<[u8; 32]>,
    ) -> Result<Reserved, Error> {
        let by_subject = self.receipts_by_subject(subjects)?;
        let charge = PartCharge {
            by_subject: &by_subject,
            charged_when_sent: self.veil.sends(),
            ..PartCharge::new(part, receipt, content)
        };
        self.accounting.reserve(&charge, self.observer)
    }

    fn receipts_by_subject(
        &self,
        subjects: &BTreeMap<String, V::Tally>,
    ) -> Result<BTreeMap<String, Receipt>, Error> {
        let one = |(subject, tally): (&String, &V::Tally)| {
            Ok::<_, Error>((subject.clone(), self.veil.receipt(tally, None, &self.key)?))
        };
        match self.accounting.is_kept() {
            true => subjects.iter().map(one).collect(),
            false => Ok(BTreeMap::new()),
        }
    }
}

/// Writes a receipt to its file.
fn write_receipt(receipt: &Receipt, path: &Path, overwrite: bool) -> Result<(), Error> {
    Ok(Output::file(path, overwrite)?.put(receipt.to_json().as_bytes())?)
}

/// The checksum of texts, by which the ledger notices that they are released again.
pub(crate) fn content_of<'t>(texts: impl Iterator<Item = &'t str>) -> [u8; 32] {
    let mut hash = Sha256::new();
    texts.for_each(|text| add_text(&mut hash, text));
    hash.finalize().into()
}

/// Adds a text to such a checksum. Its length comes first, so that texts cannot run into each other.
pub(super) fn add_text(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

/// The path of the job folder beside an output.
pub(super) fn job_folder(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    while let Some(rest) = name.to_str().and_then(|name| name.strip_suffix('/')) {
        name = rest.to_owned().into();
    }
    name.push(".inkveil-job");
    name.into()
}
