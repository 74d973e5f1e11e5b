//! A job: begun or resumed, carried out, released file by file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::assemble;
use super::files::JobFile;
use super::part::{self, Note, Part};
use super::pipeline::{Done, Way};
use super::state::{FileState, Folder, State, cannot_resume};
use crate::error::{Error, ErrorKind};
use crate::records::{Changed, Packing, RecordFormat, RecordOptions, RecordReader, Texts};
use inkveil_files::Input;

/// What is done with texts.
///
/// The functions are called from several threads at once. The same place is asked for again when a job resumes after it was killed, so what
/// is drawn at random should follow from the place.
pub trait Work: Sync {
    /// Why it may fail.
    type Error: From<Error> + Send + 'static;
    /// What is to be known in the end of all texts, such as what was spent.
    type Note: Serialize + DeserializeOwned + Default + Clone + Send + 'static;

    /// Changes texts.
    ///
    /// # Errors
    /// Ends the job; what is done so far is kept.
    fn change(&self, texts: &Texts, place: Place) -> Result<(Changed, Self::Note), Self::Error>;

    /// Adds what is known of later texts to what is known of earlier ones.
    fn join(&self, note: &mut Self::Note, later: Self::Note);

    /// Tells of texts that were done before the job was interrupted, in order.
    fn resumed(&self, note: &Self::Note) {
        let _ = note;
    }

    /// Rows are about to pass through a pipe ([`stream`](crate::stream)), where nothing can be taken back.
    ///
    /// # Errors
    /// They do not pass then.
    fn passing(&self, texts: &Texts, part: u64, note: &Self::Note) -> Result<(), Self::Error> {
        let _ = (texts, part, note);
        Ok(())
    }

    /// They have passed.
    ///
    /// # Errors
    /// Ends the work; what has passed cannot be taken back.
    fn passed(&self, part: u64) -> Result<(), Self::Error> {
        let _ = part;
        Ok(())
    }

    /// A file is complete and about to get its name: the last chance to say no, and the place to write what must be there before it.
    /// Called again, with the same checksum, if the process is killed before the file has its name.
    ///
    /// # Errors
    /// The file gets no name then; the job can be resumed.
    fn release(&self, file: &FileDone<'_>, note: &Self::Note) -> Result<(), Self::Error>;

    /// The file has its name. Called again if the process is killed before that is noted.
    ///
    /// # Errors
    /// Ends the job; the file stays.
    fn released(&self, file: &FileDone<'_>) -> Result<(), Self::Error> {
        let _ = file;
        Ok(())
    }

    /// How far the job has come.
    fn progress(&self, progress: &Progress<'_>) {
        let _ = progress;
    }

    /// How many batches may be worked on at once, if the work has a say in it: one, where what comes depends on what came before.
    fn workers(&self) -> Option<usize> {
        None
    }

    /// The names of columns that [`Changed::added`] adds.
    fn added(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Where the first of some texts stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Which file of the job, from 0.
    pub file: usize,
    /// Which text of that file, from 0.
    pub first_text: u64,
}

/// A file that is complete.
#[derive(Debug, Clone, Copy)]
pub struct FileDone<'a> {
    /// Which file of the job, from 0.
    pub index: usize,
    /// What was read.
    pub input: &'a Path,
    /// The name that it gets.
    pub output: &'a Path,
    /// Rows that are in it.
    pub rows: u64,
    /// Rows that were set aside.
    pub rejected: u64,
    /// The SHA-256 of its bytes.
    pub sha256: &'a str,
    /// A checksum of what was read.
    pub fingerprint: &'a str,
}

/// How far a job has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The file that is worked on.
    pub input: &'a Path,
    /// Which file of the job, from 0.
    pub index: usize,
    /// How many files there are.
    pub files: usize,
    /// Rows that are done, in all files.
    pub rows: u64,
    /// Bytes that were read, of all files.
    pub bytes: u64,
}

/// What a job does.
#[derive(Debug, Clone)]
pub struct JobSettings {
    /// The files to read, and where each goes.
    pub files: Vec<(JobFile, PathBuf)>,
    /// How they are read.
    pub options: RecordOptions,
    /// What is written; like what is read if there is nothing here.
    pub to: Option<(RecordFormat, Packing)>,
    /// Where the job keeps what is done.
    pub folder: PathBuf,
    /// Everything else that decides what comes out, in any form. A job is resumed with the same only.
    pub settings: String,
    /// Whether files that exist are replaced, and an interrupted job forgotten.
    pub overwrite: bool,
    /// How many batches are worked on at once.
    pub workers: usize,
    /// No more rows of each file than this.
    pub sample: Option<u64>,
    /// A part ends after so many bytes of input …
    pub part_bytes: u64,
    /// … or after this time: what a killed job has to do again.
    pub part_time: Duration,
}

