//! `inkveil text`: a text in, a veiled text and a receipt out.

mod cost;
mod counts;
mod explain;
mod explained;
mod files;
mod job;
mod json;
mod map;
mod prediction;
mod repairer;
mod report;
mod settings;
mod source;
mod summary;
mod terms;
mod work;

use std::io::{IsTerminal as _, stderr, stdout};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{bail, ensure};
use indicatif::ProgressBar;
use inkveil::{NoiseKey, TextTally};
use owo_colors::OwoColorize as _;

use crate::args::{OnError, ReceiptsName, TextArgs};
use crate::corpus::{Corpus, Spending};
use crate::outcome::Outcome;
use crate::{interrupt, progress};
use counts::Counts;
use explained::Explained;
use files::{Chosen, Files};
use job::Opening;
use map::MapFile;
use repairer::Repairer;
use report::{Report, Style};
use settings::Setup;
use source::Input;
use terms::Terms;
use work::{Message, Releasing, Work};

/// An interruption is noticed within this time, whatever takes long.
const PATIENCE: Duration = Duration::from_millis(100);

pub(crate) fn run(args: &TextArgs) -> anyhow::Result<Outcome> {
    let setup = Setup::new(args)?;
    match files::chosen(args)? {
        Chosen::Corpus(corpus) => run_corpus(args, setup, &corpus),
        Chosen::One(input) if input.format().is_table() && !explains(args) && !args.output.dry_run => {
            run_pipe(args, setup, input)
        }
        Chosen::One(input) => run_one(args, setup, input),
    }
}

fn explains(args: &TextArgs) -> bool {
    args.output.json || args.output.explain || args.output.explain_html.is_some()
}

/// Many files, or files of many rows.
fn run_corpus(args: &TextArgs, setup: Setup, corpus: &Corpus) -> anyhow::Result<Outcome> {
    if args.output.dry_run {
        return prediction::of_corpus(args, setup, corpus);
    }
    let output = args.output.output.clone().filter(|path| path != Path::new("-"));
    match (output, corpus.files.as_slice()) {
        (Some(output), _) => {
            job::check(args)?;
            opening(args, setup)?.files(corpus, &output)
        }
        (None, [file]) => run_pipe(args, setup, Input::File(file.clone())),
        (None, _) => bail!("several files are written to a folder; name it with --output"),
    }
}

/// Rows that go through a pipe.
fn run_pipe(args: &TextArgs, setup: Setup, input: Input) -> anyhow::Result<Outcome> {
    ensure!(
        args.output.output.as_deref().is_none_or(|path| path == Path::new("-")),
        "rows from standard input go to standard output; to write a file, read one with --file"
    );
    job::check(args)?;
    let (format, name) = (input.format(), input.name());
    let (input, packing) = match input {
        Input::File(file) => (inkveil_io::Input::path(file.input), file.packing),
        Input::Stdin(_) | Input::Argument(_) => (inkveil_io::Input::stdin(), inkveil_io::Packing::None),
    };
    opening(args, setup)?.pipe(input, format, packing, &name)
}

/// Models first: until they are open there is nothing to clean up after an interruption.
fn opening(args: &TextArgs, setup: Setup) -> anyhow::Result<Opening<'_>> {
    let repairer = Repairer::open(args)?;
    let veil = Arc::new(setup.open()?);
    let map = MapFile::open(&args.map, args.job.resume, args.output.force)?;
    Ok(Opening { args, veil, repairer, key: key(args)?, map })
}

/// One text, or one input that is told of document by document.
fn run_one(args: &TextArgs, setup: Setup, input: Input) -> anyhow::Result<Outcome> {
    input.check()?;
    check_single(args, &input)?;
    let files = Files::new(args, &input)?;
    let options = job::options(args);
    if args.output.dry_run {
        return prediction::of_one(args, setup, input, options);
    }
    let Opening { veil, repairer, key, map, .. } = opening(args, setup)?;
    let terms = Terms::of(&veil)?;
    let spending = Arc::new(Spending::open(&args.spending, &input.name())?);
    let cancel = interrupt::flag()?;
    let style = Style { json: args.output.json, explain: args.output.explain };
    let mut report = Report::begin(files.open()?, &terms, style)?;
    let bar = bar(args, input.bytes());
    let release = Releasing {
        key: key.clone(),
        repairer,
        map,
        spending: Arc::clone(&spending),
        known: Mutex::default(),
    };
    let work = Work { veil: Arc::clone(&veil), release: Some(release) };
    let messages = work.start(source::read(input, options, args.job.sample));
    let tally = each_batch(&messages, &cancel, |documents, _| {
        report.documents(&documents, &terms)?;
        bar.inc(documents.iter().map(|document| document.original.bytes()).sum());
        Ok(())
    })?;
    bar.finish_and_clear();
    let counts = report.counts.clone();
    report.commit(files.receipt.as_deref(), |sha256| {
        Ok(veil.receipt(&tally, Some(sha256.to_owned()), &key)?)
    })?;
    spending.released_all()?;
    say(args, &files, &terms, &counts);
    Ok(Outcome::Success)
}

