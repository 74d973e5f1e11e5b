//! Programs for other machines.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::{archive, cargo, notices, output, root};

/// The options of `dist`.
pub(crate) struct Options {
    pub(crate) target: Option<String>,
    pub(crate) single_file: bool,
    pub(crate) output: Option<PathBuf>,
}

/// Shells, and the paths where they look for completions.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/inkveil"),
    ("zsh", "share/zsh/site-functions/_inkveil"),
    ("fish", "share/fish/vendor_completions.d/inkveil.fish"),
];

/// Files of the source tree that accompany the program.
const DOCUMENTS: [&str; 4] = ["README.md", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT"];

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let root = root()?;
    let folder = options.output.clone().unwrap_or_else(|| root.join("target/distribution"));
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let target = match &options.target {
        Some(target) => target.clone(),
        None => host()?,
    };
    let name = format!("inkveil-{}-{target}", env!("CARGO_PKG_VERSION"));
    let made = if options.single_file {
        let [program] = build(&root, &target, ["inkveil"], &["--features", "embedded-pack"])?;
        single_file(&program, &folder, &name, &target)?
    } else {
        // One build, so that both share their dependencies. `inkveil serve` starts the gateway from its own folder.
        let [program, gateway] = build(&root, &target, ["inkveil", "inkveil-serve"], &[])?;
        let staged = folder.join(&name);
        remove(&staged)?;
        stage(&root, &program, &target, &staged)?;
        copy(&gateway, &staged.join("bin").join(gateway.file_name().context("the program has no name")?))?;
        let file = folder.join(format!("{name}.tar.gz"));
        archive::write(&staged, &file, time(&root))?;
        remove(&staged)?;
        file
    };
    archive::write_checksum(&made)?;
    eprintln!("ok: {}, {} MB", made.display(), fs::metadata(&made)?.len().div_ceil(1_000_000));
    Ok(())
}

/// The package of a program.
fn package(program: &str) -> &str {
    if program == "inkveil" { "inkveil-cli" } else { program }
}

/// Builds programs and returns their paths.
fn build<const N: usize>(
    root: &Path,
    target: &str,
    programs: [&str; N],
    more: &[&str],
) -> anyhow::Result<[PathBuf; N]> {
    let mut command = cargo();
    command
        .current_dir(root)
        .args(["build", "--profile", "dist", "--locked"])
        .args(programs.iter().flat_map(|program| ["--package", package(program), "--bin", program]))
        .args(["--target", target, "--message-format", "json-render-diagnostics"])
        .args(more)
        // The program does not search this source tree for packs.
        .env("INKVEIL_DISTRIBUTION", "1")
        .env("RUSTFLAGS", flags(root));
    let messages = output(&mut command)?;
    let executables: Vec<PathBuf> = messages
        .split(|byte| *byte == b'\n')
        .filter_map(|line| {
            let message: serde_json::Value = serde_json::from_slice(line).ok()?;
            message["executable"].as_str().map(PathBuf::from)
        })
        .collect();
    let built = |program: &str| {
        let found = executables.iter().find(|path| path.file_stem().is_some_and(|name| name == program));
        found.cloned().with_context(|| format!("cargo did not build {program}"))
    };
    let paths: Vec<PathBuf> = programs.into_iter().map(built).collect::<anyhow::Result<_>>()?;
    paths.try_into().map_err(|_| anyhow::anyhow!("cargo did not build all programs"))
}

/// Keeps the folders of this machine out of the program.
fn flags(root: &Path) -> String {
    let mut flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    let home = |variable: &str, folder: &str| {
        std::env::var_os(variable)
            .map(PathBuf::from)
            .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(folder)))
    };
    let folders = [(Some(root.to_owned()), "inkveil"), (home("CARGO_HOME", ".cargo"), "cargo")];
    for (folder, name) in folders {
        // RUSTFLAGS is split at spaces, so a folder with a space cannot be replaced.
        if let Some(folder) = folder.as_deref().and_then(Path::to_str).filter(|folder| !folder.contains(' '))
        {
            flags.push_str(&format!(" --remap-path-prefix={folder}=/{name}"));
        }
    }
    flags.trim().to_owned()
}

/// The files of the archive.
fn stage(root: &Path, program: &Path, target: &str, folder: &Path) -> anyhow::Result<()> {
    copy(program, &folder.join("bin").join(program.file_name().context("the program has no name")?))?;
    copy_folder(&root.join("models/en"), &folder.join("share/inkveil/models/en"))?;
    let documents = folder.join("share/doc/inkveil");
    for document in DOCUMENTS {
        copy(&root.join(document), &documents.join(document))?;
    }
    fs::write(documents.join("THIRD-PARTY.txt"), notices::third_party(package("inkveil"), target)?)?;
    // The program describes itself, so it must run on this machine.
    for (shell, path) in COMPLETIONS {
        let script = output(Command::new(program).args(["completions", shell]))?;
        let path = folder.join(path);
        fs::create_dir_all(path.parent().context("a path without a folder")?)?;
        fs::write(path, script)?;
    }
    output(Command::new(program).args(["man", "-o"]).arg(folder.join("share/man/man1")))?;
    Ok(())
}

/// The program with its pack, and the licences of what is in it.
fn single_file(program: &Path, folder: &Path, name: &str, target: &str) -> anyhow::Result<PathBuf> {
    let file = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    copy(program, &file)?;
    fs::write(
        folder.join(format!("{name}.licences.txt")),
        notices::third_party(package("inkveil"), target)?,
    )?;
    Ok(file)
}

/// The platform of this machine.
pub(crate) fn host() -> anyhow::Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let text = String::from_utf8(output(Command::new(rustc).arg("-vV"))?)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not report its host")
}

/// The time of all files in the archive: SOURCE_DATE_EPOCH, or else the time of the last commit.
fn time(root: &Path) -> u64 {
    let set = std::env::var("SOURCE_DATE_EPOCH").ok();
    let of_commit = || {
        let mut git = Command::new("git");
        let time = git.current_dir(root).args(["log", "-1", "--format=%ct"]).output().ok()?;
        String::from_utf8(time.stdout).ok()
    };
    set.or_else(of_commit).and_then(|time| time.trim().parse().ok()).unwrap_or(1)
}

fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            copy(&entry.path(), &target)?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to.parent().context("a path without a folder")?)?;
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn remove(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    ensure!(!folder.exists(), "{} cannot be removed", folder.display());
    Ok(())
}
