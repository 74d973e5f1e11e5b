//! From arguments to one validated plan. Everything is checked here, before anything is opened.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use inkveil::files::{Input, is_pipe, refuse_same_file};
use inkveil::release::{
    Account, Corpus, Destination, KeyChoice, MapSettings, ReceiptPlacement, receipt_beside,
};
use inkveil::rows::{JobFile, Packing, RecordFormat, RecordOptions, RecordReader};

use super::named;
use super::settings::Setup;
use crate::args::{JobArgs, OnError, ReviewName, TextArgs, key_choice};
use crate::corpus;

/// Everything that `inkveil text` does.
pub(super) struct TextPlan {
    pub(super) setup: Setup,
    /// The model that repairs grammar, as [`inkveil::open_model`] takes it.
    pub(super) repair: Option<String>,
    pub(super) key: KeyChoice,
    pub(super) account: Account,
    pub(super) by_subject: bool,
    pub(super) map: Option<MapSettings>,
    /// Whether the map is that of a session.
    pub(super) session: bool,
    pub(super) receipts: ReceiptPlacement,
    /// What decides the release and is not in the veil: the settings file and the task column.
    pub(super) identity: String,
    pub(super) overwrite: bool,
    pub(super) quiet: bool,
    pub(super) work: Work,
}

/// What is done.
pub(super) enum Work {
    /// Files of rows, or several files, into files.
    Files(FilesPlan),
    /// Rows to standard output.
    Pipe(PipePlan),
    /// One text, or one input that is explained.
    Documents(Documents),
    /// Only the cost is computed.
    DryRun(DryRun),
}

pub(super) struct FilesPlan {
    pub(super) corpus: Corpus,
    pub(super) output: PathBuf,
    options: RecordOptions,
    job: JobArgs,
    overwrite: bool,
}

impl FilesPlan {
    pub(super) fn destination(&self) -> Destination<'_> {
        let destination = Destination {
            options: self.options.clone(),
            ..Destination::new(&self.corpus, self.output.clone())
        };
        self.job.apply(destination, self.overwrite)
    }
}

pub(super) struct PipePlan {
    pub(super) input: TextInput,
    pub(super) options: RecordOptions,
    pub(super) sample: Option<u64>,
    pub(super) receipt: Option<PathBuf>,
}

pub(super) struct Documents {
    pub(super) input: TextInput,
    pub(super) options: RecordOptions,
    pub(super) sample: Option<u64>,
    pub(super) lines: bool,
    pub(super) output: Option<PathBuf>,
    pub(super) receipt: Option<PathBuf>,
    pub(super) page: Option<PathBuf>,
    pub(super) explain: bool,
    pub(super) json: bool,
    pub(super) overwrite: bool,
    pub(super) review: Option<ReviewName>,
    pub(super) decisions: Option<PathBuf>,
}

pub(super) struct DryRun {
    pub(super) inputs: Vec<TextInput>,
    pub(super) options: RecordOptions,
    pub(super) sample: Option<u64>,
    pub(super) bytes: Option<u64>,
    pub(super) explain: bool,
    pub(super) json: bool,
}

/// What is read.
#[derive(Clone)]
pub(super) enum TextInput {
    Argument(String),
    Stdin(RecordFormat),
    File(JobFile),
}

impl TextInput {
    fn path(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(&file.input),
            Self::Argument(_) | Self::Stdin(_) => None,
        }
    }

    pub(super) fn format(&self) -> RecordFormat {
        match self {
            Self::Argument(_) => RecordFormat::Text,
            Self::Stdin(format) => *format,
            Self::File(file) => file.format,
        }
    }

    /// Its size in bytes, if that is known.
    pub(super) fn bytes(&self) -> Option<u64> {
        match self {
            Self::Argument(text) => Some(text.len() as u64),
            Self::Stdin(_) => None,
            Self::File(file) => {
                file.input.metadata().ok().filter(|found| found.is_file()).map(|found| found.len())
            }
        }
    }

    /// The name of the data in a ledger, if the user gives none.
    pub(super) fn name(&self) -> String {
        let name = self.path().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "texts".to_owned())
    }

    pub(super) fn open(
        &self,
        options: &RecordOptions,
        sample: Option<u64>,
    ) -> Result<RecordReader, inkveil::Error> {
        let (input, packing) = match self {
            Self::Argument(text) => {
                // A text from the command line has no line break, and a prompt should not follow it.
                let end = if text.ends_with('\n') { "" } else { "\n" };
                (Input::from_bytes(format!("{text}{end}").into_bytes()), Packing::None)
            }
            Self::Stdin(_) => (Input::stdin(), Packing::None),
            Self::File(file) => (Input::path(&file.input), file.packing),
        };
        let mut reader = RecordReader::open(input, self.format(), packing, options)?;
        if let Some(rows) = sample {
            reader.take(rows);
        }
        Ok(reader)
    }
}

