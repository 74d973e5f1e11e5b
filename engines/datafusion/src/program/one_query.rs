//! One query: charged, run, and written to a file or to standard output.

use std::path::Path;

use anyhow::{Context as _, bail};
use inkveil::Receipt;
use inkveil::files::{Finished, Output, refuse_same_file};
use inkveil_datafusion::{Engine, Error, OutputFormat, Query, RowOutput};

use super::args::{FormatName, QueryArgs};
use super::interrupt::Interrupt;
use super::progress::Progress;
use super::say;

/// Runs statements. The last one may be a query.
pub(crate) async fn run(engine: &Engine, sql: &str, args: &QueryArgs) -> anyhow::Result<()> {
    let mut statements = engine.statements(sql)?.into_iter().peekable();
    let mut query = None;
    while let Some(statement) = statements.next() {
        query = engine.prepare(statement).await?;
        if query.is_some() && statements.peek().is_some() {
            bail!("only the last statement may be a query; run the others one by one");
        }
    }
    match query {
        Some(query) => release(engine, query, args).await,
        None if args.output.is_some() => bail!("there is no query whose rows could be written"),
        None => Ok(()),
    }
}

/// Runs a query until it ends or the user interrupts.
pub(crate) async fn release(engine: &Engine, query: Query, args: &QueryArgs) -> anyhow::Result<()> {
    let interrupt = Interrupt::listen(engine).context("cannot handle interruptions")?;
    let _progress = Progress::start(engine, args.quiet);
    tokio::select! {
        result = written(engine, query, args, &interrupt) => result,
        // What was written so far is removed.
        cancelled = interrupt.pressed() => Err(cancelled.into()),
    }
}

async fn written(
    engine: &Engine,
    query: Query,
    args: &QueryArgs,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let format = match (&args.output, args.format) {
        (Some(path), _) => OutputFormat::of(path)?,
        (None, Some(FormatName::Csv)) => OutputFormat::Csv,
        (None, Some(FormatName::Jsonl)) => OutputFormat::JsonLines,
        (None, Some(FormatName::Table) | None) => OutputFormat::Table,
    };
    // Columns that do not fit and files that cannot be written are reported before anything is charged.
    format.check(&query.schema())?;
    refuse_same_file(&[("the output", args.output.as_deref()), ("the receipt", args.receipt.as_deref())])?;
    let is_private = query.is_private();
    let output = match &args.output {
        Some(path) if is_private => Output::private_file(path, args.force),
        Some(path) => Output::file(path, args.force),
        None => Output::stdout(),
    }?;
    let releases = query.releases();
    let receipt = match &args.receipt {
        Some(_) if !releases => bail!("the query releases nothing, so it has no receipt"),
        Some(path) => Some(Output::file(path, args.force)?),
        None => None,
    };
    let mut running = engine.start(query).await?;
    let mut rows = RowOutput::start(output, format, &running.schema())?;
    while let Some(batch) = running.next().await? {
        interrupt.check()?;
        rows.write(batch)?;
    }
    let finished = rows.finish()?;
    interrupt.check()?;
    let sha256 = args.output.is_some().then(|| finished.sha256().to_owned());
    let receipts = running.finish(sha256)?;
    match receipt {
        // A query whose rows have no vector releases none.
        Some(_) if receipts.is_empty() => say("note: nothing was released, so there is no receipt"),
        Some(receipt) => receipt.put(as_file(&receipts).as_bytes())?,
        None => {}
    }
    let count = finished.rows();
    commit(finished)?;
    if !args.quiet {
        summary(&receipts, count, args.output.as_deref());
    }
    Ok(())
}

fn commit(finished: Finished) -> Result<(), Error> {
    Ok(finished.commit()?)
}

/// One receipt is a JSON file. Several are lines.
fn as_file(receipts: &[Receipt]) -> String {
    match receipts {
        [receipt] => receipt.to_json(),
        receipts => receipts.iter().map(|receipt| receipt.to_line() + "\n").collect(),
    }
}

fn summary(receipts: &[Receipt], rows: u64, output: Option<&Path>) {
    if let Some(path) = output {
        say(&format!("{rows} rows in {}", path.display()));
    }
    for receipt in receipts {
        let total = receipt
            .total_epsilon()
            .map_or_else(String::new, |total| format!(", ε {} in all", total.readable()));
        let seed = if receipt.is_secure() { "" } else { ", with an insecure seed" };
        say(&format!("released: {} units by {}{total}{seed}", receipt.count(), receipt.mechanism()));
    }
}
