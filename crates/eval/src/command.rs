//! Methods of your own: commands that read and write JSON lines.

use std::fmt;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::process::{Command, Stdio};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::Error;

/// A command that reads JSON lines from its standard input until it ends, and writes JSON lines.
///
/// ```
/// use inkveil_eval::{OwnCommand, OwnText};
///
/// # #[cfg(unix)] {
/// let lines: Vec<OwnText> = OwnCommand::new(["cat"])?.run(&[OwnText { text: "tea".to_owned() }], 1)?;
/// assert_eq!(lines[0].text, "tea");
/// # }
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct OwnCommand {
    words: Vec<String>,
}

/// A line that a command writes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnText {
    /// The text.
    pub text: String,
}

impl OwnCommand {
    /// A program and its arguments.
    ///
    /// # Errors
    /// If no program is named.
    pub fn new<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Result<Self, Error> {
        let words: Vec<String> = words.into_iter().map(Into::into).collect();
        match words.first().is_some_and(|program| !program.is_empty()) {
            true => Ok(Self { words }),
            false => Err(Error::format("a command needs a program: [\"python\", \"mine.py\"]")),
        }
    }

    /// The program, without arguments.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Checksums of the files that the command names, for example of a script.
    pub(crate) fn checksums(&self) -> Vec<String> {
        let bytes = self.words.iter().filter_map(|word| std::fs::read(word).ok());
        bytes.map(|bytes| inkveil_files::hex::encode(Sha256::digest(&bytes))).collect()
    }

    /// Runs the command with these lines, and returns the lines that it writes.
    ///
    /// # Errors
    /// If it does not start, fails, writes something else than JSON, or not `expected` lines.
    pub fn run<T: DeserializeOwned>(
        &self,
        lines: &[impl Serialize + Sync],
        expected: usize,
    ) -> Result<Vec<T>, Error> {
        let failed = |doing| move |error: std::io::Error| Error::io(doing, error);
        let mut child = Command::new(self.program())
            .args(self.words.iter().skip(1))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed("start the command"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let read = std::thread::scope(|scope| -> Result<Vec<T>, Error> {
            // A command may write before it has read everything. One that stops reading says so by its lines.
            scope.spawn(move || {
                let mut input = BufWriter::new(input?);
                for line in lines {
                    serde_json::to_writer(&mut input, line).ok()?;
                    input.write_all(b"\n").ok()?;
                }
                input.flush().ok()
            });
            let read = read_lines(output, expected);
            if read.is_err() {
                // It may still wait for a reader, or not read at all. Then the writer above would wait too.
                let _ = child.kill();
            }
            read
        });
        let status = child.wait().map_err(failed("wait for the command"))?;
        let named = |error: Error| error.in_file(std::path::Path::new(self.program()));
        let read = read.map_err(named)?;
        if !status.success() {
            return Err(named(Error::argument(format!("the command failed: {status}"))));
        }
        if read.len() != expected {
            let count = read.len();
            return Err(named(Error::argument(format!(
                "the command wrote {count} lines, and {expected} were expected"
            ))));
        }
        Ok(read)
    }
}

/// Reads what a command writes.
fn read_lines<T: DeserializeOwned>(
    output: Option<impl std::io::Read>,
    expected: usize,
) -> Result<Vec<T>, Error> {
    let mut all = Vec::with_capacity(expected);
    for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()) {
        let line = line.map_err(|error| Error::io("read what the command writes", error))?;
        // The message of the parser could quote the line.
        let wrong = |_| Error::format("is not JSON with the expected fields").in_line(all.len());
        all.push(serde_json::from_str(&line).map_err(wrong)?);
    }
    Ok(all)
}

impl TryFrom<Vec<String>> for OwnCommand {
    type Error = Error;

    fn try_from(words: Vec<String>) -> Result<Self, Error> {
        Self::new(words)
    }
}

impl From<OwnCommand> for Vec<String> {
    fn from(command: OwnCommand) -> Self {
        command.words
    }
}

impl fmt::Debug for OwnCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnCommand({:?})", self.words)
    }
}

impl fmt::Debug for OwnText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnText({} bytes)", self.text.len())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(command: &[&str], texts: &[&str]) -> Result<Vec<OwnText>, Error> {
        let lines: Vec<OwnText> = texts.iter().map(|text| OwnText { text: (*text).to_owned() }).collect();
        OwnCommand::new(command.iter().copied())?.run(&lines, lines.len())
    }

    #[test]
    fn lines_go_through_a_command() {
        let texts = ["tea".repeat(100_000), "a \"b\"\nc".to_owned()];
        let lines = run(&["cat"], &texts.each_ref().map(String::as_str)).unwrap();
        assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), texts);
    }

    #[test]
    fn wrong_commands_are_refused_without_a_text() {
        for command in [&["false"][..], &["head", "-n", "1"], &["tr", "{", "<"], &["no-such-program"], &[]] {
            let error = run(command, &["Ana", "Ana"]).unwrap_err().to_string();
            assert!(!error.contains("Ana"), "{error}");
        }
    }

    #[test]
    fn a_command_that_never_reads_is_ended_at_its_first_wrong_line() {
        let long = "tea".repeat(100_000);
        assert!(run(&["sh", "-c", "echo wrong; exec sleep 3600"], &[&long]).is_err());
    }
}
