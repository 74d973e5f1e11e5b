//! Texts that become vectors, with or without noise.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use inkveil_files::{Finished, Input, Output, is_taken};
use inkveil_privacy::{
    Epsilon, GridRows, GroupBudget, Guarantee, Metric, NoiseKey, Receipt, ReleaseKind, Secret, Unit,
};
use inkveil_rows::{ColumnPath, ColumnUse, JobFile, RecordFormat, RecordOptions, RecordReader, Records};
use inkveil_vector::VectorVeil;
use inkveil_vectors_io::{NewVectors, VectorFormat};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::account::{Account, Accounting};
use super::columns::{ColumnWatch, with_columns};
use super::files::receipt_beside;
use super::job::KeyChoice;
use super::observer::{Notice, Observer, Progress};
use super::output_job::{ChargedReceipt, JobTerms, OutputJob, ReceiptFile, release};
use super::rows::add_text;
use super::vectors::ReleasedVectors;
use crate::encoder::{Encoder, VectorFileNote};
use crate::error::{Error, ErrorKind};

/// The field or column of vectors.
const FIELD: &str = "embedding";

/// The column of ids, if no other is named.
const ID: &str = "id";

/// A release of texts as vectors.
///
/// Encoding is the expensive part, so finished vectors are kept in the job folder. Noise is added when
/// the output is written. Vectors without noise carry no guarantee: they are charged as ε = ∞, unless
/// the user says that they stay on this machine.
#[derive(Debug)]
pub struct EmbedRelease<'a> {
    /// The file of texts: one to a line, or rows of a table with one text each.
    pub input: JobFile,
    /// The content of the input, if it is not a file. It is kept in memory, so that a killed process
    /// leaves no copy of it on disk.
    pub content: Option<Secret<Vec<u8>>>,
    /// How rows are read.
    pub options: RecordOptions,
    /// The encoder.
    pub encoder: &'a Encoder,
    /// The noise, if any.
    pub veil: Option<&'a VectorVeil>,
    /// The file to write: .jsonl, .parquet or .npy.
    pub output: PathBuf,
    /// Where noise comes from.
    pub key: KeyChoice,
    /// The ledger to charge. Each row is charged to its own subject if the options name
    /// a column of subjects.
    pub account: Account,
    /// Whether existing outputs are replaced and an interrupted release is discarded.
    pub overwrite: bool,
    /// Whether an interrupted release is resumed.
    pub resume: bool,
}

