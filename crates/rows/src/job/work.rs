//! What a job does with texts, as a trait that callers implement.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::records::{Changed, Texts};

/// The work of a job on texts.
///
/// The functions are called from several threads at once. A resumed job may call [`change`](Self::change) again with the
/// same address, so random choices should be derived from the address.
pub trait Work: Sync {
    /// The error of the work.
    type Error: From<Error> + Send + 'static;
    /// What the caller wants to know about all texts at the end, for example the budget spent.
    type Note: Serialize + DeserializeOwned + Default + Clone + Send + 'static;
    /// The permission to write rows or a file. Nothing is written without one, so a type that is hard to come by, such as
    /// the proof of an accounting, cannot be forgotten. `()` if everything may be written.
    type Permit;

    /// Changes texts.
    ///
    /// # Errors
    /// An error ends the job. Finished parts are kept.
    fn change(&self, texts: &Texts, address: BatchAddress) -> Result<(Changed, Self::Note), Self::Error>;

    /// Adds the note of later texts to that of earlier ones.
    fn join(&self, note: &mut Self::Note, later: Self::Note);

    /// Receives the notes of the parts that were finished before the job was interrupted, in order.
    ///
    /// # Errors
    /// An error ends the job, for example because a note cannot be decrypted.
    fn resumed(&self, note: &Self::Note) -> Result<(), Self::Error> {
        let _ = note;
        Ok(())
    }

    /// Permits that rows are written to a pipe ([`stream`](crate::stream)), where they cannot be taken back.
    ///
    /// # Errors
    /// An error keeps the rows from being written.
    fn passing(&self, texts: &Texts, part: u64, note: &Self::Note) -> Result<Self::Permit, Self::Error>;

    /// Is called after the rows were written to the pipe.
    ///
    /// # Errors
    /// An error ends the work. Rows that were written cannot be taken back.
    fn passed(&self, permit: Self::Permit) -> Result<(), Self::Error> {
        drop(permit);
        Ok(())
    }

    /// Permits that a complete file gets its name. Write here what must exist before the file. It is called again with the
    /// same checksum if the process is killed before the file has its name.
    ///
    /// # Errors
    /// An error keeps the file from being released. The job can be resumed.
    fn release(&self, file: &FileDone<'_>, note: &Self::Note) -> Result<Self::Permit, Self::Error>;

    /// Returns whether a complete file is not written at all, for example because its only text was refused.
    fn withholds(&self, note: &Self::Note) -> bool {
        let _ = note;
        false
    }

    /// Is called when the file has its name, and again if the process is killed before that is stored. There is no permit
    /// then, because an earlier process used it.
    ///
    /// # Errors
    /// An error ends the job. The file stays.
    fn released(&self, file: &FileDone<'_>, permit: Option<Self::Permit>) -> Result<(), Self::Error> {
        let _ = (file, permit);
        Ok(())
    }

    /// Receives the progress of the job.
    fn progress(&self, progress: &JobProgress<'_>) {
        let _ = progress;
    }

    /// Returns how many batches may be processed at once: 1 if a batch depends on earlier ones. By default the job decides.
    fn workers(&self) -> Option<usize> {
        None
    }

    /// Returns the names of the columns that [`Changed::added`] adds.
    fn added(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The position of a batch of texts in a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchAddress {
    /// The index of the file in the job, from 0.
    pub file: usize,
    /// The position of the first text in that file, from 0.
    pub first_text: u64,
}

/// A complete file of a job.
#[derive(Debug, Clone, Copy)]
pub struct FileDone<'a> {
    /// The index of the file in the job, from 0.
    pub index: usize,
    /// The path of the input.
    pub input: &'a Path,
    /// The path of the output.
    pub output: &'a Path,
    /// The number of rows in the output.
    pub rows: u64,
    /// The number of rejected rows.
    pub rejected: u64,
    /// The SHA-256 of the output.
    pub sha256: &'a str,
    /// A checksum of the rows of the input; empty if the file was released before the job was resumed.
    pub fingerprint: &'a str,
}

/// The progress of a job.
#[derive(Debug, Clone, Copy)]
pub struct JobProgress<'a> {
    /// The current input.
    pub input: &'a Path,
    /// The index of the file in the job, from 0.
    pub index: usize,
    /// The number of files.
    pub files: usize,
    /// The number of finished rows in all files.
    pub rows: u64,
    /// The number of bytes read of all files.
    pub bytes: u64,
}

/// The totals of a finished job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// The number of released files.
    pub files: u64,
    /// The number of rows in them.
    pub rows: u64,
    /// The number of rejected rows.
    pub rejected: u64,
}
