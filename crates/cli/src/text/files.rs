//! What is read, and the files that are written: all of them are opened before anything is released.

use std::io::{BufWriter, IsTerminal as _};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail, ensure};
use inkveil_io::{ErrorKind, Output, Sink};

use super::source::Input;
use crate::args::TextArgs;
use crate::distinct;

/// The names of everything that is read and written.
pub(super) struct Files {
    output: Option<PathBuf>,
    pub(super) receipt: Option<PathBuf>,
    pub(super) page: Option<PathBuf>,
    replace: bool,
}

/// Everything that is written, open.
pub(super) struct Opened {
    pub(super) text: BufWriter<Sink>,
    pub(super) receipt: Option<Output>,
    pub(super) page: Option<BufWriter<Sink>>,
}

/// What the command line asks to read.
pub(super) fn input(args: &TextArgs) -> anyhow::Result<Input> {
    if let Some(path) = &args.file {
        return Ok(if path == Path::new("-") { Input::Stdin } else { Input::File(path.clone()) });
    }
    match args.text.as_slice() {
        [dash] if dash == "-" => Ok(Input::Stdin),
        // To veil the name would release it, and leave the file for a clean one.
        [_, ..] if args.text.iter().all(|text| Path::new(text).is_file()) => {
            bail!("this is the name of a file; to veil what is in it, say --file before it")
        }
        [_, ..] => Ok(Input::Argument(args.text.join(" "))),
        [] if std::io::stdin().is_terminal() => {
            bail!("nothing to veil: give a text, --file FILE, or pipe a text in (see `inkveil text --help`)")
        }
        [] => Ok(Input::Stdin),
    }
}

impl Files {
    pub(super) fn new(args: &TextArgs, input: &Input) -> anyhow::Result<Self> {
        let output = args.output.output.clone().filter(|path| path != Path::new("-"));
        let receipt = args.output.receipt.clone().or_else(|| {
            let mut name = output.clone()?.into_os_string();
            name.push(".receipt.json");
            Some(name.into())
        });
        let page = args.output.explain_html.clone();
        for (flag, path) in [("--receipt", &receipt), ("--explain-html", &page)] {
            ensure!(
                path.as_deref() != Some(Path::new("-")),
                "{flag} needs a file: standard output carries the veiled text"
            );
        }
        let tells = args.output.json && args.output.explain && !args.output.dry_run;
        ensure!(
            !(tells && output.is_some()),
            "--json with --explain tells about the original, so it is no release and has no receipt; \
             leave --explain out, or print it to standard output instead of --output"
        );
        distinct::check(&[
            ("the input", input.path()),
            ("--config", args.config.as_deref()),
            ("--output", output.as_deref()),
            ("--receipt", receipt.as_deref()),
            ("--explain-html", page.as_deref()),
        ])?;
        Ok(Self { output, receipt, page, replace: args.output.force })
    }

    pub(super) fn open(&self) -> anyhow::Result<Opened> {
        let text = match &self.output {
            Some(path) => self.create(path, "--output")?,
            None => Output::stdout(),
        };
        let receipt = self.receipt.as_deref().map(|path| self.create(path, "--receipt")).transpose()?;
        let page = self.page.as_deref().map(|path| self.create(path, "--explain-html")).transpose()?;
        let page = page.map(|page| BufWriter::new(page.stream()));
        Ok(Opened { text: BufWriter::new(text.stream()), receipt, page })
    }

    fn create(&self, path: &Path, flag: &str) -> anyhow::Result<Output> {
        Output::file(path, self.replace).map_err(|error| match error.kind() {
            ErrorKind::Exists => {
                anyhow!("{} exists already; choose another {flag}, or say --force", path.display())
            }
            _ => error.into(),
        })
    }
}