impl TextPlan {
    pub(super) fn new(args: &TextArgs) -> anyhow::Result<Self> {
        let setup = Setup::new(args)?;
        let map = args.map.settings()?;
        // A pipe was read already.
        let config = setup.config.as_deref().filter(|path| !is_pipe(path));
        let config = config.map(inkveil::files::Sha256Sum::of_file).transpose()?;
        let work = work(args, setup.config.as_deref())?;
        ensure!(
            args.map.session.is_none() || matches!(work, Work::Documents(_) | Work::DryRun(_)),
            "--session is for single texts; keep the replacements of rows and several files with --map"
        );
        ensure!(
            args.map.session.is_none() || args.words.insecure_seed.is_none(),
            "--session has a secret key of its own; leave out --insecure-seed"
        );
        ensure!(
            (args.review.is_none() && args.decisions.is_none()) || matches!(work, Work::Documents(_)),
            "--review and --decisions are for one text, not for rows or several files"
        );
        let plan = Self {
            repair: args
                .words
                .repair
                .as_deref()
                .map(|name| model_address(name, args.words.repair_model.as_deref()))
                .transpose()?,
            account: args.account.account()?,
            by_subject: args.account.subject_column.is_some(),
            map,
            session: args.map.session.is_some(),
            receipts: args.receipts,
            identity: format!("{config:?} {:?}", args.task_column),
            overwrite: args.output.force,
            quiet: args.output.quiet,
            work,
            setup,
            // Last, because it prints a warning.
            key: key_choice(args.words.insecure_seed),
        };
        Ok(plan)
    }
}

/// What the arguments ask for.
fn work(args: &TextArgs, config: Option<&Path>) -> anyhow::Result<Work> {
    let explains = args.output.json || args.output.explain || args.output.explain_html.is_some();
    let files = files(args);
    let corpus = match files.as_slice() {
        [] => None,
        [dash] if dash == Path::new("-") => None,
        names => Some(corpus::open(names, &args.tables, args.lines)?),
    };
    let Some(corpus) = corpus else {
        let input = single_input(args)?;
        ensure!(
            input.format().document().is_none(),
            "a document must be a file; name it, for example: inkveil text letter.docx -o veiled.docx"
        );
        return match args.output.dry_run {
            true => dry_run(args, vec![input.clone()], input.bytes()),
            false if input.format().is_table() && !explains => pipe(args, input),
            false => documents(args, input, config),
        };
    };
    if args.output.dry_run {
        let inputs = corpus.files.iter().cloned().map(TextInput::File).collect();
        return dry_run(args, inputs, Some(corpus.bytes()));
    }
    let is_one = corpus.single && !args.job.resume && (explains || !corpus.has_rows());
    match (is_one, corpus.files.as_slice(), named(args.output.output.as_deref())) {
        (true, [file], _) => documents(args, TextInput::File(file.clone()), config),
        (_, _, Some(output)) => {
            check_rows(args)?;
            Ok(Work::Files(FilesPlan {
                output: output.to_owned(),
                options: RecordOptions { parts: true, ..options(args) },
                job: args.job.clone(),
                overwrite: args.output.force,
                corpus,
            }))
        }
        (_, [file], None) => pipe(args, TextInput::File(file.clone())),
        (_, _, None) => bail!("several files are written to a folder; name it with --output"),
    }
}

/// The files to veil. A document can be named without --file, because no text is its name.
fn files(args: &TextArgs) -> Vec<PathBuf> {
    match args.files.is_empty() && crate::corpus::are_documents(&args.text) {
        true => args.text.iter().map(PathBuf::from).collect(),
        false => args.files.clone(),
    }
}