impl EmbedRelease<'_> {
    /// Encodes the texts and releases the vectors.
    ///
    /// # Errors
    /// If a row has no text or several, a limit would be passed, or the work is cancelled. Finished
    /// vectors stay in the job folder and can be resumed.
    pub fn run(&self, observer: &dyn Observer, cancel: &AtomicBool) -> Result<ReleasedVectors, Error> {
        let format = self.format()?;
        let note_path = VectorFileNote::path(&self.output);
        let receipt_path = receipt_beside(&self.output);
        let keeps_old = self.overwrite || self.resume;
        // Encoding may take hours, so a file in the way is reported first.
        if is_taken(&note_path) && !keeps_old {
            return Err(ErrorKind::OutputExists { path: note_path }.into());
        }
        if is_taken(&receipt_path) && !keeps_old {
            return Err(ErrorKind::ReceiptExists { path: receipt_path }.into());
        }
        let accounting = self.account.open(&self.dataset())?;
        let identity = self.identity()?;
        let terms = JobTerms {
            input: &self.input.input,
            output: &self.output,
            identity: &identity,
            key: self.key,
            resume: self.resume,
            overwrite: self.overwrite,
        };
        let mut job = OutputJob::open(&terms, &accounting)?;
        if let Some((receipt, rows)) = job.complete(Some(&receipt_path))? {
            job.finish()?;
            return Ok(ReleasedVectors { receipt, receipt_file: Some(receipt_path), rows });
        }
        let (key, id) = job.kept()?;
        let accounting = accounting.with_id(id);
        if job.is_released() {
            accounting.commit_earlier(0)?;
            let (rows, sha256) = job.noted();
            let receipt = self.receipt(rows, sha256, &key)?;
            self.note(rows).save(&self.output)?;
            job.finish()?;
            return Ok(ReleasedVectors { receipt, receipt_file: Some(receipt_path), rows });
        }
        let mut cache = Cache::open(job.folder(), self.encoder.model.width(), self.resume)?;
        let released = self.encode(&mut cache, observer, cancel).and_then(|counted| {
            let receipt_file = ReceiptFile::open(&receipt_path, keeps_old)?;
            self.write(format, &mut cache, &counted, &mut job, receipt_file, &key, &accounting, observer)
        });
        match released {
            Ok(released) => {
                self.note(released.rows).save(&self.output)?;
                job.finish()?;
                Ok(released)
            }
            Err(error) => {
                match cache.rows() > 0 {
                    true => observer.notice(&Notice::JobKept(job.folder().to_owned())),
                    false => job.discard(),
                }
                Err(error)
            }
        }
    }

    /// Encodes the rows that are not in the cache yet.
    fn encode(
        &self,
        cache: &mut Cache,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<Counted, Error> {
        let mut reader = self.reader()?;
        let mut counted = Counted::default();
        let columns = ColumnWatch::default();
        let mut bytes = 0;
        while let Some(records) = reader.next()? {
            if cancel.load(Ordering::Relaxed) {
                return Err(ErrorKind::Cancelled.into());
            }
            self.check_rows(&records)?;
            let mut used = records.texts().columns().clone();
            if !self.copies_fields() {
                used.copied.clear();
            }
            columns.tell(&used, observer);
            counted.columns.join(&used);
            // The rows before a bad one are kept.
            let bad = self.first_bad_row(&records);
            let good = bad.as_ref().map_or(records.texts().len(), |(index, _)| *index);
            let texts: Vec<&str> = records.texts().iter().take(good).collect();
            counted.add(&records, self.options.columns.subject.is_some());
            let known = cache.rows().saturating_sub(records.first_row()).min(texts.len() as u64);
            // Texts that are cached already must be the same texts.
            cache.check(&texts[..known as usize])?;
            let missing = &texts[known as usize..];
            if !missing.is_empty() {
                cache.add(missing, &self.encoder.model.encode(missing)?)?;
            }
            if let Some((_, error)) = bad {
                return Err(error);
            }
            bytes = bytes.max(records.bytes_read());
            let (file, rows) = (Some(self.input.input.as_path()), counted.rows);
            observer.progress(&Progress { file, index: 0, files: 1, rows, bytes });
        }
        cache.check_complete()?;
        match counted.rows {
            0 => Err(ErrorKind::NoTexts { path: self.input.input.clone() }.into()),
            _ => Ok(counted),
        }
    }

    /// Writes the output from the input and the cached vectors, with noise, and releases it.
    #[expect(clippy::too_many_arguments, reason = "the parts of one release, used here once")]
    fn write(
        &self,
        format: VectorFormat,
        cache: &mut Cache,
        counted: &Counted,
        job: &mut OutputJob,
        receipt_file: ReceiptFile,
        key: &NoiseKey,
        accounting: &Accounting,
        observer: &dyn Observer,
    ) -> Result<ReleasedVectors, Error> {
        let output = Output::file(&self.output, self.overwrite || self.resume)?;
        let finished = match format {
            VectorFormat::Jsonl => self.json_lines(cache, output, key)?,
            _ => self.columns(format, counted.rows, cache, output, key)?,
        };
        let receipt = self.receipt(counted.rows, Some(finished.sha256()), key)?;
        let receipt = with_columns(receipt, &counted.columns);
        let by_subject = counted
            .by_subject
            .iter()
            .map(|(subject, rows)| Ok::<_, Error>((subject.clone(), self.receipt(*rows, None, key)?)))
            .collect::<Result<BTreeMap<_, _>, _>>()?;
        let charged = ChargedReceipt { receipt, by_subject, content: Some(counted.content()) };
        let receipt_file = release(Some(job), finished, &charged, Some(receipt_file), accounting, observer)?;
        Ok(ReleasedVectors { receipt: charged.receipt, receipt_file, rows: counted.rows })
    }

    /// Whether the output has the other fields of the input.
    fn copies_fields(&self) -> bool {
        let is_json = matches!(self.format(), Ok(VectorFormat::Jsonl));
        is_json && self.input.format == RecordFormat::Jsonl
    }

    /// JSON lines keep every field of the input. Other inputs get an id and a vector.
    fn json_lines(&self, cache: &mut Cache, output: Output, key: &NoiseKey) -> Result<Finished, Error> {
        let mut out = BufWriter::new(output.stream());
        let is_json = self.input.format == RecordFormat::Jsonl;
        let rows = self.each(cache, key, |number, records, index, vector| {
            let line = match is_json {
                true => with_vector(records.raw(index).unwrap_or_default(), vector.values())
                    .map_err(|kind| self.in_row(kind, number))?,
                false => match records.texts().id(index) {
                    Some(id) => json!({ "id": id, FIELD: vector.values() }).to_string(),
                    None => json!({ "id": number, FIELD: vector.values() }).to_string(),
                },
            };
            writeln!(out, "{line}").map_err(|error| Error::write(&self.output, error))
        })?;
        let sink = out.into_inner().map_err(|error| Error::write(&self.output, error.into_error()))?;
        Ok(sink.finish(rows))
    }

    /// Vectors alone (.npy), or with an id each (Parquet).
    fn columns(
        &self,
        format: VectorFormat,
        total: u64,
        cache: &mut Cache,
        output: Output,
        key: &NoiseKey,
    ) -> Result<Finished, Error> {
        let mut writer = NewVectors::create(format, self.encoder.model.width(), total, output)?;
        let named = self.options()?.columns.id;
        self.each(cache, key, |number, records, index, vector| {
            let id = match (format, &named) {
                (VectorFormat::Parquet, Some(column)) => {
                    Some(records.texts().id(index).map(str::to_owned).ok_or_else(|| {
                        let kind = ErrorKind::NullId { column: column.to_string() };
                        self.in_row(kind, number)
                    })?)
                }
                (VectorFormat::Parquet, None) => Some(number.to_string()),
                _ => None,
            };
            let ids: Vec<&str> = id.as_deref().into_iter().collect();
            Ok(writer.write(&ids, vector)?)
        })?;
        Ok(writer.finish()?)
    }

    /// Reads the input again, each row with its vector. Rows are numbered from 1.
    fn each(
        &self,
        cache: &mut Cache,
        key: &NoiseKey,
        mut take: impl FnMut(u64, &Records, usize, &GridRows<'_, f32>) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        let dim = self.encoder.model.width();
        let (mut reader, mut vectors, mut row) = (self.reader()?, cache.reader()?, 0);
        while let Some(records) = reader.next()? {
            let mut batch = vectors.next(records.texts().len() * dim)?;
            let mut released = match self.veil {
                Some(veil) => veil.apply(&mut batch, row, key)?,
                None => GridRows::without_noise(&mut batch, dim)?,
            };
            for (index, vector) in released.rows().enumerate() {
                row += 1;
                take(row, &records, index, &vector)?;
            }
        }
        Ok(row)
    }

    fn reader(&self) -> Result<RecordReader, Error> {
        self.open(&self.options()?)
    }

    fn open(&self, options: &RecordOptions) -> Result<RecordReader, Error> {
        let JobFile { input, format, packing, .. } = &self.input;
        let input = match &self.content {
            Some(content) => Input::from_bytes(content.expose().clone()),
            None => Input::path(input),
        };
        Ok(RecordReader::open(input, *format, *packing, options)?)
    }

    /// The options with a column of ids. If none is named and the output does not keep all fields, ids
    /// come from the column `id`, if there is one. Numbers instead would be joined with the wrong rows.
    fn options(&self) -> Result<RecordOptions, Error> {
        let mut options = self.options.clone();
        let drops_ids = !self.copies_fields() && self.format()? != VectorFormat::Npy;
        if options.columns.id.is_some() || !self.input.format.is_table() || !drops_ids {
            return Ok(options);
        }
        options.columns.id = Some(ColumnPath::column(ID));
        // A file that cannot be read is reported when it is read without ids.
        let first = self.open(&options).and_then(|mut reader| Ok(reader.next()?));
        let has_ids = matches!(&first, Ok(Some(records)) if !records.texts().is_empty() && records.texts().id(0).is_some());
        match has_ids {
            true => Ok(options),
            false => Ok(self.options.clone()),
        }
    }

    /// An error in a row of the input, counted from 1.
    fn in_row(&self, kind: ErrorKind, number: u64) -> Error {
        Error::from(kind).in_row(number - 1).in_file(&self.input.input)
    }

    /// Each row must have exactly one text, so that vectors and rows stay in step.
    fn check_rows(&self, records: &Records) -> Result<(), Error> {
        let texts = records.texts();
        let mut next = 0;
        for row in records.first_row()..records.first_row() + records.rows() {
            let count = (next..texts.len()).take_while(|index| texts.row(*index) == row).count();
            if count != 1 {
                return Err(self.in_row(ErrorKind::NotOneText { count }, row + 1));
            }
            next += count;
        }
        Ok(())
    }

    /// The first row of a JSON lines file that cannot take a vector, and why.
    fn first_bad_row(&self, records: &Records) -> Option<(usize, Error)> {
        let joins = self.input.format == RecordFormat::Jsonl && self.format().ok()? == VectorFormat::Jsonl;
        (0..records.texts().len()).filter(|_| joins).find_map(|index| {
            let kind = with_vector(records.raw(index).unwrap_or_default(), &[]).err()?;
            let number = records.first_row() + index as u64 + 1;
            Some((index, self.in_row(kind, number)))
        })
    }

    fn format(&self) -> Result<VectorFormat, Error> {
        match VectorFormat::from_path(&self.output) {
            Some(format @ (VectorFormat::Jsonl | VectorFormat::Parquet | VectorFormat::Npy)) => Ok(format),
            _ => Err(ErrorKind::EmbedFormat { path: self.output.clone() }.into()),
        }
    }

    fn note(&self, rows: u64) -> VectorFileNote {
        let (encoder, dimension) = (self.encoder.note.clone(), self.encoder.model.width());
        VectorFileNote { encoder, dimension, rows }
    }

    fn receipt(&self, rows: u64, sha256: Option<&str>, key: &NoiseKey) -> Result<Receipt, Error> {
        if let Some(veil) = self.veil {
            return Ok(veil.receipt(rows, sha256, key)?);
        }
        let kept = Guarantee::new(Metric::Euclidean, Epsilon::INFINITE, Unit::Vector);
        let group = GroupBudget::new("all", rows, Epsilon::INFINITE, vec![kept]).with_certainty();
        let mut builder = Receipt::builder(ReleaseKind::Vectors, "none", Unit::Vector, key)
            .group(group)
            .parameter("dimension", self.encoder.model.width())
            .parameter("encoder", &self.encoder.note.name)
            .not_covered("the texts: vectors without noise tell most of what the texts say")
            .not_covered("everything else in the file: ids, texts and other columns are copied unchanged");
        if let Some(sha256) = sha256 {
            builder = builder.sha256(sha256);
        }
        Ok(builder.build()?)
    }

    fn dataset(&self) -> String {
        let name = self.input.input.file_name();
        name.map_or_else(|| "texts".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    fn identity(&self) -> Result<String, Error> {
        let receipt = self.receipt(0, None, &NoiseKey::insecure_from_seed(0))?;
        let described = format!("{:?} {:?} {}", self.options, self.encoder.note, receipt.digest());
        Ok(inkveil_files::Sha256Sum::of(described.as_bytes()).to_string())
    }
}

/// What was read.
#[derive(Default)]
struct Counted {
    rows: u64,
    by_subject: BTreeMap<String, u64>,
    columns: ColumnUse,
    hash: Sha256,
}

impl Counted {
    fn add(&mut self, records: &Records, by_subject: bool) {
        let texts = records.texts();
        self.rows += texts.len() as u64;
        for (index, text) in texts.iter().enumerate() {
            add_text(&mut self.hash, text);
            if by_subject {
                *self.by_subject.entry(texts.subject(index).unwrap_or_default().to_owned()).or_default() += 1;
            }
        }
    }

    fn content(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }
}

/// Clear vectors in the job folder, each with a checksum of its text. **Private.**
struct Cache {
    vectors: PathBuf,
    texts: PathBuf,
    /// The checksums of texts whose vectors are complete.
    known: Vec<[u8; DIGEST]>,
    checked: usize,
}

/// Enough of a SHA-256 to tell texts apart.
const DIGEST: usize = 16;

impl Cache {
    fn open(folder: &Path, dim: usize, resume: bool) -> Result<Self, Error> {
        let (vectors, texts) = (folder.join("vectors.f32"), folder.join("texts.sha256"));
        let mut known = Vec::new();
        if resume {
            let digests = std::fs::read(&texts).unwrap_or_default();
            let complete = std::fs::metadata(&vectors).map_or(0, |found| found.len()) / (dim as u64 * 4);
            known = digests.chunks_exact(DIGEST).filter_map(|digest| digest.try_into().ok()).collect();
            known.truncate(usize::try_from(complete).unwrap_or(usize::MAX));
        }
        for (path, length) in [(&vectors, known.len() * dim * 4), (&texts, known.len() * DIGEST)] {
            let file = private_file(path).map_err(|error| Error::write(path, error))?;
            // A part that was cut off by a kill is computed again.
            file.set_len(length as u64).map_err(|error| Error::write(path, error))?;
        }
        Ok(Self { vectors, texts, known, checked: 0 })
    }

    fn rows(&self) -> u64 {
        self.known.len() as u64
    }

    fn check(&mut self, texts: &[&str]) -> Result<(), Error> {
        for text in texts {
            if self.known.get(self.checked) != Some(&digest(text)) {
                return Err(ErrorKind::InputChanged { output: self.vectors.clone() }.into());
            }
            self.checked += 1;
        }
        Ok(())
    }

    /// Fails if the input has fewer texts than are cached.
    fn check_complete(&self) -> Result<(), Error> {
        match self.checked < self.known.len() {
            true => Err(ErrorKind::InputChanged { output: self.vectors.clone() }.into()),
            false => Ok(()),
        }
    }

    /// Adds vectors. Vectors reach the disk before the checksums that count them.
    fn add(&mut self, texts: &[&str], vectors: &[Vec<f32>]) -> Result<(), Error> {
        let numbers: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let digests: Vec<[u8; DIGEST]> = texts.iter().map(|text| digest(text)).collect();
        append(&self.vectors, &numbers)?;
        append(&self.texts, &digests.concat())?;
        self.checked += digests.len();
        self.known.extend(digests);
        Ok(())
    }

    fn reader(&self) -> Result<VectorsOnDisk, Error> {
        let file = File::open(&self.vectors).map_err(|error| Error::write(&self.vectors, error))?;
        Ok(VectorsOnDisk { file: BufReader::new(file), path: self.vectors.clone() })
    }
}

struct VectorsOnDisk {
    file: BufReader<File>,
    path: PathBuf,
}

impl VectorsOnDisk {
    fn next(&mut self, count: usize) -> Result<Vec<f32>, Error> {
        let mut bytes = vec![0; count * 4];
        self.file.read_exact(&mut bytes).map_err(|error| Error::write(&self.path, error))?;
        let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Ok(bytes.chunks_exact(4).map(number).collect())
    }
}

fn digest(text: &str) -> [u8; DIGEST] {
    let whole: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    std::array::from_fn(|index| whole[index])
}

/// A file that only the user can read.
fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn append(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let write = || {
        let mut file = OpenOptions::new().append(true).open(path)?;
        file.write_all(bytes)?;
        file.sync_data()
    };
    write().map_err(|error| Error::write(path, error))
}

/// A JSON object with one more field. Everything else stays byte for byte.
fn with_vector(line: &str, vector: &[f32]) -> Result<String, ErrorKind> {
    let object = line.trim_end();
    let open = object.strip_suffix('}').ok_or(ErrorKind::NotAnObject)?;
    let known: BTreeMap<String, &serde_json::value::RawValue> =
        serde_json::from_str(line).map_err(|_| ErrorKind::NotAnObject)?;
    if known.contains_key(FIELD) {
        return Err(ErrorKind::FieldExists { name: FIELD });
    }
    let comma = if open.trim_end().ends_with('{') { "" } else { ", " };
    let vector = serde_json::to_string(vector).map_err(|_| ErrorKind::Bug("a vector is not JSON"))?;
    Ok(format!("{open}{comma}\"{FIELD}\": {vector}}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_joins_an_object() {
        assert_eq!(with_vector("{\"a\": 1}", &[0.5]).unwrap(), "{\"a\": 1, \"embedding\": [0.5]}");
        assert_eq!(with_vector("{ } ", &[0.5, 1.0]).unwrap(), "{ \"embedding\": [0.5,1.0]}");
        assert!(with_vector("{\"embedding\": 1}", &[0.5]).is_err());
    }

    #[test]
    fn a_cache_keeps_complete_vectors_only() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = Cache::open(folder.path(), 2, false).unwrap();
        cache.add(&["a", "b"], &[vec![1.0, 2.0], vec![3.0, 4.0]]).unwrap();
        append(&folder.path().join("vectors.f32"), &[0; 6]).unwrap();
        append(&folder.path().join("texts.sha256"), &[0; 16]).unwrap();
        let mut cache = Cache::open(folder.path(), 2, true).unwrap();
        assert_eq!(cache.rows(), 2);
        cache.check(&["a"]).unwrap();
        assert!(cache.check(&["c"]).is_err(), "another text");
        assert_eq!(cache.reader().unwrap().next(4).unwrap(), [1.0, 2.0, 3.0, 4.0]);
    }
}
