//! What a command prints. All of it goes through here or through `Output::stdout`, so that no output is lost while the command
//! reports success, and no message makes it panic.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, StdoutLock, Write as _};
use std::path::Path;

use anstream::AutoStream;
use anyhow::{Context as _, anyhow};
use inkveil::files::{Error, ErrorKind, Output, check_stdout};
use serde::Serialize;

/// Writes a line to standard error. A message that cannot be written is lost, and the command goes on: `eprintln!` would
/// panic.
macro_rules! say {
    ($($line:tt)*) => {{
        use ::std::io::Write as _;
        let _ = ::std::writeln!(::anstream::stderr(), $($line)*);
    }};
}

/// Writes a line to standard error that begins with a word in bold and in this colour.
macro_rules! tell {
    ($colour:ident, $word:literal, $($line:tt)*) => {{
        use ::owo_colors::OwoColorize as _;
        say!("{} {}", $word.$colour().bold(), ::std::format_args!($($line)*));
    }};
}

/// Returns standard output.
///
/// # Errors
/// If it was closed when the process started.
pub(crate) fn stdout() -> Result<StdoutLock<'static>, Error> {
    check_stdout()?;
    Ok(io::stdout().lock())
}

/// Returns standard output for text with colours, which are left out where they cannot be shown.
///
/// # Errors
/// If it was closed when the process started.
pub(crate) fn coloured() -> Result<AutoStream<StdoutLock<'static>>, Error> {
    Ok(AutoStream::auto(stdout()?))
}

/// Writes a line to standard output. `failure` says what could not be written.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn line(text: impl Display, failure: &'static str) -> anyhow::Result<()> {
    writeln!(stdout()?, "{text}").context(failure)
}

/// Writes JSON for people to standard output. `failure` says what could not be written.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn json(value: &impl Serialize, failure: &'static str) -> anyhow::Result<()> {
    line(serde_json::to_string_pretty(value)?, failure)
}

/// Returns whether a person reads standard output.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes what is still in memory. At the end of a process it would be lost without an error.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn flush() -> anyhow::Result<()> {
    io::stdout().flush().context("cannot write to standard output")
}

/// Adds advice to the error of a file that exists already.
///
/// # Errors
/// If the file could not be opened.
pub(crate) fn unless_it_exists(
    output: Result<Output, Error>,
    path: &Path,
    advice: &str,
) -> anyhow::Result<Output> {
    output.map_err(|error| match error.kind() {
        ErrorKind::Exists => anyhow!("{} {advice}", path.display()),
        _ => error.into(),
    })
}
