//! Hands over to the program `inkveil-serve`. It is a program of its own, so that this one is built without a
//! server.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context as _;

use crate::args::{McpArgs, OpenArgs, ServeArgs};
use crate::outcome::Outcome;

const PROGRAM: &str = "inkveil-serve";

/// Starts the gateway.
pub(crate) fn serve(args: &ServeArgs) -> anyhow::Result<Outcome> {
    run(None, &args.arguments)
}

/// Starts the gateway on this machine, and opens its page.
pub(crate) fn open(args: &OpenArgs) -> anyhow::Result<Outcome> {
    run(Some("--open".into()), &args.arguments)
}

/// Offers tools over standard input and output.
pub(crate) fn mcp(args: &McpArgs) -> anyhow::Result<Outcome> {
    run(Some("mcp".into()), &args.arguments)
}

fn run(first: Option<OsString>, arguments: &[OsString]) -> anyhow::Result<Outcome> {
    let mut command = Command::new(program());
    command.args(first).args(arguments);
    become_program(&mut command).with_context(|| {
        format!(
            "the gateway is a program of its own, {PROGRAM}, and it cannot be started; build it with `cargo build --release \
             -p inkveil-serve`, and put it beside this program or on the PATH"
        )
    })
}

/// Replaces this process by the gateway, so that signals reach it: a gateway that outlives its parent would go on serving.
#[cfg(unix)]
fn become_program(command: &mut Command) -> std::io::Result<Outcome> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

#[cfg(not(unix))]
fn become_program(command: &mut Command) -> std::io::Result<Outcome> {
    // The caller sees the exit code of the gateway.
    match command.status()?.code() {
        Some(0) => Ok(Outcome::Success),
        Some(code) => std::process::exit(code),
        None => Ok(Outcome::Interrupted),
    }
}

/// The program beside this one, or else the one on the PATH.
fn program() -> PathBuf {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(&name)));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| name.into())
}
