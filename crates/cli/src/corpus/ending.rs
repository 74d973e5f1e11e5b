//! How a job ends, and what is said about it.

use inkveil_rows::{Error, ErrorKind, Job, Summary};
use owo_colors::OwoColorize as _;

/// An error of the work of a job: of any kind, but errors of files stay what they are.
pub(crate) struct Failed(pub(crate) anyhow::Error);

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self(error.into())
    }
}

impl From<inkveil_files::Error> for Failed {
    fn from(error: inkveil_files::Error) -> Self {
        Self(error.into())
    }
}

impl From<anyhow::Error> for Failed {
    fn from(error: anyhow::Error) -> Self {
        Self(error)
    }
}

/// Cleans up after a job that is done, and says of one that is not how to go on.
pub(crate) fn settle(ended: Result<Summary, Failed>, job: Job) -> anyhow::Result<Summary> {
    match ended {
        Ok(summary) => {
            job.finish()?;
            Ok(summary)
        }
        Err(Failed(error)) => {
            if job.has_parts() {
                anstream::eprintln!(
                    "{} what is done is kept in {}; the same command with --resume goes on from there",
                    "note:".yellow().bold(),
                    job.folder().display()
                );
            }
            Err(error)
        }
    }
}

/// Adds the flags that help to the error of a job.
pub(crate) fn advise(error: Error) -> anyhow::Error {
    let advice = match error.kind() {
        ErrorKind::File(file) if *file.kind() == inkveil_files::ErrorKind::Exists => "--force replaces it",
        ErrorKind::InterruptedJob { .. } => "--resume resumes it, --force replaces it",
        ErrorKind::NothingToResume { .. } => "leave out --resume",
        ErrorKind::CannotResume { .. } => "--force replaces it",
        _ => return error.into(),
    };
    anyhow::anyhow!("{error:#} ({advice})")
}

/// Rows that were set aside are counted at the end.
pub(crate) fn say_rejected(summary: &Summary) {
    if summary.rejected > 0 {
        anstream::eprintln!(
            "{} {} rows could not be read; where a file was written they are in *.rejects.jsonl beside it, which is private",
            "set aside:".yellow().bold(),
            summary.rejected
        );
    }
}
