//! A dry run: what a release would cost, in ε and, for large files, in time.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use indicatif::{HumanBytes, HumanDuration};
use inkveil::explain::{TreatmentCounts, VeilTerms, json_line};
use inkveil::release::{each_document, plan_documents};
use inkveil::rows::ColumnUse;
use inkveil::{Document, Epsilon, Group, NoiseKey};

use super::plan::{DryRun, TextPlan};
use super::{cost, report};
use crate::outcome::Outcome;
use crate::printed;

/// Of larger inputs some rows are read, and the rest is predicted.
const LARGE: u64 = 1 << 20;

/// How many rows are read of a large input.
const SAMPLE: u64 = 1000;

/// Prints what each group would cost.
pub(super) fn run(plan: &TextPlan, dry: &DryRun) -> anyhow::Result<Outcome> {
    let veil = Arc::new(plan.setup.open_without_receipts()?);
    let terms = VeilTerms::of(&veil)?;
    let has_rows = dry.inputs.iter().any(|input| input.format().has_rows());
    let large = has_rows && dry.bytes.is_some_and(|bytes| bytes > LARGE);
    let most = dry.sample.or(large.then_some(SAMPLE));
    let (mut counts, mut out) = (TreatmentCounts::default(), printed::stdout()?);
    let (mut seen, mut seconds) = (0, 0.0);
    // The sample is veiled with a key that is discarded, to measure the time. Nothing of it is shown.
    let key = NoiseKey::fresh()?;
    for input in &dry.inputs {
        let left = most.map(|most| most.saturating_sub(counts.documents));
        if left == Some(0) {
            break;
        }
        let work = {
            let veil = Arc::clone(&veil);
            move |originals, _: &ColumnUse| plan_documents(&veil, originals)
        };
        let read = {
            let (input, options) = (input.clone(), dry.options.clone());
            move || input.open(&options, left)
        };
        let (mut bytes_of_file, mut failed) = (0, None);
        let ended = each_document(read, work, &AtomicBool::new(false), |documents, bytes| {
            bytes_of_file = bytes;
            let mut each = || -> anyhow::Result<()> {
                if most.is_some() {
                    let texts: Vec<Document<'_>> =
                        documents.iter().map(|document| Document::new(&document.original.text)).collect();
                    let begun = Instant::now();
                    veil.veil_all(&texts, counts.documents, &key)?;
                    seconds += begun.elapsed().as_secs_f64();
                }
                for document in &documents {
                    if dry.json {
                        let line = json_line(document, &terms, dry.explain)?;
                        out.write_all(line.as_bytes()).context("cannot write")?;
                    } else if dry.explain {
                        report::explain(document, &terms, counts.documents == 0);
                    }
                    counts.add(document);
                }
                Ok(())
            };
            failed = each().err();
            failed.is_none()
        });
        if let Some(error) = failed {
            return Err(error);
        }
        ended?;
        seen += bytes_of_file;
    }
    if !dry.json {
        cost::write(&mut out, &counts, &terms, printed::is_terminal())?;
    }
    out.flush().context("cannot write")?;
    if !plan.quiet {
        if let (Some(_), Some(total)) = (most, dry.bytes.filter(|total| *total > seen)) {
            predict(&counts, &terms, seen, total, seconds)?;
        }
        if let Some(meaning) = terms.meaning() {
            say!("{meaning}");
        }
        say!("dry run: nothing was released or charged");
    }
    Ok(Outcome::Success)
}

/// Prints the total, if the rest is like the sample.
fn predict(
    counts: &TreatmentCounts,
    terms: &VeilTerms,
    seen: u64,
    total: u64,
    seconds: f64,
) -> anyhow::Result<()> {
    let times = total as f64 / seen.max(1) as f64;
    let mut epsilon = Epsilon::ZERO;
    for group in Group::ALL {
        epsilon = epsilon.checked_add(counts.spent(group, terms.budgets.of(group))?)?;
    }
    let all = epsilon.checked_mul(times)?;
    say!(
        "read {} texts, {} of {}; if the rest is alike, the total is about {} texts, ε = {} and {} on this machine",
        counts.documents,
        HumanBytes(seen),
        HumanBytes(total),
        (counts.documents as f64 * times).round(),
        all.readable(),
        HumanDuration(Duration::from_secs_f64(seconds * times))
    );
    Ok(())
}
