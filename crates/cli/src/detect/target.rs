//! The output: a file that appears complete or not at all, or standard output.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context as _, ensure};
use inkveil::files::{Output, Sink};

use crate::printed;

pub(super) struct Target {
    sink: BufWriter<Sink>,
    is_stdout: bool,
}

impl Target {
    /// Opens the file at `path`, or standard output. Refuses an existing file unless `replace` is true, and
    /// always refuses an input. Only the owner may read a report; masked texts are a release and get the usual permissions.
    pub(super) fn open(
        path: Option<&Path>,
        replace: bool,
        masked: bool,
        inputs: &[&Path],
    ) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self { sink: BufWriter::new(Output::stdout()?.stream()), is_stdout: true });
        };
        let name = path.display();
        let output = match masked {
            true => Output::file(path, replace),
            false => Output::private_file(path, replace),
        };
        let advice = "already exists; choose another name or use --force";
        let output = printed::unless_it_exists(output, path, advice)?;
        let is_input = |input: &&Path| input.canonicalize().is_ok_and(|input| output.replaces(&input));
        ensure!(!inputs.iter().any(is_input), "{name} is also an input; choose another name for the output");
        Ok(Self { sink: BufWriter::new(output.stream()), is_stdout: false })
    }

    pub(super) fn writer(&mut self) -> &mut dyn Write {
        &mut self.sink
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.is_stdout && printed::is_terminal()
    }

    pub(super) fn has_colours(&self) -> bool {
        self.is_stdout && anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
    }

    /// Completes the output and gives a file its name.
    pub(super) fn commit(self) -> anyhow::Result<()> {
        let sink = self.sink.into_inner().map_err(|error| error.into_error()).context("cannot write")?;
        Ok(sink.finish(0).commit()?)
    }
}
