//! Where findings are written: a file that appears whole or not at all, or standard output.

use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use tempfile::NamedTempFile;

pub(super) enum Target {
    Stdout(BufWriter<Stdout>),
    File { pending: BufWriter<NamedTempFile>, path: PathBuf, replace: bool },
}

impl Target {
    /// The file at `path`, or standard output. An existing file is refused unless `replace`; an input always.
    pub(super) fn open(path: Option<&Path>, replace: bool, inputs: &[&Path]) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self::Stdout(BufWriter::new(io::stdout())));
        };
        let name = path.display();
        if let Ok(found) = std::fs::metadata(path) {
            ensure!(found.is_file(), "{name} is not an ordinary file; choose the name of a file");
            ensure!(replace, "{name} exists already; choose another name, or say --force");
        }
        // A link is written through, not replaced.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if inputs.iter().any(|input| input.canonicalize().is_ok_and(|input| input == path)) {
            bail!("{name} is an input; choose another name for the output");
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".inkveil-").suffix(".tmp");
        // What remains of this after the umask is what the user expects of a new file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let pending = builder.tempfile_in(folder).with_context(|| format!("cannot create {name}"))?;
        if let Ok(found) = std::fs::metadata(&path) {
            pending
                .as_file()
                .set_permissions(found.permissions())
                .with_context(|| format!("cannot create {name}"))?;
        }
        Ok(Self::File { pending: BufWriter::new(pending), path, replace })
    }

    pub(super) fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Stdout(out) => out,
            Self::File { pending, .. } => pending,
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }

    /// Whether someone is reading along.
    pub(super) fn is_terminal(&self) -> bool {
        matches!(self, Self::Stdout(_)) && io::stdout().is_terminal()
    }

    /// Whether colours can be seen.
    pub(super) fn has_colours(&self) -> bool {
        matches!(self, Self::Stdout(_))
            && anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
    }

    /// Gives a file its name.
    pub(super) fn commit(mut self) -> anyhow::Result<()> {
        self.flush().context("cannot write")?;
        let Self::File { pending, path, replace } = self else { return Ok(()) };
        let name = path.display();
        let pending = pending.into_inner().context("cannot write")?;
        pending.as_file().sync_all().with_context(|| format!("cannot write {name}"))?;
        let renamed = if replace { pending.persist(&path) } else { pending.persist_noclobber(&path) };
        renamed.map(|_| ()).map_err(|error| error.error).with_context(|| format!("cannot write {name}"))
    }
}
