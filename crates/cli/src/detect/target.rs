//! Where findings are written: a file that appears whole or not at all, or standard output.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::Path;

use anyhow::{Context as _, anyhow, ensure};
use inkveil_files::{ErrorKind, Output, Sink};

pub(super) struct Target {
    sink: BufWriter<Sink>,
    is_stdout: bool,
}

impl Target {
    /// The file at `path`, or standard output. An existing file is refused unless `replace`; an input always.
    pub(super) fn open(path: Option<&Path>, replace: bool, inputs: &[&Path]) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self { sink: BufWriter::new(Output::stdout().stream()), is_stdout: true });
        };
        let output = Output::file(path, replace).map_err(|error| match error.kind() {
            ErrorKind::Exists => {
                anyhow!("{} exists already; choose another name, or say --force", path.display())
            }
            _ => error.into(),
        })?;
        let is_input = |input: &&Path| input.canonicalize().is_ok_and(|input| output.replaces(&input));
        ensure!(
            !inputs.iter().any(is_input),
            "{} is an input; choose another name for the output",
            path.display()
        );
        Ok(Self { sink: BufWriter::new(output.stream()), is_stdout: false })
    }

    pub(super) fn writer(&mut self) -> &mut dyn Write {
        &mut self.sink
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }

    /// Whether someone is reading along.
    pub(super) fn is_terminal(&self) -> bool {
        self.is_stdout && io::stdout().is_terminal()
    }

    /// Whether colours can be seen.
    pub(super) fn has_colours(&self) -> bool {
        self.is_stdout && anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
    }

    /// Gives a file its name.
    pub(super) fn commit(self) -> anyhow::Result<()> {
        let sink = self.sink.into_inner().map_err(|error| error.into_error()).context("cannot write")?;
        Ok(sink.finish(0).commit()?)
    }
}
