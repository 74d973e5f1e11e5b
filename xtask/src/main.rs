//! Tools of this repository. `cargo run -p xtask` prints the commands.

#![forbid(unsafe_code)]

mod archive;
mod dist;
mod graph;
mod licences;
mod notices;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail, ensure};

const USAGE: &str = "\
usage: cargo run -p xtask -- COMMAND

dist [--target TRIPLE] [-o FOLDER]
    Builds the program and writes inkveil-VERSION-TARGET.tar.gz: the program, the default pack, completions,
    manual pages and licences. It runs in any folder of a machine without this source tree.

dist --single-file [--target TRIPLE] [-o FOLDER]
    Builds the program with the default pack inside and writes the single file inkveil-VERSION-TARGET.

notices PACKAGE [--target TRIPLE]
    Prints the licences of what is linked into a package of this workspace, for example inkveil-python.

licences
    Checks the licences of all dependencies, and the bans, against deny.toml.

FOLDER is target/distribution by default, and TRIPLE is this machine's.
";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Vec<String>) -> anyhow::Result<()> {
    let mut arguments = arguments.into_iter();
    let command = arguments.next();
    let rest: Vec<String> = arguments.collect();
    match command.as_deref() {
        Some("dist") => dist::run(&dist_options(rest)?),
        Some("notices") => print_notices(&rest),
        Some("licences") => {
            ensure!(rest.is_empty(), "`licences` has no options");
            licences::run()
        }
        None | Some("help" | "-h" | "--help") => {
            eprint!("{USAGE}");
            Ok(())
        }
        Some(other) => bail!("there is no command {other:?}\n\n{USAGE}"),
    }
}

fn dist_options(arguments: Vec<String>) -> anyhow::Result<dist::Options> {
    let mut options = dist::Options { target: None, single_file: false, output: None };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--single-file" => options.single_file = true,
            "--target" => options.target = Some(value()?),
            "-o" | "--output" => options.output = Some(PathBuf::from(value()?)),
            _ => bail!("there is no option {argument:?}\n\n{USAGE}"),
        }
    }
    Ok(options)
}

fn print_notices(arguments: &[String]) -> anyhow::Result<()> {
    let (package, target) = match arguments {
        [package] => (package, dist::host()?),
        [package, option, target] if option == "--target" => (package, target.clone()),
        _ => bail!("`notices` needs a package\n\n{USAGE}"),
    };
    std::io::stdout().write_all(notices::third_party(package, &target)?.as_bytes())?;
    Ok(())
}

/// The root of the source tree.
fn root() -> anyhow::Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent folder")?;
    Ok(root.to_owned())
}

/// The cargo that runs this program.
fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command and returns its standard output.
fn output(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stderr(std::process::Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot start {name}"))?;
    ensure!(output.status.success(), "{name} failed ({})", output.status);
    Ok(output.stdout)
}
