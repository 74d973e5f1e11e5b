//! The command line: queries, a shell, scans and keys.

mod args;
mod interrupt;
mod one_query;
mod progress;
mod scan;
mod shell;

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::Parser as _;
use inkveil_datafusion::{Engine, EngineOptions, Error, Policy, TableFile};

use args::{Args, Command, SessionArgs};

/// Runs the program and returns its exit code.
pub(crate) fn run() -> u8 {
    // A panic of a parser may quote a row.
    inkveil::files::hide_panic_messages();
    let args = Args::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(_) => return ended(Err(anyhow::anyhow!("the system refuses to start threads"))),
    };
    let result = runtime.block_on(run_async(args));
    // Work that was cancelled may still hold a thread for a moment.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    ended(result)
}

async fn run_async(args: Args) -> anyhow::Result<()> {
    match args.command {
        Some(Command::NewKey { file }) => Ok(inkveil_datafusion::new_key_file(&file)?),
        Some(Command::Scan(scan)) => scan::run(&scan).await,
        None => {
            let engine = session(&args.session).await?;
            match args.query.sql.as_deref() {
                Some(sql) => one_query::run(&engine, sql, &args.query).await,
                None => shell::run_shell(&engine, &args.query).await,
            }
        }
    }
}

/// Opens a session.
async fn session(args: &SessionArgs) -> Result<Engine, Error> {
    let mut tables =
        args.tables.iter().map(|given| TableFile::parse(given)).collect::<Result<Vec<_>, _>>()?;
    if let Some(folder) = &args.folder {
        let found = TableFile::in_folder(folder).await?;
        tables.extend(found.tables);
        say_left_out(&found.left_out);
    }
    let policy = args.policy.as_deref().map(Policy::open).transpose()?;
    let options = EngineOptions { partitions: args.partitions, batch_size: None };
    let engine = Engine::with_tables(options, &tables, policy.as_ref()).await?;
    change(&engine, &args.settings)?;
    Ok(engine)
}

/// Names the folders in a folder of tables that are no tables.
fn say_left_out(folders: &[PathBuf]) {
    for path in folders {
        say(&format!(
            "note: {} is left out: it has no files of one format; name a folder below it with --table",
            path.display()
        ));
    }
}

/// Changes settings that are given as `NAME=VALUE`.
fn change(engine: &Engine, settings: &[String]) -> Result<(), Error> {
    for given in settings {
        let (name, value) = given.split_once('=').ok_or_else(|| {
            Error::Refused("a setting is given as NAME=VALUE, for example preset=strict".to_owned())
        })?;
        engine.set(name.strip_prefix("inkveil.").unwrap_or(name), value)?;
    }
    Ok(())
}

/// Prints how the program ended, and returns its exit code.
fn ended(result: anyhow::Result<()>) -> u8 {
    const FAILURE: u8 = 1;
    const INTERRUPTED: u8 = 130;
    const PIPE_CLOSED: u8 = 141;
    let Err(error) = result else { return 0 };
    if error.downcast_ref::<Error>().is_some_and(Error::is_cancelled) {
        say("interrupted: no file was written, and printed rows are incomplete");
        return INTERRUPTED;
    }
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        let cause = cause.downcast_ref::<std::io::Error>();
        cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(closed) {
        return PIPE_CLOSED;
    }
    say_error(&error);
    FAILURE
}

/// Writes an error to standard error.
fn say_error(error: &anyhow::Error) {
    match error.downcast_ref::<Error>() {
        // Its message has its causes.
        Some(error) => say(&format!("error: {error}")),
        None => say(&format!("error: {error:#}")),
    }
}

/// Writes a line to standard error. If that is closed, there is no place to say so.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Whether a person watches.
fn is_watched() -> bool {
    std::io::stderr().is_terminal()
}
