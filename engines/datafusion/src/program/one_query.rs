//! One query: charged, run, and written to a file or to standard output.

use std::path::Path;

use anyhow::{Context as _, bail};
use inkveil::Receipt;
use inkveil::files::{Finished, Output, refuse_same_file};
use inkveil_datafusion::{Address, Engine, Error, ObjectUpload, OutputFormat, Query, ReceiptFile, RowOutput};

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
    let mut upload = None;
    let released = tokio::select! {
        released = rows(engine, query, args, &interrupt, &mut upload) => released,
        cancelled = interrupt.pressed() => Err(cancelled.into()),
    };
    // From here on, an interruption would leave one of the output and the receipt without the other.
    let result = match released {
        Ok(released) => released.keep(args, upload.as_mut()).await,
        Err(error) => Err(error),
    };
    // What was written so far is removed.
    if let (Err(_), Some(upload)) = (&result, upload)
        && upload.abort().await.is_err()
    {
        say(
            "note: parts of the output stay in the object storage without a name; a rule of the bucket for incomplete \
             uploads removes them",
        );
    }
    result
}

/// Runs a query and writes its rows. They have no name yet.
async fn rows(
    engine: &Engine,
    query: Query,
    args: &QueryArgs,
    interrupt: &Interrupt,
    upload: &mut Option<ObjectUpload>,
) -> anyhow::Result<Released> {
    let format = match (&args.output, args.format) {
        (Some(path), _) => OutputFormat::of(path)?,
        (None, Some(FormatName::Csv)) => OutputFormat::Csv,
        (None, Some(FormatName::Jsonl)) => OutputFormat::JsonLines,
        (None, Some(FormatName::Table) | None) => OutputFormat::Table,
    };
    // Columns that do not fit and files that cannot be written are reported before anything is charged.
    format.check(&query.schema())?;
    refuse_same_file(&[("the output", args.output.as_deref()), ("the receipt", args.receipt.as_deref())])?;
    if let (Some(output), Some(receipt)) = (&args.output, &args.receipt)
        && let Some(address) = Address::of(output)?
        && Address::of(receipt)? == Some(address)
    {
        bail!("the output and the receipt are the same object");
    }
    let output = open_output(args, query.is_private(), upload).await?;
    let releases = query.releases();
    let receipt = match &args.receipt {
        Some(_) if !releases => bail!("the query releases nothing, so it has no receipt"),
        Some(path) => Some(ReceiptFile::open(path, args.force).await?),
        None => None,
    };
    let mut running = engine.start(query).await?;
    let mut rows = RowOutput::start(output, format, &running.schema())?;
    while let Some(batch) = running.next().await? {
        interrupt.check()?;
        rows.write(batch)?;
        if let Some(upload) = upload {
            upload.send().await?;
        }
    }
    let finished = rows.finish()?;
    if let Some(upload) = upload {
        upload.send_rest().await?;
    }
    interrupt.check()?;
    let sha256 = args.output.is_some().then(|| finished.sha256().to_owned());
    let receipts = running.finish(sha256)?;
    Ok(Released { rows: finished, receipts, receipt })
}

/// The rows of a query that has ended, before they get their name.
struct Released {
    rows: Finished,
    receipts: Vec<Receipt>,
    receipt: Option<ReceiptFile>,
}

impl Released {
    /// Gives the receipt and then the rows their names.
    async fn keep(self, args: &QueryArgs, upload: Option<&mut ObjectUpload>) -> anyhow::Result<()> {
        let written = match self.receipt {
            // A query whose rows have no vector releases none.
            Some(_) if self.receipts.is_empty() => {
                say("note: nothing was released, so there is no receipt");
                None
            }
            Some(receipt) => Some(receipt.put(&self.receipts).await?),
            None => None,
        };
        let count = self.rows.rows();
        let named = match (commit(self.rows), upload) {
            (Ok(()), Some(upload)) => upload.complete().await,
            (committed, _) => committed,
        };
        let (left, named) = match (written, named) {
            (Some(receipts), Ok(())) => (receipts.keep().await, Ok(())),
            // The storage that refuses the output may refuse this, too.
            (Some(receipts), Err(error)) => (receipts.take_back().await, Err(error)),
            (None, named) => (Ok(()), named),
        };
        if let Err(left) = left {
            say(&format!("note: {left}"));
        }
        named?;
        if !args.quiet {
            summary(&self.receipts, count, args.output.as_deref());
        }
        Ok(())
    }
}

/// Opens where the rows go. An object in object storage is kept in `upload`.
async fn open_output(
    args: &QueryArgs,
    is_private: bool,
    upload: &mut Option<ObjectUpload>,
) -> anyhow::Result<Output> {
    let Some(path) = &args.output else { return Ok(Output::stdout()?) };
    Ok(match Address::of(path)? {
        Some(_) if is_private => bail!(
            "the rows hold originals, or vectors without noise; object storage has no files that only their owner can read, so \
             write them to a file"
        ),
        Some(address) => {
            let started = ObjectUpload::start(&address, args.force).await?;
            Output::writer(upload.insert(started).writer())
        }
        None if is_private => Output::private_file(path, args.force)?,
        None => Output::file(path, args.force)?,
    })
}

fn commit(finished: Finished) -> Result<(), Error> {
    Ok(finished.commit()?)
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
