//! Hostile inputs and surroundings, by class. docs/results/hostile.md lists what each of them did before.

mod accounting;
mod cleanup;
mod columns;
mod conversions;
mod malformed;
mod memory;
mod messages;
mod permissions;
mod pipes;
mod printed;
mod surroundings;

use std::process::Command;

use crate::folder::Folder;

/// Quick, and the same every time: this mechanism looks for no neighbours.
pub(super) const FAST: &str =
    "--insecure-seed 7 --tier rules --lexicon subword --mechanism randomized-response --epsilon 3";

/// Placeholders for what rules find, and nothing else.
pub(super) const MASK: &str = "--preset placeholders --tier rules";

pub(super) struct Run {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Run {
    fn of(output: &std::process::Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    pub(super) fn good(self) -> Self {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self
    }

    /// Failed, with a message that has these words in it.
    #[track_caller]
    pub(super) fn refused(self, words: &[&str]) -> Self {
        assert!(self.code > 0, "exit {}\n{}\n{}", self.code, self.stdout, self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in: {}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }
}

/// Runs the binary with the words of `line`.
pub(super) fn run(folder: &Folder, line: &str) -> Run {
    run_with(folder, line, "")
}

pub(super) fn run_with(folder: &Folder, line: &str, stdin: impl Into<Vec<u8>>) -> Run {
    Run::of(&folder.command().args(line.split_whitespace()).write_stdin(stdin).output().unwrap())
}

/// Runs a script of bash in the folder. `$INKVEIL` is the binary.
pub(super) fn bash(folder: &Folder, script: &str) -> Run {
    let program = folder.command().get_program().to_owned();
    let output = Command::new("bash")
        .args(["-c", script])
        .current_dir(folder.path(""))
        .env("INKVEIL", program)
        .output()
        .unwrap();
    Run::of(&output)
}
