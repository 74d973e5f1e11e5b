//! `inkveil-sql scan`.

use std::io::Write as _;
use std::sync::atomic::Ordering;

use anyhow::Context as _;
use inkveil::files::Output;
use inkveil_datafusion::scan::{ScanOptions, scan};
use inkveil_datafusion::{Engine, EngineOptions, Error};

use super::args::ScanArgs;
use super::progress::Progress;
use super::{change, say};

/// Scans a folder and prints the report.
pub(crate) async fn run(args: &ScanArgs) -> anyhow::Result<()> {
    let engine = Engine::new(EngineOptions::default())?;
    change(&engine, &args.settings)?;
    // A policy that cannot be written is reported before the work.
    let policy = args.policy.as_deref().map(|path| Output::file(path, args.force)).transpose()?;
    let progress = Progress::start(&engine, args.quiet);
    let options = ScanOptions { rows: args.rows };
    let report = tokio::select! {
        report = scan(&engine, &args.folder, options) => report?,
        interrupted = tokio::signal::ctrl_c() => {
            interrupted.context("cannot handle interruptions")?;
            engine.cancel().store(true, Ordering::Relaxed);
            return Err(Error::Cancelled.into());
        }
    };
    drop(progress);
    if let Some(policy) = policy {
        policy.put(report.policy().to_toml().as_bytes())?;
    }
    let text = match args.json {
        true => serde_json::to_string_pretty(&report)? + "\n",
        false => report.render(),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    if !report.unread.is_empty() {
        say("warning: some tables were not read; the report lists them, and the policy does not");
    }
    Ok(())
}