impl JobSettings {
    /// Settings for these files, with what is usual otherwise.
    pub fn new(files: Vec<(JobFile, PathBuf)>, folder: PathBuf) -> Self {
        Self {
            files,
            options: RecordOptions::default(),
            to: None,
            folder,
            settings: String::new(),
            overwrite: false,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            sample: None,
            part_bytes: 64 << 20,
            part_time: Duration::from_secs(30),
        }
    }

    /// What a resumed job must agree with.
    fn identity(&self) -> String {
        // Where files lie may change between two runs, what is done with them may not.
        format!("{:?} {:?} {:?} {}", self.options, self.to, self.sample, self.settings)
    }

    pub(super) fn target(&self, file: &JobFile) -> (RecordFormat, Packing) {
        self.to.unwrap_or((file.format, file.packing))
    }
}

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Files that were released.
    pub files: u64,
    /// Rows in them.
    pub rows: u64,
    /// Rows that were set aside.
    pub rejected: u64,
}

/// A job.
///
/// ```
/// use std::path::PathBuf;
/// use std::sync::atomic::AtomicBool;
/// use inkveil_io::{Changed, Error, FileDone, Job, JobFile, JobSettings, Place, Texts, Work};
///
/// struct Loud;
/// impl Work for Loud {
///     type Error = Error;
///     type Note = u64;
///     fn change(&self, texts: &Texts, _: Place) -> Result<(Changed, u64), Error> {
///         let loud = texts.iter().map(|text| Some(text.to_uppercase())).collect();
///         Ok((Changed { texts: loud, ..Changed::default() }, texts.len() as u64))
///     }
///     fn join(&self, note: &mut u64, later: u64) {
///         *note += later;
///     }
///     fn release(&self, file: &FileDone<'_>, note: &u64) -> Result<(), Error> {
///         assert_eq!((file.rows, *note), (2, 2));
///         Ok(())
///     }
/// }
///
/// let folder = tempfile::tempdir()?;
/// let (from, to) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
/// std::fs::write(&from, "id,text\n1,one\n2,two\n")?;
/// let files = vec![(JobFile::new(from, None)?, to.clone())];
/// let mut job = Job::begin(JobSettings::new(files, folder.path().join("job")), "")?;
/// job.run(&Loud, &AtomicBool::new(false))?;
/// job.finish()?;
/// assert_eq!(std::fs::read_to_string(&to)?, "id,text\n1,ONE\n2,TWO\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Job {
    settings: JobSettings,
    folder: Folder,
    state: State,
    /// Whether this job is younger than its folder's content: then a failure before the first part leaves nothing.
    fresh: bool,
}

