//! What a command prints. All of it goes through here or through `Output::stdout`, so that no output is lost while the command
//! reports success, and no message makes it panic.

use std::io::{self, IsTerminal as _, StdoutLock, Write as _};

use anstream::AutoStream;
use anyhow::Context as _;
use inkveil::files::{Error, check_stdout};

/// Writes a line to standard error. A message that cannot be written is lost, and the command goes on: `eprintln!` would
/// panic.
macro_rules! say {
    ($($line:tt)*) => {{
        use ::std::io::Write as _;
        let _ = ::std::writeln!(::anstream::stderr(), $($line)*);
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
