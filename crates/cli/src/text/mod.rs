//! `inkveil text`: a text in, a veiled text and a receipt out.

mod cost;
mod explain;
mod plan;
mod prediction;
mod report;
mod review;
mod settings;
mod summary;

use std::io::{IsTerminal as _, stderr};
use std::path::Path;
use std::sync::Arc;

use indicatif::ProgressBar;
use inkveil::TextVeil;
use inkveil::explain::VeilTerms;
use inkveil::files::Output;
use inkveil::release::{
    DocumentRelease, KeepPairs, ReceiptPlacement, RepairRefusals, Repairer, RowRelease, Summary, TextRows,
    each_document, removed_in_words,
};
use inkveil::rows::ColumnUse;
use owo_colors::OwoColorize as _;

use crate::args::TextArgs;
use crate::observer::TerminalObserver;
use crate::outcome::Outcome;
use crate::printed;
use crate::{interrupt, progress};
use plan::{Documents, FilesPlan, PipePlan, TextPlan, Work};
use report::Report;

pub(crate) fn run(args: &TextArgs) -> anyhow::Result<Outcome> {
    let plan = TextPlan::new(args)?;
    match &plan.work {
        Work::Files(files) => run_files(&plan, files),
        Work::Pipe(pipe) => run_pipe(&plan, pipe),
        Work::Documents(documents) => run_documents(&plan, documents),
        Work::DryRun(inputs) => prediction::run(&plan, inputs),
    }
}

/// Opens the models. Until then there is nothing to clean up after an interruption.
fn open(plan: &TextPlan) -> anyhow::Result<(Arc<TextVeil>, TextRows)> {
    let repairer = plan.repair.as_deref().map(Repairer::open).transpose()?;
    let veil = Arc::new(plan.setup.open(plan.quiet)?);
    Ok((Arc::clone(&veil), TextRows::new(veil).repairer(repairer).keep_pairs(plan.map.is_some())))
}

fn row_release(plan: &TextPlan) -> anyhow::Result<(RowRelease<TextRows>, Option<Arc<RepairRefusals>>)> {
    let (_, rows) = open(plan)?;
    let refusals = rows.refusals();
    let release = RowRelease::new(rows)
        .key(plan.key)
        .account(plan.account.clone())
        .by_subject(plan.by_subject)
        .map(plan.map.clone())
        .receipts(plan.receipts)
        .identity(plan.identity.clone());
    Ok((release, refusals))
}

/// Reports repairs that were discarded.
fn report_refusals(refusals: Option<&RepairRefusals>) {
    if let Some((count, why)) = refusals.and_then(RepairRefusals::seen) {
        tell!(yellow, "not repaired:", "{count} texts were left as veiled, for example because {why}");
    }
}

/// Files of rows, or several files.
fn run_files(plan: &TextPlan, files: &FilesPlan) -> anyhow::Result<Outcome> {
    let (release, refusals) = row_release(plan)?;
    let cancel = interrupt::flag()?;
    let observer = TerminalObserver::new("text", Some(files.corpus.bytes()), plan.quiet);
    let ended = release.files(&files.destination(), &observer, &cancel);
    observer.end();
    let summary = ended?;
    report_rejected(&summary);
    report_refusals(refusals.as_deref());
    if !plan.quiet {
        let count = if summary.files == 1 { String::new() } else { format!(" in {} files", summary.files) };
        let receipts = match plan.receipts {
            ReceiptPlacement::Sidecar => "the receipt is in *.receipt.json beside it",
            ReceiptPlacement::Column => "each row has its receipt",
        };
        let output = files.output.display();
        say!("{} {} rows{count} to {output}; {receipts}", "veiled".bold(), summary.rows);
    }
    Ok(Outcome::Success)
}

