//! How a command ends.

use std::process::ExitCode;

use owo_colors::OwoColorize;

use crate::advice;

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

impl Outcome {
    /// Says what went wrong and how that counts.
    pub(crate) fn of_error(error: anyhow::Error) -> Self {
        let io = error.chain().find_map(|e| e.downcast_ref::<std::io::Error>());
        if io.is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe) {
            return Self::PipeClosed;
        }
        if let Some(error) = error.downcast_ref::<inkveil_io::Error>() {
            match error.kind() {
                inkveil_io::ErrorKind::Io { kind: std::io::ErrorKind::BrokenPipe, .. } => {
                    return Self::PipeClosed;
                }
                inkveil_io::ErrorKind::Cancelled => {
                    anstream::eprintln!(
                        "{} no file was written, and what was piped is incomplete",
                        "interrupted:".yellow().bold()
                    );
                    return Self::Interrupted;
                }
                _ => {}
            }
        }
        let words: Vec<String> = error.chain().map(ToString::to_string).collect();
        anstream::eprintln!("{} {}", "error:".red().bold(), words.join(": "));
        if let Some(advice) = advice::for_error(&error) {
            anstream::eprintln!("{} {advice}", "hint:".cyan().bold());
        }
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
