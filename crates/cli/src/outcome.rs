//! How a command ends.

use std::io::ErrorKind;

use crate::advice;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Success,
    /// It failed, or it found what it was asked to look for.
    Failure,
    /// It failed, in a command where exit code 1 means that something was found.
    Trouble,
    /// The user stopped it.
    Interrupted,
    /// The reader of the output closed the pipe.
    PipeClosed,
}

impl Outcome {
    /// Prints an error and returns how the command ended.
    pub(crate) fn of_error(error: anyhow::Error) -> Self {
        let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
        if io.is_some_and(|cause| cause.kind() == ErrorKind::BrokenPipe) {
            return Self::PipeClosed;
        }
        let own = error.downcast_ref::<inkveil::Error>();
        if own.is_some_and(inkveil::Error::is_cancelled) || is_cancelled(&error) {
            tell!(yellow, "interrupted:", "no file was written, and piped output is incomplete");
            return Self::Interrupted;
        }
        let mut words: Vec<String> = Vec::new();
        for cause in error.chain().map(ToString::to_string) {
            // A transparent error repeats the message of its cause.
            if words.last().is_none_or(|last| !last.ends_with(&cause)) {
                words.push(cause);
            }
        }
        let of_pack = error.downcast_ref::<inkveil::pack::Error>().and_then(advice::for_pack);
        let of_file = error.downcast_ref::<inkveil::files::Error>().and_then(advice::for_file);
        let advice = own.and_then(advice::for_error).or_else(|| of_pack.or(of_file).map(str::to_owned));
        let advice = advice.map(|advice| format!("; {advice}")).unwrap_or_default();
        tell!(red, "error:", "{}{advice}", words.join(": "));
        Self::Failure
    }

    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Trouble => 2,
            Self::Interrupted => 130,
            // As if the signal had ended the process, as a shell expects.
            Self::PipeClosed => 141,
        }
    }
}

/// The error of work that the user stopped.
pub(crate) fn interrupted() -> anyhow::Error {
    inkveil::Error::from(inkveil::ErrorKind::Cancelled).into()
}

/// Whether an error of a lower crate means that the user stopped the work.
fn is_cancelled(error: &anyhow::Error) -> bool {
    use inkveil::{rows, vectors_io};
    error.chain().any(|cause| {
        let rows = cause.downcast_ref::<rows::Error>();
        let vectors = cause.downcast_ref::<vectors_io::Error>();
        rows.is_some_and(|error| matches!(error.kind(), rows::ErrorKind::Cancelled))
            || vectors.is_some_and(|error| matches!(error.kind(), vectors_io::ErrorKind::Cancelled))
    })
}