/// A text of the command line, or standard input.
fn single_input(args: &TextArgs) -> anyhow::Result<TextInput> {
    let plain = if args.lines { RecordFormat::Lines } else { RecordFormat::Text };
    let stdin = TextInput::Stdin(args.tables.from.unwrap_or(plain));
    if !args.files.is_empty() {
        return Ok(stdin);
    }
    match args.text.as_slice() {
        [dash] if dash == "-" => Ok(stdin),
        // Veiling the name would release it, and leave the file unveiled.
        [_, ..] if args.text.iter().all(|text| Path::new(text).is_file()) => {
            bail!("this is the name of a file; to veil its content, put --file before it")
        }
        [_, ..] => Ok(TextInput::Argument(args.text.join(" "))),
        [] if std::io::stdin().is_terminal() => {
            bail!("there is no text; give one, name a file with --file, or pipe a text in")
        }
        [] => Ok(stdin),
    }
}

fn pipe(args: &TextArgs, input: TextInput) -> anyhow::Result<Work> {
    ensure!(
        named(args.output.output.as_deref()).is_none(),
        "rows from standard input go to standard output; to write a file, read one with --file"
    );
    check_rows(args)?;
    let format = input.format();
    ensure!(!args.job.resume, "a pipe cannot be resumed; write a file with --output");
    ensure!(format.is_bytes(), "{format} needs a file to write to; name one with --output");
    ensure!(args.job.to.is_none(), "--to needs a file to write to; name one with --output");
    let mut options = RecordOptions { parts: true, ..options(args) };
    options.reject = args.job.on_error == OnError::Reject;
    let receipt = args.output.receipt.clone();
    Ok(Work::Pipe(PipePlan { input, options, sample: args.job.sample, receipt }))
}

fn documents(args: &TextArgs, input: TextInput, config: Option<&Path>) -> anyhow::Result<Work> {
    check_readable(&input)?;
    check_single(args, &input)?;
    let output = named(args.output.output.as_deref()).map(Path::to_owned);
    let mut options = options(args);
    if let Some(document) = input.format().document() {
        options.documents_as_text = corpus::writes_text(document, output.as_deref())?;
    }
    let receipt = args.output.receipt.clone().or_else(|| output.as_deref().map(receipt_beside));
    let page = args.output.explain_html.clone();
    for (option, path) in [("--receipt", &receipt), ("--explain-html", &page)] {
        ensure!(
            path.as_deref() != Some(Path::new("-")),
            "{option} needs a file: standard output carries the veiled text"
        );
    }
    ensure!(
        !(args.output.json && args.output.explain && output.is_some()),
        "--json with --explain shows the original, so it is not a release and has no receipt; leave out \
         --explain, or print to standard output instead of --output"
    );
    if args.review.is_some() || args.decisions.is_some() {
        let is_text = input.format() == RecordFormat::Text && !input.path().is_some_and(is_pipe);
        ensure!(
            is_text && !matches!(input, TextInput::Stdin(_)),
            "--review and --decisions are for one text: give it on the command line, or in a plain file with --file"
        );
    }
    refuse_same_file(&[
        ("the input", input.path()),
        ("--decisions", args.decisions.as_deref()),
        ("--config", config),
        ("--map", args.map.map.as_deref()),
        ("--map-key", args.map.map_key.as_deref()),
        ("--ledger", args.account.ledger.as_deref()),
        ("--output", output.as_deref()),
        ("--receipt", receipt.as_deref()),
        ("--explain-html", page.as_deref()),
    ])?;
    Ok(Work::Documents(Documents {
        input,
        options,
        sample: args.job.sample,
        lines: args.lines,
        output,
        receipt,
        page,
        explain: args.output.explain,
        json: args.output.json,
        overwrite: args.output.force,
        review: args.review,
        decisions: args.decisions.clone(),
    }))
}

fn dry_run(args: &TextArgs, inputs: Vec<TextInput>, bytes: Option<u64>) -> anyhow::Result<Work> {
    if let [input] = inputs.as_slice() {
        check_readable(input)?;
        check_single(args, input)?;
    }
    let (explain, json) = (args.output.explain, args.output.json);
    let options = RecordOptions { parts: true, ..options(args) };
    Ok(Work::DryRun(DryRun { inputs, options, sample: args.job.sample, bytes, explain, json }))
}

/// How rows are read.
fn options(args: &TextArgs) -> RecordOptions {
    let mut options = args.tables.options();
    options.columns.task.clone_from(&args.task_column);
    options.columns.subject.clone_from(&args.account.subject_column);
    options
}

