//! A dry run: what a release would cost, in ε and, for large files, in time.

use std::io::Write as _;
use std::sync::Arc;

use anyhow::Context as _;
use indicatif::{HumanBytes, HumanDuration};
use inkveil::explain::{VeilTerms, json_line};
use inkveil::release;

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
    let (mut run, mut out) = (release::DryRun::new(veil, most)?, printed::stdout()?);
    for input in &dry.inputs {
        let (input, options) = (input.clone(), dry.options.clone());
        run.read(
            move |left| input.open(&options, left),
            |document, is_first| -> anyhow::Result<()> {
                if dry.json {
                    let line = json_line(document, &terms, dry.explain)?;
                    out.write_all(line.as_bytes()).context("cannot write")?;
                } else if dry.explain {
                    report::explain(document, &terms, is_first);
                }
                Ok(())
            },
        )?;
    }
    if !dry.json {
        cost::write(&mut out, run.counts(), &terms, printed::is_terminal())?;
    }
    out.flush().context("cannot write")?;
    if !plan.quiet {
        let all = dry.bytes.unwrap_or_default();
        if let Some(whole) = run.predict(&terms.budgets, all)? {
            say!(
                "read {} texts, {} of {}; if the rest is alike, the total is about {} texts, ε = {} and {} on this machine",
                run.counts().documents,
                HumanBytes(run.bytes()),
                HumanBytes(all),
                whole.documents,
                whole.epsilon.readable(),
                HumanDuration(whole.time)
            );
        }
        if let Some(meaning) = terms.meaning() {
            say!("{meaning}");
        }
        say!("dry run: nothing was released or charged");
    }
    Ok(Outcome::Success)
}
