//! What is read, and the files that are written: all of them are opened before anything is released.

use std::io::{BufWriter, IsTerminal as _};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail, ensure};
use inkveil_files::ErrorKind;
use inkveil_files::{Output, Sink};
use inkveil_rows::RecordFormat;

use super::source::Input;
use crate::args::TextArgs;
use crate::corpus::Corpus;
use crate::receipt;

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
pub(super) enum Chosen {
    /// One text, or one file or pipe of texts.
    One(Input),
    /// Files of rows, or several files.
    Corpus(Corpus),
}

/// What the command line asks to read.
pub(super) fn chosen(args: &TextArgs) -> anyhow::Result<Chosen> {
    let stdin = || {
        let plain = if args.lines { RecordFormat::Lines } else { RecordFormat::Text };
        Chosen::One(Input::Stdin(args.tables.from.unwrap_or(plain)))
    };
    if args.files.as_slice() == [Path::new("-")] {
        return Ok(stdin());
    }
    if !args.files.is_empty() {
        let corpus = Corpus::new(&args.files, args.tables.from, args.lines)?;
        let explains = args.output.json || args.output.explain || args.output.explain_html.is_some();
        let one =
            corpus.single && !args.job.resume && (explains || args.output.dry_run || !corpus.has_rows());
        return Ok(match (one, corpus.files.first()) {
            (true, Some(file)) => Chosen::One(Input::File(file.clone())),
            _ => Chosen::Corpus(corpus),
        });
    }
    match args.text.as_slice() {
        [dash] if dash == "-" => Ok(stdin()),
        // To veil the name would release it, and leave the file for a clean one.
        [_, ..] if args.text.iter().all(|text| Path::new(text).is_file()) => {
            bail!("this is the name of a file; to veil what is in it, say --file before it")
        }
        [_, ..] => Ok(Chosen::One(Input::Argument(args.text.join(" ")))),
        [] if std::io::stdin().is_terminal() => {
            bail!("nothing to veil: give a text, --file FILE, or pipe a text in (see `inkveil text --help`)")
        }
        [] => Ok(stdin()),
    }
}

impl Files {
    pub(super) fn new(args: &TextArgs, input: &Input) -> anyhow::Result<Self> {
        let output = args.output.output.clone().filter(|path| path != Path::new("-"));
        let receipt = args.output.receipt.clone().or_else(|| output.as_deref().map(receipt::beside));
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
        inkveil_files::refuse_same_file(&[
            ("the input", input.path()),
            ("--config", args.config.as_deref()),
            ("--map", args.map.map.as_deref()),
            ("--map-key", args.map.map_key.as_deref()),
            ("--ledger", args.spending.ledger.as_deref()),
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
