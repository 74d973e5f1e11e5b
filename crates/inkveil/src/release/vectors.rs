//! Vectors through a veil: from a file or a pipe, to a file or a pipe.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use inkveil_error::looks_like_name;
use inkveil_files::{Finished, Input, Output, is_pipe};
use inkveil_privacy::{NoiseKey, Receipt};
use inkveil_rows::{ColumnPath, Columns, Packing, RecordFormat, RecordOptions, RecordReader};
use inkveil_vector::VectorVeil;
use inkveil_vectors_io::{ReadOptions, VectorBatch, VectorFormat, VectorReader, VectorWriter, transform};
use sha2::{Digest as _, Sha256};

use super::account::{Account, Accounting, PartCharge, Reserved};
use super::files::receipt_beside;
use super::job::KeyChoice;
use super::observer::{Notice, Observer, Progress};
use super::output_job::{ChargedReceipt, JobTerms, OutputJob, ReceiptFile, release};
use crate::encoder::VectorFileNote;
use crate::error::{Error, ErrorKind};

/// A release of vectors. Everything beside the vectors is copied.
///
/// ```no_run
/// use std::sync::atomic::AtomicBool;
/// use inkveil::release::{Account, Silent, VectorRelease};
/// use inkveil::{Epsilon, Veil};
///
/// let mut release = VectorRelease::file("vectors.npy", "veiled.npy")?;
/// release.account = Account::new("budget.ledger");
/// let veil = Veil::vectors(Epsilon::new(400.0)?);
/// let released = release.run(|dim| veil.build(dim), &Silent, &AtomicBool::new(false))?;
/// println!("{}", released.receipt.render());
/// # Ok::<(), inkveil::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct VectorRelease {
    /// The file to read; standard input if `None`.
    pub input: Option<PathBuf>,
    /// The format of the input and the output.
    pub format: VectorFormat,
    /// How vectors are read.
    pub options: ReadOptions,
    /// The file to write; standard output if `None`.
    pub output: Option<PathBuf>,
    /// The receipt's file. Beside the output by default, and nowhere without an output file.
    pub receipt: Option<PathBuf>,
    /// Where noise comes from.
    pub key: KeyChoice,
    /// The ledger to charge.
    pub account: Account,
    /// The column that names the subject of each vector.
    pub subject_column: Option<ColumnPath>,
    /// Whether existing outputs are replaced and an interrupted release is discarded.
    pub overwrite: bool,
    /// Whether an interrupted release is resumed.
    pub resume: bool,
}

/// Vectors that were released.
#[derive(Debug)]
pub struct ReleasedVectors {
    /// Their receipt.
    pub receipt: Receipt,
    /// The receipt's file, if there is one.
    pub receipt_file: Option<PathBuf>,
    /// How many there are.
    pub rows: u64,
}