fn check_readable(input: &TextInput) -> anyhow::Result<()> {
    if let Some(path) = input.path() {
        ensure!(!path.is_dir(), "{} is a folder; name a file in it", path.display());
        // What a pipe holds can be read only once.
        if is_pipe(path) {
            return Ok(());
        }
        std::fs::File::open(path)
            .map_err(|error| anyhow::anyhow!("cannot read {}: {error}", path.display()))?;
    }
    Ok(())
}

/// Refuses options that explain single texts where rows are veiled.
fn check_rows(args: &TextArgs) -> anyhow::Result<()> {
    ensure!(
        !args.output.explain && args.output.explain_html.is_none() && !args.output.json,
        "--explain, --explain-html and --json are for one input; name one file, without --output and --resume"
    );
    ensure!(
        args.output.receipt.is_none() || args.output.output.is_none(),
        "each file has its receipt beside it; --receipt is for single texts and pipes"
    );
    Ok(())
}

/// Refuses options for tables and jobs where they would do nothing.
fn check_single(args: &TextArgs, input: &TextInput) -> anyhow::Result<()> {
    let columns =
        args.tables.names_columns() || args.task_column.is_some() || args.tables.id_column.is_some();
    ensure!(
        !columns || input.format().is_table(),
        "--column, --copy, --task-column and --id-column are for tables; name the format of this input with --from"
    );
    ensure!(
        args.job.to.is_none() && args.receipts == ReceiptPlacement::Sidecar,
        "--to and --receipts are for tables that are written with --output"
    );
    ensure!(
        args.account.subject_column.is_none(),
        "--subject-column is for tables that are written with --output; use --subject here"
    );
    ensure!(
        args.job.on_error == OnError::Stop,
        "--on-error is for tables that are written with --output, and for pipes"
    );
    ensure!(!args.job.resume, "--resume is for tables that are written with --output");
    Ok(())
}

/// The name of a model as [`inkveil::open_model`] takes it: `URL#MODEL` for a server.
fn model_address(name: &str, model: Option<&str>) -> anyhow::Result<String> {
    let remote = inkveil::is_remote(name);
    match model {
        None if remote && !name.contains('#') => {
            bail!("--repair with an address also needs the name of the model; give it with --repair-model")
        }
        None => Ok(name.to_owned()),
        Some(model) => {
            ensure!(remote, "--repair-model is for the address of a server; a local model has its own name");
            ensure!(
                !name.contains('#'),
                "the address names a model after its # already; leave out --repair-model"
            );
            Ok(format!("{name}#{model}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn a_server_needs_the_name_of_a_model() {
        let url = "http://localhost:8080/v1";
        assert_eq!(model_address(url, Some("qwen")).unwrap(), "http://localhost:8080/v1#qwen");
        let named = "http://localhost:8080/v1#qwen";
        assert_eq!(model_address(named, None).unwrap(), named);
        assert_eq!(model_address("smollm2", None).unwrap(), "smollm2");
        for (name, model) in [(url, None), ("smollm2", Some("qwen")), ("http://localhost/v1#a", Some("b"))] {
            assert!(model_address(name, model).is_err(), "{name}");
        }
    }

    fn plan(arguments: &[&str]) -> anyhow::Result<TextPlan> {
        TextPlan::new(&TextArgs::try_parse_from(["text"].iter().chain(arguments))?)
    }

    #[test]
    fn options_without_effect_are_refused() {
        for arguments in [
            &["--column", "a", "Ana"][..],
            &["--resume", "Ana"],
            &["--receipts", "columns", "Ana"],
            &["--on-error", "reject", "Ana"],
            &["--receipt", "-", "Ana"],
            &["--json", "--explain", "-o", "x.txt", "Ana"],
            &["--to", "csv", "Ana"],
        ] {
            assert!(plan(arguments).is_err(), "{arguments:?}");
        }
        assert!(matches!(plan(&["Ana"]).unwrap().work, Work::Documents(_)));
        assert!(matches!(plan(&["Ana", "--dry-run"]).unwrap().work, Work::DryRun(_)));
    }

    #[test]
    fn an_argument_ends_with_one_line_break() {
        for text in ["one", "one\n"] {
            let input = TextInput::Argument(text.to_owned());
            let mut reader = input.open(&RecordOptions::default(), None).unwrap();
            let records = reader.next().unwrap().unwrap();
            assert_eq!((records.texts().text(0), records.line_break(0)), ("one", "\n"));
        }
    }
}
