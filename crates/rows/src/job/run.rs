//! A job: started or resumed, run, and released file by file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use inkveil_files::{Input, is_taken, remove_leftovers};
use inkveil_privacy::Secret;

use super::assemble;
use super::assembly::Assembly;
use super::files::JobFile;
use super::folder::JobFolder;
use super::growing::GrowingPart;
use super::part::{self, PartNote};
use super::pipeline::Pipeline;
use super::settings::JobSettings;
use super::work::{FileDone, JobProgress, Summary, Work};
use crate::error::Error;
use crate::records::{Packing, RecordReader};

/// Files of texts that are changed and released one after the other. A job can be interrupted and resumed.
///
/// ```
/// use std::path::PathBuf;
/// use std::sync::atomic::AtomicBool;
/// use inkveil_rows::{BatchAddress, Changed, Error, FileDone, Job, JobFile, JobSettings, Texts, Work};
///
/// struct Loud;
/// impl Work for Loud {
///     type Error = Error;
///     type Note = u64;
///     type Permit = ();
///     fn change(&self, texts: &Texts, _: BatchAddress) -> Result<(Changed, u64), Error> {
///         let loud = texts.iter().map(|text| Some(text.to_uppercase())).collect();
///         Ok((Changed { texts: loud, ..Changed::default() }, texts.len() as u64))
///     }
///     fn join(&self, note: &mut u64, later: u64) {
///         *note += later;
///     }
///     fn passing(&self, _: &Texts, _: u64, _: &u64) -> Result<(), Error> {
///         Ok(())
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
/// let mut job = Job::begin(JobSettings::new(files, folder.path().join("job")), Vec::new().into())?;
/// job.run(&Loud, &AtomicBool::new(false))?;
/// job.finish()?;
/// assert_eq!(std::fs::read_to_string(&to)?, "id,text\n1,ONE\n2,TWO\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Job {
    settings: JobSettings,
    folder: JobFolder,
    /// Whether this process started the job: a failure before the first part then leaves nothing behind.
    fresh: bool,
}

