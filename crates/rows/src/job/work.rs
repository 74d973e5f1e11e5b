//! What a job does with texts, as a trait that callers implement.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::records::{Changed, Texts};

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
    fn change(&self, texts: &Texts, address: BatchAddress) -> Result<(Changed, Self::Note), Self::Error>;

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
    fn progress(&self, progress: &JobProgress<'_>) {
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
pub struct BatchAddress {
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
pub struct JobProgress<'a> {
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