impl Job {
    /// A new job. `secret` is kept in its folder, which only the user can read.
    ///
    /// # Errors
    /// If an output exists, or an interrupted job is there, and neither may be replaced; if files have different columns.
    pub fn begin(settings: JobSettings, secret: &str) -> Result<Self, Error> {
        Folder::check_absent(&settings.folder, settings.overwrite)?;
        for (_, output) in &settings.files {
            for path in [output.clone(), assemble::rejects_path(output)] {
                if path.exists() && !settings.overwrite {
                    return Err(Error::exists(&path));
                }
            }
        }
        check_alike(&settings)?;
        for (_, output) in &settings.files {
            if let Some(folder) = output.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                fs::create_dir_all(folder).map_err(|e| {
                    Error::io("create this folder", &e).in_file(&folder.display().to_string())
                })?;
            }
        }
        let folder = Folder::create(&settings.folder, settings.overwrite)?;
        let state = State::new(settings.identity(), secret.to_owned(), files_of(&settings));
        folder.save(&state)?;
        Ok(Self { settings, folder, state, fresh: true })
    }

    /// A job that was interrupted.
    ///
    /// # Errors
    /// If there is none, or it was begun with other files or settings.
    pub fn resume(settings: JobSettings) -> Result<Self, Error> {
        let folder = Folder::open(&settings.folder)?;
        let state = folder.load()?;
        let names = |files: &[FileState]| -> Vec<(String, String)> {
            files.iter().map(|file| (file.input.clone(), file.output.clone())).collect()
        };
        if state.settings != settings.identity() {
            return Err(cannot_resume("the interrupted job was started with other settings"));
        }
        if names(&state.files) != names(&files_of(&settings)) {
            return Err(cannot_resume("the interrupted job was started with other files"));
        }
        Ok(Self { settings, folder, state, fresh: false })
    }

    /// What the caller has kept with it.
    pub fn secret(&self) -> &str {
        &self.state.secret
    }

    /// Does what is not done yet, and releases one file after the other.
    ///
    /// # Errors
    /// Whatever goes wrong, what is done is kept for [`Job::resume`].
    pub fn run<W: Work>(&mut self, work: &W, cancel: &AtomicBool) -> Result<Summary, W::Error> {
        let ended = self.each_file(work, cancel);
        if ended.is_err() && self.fresh && !self.has_parts() {
            // Nothing was done, so there is nothing to go on with.
            let _ = fs::remove_dir_all(&self.folder.path);
        }
        ended
    }

    /// Where it keeps what is done.
    pub fn folder(&self) -> &Path {
        &self.folder.path
    }

    /// Whether there is something to resume.
    pub fn has_parts(&self) -> bool {
        self.state.files.iter().any(|file| file.done)
            || (0..self.settings.files.len())
                .any(|file| part::path(&self.folder.parts(file), 0, "json").exists())
    }

    /// Removes what the job has kept. To be called when everything is released and recorded.
    ///
    /// # Errors
    /// If its folder cannot be removed.
    pub fn finish(self) -> Result<(), Error> {
        self.folder.remove()
    }

    fn each_file<W: Work>(&mut self, work: &W, cancel: &AtomicBool) -> Result<Summary, W::Error> {
        let mut bytes_before = 0;
        for index in 0..self.settings.files.len() {
            let size = self.settings.files[index].0.input.metadata().map_or(0, |found| found.len());
            if !self.state.files[index].done && !self.is_released(index) {
                self.file(index, bytes_before, work, cancel)?;
            } else if !self.state.files[index].done {
                // It has its name, but perhaps nobody was told.
                let (file, output) = &self.settings.files[index];
                let state = &self.state.files[index];
                work.released(&FileDone {
                    index,
                    input: &file.input,
                    output,
                    rows: state.rows,
                    rejected: state.rejected,
                    sha256: state.sha256.as_deref().unwrap_or_default(),
                    fingerprint: "",
                })?;
                self.mark_done(index)?;
            }
            bytes_before += size;
        }
        let files = &self.state.files;
        Ok(Summary {
            files: files.len() as u64,
            rows: files.iter().map(|file| file.rows).sum(),
            rejected: files.iter().map(|file| file.rejected).sum(),
        })
    }

    /// Whether the process was killed between giving a file its name and noting that.
    fn is_released(&self, index: usize) -> bool {
        let expected = self.state.files[index].sha256.as_deref();
        expected.is_some() && assemble::sha256_of(&self.settings.files[index].1).ok().as_deref() == expected
    }

    fn mark_done(&mut self, index: usize) -> Result<(), Error> {
        self.state.files[index].done = true;
        self.folder.save(&self.state)?;
        // What is left of it is in the way of nobody.
        let _ = fs::remove_dir_all(self.folder.parts(index));
        Ok(())
    }

    fn file<W: Work>(
        &mut self,
        index: usize,
        bytes_before: u64,
        work: &W,
        cancel: &AtomicBool,
    ) -> Result<(), W::Error> {
        let (file, output) = self.settings.files[index].clone();
        let added = work.added();
        let parts = self.folder.parts(index);
        fs::create_dir_all(&parts)
            .map_err(|e| Error::io("create it", &e).in_file(&parts.display().to_string()))?;
        let mut reader = self.open(&file)?;
        let mut notes: Vec<Note<W::Note>> = part::done(&parts)?;
        let mut growing = Growing {
            settings: &self.settings,
            parts: &parts,
            prelude: reader.prelude(&added),
            packing: match self.settings.to {
                None => file.packing,
                Some(_) => Packing::None,
            },
            index: notes.len(),
            part: None,
        };
        notes.iter().for_each(|note| work.resumed(&note.note));
        if let Some(last) = notes.last() {
            reader.skip(last.rows, last.texts)?;
            if reader.fingerprint()? != last.fingerprint {
                let what = format!("{} changed since the job was interrupted", file.input.display());
                return Err(cannot_resume(what).into());
            }
        }
        let rows_before: u64 = self.state.files[..index].iter().map(|file| file.rows).sum();
        let mut rows = notes.last().map_or(0, |note| note.rows);
        let way = Way {
            work,
            file: index,
            workers: work.workers().unwrap_or(self.settings.workers).max(1),
            most: self.settings.sample.map(|most| most.saturating_sub(rows)),
            cancel,
        };
        let through = way.through(reader, |done| {
            rows += done.rows;
            let bytes_read = done.bytes_read;
            let rows_written = done.rows - done.rejects.len() as u64;
            growing.add(work, done, rows_written, &mut notes)?;
            work.progress(&Progress {
                input: &file.input,
                index,
                files: self.settings.files.len(),
                rows: rows_before + rows,
                bytes: bytes_before + bytes_read,
            });
            Ok(())
        });
        // Also what was done before an error counts.
        growing.end(&mut notes)?;
        through?;
        let written = notes.iter().map(|note| note.written).sum();
        let rejected = notes.iter().map(|note| note.rejected).sum();
        let mut whole = W::Note::default();
        for note in &notes {
            work.join(&mut whole, note.note.clone());
        }
        let assembly = assemble::Assembly {
            settings: &self.settings,
            file: &file,
            output: &output,
            parts: &parts,
            count: notes.len(),
            prelude: &growing.prelude,
            added: &added,
        };
        let finished = assembly.assemble(written)?;
        let fingerprint = notes.last().map(|note| note.fingerprint.clone()).unwrap_or_default();
        let sha256 = finished.sha256().to_owned();
        let state = &mut self.state.files[index];
        (state.rows, state.rejected, state.sha256) = (written, rejected, Some(sha256.clone()));
        self.folder.save(&self.state)?;
        let done = FileDone {
            index,
            input: &file.input,
            output: &output,
            rows: written,
            rejected,
            sha256: &sha256,
            fingerprint: &fingerprint,
        };
        work.release(&done, &whole)?;
        if rejected > 0 {
            assembly.rejects()?;
        }
        finished.commit().map_err(Error::from)?;
        work.released(&done)?;
        Ok(self.mark_done(index)?)
    }

    fn open(&self, file: &JobFile) -> Result<RecordReader, Error> {
        RecordReader::open(Input::path(&file.input), file.format, file.packing, &self.settings.options)
    }
}

