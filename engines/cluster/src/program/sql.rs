//! One query: charged, run on the cluster, and written to a file, receipt first.

use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::bail;
use inkveil::Receipt;
use inkveil::files::{Output, refuse_same_file};
use inkveil_cluster::{Cluster, Role, RoleFiles};
use inkveil_datafusion::{
    Address as ObjectAddress, Engine, EngineOptions, Error, OutputFormat, Policy, Query, ReceiptFile,
    RowOutput, TableFile,
};

use super::args::SqlArgs;
use super::say;

/// The user pressed Ctrl-C.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(super) struct Interrupted;

/// Runs statements. The last one is a query.
pub(super) async fn run(args: &SqlArgs) -> anyhow::Result<()> {
    for path in [Some(&args.output), args.receipt.as_ref()].into_iter().flatten() {
        if ObjectAddress::of(path)?.is_some() {
            bail!("a cluster does not write to object storage yet; name a file");
        }
    }
    let files = RoleFiles::open(args.files.cluster.as_deref(), args.files.key.as_deref(), Role::Client)?;
    let cluster = Cluster::connect(files, args.scheduler.clone()).await?;
    let mut engine = session(args).await?;
    engine.place_with(cluster.clone());
    let cancel = engine.cancel().clone();
    let result = tokio::select! {
        result = statements(&engine, args) => result,
        _ = tokio::signal::ctrl_c() => {
            cancel.store(true, Ordering::Relaxed);
            Err(Interrupted.into())
        }
    };
    cluster.end().await;
    result
}

/// Opens a session.
async fn session(args: &SqlArgs) -> Result<Engine, Error> {
    let mut tables =
        args.tables.iter().map(|given| TableFile::parse(given)).collect::<Result<Vec<_>, _>>()?;
    if let Some(folder) = &args.folder {
        tables.extend(TableFile::in_folder(folder).await?.tables);
    }
    let policy = args.policy.as_deref().map(Policy::open).transpose()?;
    let options = EngineOptions { partitions: Some(args.partitions), batch_size: None };
    let engine = Engine::with_tables(options, &tables, policy.as_ref()).await?;
    for given in &args.settings {
        let (name, value) = given.split_once('=').ok_or_else(|| {
            Error::Refused("a setting is given as NAME=VALUE, for example preset=strict".to_owned())
        })?;
        engine.set(name.strip_prefix("inkveil.").unwrap_or(name), value)?;
    }
    Ok(engine)
}

async fn statements(engine: &Engine, args: &SqlArgs) -> anyhow::Result<()> {
    let mut statements = engine.statements(&args.sql)?.into_iter().peekable();
    let mut query = None;
    while let Some(statement) = statements.next() {
        query = engine.prepare(statement).await?;
        if query.is_some() && statements.peek().is_some() {
            bail!("only the last statement may be a query; run the others one by one");
        }
    }
    match query {
        Some(query) => written(engine, query, args).await,
        None => bail!("there is no query whose rows could be written"),
    }
}

async fn written(engine: &Engine, query: Query, args: &SqlArgs) -> anyhow::Result<()> {
    let format = OutputFormat::of(&args.output)?;
    // Columns that do not fit and files that cannot be written are reported before anything is charged.
    format.check(&query.schema())?;
    let places = [("the output", Some(args.output.as_path())), ("the receipt", args.receipt.as_deref())];
    refuse_same_file(&places)?;
    let output = match query.is_private() {
        true => Output::private_file(&args.output, args.force)?,
        false => Output::file(&args.output, args.force)?,
    };
    let receipt = match &args.receipt {
        Some(_) if !query.releases() => bail!("the query releases nothing, so it has no receipt"),
        Some(path) => Some(ReceiptFile::open(path, args.force).await?),
        None => None,
    };
    let mut running = engine.start(query).await?;
    let mut rows = RowOutput::start(output, format, &running.schema())?;
    while let Some(batch) = running.next().await? {
        rows.write(batch)?;
    }
    let finished = rows.finish()?;
    let receipts = running.finish(Some(finished.sha256().to_owned()))?;
    let put = match receipt {
        // A query whose rows have no vector releases none.
        Some(_) if receipts.is_empty() => {
            say("note: nothing was released, so there is no receipt");
            None
        }
        Some(receipt) => Some(receipt.put(&receipts).await?),
        None => None,
    };
    let count = finished.rows();
    let (left, named) = match (put, finished.commit()) {
        (Some(receipts), Ok(())) => (receipts.keep().await, Ok(())),
        (Some(receipts), Err(error)) => (receipts.take_back().await, Err(error)),
        (None, named) => (Ok(()), named),
    };
    if let Err(left) = left {
        say(&format!("note: {left}"));
    }
    named?;
    if !args.quiet {
        summary(&receipts, count, &args.output);
    }
    Ok(())
}

fn summary(receipts: &[Receipt], rows: u64, output: &Path) {
    say(&format!("{rows} rows in {}", output.display()));
    for receipt in receipts {
        let total = receipt
            .total_epsilon()
            .map_or_else(String::new, |total| format!(", ε {} in all", total.readable()));
        let seed = if receipt.is_secure() { "" } else { ", with an insecure seed" };
        say(&format!("released: {} units by {}{total}{seed}", receipt.count(), receipt.mechanism()));
    }
}