impl VectorRelease {
    /// Releases a file into a file of the same format.
    ///
    /// # Errors
    /// If the name of the input does not tell its format.
    pub fn file(input: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Result<Self, Error> {
        let input = input.into();
        let format = VectorFormat::from_path(&input)
            .ok_or_else(|| Error::from(ErrorKind::UnknownVectorFormat { path: input.clone() }))?;
        Ok(Self { input: Some(input), output: Some(output.into()), ..Self::pipe(format) })
    }

    /// Releases standard input into standard output.
    pub fn pipe(format: VectorFormat) -> Self {
        Self {
            input: None,
            format,
            options: ReadOptions::default(),
            output: None,
            receipt: None,
            key: KeyChoice::Fresh,
            account: Account::from_environment(),
            subject_column: None,
            overwrite: false,
            resume: false,
        }
    }

    /// Releases the vectors. `veil` gets their dimension and returns the veil.
    ///
    /// # Errors
    /// If vectors cannot be read or written, a limit would be passed, the input changed since an
    /// interrupted run, or the work is cancelled. An output file then has not got its name.
    pub fn run<E: From<Error>>(
        &self,
        veil: impl FnOnce(usize) -> Result<VectorVeil, E>,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<ReleasedVectors, E> {
        self.check()?;
        let input = self.input.as_ref().map_or_else(Input::stdin, Input::path);
        let (reader, veil) = self.open(input, veil)?;
        Ok(self.run_with(reader, &veil, observer, cancel)?)
    }

    /// Releases a pipe as [`run`](Self::run) does, with this input and output instead of the standard
    /// ones.
    pub(crate) fn between<E: From<Error>>(
        &self,
        input: Input,
        output: Output,
        veil: impl FnOnce(usize) -> Result<VectorVeil, E>,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<ReleasedVectors, E> {
        let (reader, veil) = self.open(input, veil)?;
        let accounting = self.account.open(&self.dataset())?;
        Ok(self.to_pipe(reader, &veil, output, &accounting, None, observer, cancel)?)
    }

    /// Opens the vectors, and the veil for their dimension.
    fn open<E: From<Error>>(
        &self,
        input: Input,
        veil: impl FnOnce(usize) -> Result<VectorVeil, E>,
    ) -> Result<(VectorReader, VectorVeil), E> {
        let reader = VectorReader::open(input, self.format, &self.options).map_err(Error::from)?;
        let mut veil = veil(reader.dim())?;
        let note = self.input.as_deref().map(VectorFileNote::find).transpose()?.flatten();
        if let (false, Some(note)) = (veil.has_encoder(), note) {
            veil = veil.encoder(note.encoder);
        }
        if let Some(column) = reader.column() {
            // The name comes from the file, and may be data.
            let shown = if looks_like_name(column) { column } else { "its name is not shown" };
            veil = veil.parameter("column", shown);
        }
        Ok((reader, veil))
    }

    fn check(&self) -> Result<(), Error> {
        if self.resume && (self.output.is_none() || self.input.as_deref().is_none_or(is_pipe)) {
            return Err(ErrorKind::PipeNotResumable.into());
        }
        if self.subject_column.is_some() {
            let has_columns = matches!(self.format, VectorFormat::Jsonl | VectorFormat::Parquet);
            // The column is read after the vectors.
            if self.input.as_deref().is_none_or(is_pipe) || !has_columns {
                return Err(ErrorKind::NoSubjectColumn.into());
            }
        }
        Ok(())
    }

    fn run_with(
        &self,
        reader: VectorReader,
        veil: &VectorVeil,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<ReleasedVectors, Error> {
        let accounting = self.account.open(&self.dataset())?;
        let receipt_path = self.receipt.clone().or_else(|| self.output.as_deref().map(receipt_beside));
        let keeps_old = self.overwrite || self.resume;
        let receipt_file =
            receipt_path.as_deref().map(|path| ReceiptFile::open(path, keeps_old)).transpose()?;
        let Some(output) = &self.output else {
            let output = Output::stdout().map_err(Error::from)?;
            return self.to_pipe(reader, veil, output, &accounting, receipt_file, observer, cancel);
        };
        let identity = self.identity(veil)?;
        let terms = JobTerms {
            input: self.input.as_deref().unwrap_or(Path::new("-")),
            output,
            identity: &identity,
            key: self.key,
            resume: self.resume,
            overwrite: self.overwrite,
        };
        let mut job = OutputJob::open(&terms, &accounting)?;
        if let Some((receipt, rows)) = job.complete(receipt_path.as_deref())? {
            job.finish()?;
            return Ok(ReleasedVectors { receipt, receipt_file: receipt_path, rows });
        }
        let (key, id) = job.kept()?;
        let accounting = accounting.with_id(id);
        if job.is_released() {
            // The earlier run was stopped after the output got its name: only the confirmation is missing.
            accounting.commit_earlier(0)?;
            let (rows, sha256) = job.noted();
            let receipt = veil.receipt(rows, sha256, &key)?;
            job.finish()?;
            return Ok(ReleasedVectors { receipt, receipt_file: receipt_path, rows });
        }
        let released =
            self.to_file(reader, veil, output, &mut job, &key, &accounting, receipt_file, observer, cancel);
        match released {
            Ok(released) => {
                job.finish()?;
                Ok(released)
            }
            Err(error) => {
                // Nothing is charged before the checksum is noted, so nothing is lost by starting over.
                match job.noted().1.is_some() {
                    true => observer.notice(&Notice::JobKept(job.folder().to_owned())),
                    false => job.discard(),
                }
                Err(error)
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one release, used here once")]
    fn to_file(
        &self,
        reader: VectorReader,
        veil: &VectorVeil,
        output: &Path,
        job: &mut OutputJob,
        key: &NoiseKey,
        accounting: &Accounting,
        receipt_file: Option<ReceiptFile>,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<ReleasedVectors, Error> {
        let output = Output::file(output, self.overwrite || self.resume)?;
        let content = RefCell::new(Sha256::new());
        // A file leaves when it gets its name, so there is nothing to permit before that.
        let finished = self.transform(reader, veil, output, key, observer, cancel, |batch| {
            if accounting.is_kept() {
                add_content(&mut content.borrow_mut(), batch);
            }
            Ok(None)
        })?;
        let rows = finished.rows();
        let receipt = veil.receipt(rows, Some(finished.sha256()), key)?;
        let by_subject = match accounting.is_kept() {
            true => self.receipts_by_subject(veil, key)?,
            false => BTreeMap::new(),
        };
        let content = accounting.is_kept().then(|| content.into_inner().finalize().into());
        let charged = ChargedReceipt { receipt, by_subject, content };
        let receipt_file = release(Some(job), finished, &charged, receipt_file, accounting, observer)?;
        Ok(ReleasedVectors { receipt: charged.receipt, receipt_file, rows })
    }

    /// Bytes in a pipe have left when they are written, so each batch is charged before that.
    #[expect(clippy::too_many_arguments, reason = "the parts of one release, used here twice")]
    fn to_pipe(
        &self,
        reader: VectorReader,
        veil: &VectorVeil,
        output: Output,
        accounting: &Accounting,
        receipt_file: Option<ReceiptFile>,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<ReleasedVectors, Error> {
        if self.subject_column.is_some() && accounting.is_kept() {
            return Err(ErrorKind::NoSubjectColumn.into());
        }
        let key = self.key.key()?;
        let mut part = 0;
        let finished = self.transform(reader, veil, output, &key, observer, cancel, |batch| {
            let mut content = Sha256::new();
            add_content(&mut content, batch);
            let receipt = veil.receipt(batch.rows() as u64, None, &key)?;
            let charge = PartCharge::new(part, &receipt, Some(content.finalize().into()));
            part += 1;
            accounting.reserve(&charge, observer).map(Some)
        })?;
        let rows = finished.rows();
        let receipt = veil.receipt(rows, Some(finished.sha256()), &key)?;
        let receipt_file = receipt_file.map(|file| file.write(&receipt)).transpose()?;
        finished.commit()?;
        accounting.commit_all()?;
        Ok(ReleasedVectors { receipt, receipt_file, rows })
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one release, used here twice")]
    fn transform(
        &self,
        reader: VectorReader,
        veil: &VectorVeil,
        output: Output,
        key: &NoiseKey,
        observer: &dyn Observer,
        cancel: &AtomicBool,
        mut permit: impl FnMut(&VectorBatch) -> Result<Option<Reserved>, Error>,
    ) -> Result<Finished, Error> {
        let is_file = self.output.is_some();
        let writer = VectorWriter::like(&reader, output)?;
        let name =
            self.input.as_ref().map_or_else(|| "standard input".to_owned(), |p| p.display().to_string());
        let report = |rows: u64, bytes: u64| {
            let file = self.input.as_deref();
            observer.progress(&Progress { file, index: 0, files: 1, rows, bytes });
        };
        transform(
            reader,
            writer,
            cancel,
            |progress| report(progress.rows, progress.bytes_read),
            |batch| {
                if permit(batch)?.is_none() && !is_file {
                    return Err(ErrorKind::Bug("vectors were about to leave without a charge").into());
                }
                let first = batch.first_row();
                batch.release(|values| {
                    veil.apply(values, first, key).map_err(|error| Error::from(error).in_file(&name))
                })
            },
        )
    }

    /// The name of the data in a ledger, if the user gives none.
    fn dataset(&self) -> String {
        let name = self.input.as_deref().and_then(Path::file_name);
        name.map_or_else(|| "vectors".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// Everything that decides what is released.
    fn identity(&self, veil: &VectorVeil) -> Result<String, Error> {
        let receipt = veil.receipt(0, None, &NoiseKey::insecure_from_seed(0))?;
        let described =
            format!("{} {:?} {:?} {}", self.format, self.options, self.subject_column, receipt.digest());
        Ok(inkveil_files::Sha256Sum::of(described.as_bytes()).to_string())
    }

    /// A receipt for each subject that a column names.
    fn receipts_by_subject(
        &self,
        veil: &VectorVeil,
        key: &NoiseKey,
    ) -> Result<BTreeMap<String, Receipt>, Error> {
        let (Some(column), Some(input)) = (&self.subject_column, &self.input) else {
            return Ok(BTreeMap::new());
        };
        let counts = count_by(input, self.format, column)?;
        counts.into_iter().map(|(subject, count)| Ok((subject, veil.receipt(count, None, key)?))).collect()
    }
}

/// How many rows of a file each value of a column has.
fn count_by(input: &Path, format: VectorFormat, column: &ColumnPath) -> Result<BTreeMap<String, u64>, Error> {
    let format = match format {
        VectorFormat::Jsonl => RecordFormat::Jsonl,
        VectorFormat::Parquet => RecordFormat::Parquet,
        VectorFormat::Npy | VectorFormat::Safetensors => return Err(ErrorKind::NoSubjectColumn.into()),
    };
    let columns = Columns { texts: vec![column.clone()], ..Columns::default() };
    let options = RecordOptions { columns, ..RecordOptions::default() };
    let mut reader = RecordReader::open(Input::path(input), format, Packing::None, &options)?;
    let mut counts = BTreeMap::new();
    while let Some(records) = reader.next()? {
        let mut named = 0;
        for subject in records.texts().iter() {
            *counts.entry(subject.to_owned()).or_default() += 1;
            named += 1;
        }
        // Rows without a subject are charged to the dataset alone.
        let unnamed = records.rows().saturating_sub(named);
        if unnamed > 0 {
            *counts.entry(String::new()).or_default() += unnamed;
        }
    }
    Ok(counts)
}

/// Adds clear vectors to a checksum, by which the ledger notices that they are released again.
fn add_content(hash: &mut Sha256, batch: &VectorBatch) {
    for value in batch.values() {
        hash.update(value.to_le_bytes());
    }
}
