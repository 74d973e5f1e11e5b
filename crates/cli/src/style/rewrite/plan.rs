//! From arguments to one validated plan.

use std::fs::File;
use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail, ensure};
use inkveil::files::{Input, refuse_same_file};
use inkveil::release::{Account, Corpus, Destination, KeyChoice, RewriteRows};
use inkveil::rows::{JobFile, RecordOptions, RecordReader};
use inkveil::style::{FactRule, Fallback, GoalSearch, RewriteOverrides, Strength};
use inkveil::{AtZero, Veil};

use crate::args::{FactsName, FallbackName, JobArgs, OnError, RewriteArgs};
use crate::device;

/// Everything that `inkveil style rewrite` does.
pub(super) struct RewritePlan<'a> {
    args: &'a RewriteArgs,
    pub(super) account: Account,
    pub(super) by_subject: bool,
    pub(super) key: KeyChoice,
    pub(super) overwrite: bool,
    pub(super) quiet: bool,
    pub(super) work: Work,
}

/// What is done.
pub(super) enum Work {
    /// One text to standard output, or to a file if it is reviewed or described as JSON.
    Text(SingleText),
    /// Files into files.
    Files { corpus: Corpus, output: PathBuf },
    /// A table to standard output.
    Pipe(Box<PipedTable>),
}

pub(super) struct SingleText {
    /// Its path, for messages.
    pub(super) name: String,
    /// The name of its file, for the ledger.
    pub(super) dataset: String,
    pub(super) text: String,
    pub(super) output: Option<PathBuf>,
    pub(super) receipt: Option<PathBuf>,
    /// The terminal to ask about each passage on, if there is a review.
    pub(super) review: Option<File>,
    /// Write JSON instead of the text.
    pub(super) json: bool,
}

impl SingleText {
    fn new(args: &RewriteArgs, name: String, text: String, output: Option<PathBuf>) -> anyhow::Result<Self> {
        let receipt = match (&args.receipt, &output) {
            (None, Some(output)) => Some(inkveil::release::receipt_beside(output)),
            (given, _) => given.clone(),
        };
        let dataset =
            Path::new(&name).file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
        // Opened before anything is computed or sent.
        let review = args.review.then(super::review::terminal).transpose()?;
        Ok(Self { name, dataset, text, output, receipt, review, json: args.json })
    }
}

pub(super) struct PipedTable {
    file: JobFile,
    options: RecordOptions,
    sample: Option<u64>,
    pub(super) receipt: Option<PathBuf>,
}

impl PipedTable {
    pub(super) fn open(&self) -> Result<RecordReader, inkveil::Error> {
        let JobFile { input, format, packing, .. } = &self.file;
        let mut reader = RecordReader::open(Input::path(input), *format, *packing, &self.options)?;
        if let Some(rows) = self.sample {
            reader.take(rows);
        }
        Ok(reader)
    }

    pub(super) fn name(&self) -> String {
        let name = self.file.input.file_name();
        name.map_or_else(|| "texts".to_owned(), |name| name.to_string_lossy().into_owned())
    }
}

impl<'a> RewritePlan<'a> {
    pub(super) fn new(args: &'a RewriteArgs) -> anyhow::Result<Self> {
        ensure!(
            args.meaning.is_none_or(|share| (0.0..=1.0).contains(&share)),
            "--meaning is a share from 0 to 1"
        );
        ensure!(
            args.goal.is_none() || args.strength.is_none(),
            "--goal finds the strength itself; leave out --strength, or --goal to use that strength"
        );
        ensure!((0.0..=5.0).contains(&args.temperature), "--temperature is a number from 0 to 5");
        let remote = inkveil::is_remote(&args.model);
        ensure!(
            !remote || args.allow_remote,
            "the server of --model would receive the text before it is rewritten; confirm that with --allow-remote"
        );
        ensure!(remote || !args.allow_remote, "--allow-remote does nothing: the model is on this machine");
        ensure!(
            !remote || args.adapters.as_deref().is_none_or(|name| name == Path::new("none")),
            "--adapters are for a local model; a server has its own"
        );
        Ok(Self {
            args,
            account: args.account.account()?,
            by_subject: args.account.subject_column.is_some(),
            key: KeyChoice::Fresh,
            overwrite: args.force,
            quiet: args.quiet,
            work: work(args)?,
        })
    }