/// Rows from a file or a pipe to standard output.
fn run_pipe(plan: &TextPlan, pipe: &PipePlan) -> anyhow::Result<Outcome> {
    let (release, refusals) = row_release(plan)?;
    let cancel = interrupt::flag()?;
    let reader = pipe.input.open(&pipe.options, pipe.sample)?;
    let observer = TerminalObserver::without_bar();
    let mut out = Output::stdout()?.stream();
    let (summary, receipt) =
        release.pipe(reader, &pipe.input.name(), plan.overwrite, &mut out, &observer, &cancel)?;
    let finished = out.finish(summary.rows);
    if let Some(path) = &pipe.receipt {
        let receipt = receipt.receipt(finished.sha256().to_owned())?;
        Output::file(path, plan.overwrite)?.put(receipt.to_json().as_bytes())?;
    }
    finished.commit()?;
    report_rejected(&summary);
    report_refusals(refusals.as_deref());
    Ok(Outcome::Success)
}

/// One text, or one input that is explained document by document.
fn run_documents(plan: &TextPlan, documents: &Documents) -> anyhow::Result<Outcome> {
    let (veil, rows) = open(plan)?;
    let terms = VeilTerms::of(&veil)?;
    let observer = Arc::new(TerminalObserver::without_bar());
    let input = documents.input.clone();
    let overrides = match review::run(&veil, documents)? {
        review::Reviewed::Decided(overrides) => overrides,
        review::Reviewed::Listed => return Ok(Outcome::Success),
    };
    let keep = match (&plan.map, plan.session) {
        (Some(settings), true) => KeepPairs::Session(settings),
        (Some(settings), false) => KeepPairs::NewMap { settings, overwrite: plan.overwrite },
        (None, _) => KeepPairs::No,
    };
    let release = DocumentRelease::open(rows, plan.key, &plan.account, &input.name(), keep, &*observer)?;
    let release = Arc::new(release.overrides(overrides));
    let cancel = interrupt::flag()?;
    let mut report = Report::begin(documents, &terms)?;
    let bar = bar(plan, documents);
    let (options, sample) = (documents.options.clone(), documents.sample);
    let work = {
        let (release, observer) = (Arc::clone(&release), Arc::clone(&observer));
        move |originals, columns: &ColumnUse| {
            release.columns(columns, &*observer);
            release.documents(originals, &*observer)
        }
    };
    let read = move || input.open(&options, sample);
    let ended = each_document(read, work, &cancel, |documents, _| {
        bar.inc(documents.iter().map(|document| document.original.bytes()).sum());
        report.documents(&documents, &terms)
    });
    bar.finish_and_clear();
    ended?;
    let counts = report.counts.clone();
    report.commit(documents.receipt.as_deref(), |sha256| release.receipt(Some(sha256.to_owned())))?;
    release.confirm()?;
    summary::print(plan, documents, &terms, &counts);
    if let (Some(removed), false) = (removed_in_words(&release.removed()), plan.quiet) {
        say!("{} {removed}", "removed".bold());
    }
    Ok(Outcome::Success)
}

/// A bar for long inputs. It never appears in the middle of a text.
fn bar(plan: &TextPlan, documents: &Documents) -> ProgressBar {
    /// Smaller inputs are done before anyone reads a bar.
    const LONG: u64 = 64 << 10;
    let total = documents.input.bytes();
    let template = match total {
        Some(_) => "text {bar:30} {bytes}/{total_bytes}  {eta} left",
        None => "text {spinner} {bytes}  {elapsed}",
    };
    let on_screen = documents.output.is_none() && printed::is_terminal();
    let hidden = plan.quiet || documents.explain || on_screen || !documents.lines;
    progress::bar(total, template, hidden || total.is_some_and(|total| total < LONG))
}

/// Reports rows that could not be read.
pub(crate) fn report_rejected(summary: &Summary) {
    if summary.rejected > 0 {
        tell!(
            yellow,
            "rejected:",
            "{} rows could not be read; if a file was written they are in *.rejects.jsonl beside it, \
             which is private",
            summary.rejected
        );
    }
}

/// Whether summaries are shown.
fn shows_summary(explain: bool) -> bool {
    stderr().is_terminal() || explain
}

/// The path of an option, unless it is `-`.
fn named(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}
