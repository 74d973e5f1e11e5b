//! What a run would cost: in ε, and for files so large that one wants to know, in time.

use std::io::{IsTerminal as _, Write as _, stdout};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::Context as _;
use indicatif::{HumanBytes, HumanDuration};
use inkveil::{Document, Group, NoiseKey};
use inkveil_rows::RecordOptions;

use super::counts::Counts;
use super::report::{self, Style};
use super::settings::Setup;
use super::source::{self, Input};
use super::terms::Terms;
use super::work::Work;
use super::{cost, each_batch, job, json};
use crate::args::TextArgs;
use crate::corpus::Corpus;
use crate::outcome::Outcome;

/// Of files larger than this, some rows are looked at and the rest is predicted.
const LARGE: u64 = 1 << 20;

/// How many rows are looked at then.
const SAMPLE: u64 = 1000;

/// Prints what each group of a text, or of a file of texts, would cost.
pub(super) fn of_one(
    args: &TextArgs,
    setup: Setup,
    input: Input,
    options: RecordOptions,
) -> anyhow::Result<Outcome> {
    let total = input.bytes();
    of(args, setup, vec![input], options, total)
}

/// The same for many files.
pub(super) fn of_corpus(args: &TextArgs, setup: Setup, corpus: &Corpus) -> anyhow::Result<Outcome> {
    let inputs = corpus.files.iter().cloned().map(Input::File).collect();
    of(args, setup, inputs, job::options(args), Some(corpus.bytes()))
}

fn of(
    args: &TextArgs,
    setup: Setup,
    inputs: Vec<Input>,
    options: RecordOptions,
    total: Option<u64>,
) -> anyhow::Result<Outcome> {
    let veil = Arc::new(setup.open()?);
    let terms = Terms::of(&veil)?;
    let rows = inputs.iter().any(|input| input.format() != inkveil_rows::RecordFormat::Text);
    let large = rows && total.is_some_and(|total| total > LARGE);
    let most = args.job.sample.or(large.then_some(SAMPLE));
    let Style { json, explain } = Style { json: args.output.json, explain: args.output.explain };
    let (mut counts, mut out) = (Counts::default(), stdout().lock());
    let (mut seen, mut seconds) = (0, 0.0);
    // The whole way is timed on what is looked at, with a key that is thrown away; nothing of it is shown.
    let key = NoiseKey::fresh()?;
    for input in inputs {
        let left = most.map(|most| most.saturating_sub(counts.documents));
        if left == Some(0) {
            break;
        }
        let messages =
            Work { veil: Arc::clone(&veil), release: None }.start(source::read(input, options.clone(), left));
        let mut bytes_of_file = 0;
        each_batch(&messages, &AtomicBool::new(false), |documents, bytes| {
            if most.is_some() {
                let texts: Vec<Document<'_>> =
                    documents.iter().map(|document| Document::new(&document.original.text)).collect();
                let begun = Instant::now();
                veil.veil_all(&texts, counts.documents, &key)?;
                seconds += begun.elapsed().as_secs_f64();
            }
            for document in documents {
                if json {
                    let line = json::line(&document, &terms, explain)?;
                    out.write_all(line.as_bytes()).context("cannot write")?;
                } else if explain {
                    report::explain(&document, &terms, counts.documents == 0);
                }
                counts.add(&document);
            }
            bytes_of_file = bytes;
            Ok(())
        })?;
        seen += bytes_of_file;
    }
    if !json {
        cost::write(&mut out, &counts, &terms, stdout().is_terminal())?;
    }
    out.flush().context("cannot write")?;
    if !args.output.quiet {
        if let (Some(_), Some(total)) = (most, total.filter(|total| *total > seen)) {
            predict(&counts, &terms, seen, total, seconds)?;
        }
        if let Some(meaning) = terms.meaning() {
            anstream::eprintln!("{meaning}");
        }
        anstream::eprintln!("a dry run: nothing was released or spent");
    }
    Ok(Outcome::Success)
}

/// Says what all of it comes to, if the rest is like what was looked at.
fn predict(counts: &Counts, terms: &Terms, seen: u64, total: u64, seconds: f64) -> anyhow::Result<()> {
    let times = total as f64 / seen.max(1) as f64;
    let mut epsilon = inkveil::Epsilon::ZERO;
    for group in Group::ALL {
        epsilon = epsilon.checked_add(counts.spent(group, terms.budgets.of(group))?)?;
    }
    let all = epsilon.checked_mul(times)?;
    anstream::eprintln!(
        "looked at {} texts, {} of {}; if the rest is like them, all is about {} texts, ε = {} in sum and {} on this machine",
        counts.documents,
        HumanBytes(seen),
        HumanBytes(total),
        (counts.documents as f64 * times).round(),
        all.readable(),
        HumanDuration(std::time::Duration::from_secs_f64(seconds * times))
    );
    Ok(())
}