fn files_of(settings: &JobSettings) -> Vec<FileState> {
    let names = settings.files.iter().map(|(file, output)| FileState {
        input: file.input.display().to_string(),
        output: output.display().to_string(),
        ..FileState::default()
    });
    names.collect()
}

/// All files of a job have the same columns, so that a difference is told before hours of work.
fn check_alike(settings: &JobSettings) -> Result<(), Error> {
    let mut first: Option<(String, RecordFormat, Vec<String>)> = None;
    for (file, _) in &settings.files {
        let reader =
            RecordReader::open(Input::path(&file.input), file.format, file.packing, &settings.options)?;
        let (name, signature) = (reader.name().to_owned(), reader.signature());
        let Some((first_name, format, expected)) = &first else {
            first = Some((name, file.format, signature));
            continue;
        };
        let difference = if *format != file.format {
            Some(format!("it is {}, not {format}", file.format))
        } else if let Some(column) = signature.iter().find(|column| !expected.contains(column)) {
            Some(format!("{column:?} is not there"))
        } else if let Some(column) = expected.iter().find(|column| !signature.contains(column)) {
            Some(format!("{column:?} is missing"))
        } else {
            (*expected != signature).then(|| "they stand in another order".to_owned())
        };
        if let Some(difference) = difference {
            return Err(
                Error::from(ErrorKind::Drift { first: first_name.clone(), difference }).in_file(&name)
            );
        }
    }
    Ok(())
}

/// The part that grows now.
struct Growing<'a, N> {
    settings: &'a JobSettings,
    parts: &'a Path,
    prelude: Vec<u8>,
    packing: Packing,
    index: usize,
    part: Option<(Part, Note<N>, Begun)>,
}

struct Begun {
    at: Instant,
    bytes: u64,
}

impl<N: Serialize + DeserializeOwned + Default + Clone> Growing<'_, N> {
    fn add<W: Work<Note = N>>(
        &mut self,
        work: &W,
        done: Done<N>,
        written: u64,
        notes: &mut Vec<Note<N>>,
    ) -> Result<(), Error> {
        if self.part.is_none() {
            let schema = part::schema_of(&done.written);
            let mut part = Part::begin(self.parts, self.index, schema.as_ref(), self.packing)?;
            if self.index == 0 && schema.is_none() {
                part.bytes(&self.prelude)?;
            }
            let begun = Begun { at: Instant::now(), bytes: done.bytes_read };
            self.part = Some((part, Note::default(), begun));
        }
        let Some((part, note, begun)) = &mut self.part else { return Ok(()) };
        part.write(&done.written)?;
        part.reject(&done.rejects)?;
        note.rows = done.end_row;
        note.texts = done.end_text;
        note.written += written;
        note.rejected += done.rejects.len() as u64;
        note.fingerprint = done.fingerprint;
        work.join(&mut note.note, done.note);
        let long = begun.at.elapsed() >= self.settings.part_time;
        if long || done.bytes_read.saturating_sub(begun.bytes) >= self.settings.part_bytes {
            self.end(notes)?;
        }
        Ok(())
    }

    fn end(&mut self, notes: &mut Vec<Note<N>>) -> Result<(), Error> {
        if let Some((part, note, _)) = self.part.take() {
            part.end(&note)?;
            notes.push(note);
            self.index += 1;
        }
        Ok(())
    }
}
