//! How a command ends.

use std::process::ExitCode;

use owo_colors::OwoColorize;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Success,
    /// It failed, or it found what it was asked to look for.
    Failure,
    /// It failed, where a failure must not be taken for something found.
    Trouble,
    /// The user stopped it.
    Interrupted,
    /// Whoever read the output had enough.
    PipeClosed,
}

/// The error for work that the user stopped.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

impl Outcome {
    /// Says what went wrong and how that counts.
    pub(crate) fn of_error(error: anyhow::Error) -> Self {
        let io = error.chain().find_map(|e| e.downcast_ref::<std::io::Error>());
        if io.is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe) {
            return Self::PipeClosed;
        }
        let rows = error.downcast_ref::<inkveil_rows::Error>().map(inkveil_rows::Error::kind);
        let vectors = error.downcast_ref::<inkveil_vectors_io::Error>().map(inkveil_vectors_io::Error::kind);
        let cancelled = matches!(rows, Some(inkveil_rows::ErrorKind::Cancelled))
            || matches!(vectors, Some(inkveil_vectors_io::ErrorKind::Cancelled));
        if cancelled || error.is::<Interrupted>() {
            anstream::eprintln!(
                "{} no file was written, and piped output is incomplete",
                "interrupted:".yellow().bold()
            );
            return Self::Interrupted;
        }
        let words: Vec<String> = error.chain().map(ToString::to_string).collect();
        anstream::eprintln!("{} {}", "error:".red().bold(), words.join(": "));
        Self::Failure
    }

    /// The exit code.
    pub(crate) fn exit(self) -> ExitCode {
        match self {
            Self::Success => ExitCode::SUCCESS,
            Self::Failure => ExitCode::from(1),
            Self::Trouble => ExitCode::from(2),
            Self::Interrupted => ExitCode::from(130),
            // As if the signal had ended the process, which is what a shell expects.
            Self::PipeClosed => ExitCode::from(141),
        }
    }
}
