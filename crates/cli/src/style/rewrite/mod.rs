//! `inkveil style rewrite`: a text in, a text in a common style and a receipt out.

mod explain;
mod plan;
mod review;

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use inkveil::files::{Output, Sha256Sum};
use inkveil::release::{DeclinePassages, RewriteRelease, RewriteRows, RowRelease, Summary};
use inkveil::style::{Rewrite, RewriteProgress};

use self::explain::Reporter;
use self::plan::{RewritePlan, Work};
use crate::args::RewriteArgs;
use crate::observer::TerminalObserver;
use crate::outcome::Outcome;
use crate::text::report_rejected;
use crate::{interrupt, progress};

pub(super) fn run(args: &RewriteArgs) -> anyhow::Result<Outcome> {
    let plan = RewritePlan::new(args)?;
    let cancel = interrupt::flag()?;
    let rows = plan.open()?;
    let reporter = Arc::new(Mutex::new(Reporter::new(&rows, args)?));
    let failed = match &plan.work {
        Work::Text(text) => rewrite_text(&plan, text, rows, &reporter, &cancel)?,
        Work::Files { .. } | Work::Pipe(_) => rewrite_rows(&plan, rows, &reporter, &cancel)?,
    };
    Ok(if failed > 0 { Outcome::Failure } else { Outcome::Success })
}

/// One text. Passages are printed as soon as the release hands them out.
fn rewrite_text(
    plan: &RewritePlan,
    text: &plan::SingleText,
    rows: RewriteRows,
    reporter: &Mutex<Reporter>,
    cancel: &AtomicBool,
) -> anyhow::Result<u64> {
    let receipt_file = text.receipt.as_deref().map(|path| Output::file(path, plan.overwrite)).transpose()?;
    let observer = TerminalObserver::without_bar();
    let release = RewriteRelease::open(rows, plan.key, &plan.account, &text.dataset)?;
    let mut streamed = false;
    let template = "rewriting {bar:30} {human_pos}/{human_len} passages  {eta} left";
    let bar = progress::bar(None, template, plan.quiet);
    let mut out = match &text.output {
        // The JSON quotes the original.
        Some(path) if text.json => Output::private_file(path, plan.overwrite)?.stream(),
        Some(path) => Output::file(path, plan.overwrite)?.stream(),
        None => Output::stdout()?.stream(),
    };
    let mut failed = None;
    let mut review_failed = None;
    let mut review = |rewrite: &Rewrite| {
        let terminal = text.review.as_ref()?;
        let asked = bar.suspend(|| review::on_terminal(terminal, rewrite, cancel));
        asked.map_err(|error| review_failed = Some(error)).ok()
    };
    let decide: Option<&mut DeclinePassages<'_>> =
        if text.review.is_some() { Some(&mut review) } else { None };
    let released = release.text(
        &text.text,
        &observer,
        &mut |event| {
            match event {
                RewriteProgress::Passages { done, all } => {
                    bar.set_length(all as u64);
                    bar.set_position(done as u64);
                }
                RewriteProgress::Piece { piece, .. } if failed.is_none() && !text.json => {
                    streamed = true;
                    let written = bar.suspend(|| out.write_all(piece.as_bytes()).and_then(|()| out.flush()));
                    failed = written.err();
                }
                RewriteProgress::Piece { .. } => {}
            }
            failed.is_none() && !cancel.load(Ordering::Relaxed)
        },
        decide,
    );
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error).context("cannot write the text");
    }
    if let Some(error) = review_failed {
        return Err(error);
    }
    let mut rewrite = released?;
    if text.json {
        release.rows().style().align(&mut rewrite)?;
    }
    reporter.lock().unwrap_or_else(PoisonError::into_inner).report(&text.name, &rewrite);
    let Some(new) = &rewrite.text else { return Ok(1) };
    if text.json {
        let identifying = release.rows().style().identifying(new)?;
        writeln!(out, "{}", rewrite.to_json(&identifying)).context("cannot write the text")?;
    } else if !streamed {
        out.write_all(new.as_bytes()).context("cannot write the text")?;
    }
    let finished = out.finish(1);
    if let Some(file) = receipt_file {
        // Of JSON only the new text may be released, so the receipt is for that text.
        let sha256 = match text.json {
            true => Sha256Sum::of(new.as_bytes()).to_string(),
            false => finished.sha256().to_owned(),
        };
        let receipt = release.receipt(Some(sha256))?;
        file.put(receipt.to_json().as_bytes())?;
    }
    finished.commit()?;
    release.confirm()?;
    Ok(u64::from(rewrite.misses_goal()))
}

/// Files, folders and tables.
fn rewrite_rows(
    plan: &RewritePlan,
    rows: RewriteRows,
    reporter: &Arc<Mutex<Reporter>>,
    cancel: &AtomicBool,
) -> anyhow::Result<u64> {
    let listener = {
        let (reporter, names) = (Arc::clone(reporter), plan.names());
        move |address: u64, rewrite: &inkveil::style::Rewrite| {
            let name = names.of(address);
            reporter.lock().unwrap_or_else(PoisonError::into_inner).report(&name, rewrite);
        }
    };
    let release = RowRelease::new(rows.on_rewrite(listener))
        .key(plan.key)
        .account(plan.account.clone())
        .by_subject(plan.by_subject);
    let summary = match &plan.work {
        Work::Files { .. } => {
            let destination = plan.destination();
            let bytes = destination.as_ref().map(|destination| destination.corpus.bytes());
            let observer = TerminalObserver::new("rewrite", bytes, plan.quiet);
            let destination = destination.context("there is no output")?;
            let ended = release.files(&destination, &observer, cancel);
            observer.end();
            ended?
        }
        Work::Pipe(pipe) => {
            let mut out = Output::stdout()?.stream();
            let observer = TerminalObserver::without_bar();
            let (summary, receipt) =
                release.pipe(pipe.open()?, &pipe.name(), plan.overwrite, &mut out, &observer, cancel)?;
            let finished = out.finish(summary.rows);
            if let Some(path) = &pipe.receipt {
                let receipt = receipt.receipt(finished.sha256().to_owned())?;
                Output::file(path, plan.overwrite)?.put(receipt.to_json().as_bytes())?;
            }
            finished.commit()?;
            summary
        }
        Work::Text(_) => Summary::default(),
    };
    report_rejected(&summary);
    Ok(reporter.lock().unwrap_or_else(PoisonError::into_inner).failed())
}