    /// Opens the models.
    pub(super) fn open(&self) -> anyhow::Result<RewriteRows> {
        let args = self.args;
        let overrides = overrides(args);
        let strength = args.strength.map_or_else(Strength::default, |name| name.strength());
        let settings = strength.settings_with(&overrides);
        let goal = args.goal.map(|goal| GoalSearch::new(goal, &overrides));
        let earlier = crate::style::inputs::read(&args.compare, &args.tables)?;
        ensure!(args.compare.is_empty() || !earlier.is_empty(), "the files of --compare contain no text");
        let avoids = goal.is_some() || settings.draft.avoid > 0.0;
        if avoids && inkveil::is_remote(&args.model) {
            say!("note: only a model on this machine can avoid your words; the strength sets the rest");
        }
        let mut builder = Veil::style(&args.model)
            .allow_remote(args.allow_remote)
            .models(args.tools.models())
            .settings(settings)
            .goal(goal)
            .earlier(earlier.into_iter().map(|input| input.text).collect())
            .device(device::open(args.device)?);
        builder = match &args.adapters {
            Some(name) if name == Path::new("none") => builder.without_adapters(),
            Some(file) => builder.adapters(file),
            None => builder,
        };
        let text = match args.with_text_veil {
            // Surrogates read like words, so the model can rewrite around them.
            Some(budgets) => {
                let builder = Veil::text().pack(&args.tools.encoder.pack).budgets(budgets);
                Some(Arc::new(builder.at_zero(AtZero::Surrogate).build()?))
            }
            None => None,
        };
        Ok(RewriteRows::new(Arc::new(builder.build()?)).after(text).seed(args.seed))
    }

    /// Where files go.
    pub(super) fn destination(&self) -> Option<Destination<'_>> {
        let Work::Files { corpus, output } = &self.work else { return None };
        let destination = Destination {
            options: options(self.args),
            receipt: self.args.receipt.clone(),
            ..Destination::new(corpus, output.clone())
        };
        Some(self.args.job.apply(destination, self.args.force))
    }

    /// The names of texts in messages.
    pub(super) fn names(&self) -> Names {
        match &self.work {
            Work::Text(text) => Names { files: vec![(text.name.clone(), false)] },
            Work::Pipe(pipe) => Names { files: vec![(pipe.name(), true)] },
            Work::Files { corpus, .. } => Names {
                files: corpus
                    .files
                    .iter()
                    .map(|file| (file.input.display().to_string(), file.format.has_rows()))
                    .collect(),
            },
        }
    }
}

/// Names texts by their address in a job.
pub(super) struct Names {
    files: Vec<(String, bool)>,
}

impl Names {
    /// The file of a text, and its number in the file if it has rows.
    pub(super) fn of(&self, address: u64) -> String {
        let (file, text) = inkveil::release::split_address(address);
        match self.files.get(file) {
            Some((name, true)) => format!("{name}, text {}", text + 1),
            Some((name, false)) => name.clone(),
            None => format!("text {}", text + 1),
        }
    }
}