/// That flags for tables and jobs are not given where they do nothing.
fn check_single(args: &TextArgs, input: &Input) -> anyhow::Result<()> {
    let table = input.format().is_table();
    ensure!(
        table
            || (args.tables.columns.is_empty()
                && args.task_column.is_none()
                && args.tables.id_column.is_none()),
        "--column, --task-column and --id-column are for files of rows; say with --from what this one is"
    );
    ensure!(
        args.job.to.is_none() && args.receipts == ReceiptsName::Sidecar,
        "--to and --receipts are for files of rows that are written with --output"
    );
    ensure!(
        args.spending.subject_column.is_none(),
        "--subject-column is for files of rows that are written with --output; say --subject here"
    );
    ensure!(
        args.job.on_error == OnError::Stop,
        "--on-error is for files of rows that are written with --output, and for pipes"
    );
    ensure!(!args.job.resume, "--resume is for files of rows that are written with --output");
    Ok(())
}

fn key(args: &TextArgs) -> anyhow::Result<NoiseKey> {
    let Some(seed) = args.words.insecure_seed else { return Ok(NoiseKey::fresh()?) };
    anstream::eprintln!(
        "{} noise from a fixed seed protects nothing; use it for tests only",
        "warning:".yellow().bold()
    );
    Ok(NoiseKey::insecure_from_seed(seed))
}

/// A bar for inputs so long that one waits. One in the middle of a text would help nobody.
fn bar(args: &TextArgs, total: Option<u64>) -> ProgressBar {
    /// Less is done before a bar is read.
    const LONG: u64 = 64 << 10;
    let template = match total {
        Some(_) => "text {bar:30} {bytes}/{total_bytes}  {eta} left",
        None => "text {spinner} {bytes}  {elapsed}",
    };
    let output = &args.output;
    let in_the_way = output.quiet || output.explain || (output.output.is_none() && stdout().is_terminal());
    progress::bar(total, template, in_the_way || !args.lines || total.is_some_and(|total| total < LONG))
}

/// Takes all documents, in order, until the end or an interruption.
fn each_batch(
    messages: &Receiver<anyhow::Result<Message>>,
    cancel: &AtomicBool,
    mut take: impl FnMut(Vec<Explained>, u64) -> anyhow::Result<()>,
) -> anyhow::Result<TextTally> {
    loop {
        let message = messages.recv_timeout(PATIENCE);
        if cancel.load(Ordering::Relaxed) {
            return Err(inkveil_io::Error::from(inkveil_io::ErrorKind::Cancelled).into());
        }
        match message {
            Ok(message) => match message? {
                Message::Documents(documents, bytes) => take(documents, bytes)?,
                Message::End(tally) => return Ok(tally),
            },
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                bail!("the work stopped unexpectedly; this is a bug, please report it")
            }
        }
    }
}

/// What is said on standard error about a release.
fn say(args: &TextArgs, files: &Files, terms: &Terms, counts: &Counts) {
    if args.output.quiet {
        return;
    }
    if stderr().is_terminal() || args.output.explain {
        let receipt = files.receipt.as_deref();
        let context = summary::Context { receipt, explained: args.output.explain, json: args.output.json };
        summary::lines(terms, counts, &context).iter().for_each(|line| anstream::eprintln!("{line}"));
    }
    if let Some(why) = counts.refused {
        anstream::eprintln!(
            "{} {} of {} were left as veiled, for example because {why}",
            "not repaired:".yellow().bold(),
            counts.not_repaired,
            counts.documents
        );
    }
    if let Some(page) = &files.page {
        anstream::eprintln!(
            "{} {} holds the original: keep it as safe as that",
            "private:".yellow().bold(),
            page.display()
        );
    }
}
