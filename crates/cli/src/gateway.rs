//! Hands over to the programs `inkveil-serve` and `inkveil-sql`. They are programs of their own, so that this one is
//! built without a server or a query engine.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context as _;

use crate::args::{McpArgs, OpenArgs, ServeArgs, SqlArgs};
use crate::outcome::Outcome;

/// A program of its own: what it is, its name, and where it is built.
struct Program {
    what: &'static str,
    name: &'static str,
    built_by: &'static str,
}

const GATEWAY: Program = Program {
    what: "the gateway",
    name: "inkveil-serve",
    built_by: "cargo build --release -p inkveil-serve",
};

const SQL: Program = Program {
    what: "the query engine",
    name: "inkveil-sql",
    built_by: "cargo build --release --manifest-path engines/Cargo.toml",
};

/// Starts the gateway.
pub(crate) fn serve(args: &ServeArgs) -> anyhow::Result<Outcome> {
    run(&GATEWAY, None, &args.arguments)
}

/// Starts the gateway on this machine, and opens its page.
pub(crate) fn open(args: &OpenArgs) -> anyhow::Result<Outcome> {
    run(&GATEWAY, Some("--open".into()), &args.arguments)
}

/// Offers tools over standard input and output.
pub(crate) fn mcp(args: &McpArgs) -> anyhow::Result<Outcome> {
    run(&GATEWAY, Some("mcp".into()), &args.arguments)
}

/// Starts the query engine.
pub(crate) fn sql(args: &SqlArgs) -> anyhow::Result<Outcome> {
    run(&SQL, None, &args.arguments)
}

fn run(program: &Program, first: Option<OsString>, arguments: &[OsString]) -> anyhow::Result<Outcome> {
    let mut command = Command::new(path(program));
    command.args(first).args(arguments);
    become_program(&mut command).with_context(|| {
        let Program { what, name, built_by } = program;
        format!(
            "{what} is a program of its own, {name}, and it cannot be started; build it with `{built_by}`, and put it \
             beside this program or on the PATH"
        )
    })
}

/// Replaces this process by the program, so that signals reach it: a gateway that outlives its parent would go on serving.
#[cfg(unix)]
fn become_program(command: &mut Command) -> std::io::Result<Outcome> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

#[cfg(not(unix))]
fn become_program(command: &mut Command) -> std::io::Result<Outcome> {
    // The caller sees the exit code of the program.
    match command.status()?.code() {
        Some(0) => Ok(Outcome::Success),
        Some(code) => std::process::exit(code),
        None => Ok(Outcome::Interrupted),
    }
}

/// The program beside this one, or else the one on the PATH.
fn path(program: &Program) -> PathBuf {
    let name = format!("{}{}", program.name, std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(&name)));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| name.into())
}
