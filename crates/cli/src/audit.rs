//! `inkveil audit`: runs an audit and prints its findings.

use std::io::Write;

use anyhow::{Context, bail};
use comfy_table::Table;
use inkveil::NoiseKey;
use inkveil::audit::EndToEnd;
use inkveil::privacy::audit::{self, AuditEffort, AuditReport, Check, CheckKind, Finding};
use inkveil::release::KeyChoice;

use crate::args::AuditArgs;
use crate::outcome::Outcome;
use crate::{interrupt, printed, progress, table};

pub(crate) fn run(args: &AuditArgs) -> anyhow::Result<Outcome> {
    let report = if args.end_to_end { releases(args)? } else { mechanisms(args)? };
    let mut json = serde_json::to_string_pretty(&report)?;
    json.push('\n');
    let mut out = printed::coloured()?;
    match (args.json, &args.output) {
        (true, None) => out.write_all(json.as_bytes()).context("cannot write the findings")?,
        (_, output) => {
            writeln!(out, "{}", table(&report, args.end_to_end)).context("cannot write the table")?;
            if let Some(path) = output {
                inkveil::files::write_atomically(path, json.as_bytes(), true)?;
            }
        }
    }
    Ok(verdict(&report))
}

fn effort(args: &AuditArgs) -> AuditEffort {
    if args.quick { AuditEffort::Quick } else { AuditEffort::Full }
}

/// Samples releases.
fn releases(args: &AuditArgs) -> anyhow::Result<AuditReport> {
    let key = args.insecure_seed.map_or(KeyChoice::Fresh, KeyChoice::InsecureSeed);
    let audit = EndToEnd { effort: effort(args), key, paths: args.mechanism.clone(), ..EndToEnd::default() };
    let cancel = interrupt::flag()?;
    let bar = progress::bar(None, "auditing {spinner} {pos} checks {msg}", false);
    let report = audit.run(
        &|finding| {
            bar.set_message(finding.mechanism.clone());
            bar.inc(1);
        },
        &cancel,
    );
    bar.finish_and_clear();
    Ok(report?)
}

/// Samples mechanisms.
fn mechanisms(args: &AuditArgs) -> anyhow::Result<AuditReport> {
    let all = audit::checks(args.noise_scale)?;
    let checks = chosen(&all, &args.mechanism)?;
    let key = match args.insecure_seed {
        Some(seed) => NoiseKey::insecure_from_seed(seed),
        None => NoiseKey::fresh()?,
    };
    let bar = progress::bar(Some(checks.len() as u64), "auditing {bar:30} {pos}/{len} {msg}", false);
    let report = audit::run(&checks, effort(args), &key, |finding| {
        bar.set_message(finding.mechanism.clone());
        bar.inc(1);
    })?;
    bar.finish_and_clear();
    Ok(report)
}

/// The checks of the mechanisms asked for, or all.
fn chosen<'a>(all: &'a [Check], names: &[String]) -> anyhow::Result<Vec<&'a Check>> {
    let mut known: Vec<&str> = all.iter().map(Check::mechanism).collect();
    known.dedup();
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("there is no mechanism {unknown:?}; choose from {}", known.join(", "));
    }
    Ok(all.iter().filter(|c| names.is_empty() || names.iter().any(|n| n == c.mechanism())).collect())
}

fn table(report: &AuditReport, of_releases: bool) -> Table {
    let row = |finding: &Finding| {
        [
            finding.mechanism.clone(),
            finding.about.clone(),
            shown(finding, "≥", finding.found),
            shown(finding, "=", finding.limit),
            finding.samples.to_string(),
            if finding.passed { "ok".into() } else { "REFUTED".into() },
        ]
    };
    let first = if of_releases { "path" } else { "mechanism" };
    table::drawn(&[first, "check", "found", "limit", "samples", ""], report.findings.iter().map(row), 2..5)
}

/// A lower bound on ε, a distance from the distribution, or a count.
fn shown(finding: &Finding, relation: &str, value: f64) -> String {
    match finding.kind {
        CheckKind::Loss => format!("ε {relation} {value:.3}"),
        // A Kolmogorov–Smirnov distance is below 1, a χ² limit above.
        CheckKind::Distribution if finding.limit > 1.0 => format!("χ² {value:.1}"),
        CheckKind::Distribution => format!("D {value:.5}"),
        CheckKind::Exact => format!("{value:.0}"),
    }
}

fn verdict(report: &AuditReport) -> Outcome {
    if !report.secure {
        tell!(yellow, "note:", "the samples were drawn from a fixed seed");
    }
    if report.passed() {
        tell!(
            green,
            "ok:",
            "{} checks, none refuted a guarantee (each has a false-alarm rate of 1 in {:.0})",
            report.findings.len(),
            1.0 / report.false_alarm
        );
        Outcome::Success
    } else {
        tell!(red, "error:", "refuted: {}", report.flagged().join(", "));
        Outcome::Failure
    }
}
