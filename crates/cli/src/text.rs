//! `inkveil text`: a text in, a veiled text and a receipt out.

mod cost;
mod counts;
mod explain;
mod explained;
mod files;
mod json;
mod repairer;
mod report;
mod settings;
mod source;
mod summary;
mod terms;
mod work;

use std::io::{IsTerminal as _, Write as _, stderr, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context as _, bail};
use indicatif::ProgressBar;
use inkveil::{NoiseKey, Tally};
use owo_colors::OwoColorize as _;

use crate::args::TextArgs;
use crate::outcome::Outcome;
use crate::{interrupt, progress};
use counts::Counts;
use explained::Explained;
use files::Files;
use repairer::Repairer;
use report::{Report, Style};
use settings::Setup;
use terms::Terms;
use work::{Message, Releasing, Work};

/// An interruption is noticed within this time, whatever takes long.
const PATIENCE: Duration = Duration::from_millis(100);

pub(crate) fn run(args: &TextArgs) -> anyhow::Result<Outcome> {
    let setup = Setup::new(args)?;
    let input = files::input(args)?;
    input.check()?;
    let files = Files::new(args, &input)?;
    if args.output.dry_run {
        let veil = Arc::new(setup.open()?);
        let terms = Terms::of(&veil)?;
        let messages = Work { veil, release: None }.start(source::read(input, args.lines));
        return dry_run(args, &terms, &messages);
    }
    // Models first: until they are open there is nothing to clean up after an interruption.
    let repairer = Repairer::open(args)?;
    let veil = Arc::new(setup.open()?);
    let terms = Terms::of(&veil)?;
    let key = key(args)?;
    let cancel = interrupt::flag()?;
    let style = Style { json: args.output.json, explain: args.output.explain };
    let mut report = Report::begin(files.open()?, &terms, style)?;
    let bar = bar(args, input.bytes());
    let release = Releasing { key: key.clone(), repairer };
    let work = Work { veil: Arc::clone(&veil), release: Some(release) };
    let messages = work.start(source::read(input, args.lines));
    let tally = each_batch(&messages, &cancel, |documents| {
        report.documents(&documents, &terms)?;
        bar.inc(documents.iter().map(|document| document.original.bytes()).sum());
        Ok(())
    })?;
    bar.finish_and_clear();
    let counts = report.counts.clone();
    report.commit(files.receipt.as_deref(), |sha256| {
        Ok(veil.receipt(&tally, Some(sha256.to_owned()), &key)?)
    })?;
    say(args, &files, &terms, &counts);
    Ok(Outcome::Success)
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
    mut take: impl FnMut(Vec<Explained>) -> anyhow::Result<()>,
) -> anyhow::Result<Tally> {
    loop {
        let message = messages.recv_timeout(PATIENCE);
        if cancel.load(Ordering::Relaxed) {
            return Err(inkveil_io::Error::from(inkveil_io::ErrorKind::Cancelled).into());
        }
        match message {
            Ok(message) => match message? {
                Message::Documents(documents) => take(documents)?,
                Message::End(tally) => return Ok(tally),
            },
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                bail!("the work stopped unexpectedly; this is a bug, please report it")
            }
        }
    }
}

/// Prints what each group would cost.
fn dry_run(
    args: &TextArgs,
    terms: &Terms,
    messages: &Receiver<anyhow::Result<Message>>,
) -> anyhow::Result<Outcome> {
    let Style { json, explain } = Style { json: args.output.json, explain: args.output.explain };
    let mut counts = Counts::default();
    let mut out = stdout().lock();
    each_batch(messages, &AtomicBool::new(false), |documents| {
        for document in documents {
            if json {
                let line = json::line(&document, terms, explain)?;
                out.write_all(line.as_bytes()).context("cannot write")?;
            } else if explain {
                report::explain(&document, terms, counts.documents == 0);
            }
            counts.add(&document);
        }
        Ok(())
    })?;
    if !json {
        cost::write(&mut out, &counts, terms, stdout().is_terminal())?;
    }
    out.flush().context("cannot write")?;
    if !args.output.quiet {
        if let Some(meaning) = terms.meaning() {
            anstream::eprintln!("{meaning}");
        }
        anstream::eprintln!("a dry run: nothing was drawn, released or spent");
    }
    Ok(Outcome::Success)
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
