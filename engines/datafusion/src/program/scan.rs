//! `inkveil-sql scan`.

use std::io::Write as _;

use anyhow::Context as _;
use inkveil::files::Output;
use inkveil_datafusion::scan::{ScanOptions, scan};
use inkveil_datafusion::{Engine, EngineOptions};

use super::args::ScanArgs;
use super::interrupt::Interrupt;
use super::progress::Progress;
use super::{change, say, say_left_out};

/// Scans a folder and prints the report.
pub(crate) async fn run(args: &ScanArgs) -> anyhow::Result<()> {
    let engine = Engine::new(EngineOptions::default())?;
    change(&engine, &args.settings)?;
    // A policy that cannot be written is reported before the work.
    let policy = args.policy.as_deref().map(|path| Output::file(path, args.force)).transpose()?;
    let interrupt = Interrupt::listen(&engine).context("cannot handle interruptions")?;
    let progress = Progress::start(&engine, args.quiet);
    let options = ScanOptions { rows: args.rows };
    let report = tokio::select! {
        report = scan(&engine, &args.folder, options) => report?,
        cancelled = interrupt.pressed() => return Err(cancelled.into()),
    };
    interrupt.check()?;
    drop(progress);
    if let Some(policy) = policy {
        policy.put(report.policy_file().as_bytes())?;
    }
    let text = match args.json {
        true => serde_json::to_string_pretty(&report)? + "\n",
        false => report.render(),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    say_left_out(&report.left_out);
    let unchecked: Vec<&str> = report.unchecked_ids().collect();
    if !unchecked.is_empty() {
        say(&format!(
            "warning: the suggested ids of {} may repeat in rows that were not read; rows that share an id share their noise. \
             Scan without --rows, or check them with count(*) and count(DISTINCT …)",
            unchecked.join(", ")
        ));
    }
    if !report.unread.is_empty() {
        say("warning: some tables were not read; the report lists them, and the policy does not");
    }
    Ok(())
}