impl Job {
    /// Starts a job. `secret` is stored in the folder of the job, which only its owner can read.
    ///
    /// # Errors
    /// If an output or an interrupted job exists and must not be replaced, or if files have different columns.
    pub fn begin(settings: JobSettings, secret: Secret<Vec<u8>>) -> Result<Self, Error> {
        JobFolder::check_startable(&settings.folder, settings.overwrite)?;
        for (_, output) in &settings.files {
            for path in [output.clone(), assemble::rejects_path(output)] {
                if is_taken(&path) && !settings.overwrite {
                    return Err(Error::exists(&path));
                }
            }
        }
        settings.check_columns()?;
        for (_, output) in &settings.files {
            if let Some(folder) = output.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                fs::create_dir_all(folder)
                    .map_err(|e| Error::io("create this folder", &e).in_file(folder))?;
            }
        }
        let (identity, files) = (settings.identity(), settings.paths());
        let folder = JobFolder::start(&settings.folder, &identity, secret, &files, settings.overwrite)?;
        if settings.overwrite {
            settings.files.iter().for_each(|(_, output)| remove_leftovers(output));
        }
        Ok(Self { settings, folder, fresh: true })
    }

    /// Opens an interrupted job.
    ///
    /// # Errors
    /// If there is none, or it was started with other files or settings.
    pub fn resume(settings: JobSettings) -> Result<Self, Error> {
        let folder = JobFolder::resume(&settings.folder, &settings.identity(), &settings.paths())?;
        for (_, output) in &settings.files {
            remove_leftovers(output);
            remove_leftovers(&assemble::rejects_path(output));
        }
        Ok(Self { settings, folder, fresh: false })
    }

    /// Returns the totals if an earlier process released and recorded everything, and was stopped while it removed the
    /// folder of the job. Then only [`finish`](Self::finish) is left to do.
    pub fn complete(&self) -> Option<Summary> {
        self.folder.is_complete().then(|| self.summary())
    }

    /// Returns the secret that the caller has stored. **Private.**
    pub fn secret(&self) -> &Secret<Vec<u8>> {
        self.folder.secret()
    }

    /// Does the remaining work and releases one file after the other.
    ///
    /// # Errors
    /// Those of reading, writing and `work`. Finished parts are kept for [`Job::resume`].
    pub fn run<W: Work>(&mut self, work: &W, cancel: &AtomicBool) -> Result<Summary, W::Error> {
        let ended = self.each_file(work, cancel);
        if ended.is_err() && self.fresh && !self.has_parts() {
            // There is nothing to resume.
            self.folder.discard();
        }
        ended
    }

    /// Returns the folder of the job.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns whether there is something to resume.
    pub fn has_parts(&self) -> bool {
        self.folder.files().iter().any(|file| file.done)
            || (0..self.settings.files.len()).any(|file| part::path(&self.parts(file), 0, "json").exists())
    }

    /// Removes the folder of the job. Call this when everything is released and recorded.
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
            if !self.folder.files()[index].done && !self.folder.is_released(index) {
                self.file(index, bytes_before, work, cancel)?;
            } else if !self.folder.files()[index].done {
                // It has its name, but the process may have ended before `released`.
                let (file, output) = &self.settings.files[index];
                let state = &self.folder.files()[index];
                let done = FileDone {
                    index,
                    input: &file.input,
                    output,
                    rows: state.rows,
                    rejected: state.rejected,
                    sha256: state.sha256.as_deref().unwrap_or_default(),
                    fingerprint: "",
                };
                work.released(&done, None)?;
                self.mark_done(index)?;
            }
            bytes_before += size;
        }
        Ok(self.summary())
    }

    fn summary(&self) -> Summary {
        let files = self.folder.files();
        Summary {
            files: files.len() as u64,
            rows: files.iter().map(|file| file.rows).sum(),
            rejected: files.iter().map(|file| file.rejected).sum(),
        }
    }

    /// Returns the folder of the parts of one file.
    fn parts(&self, file: usize) -> PathBuf {
        self.folder.path().join(format!("{file:06}"))
    }

    fn mark_done(&mut self, index: usize) -> Result<(), Error> {
        self.folder.mark_done(index)?;
        // Parts that cannot be removed do no harm.
        let _ = fs::remove_dir_all(self.parts(index));
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
        let parts = self.parts(index);
        fs::create_dir_all(&parts)
            .map_err(|e| Error::io("create it", &e).in_file(parts.display().to_string()))?;
        let mut reader = self.open(&file)?;
        let mut notes: Vec<PartNote<W::Note>> = part::done(&parts)?;
        let mut growing = GrowingPart {
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
        notes.iter().try_for_each(|note| work.resumed(&note.note))?;
        if let Some(last) = notes.last() {
            reader.skip(last.rows, last.texts)?;
            if reader.fingerprint()? != last.fingerprint {
                let what = format!("{} changed since the job was interrupted", file.input.display());
                return Err(Error::cannot_resume(what).into());
            }
        }
        let rows_before: u64 = self.folder.files()[..index].iter().map(|file| file.rows).sum();
        let mut rows = notes.last().map_or(0, |note| note.rows);
        let pipeline = Pipeline {
            work,
            file: index,
            workers: work.workers().unwrap_or(self.settings.workers).max(1),
            most: self.settings.sample.map(|most| most.saturating_sub(rows)),
            cancel,
        };
        let through = pipeline.through(reader, |done| {
            rows += done.rows;
            let bytes_read = done.bytes_read;
            let rows_written = done.rows - done.rejects.len() as u64;
            growing.add(work, done, rows_written, &mut notes)?;
            work.progress(&JobProgress {
                input: &file.input,
                index,
                files: self.settings.files.len(),
                rows: rows_before + rows,
                bytes: bytes_before + bytes_read,
            });
            Ok(())
        });
        // The rows before an error count too.
        growing.end(&mut notes)?;
        through?;
        let written = notes.iter().map(|note| note.written).sum();
        let rejected = notes.iter().map(|note| note.rejected).sum();
        let mut whole = W::Note::default();
        for note in &notes {
            work.join(&mut whole, note.note.clone());
        }
        if work.withholds(&whole) {
            return Ok(self.mark_done(index)?);
        }
        let assembly = Assembly {
            settings: &self.settings,
            file: &file,
            output: &output,
            parts: &parts,
            count: notes.len(),
            prelude: &growing.prelude,
            added: &added,
        };
        let finished = assemble::assemble(&assembly, written)?;
        let fingerprint = notes.last().map(|note| note.fingerprint.clone()).unwrap_or_default();
        let sha256 = finished.sha256().to_owned();
        self.folder.about_to_release(index, written, rejected, &sha256)?;
        let done = FileDone {
            index,
            input: &file.input,
            output: &output,
            rows: written,
            rejected,
            sha256: &sha256,
            fingerprint: &fingerprint,
        };
        let permit = work.release(&done, &whole)?;
        if rejected > 0 {
            assemble::rejects(&assembly)?;
        }
        finished.commit().map_err(Error::from)?;
        work.released(&done, Some(permit))?;
        Ok(self.mark_done(index)?)
    }

    fn open(&self, file: &JobFile) -> Result<RecordReader, Error> {
        RecordReader::open(Input::path(&file.input), file.format, file.packing, &self.settings.options)
    }
}