fn work(args: &RewriteArgs) -> anyhow::Result<Work> {
    let output = args.output.clone().filter(|path| path != Path::new("-"));
    if args.input == Path::new("-") {
        ensure!(output.is_none(), "a text from standard input goes to standard output; redirect it with >");
        ensure!(!std::io::stdin().is_terminal(), "there is nothing on standard input; pipe a text in");
        check_single(args)?;
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("standard input is not UTF-8 text")?;
        return Ok(Work::Text(SingleText::new(args, "standard input".to_owned(), text, None)?));
    }
    let is_folder = args.input.is_dir();
    let corpus = crate::corpus::open(std::slice::from_ref(&args.input), &args.tables, false)?;
    let describes = args.review || args.json;
    ensure!(
        !describes || args.with_text_veil.is_none(),
        "--review and --json show your text beside the rewrite; veil it first with inkveil text, then rewrite the result"
    );
    ensure!(
        !describes || !(is_folder || corpus.has_rows()),
        "--review and --json are for one text, not for a folder or a table"
    );
    if output.is_none() || describes {
        ensure!(!is_folder, "the rewrites of a folder need a folder; name it with --output");
        let [file] = corpus.files.as_slice() else {
            bail!("several files need a folder; name it with --output")
        };
        if corpus.has_rows() {
            return pipe(args, file.clone());
        }
        check_single(args)?;
        ensure!(
            output.is_none() || file.format.document().is_none(),
            "the result of --review or --json is a text, not a document; leave out --output, or these flags"
        );
        refuse_same(args, output.as_deref())?;
        let text = match file.format.document() {
            Some(document) => {
                let bytes = std::fs::read(&file.input)
                    .with_context(|| format!("cannot read {}", file.input.display()))?;
                inkveil::documents::text(&bytes, document)?.text
            }
            None => std::fs::read_to_string(&file.input)
                .with_context(|| format!("cannot read {}", file.input.display()))?,
        };
        let name = file.input.display().to_string();
        return Ok(Work::Text(SingleText::new(args, name, text, output)?));
    }
    let Some(output) = output else { bail!("name a file with --output") };
    if is_folder {
        ensure!(
            args.receipt.is_none(),
            "each rewrite of a folder has a receipt beside it; leave out --receipt"
        );
        ensure!(
            std::fs::canonicalize(&output).ok() != std::fs::canonicalize(&args.input).ok(),
            "--output must be another folder than the input"
        );
    } else {
        refuse_same(args, Some(&output))?;
    }
    Ok(Work::Files { corpus, output })
}

/// Refuses an output that is also an input.
fn refuse_same(args: &RewriteArgs, output: Option<&Path>) -> anyhow::Result<()> {
    let mut names = vec![
        ("the text", Some(args.input.as_path())),
        ("--output", output),
        ("--receipt", args.receipt.as_deref()),
    ];
    names.extend(args.compare.iter().map(|file| ("--compare", Some(file.as_path()))));
    Ok(refuse_same_file(&names)?)
}

fn pipe(args: &RewriteArgs, file: JobFile) -> anyhow::Result<Work> {
    ensure!(!args.job.resume, "a pipe cannot be resumed; write a file with --output");
    ensure!(file.format.is_bytes(), "{} needs a file to write to; name one with --output", file.format);
    ensure!(args.job.to.is_none(), "--to needs a file to write to; name one with --output");
    let mut options = options(args);
    options.reject = args.job.on_error == OnError::Reject;
    let (sample, receipt) = (args.job.sample, args.receipt.clone());
    Ok(Work::Pipe(Box::new(PipedTable { file, options, sample, receipt })))
}

/// Refuses options for tables and jobs where they would do nothing.
fn check_single(args: &RewriteArgs) -> anyhow::Result<()> {
    let JobArgs { to, resume, sample, .. } = &args.job;
    ensure!(
        to.is_none() && !resume && sample.is_none() && args.account.subject_column.is_none(),
        "--to, --resume, --sample and --subject-column are for files that are written with --output"
    );
    Ok(())
}

/// What is set besides the strength.
fn overrides(args: &RewriteArgs) -> RewriteOverrides {
    RewriteOverrides {
        candidates: args.candidates.map(usize::from),
        rounds: args.rounds.map(usize::from),
        meaning: args.meaning,
        temperature: Some(args.temperature),
        facts: Some(match args.facts {
            FactsName::Refuse => FactRule::Refuse,
            FactsName::Report => FactRule::Report,
        }),
        fallback: Some(match args.fallback {
            FallbackName::Refuse => Fallback::Refuse,
            FallbackName::Closest => Fallback::Closest,
            FallbackName::Keep => Fallback::Keep,
        }),
    }
}

/// How rows are read: one text at a time on a processor, because each takes seconds.
fn options(args: &RewriteArgs) -> RecordOptions {
    let mut options = args.tables.options();
    options.columns.subject.clone_from(&args.account.subject_column);
    options.batch_rows = if device::is_cpu(args.device) { 1 } else { 512 };
    options
}
