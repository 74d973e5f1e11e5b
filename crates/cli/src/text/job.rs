//! Corpora through the veil: files in, files out, each with its receipt; what is done survives anything.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, bail, ensure};
use inkveil::{NoiseKey, Receipt, Replacements, TextTally, TextVeil, Veiled};
use inkveil_io::{
    Added, Changed, FileDone, Input, Job, JobProgress, Output, Packing, Place, RecordFormat, RecordOptions,
    RecordReader, Summary, Texts, Work, stream,
};
use inkveil_ledger::ReleaseId;
use inkveil_privacy::Secret;
use owo_colors::OwoColorize as _;
use serde::{Deserialize, Serialize};

use super::map::{Kept, MapFile};
use super::repairer::Repairer;
use crate::args::{ReceiptsName, TextArgs};
use crate::corpus::{self, Corpus, Failed, JobBar, Spending, Target};
use crate::outcome::Outcome;
use crate::{digest, interrupt, receipt};

/// The column that receipts are written to.
const RECEIPT: &str = "inkveil_receipt";

/// The noise of a file's texts lies this far from that of the next file's: no file has more texts.
const FILE_RECORDS: u32 = 40;

/// Opens what a corpus is veiled with.
pub(super) struct Opening<'a> {
    pub(super) args: &'a TextArgs,
    pub(super) veil: Arc<TextVeil>,
    pub(super) repairer: Option<Repairer>,
    pub(super) key: NoiseKey,
    pub(super) map: Option<MapFile>,
}

impl Opening<'_> {
    /// Veils files into files.
    pub(super) fn files(self, corpus: &Corpus, output: &Path) -> anyhow::Result<Outcome> {
        let args = self.args;
        let cancel = interrupt::flag()?;
        let target = Target {
            corpus,
            output,
            job: &args.job,
            options: options(self.args),
            settings: self.identity()?,
            force: args.output.force,
        };
        let settings = target.settings()?;
        for (_, output) in &settings.files {
            let receipt = receipt::beside(output);
            ensure!(
                args.output.force
                    || args.job.resume
                    || args.receipts == ReceiptsName::Columns
                    || !receipt.exists(),
                "{} exists already; choose another --output, or say --force",
                receipt.display()
            );
        }
        // A ledger that cannot be used is told before anything is begun.
        let spending = Spending::open(&args.spending, &corpus.name())?;
        let mut job = match args.job.resume {
            true => Job::resume(settings)?,
            false => {
                let kept = secret_of(&self.key, spending.id());
                Job::begin(settings, &kept).map_err(corpus::advise)?
            }
        };
        let (key, id) = from_secret(job.secret())?;
        let work =
            self.work(key, spending.of_job(id), JobBar::new("text", corpus.bytes(), args.output.quiet));
        work.refill();
        let ended = job.run(&work, &cancel);
        work.bar.end();
        let summary = corpus::settle(ended, job)?;
        say(args, &summary, output);
        Ok(Outcome::Success)
    }

    /// Veils rows on their way from one program to another.
    pub(super) fn pipe(
        self,
        input: Input,
        format: RecordFormat,
        packing: Packing,
        dataset: &str,
    ) -> anyhow::Result<Outcome> {
        let args = self.args;
        ensure!(!args.job.resume, "what was piped cannot be resumed; write a file with --output");
        ensure!(format.is_bytes(), "{format} needs a file to be written to; name one with --output");
        ensure!(args.job.to.is_none(), "--to needs a file to be written to; name one with --output");
        let cancel = interrupt::flag()?;
        let mut options = options(self.args);
        options.reject = args.job.on_error == crate::args::OnError::Reject;
        let mut reader = RecordReader::open(input, format, packing, &options)?;
        if let Some(most) = args.job.sample {
            reader.take(most);
        }
        let key = self.key.clone();
        let spending = Spending::open(&args.spending, dataset)?;
        let work = self.work(key, spending, JobBar::new("text", 0, true));
        let mut out = Output::stdout().stream();
        let summary = stream(reader, &work, &cancel, &mut out).map_err(|error| error.0)?;
        let finished = out.finish(summary.rows);
        let sha256 = finished.sha256().to_owned();
        if let Some(path) = &args.output.receipt {
            let note = work.whole.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let receipt = work.receipt(&note.tally, Some(sha256))?;
            Output::file(path, args.output.force)?.put(receipt.to_json().as_bytes())?;
        }
        finished.commit()?;
        corpus::say_rejected(&summary);
        Ok(Outcome::Success)
    }

    /// What a resumed job must agree with: everything that decides what is released.
    fn identity(&self) -> anyhow::Result<String> {
        let args = self.args;
        // The receipt names the pack, the mechanism and its settings; the rest decides about groups.
        let receipt = self.veil.receipt(&TextTally::default(), None, &self.key)?;
        let flags = format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {}",
            args.budget,
            args.groups,
            args.words,
            self.veil.settings(),
            args.receipts,
            args.task_column,
            self.map.is_some()
        );
        let tasks = args.tasks.join("\u{1f}");
        let config = args.config.as_deref().map(digest::of_file).transpose()?.unwrap_or_default();
        Ok(digest::of_bytes(format!("{flags}\n{tasks}\n{config}\n{}", receipt.digest()).as_bytes()))
    }

    fn work(self, key: NoiseKey, spending: Spending, bar: JobBar) -> TextWork {
        let Opening { args, veil, repairer, map, .. } = self;
        TextWork {
            veil,
            repairer,
            key,
            spending,
            map,
            known: Mutex::default(),
            with_subjects: args.spending.subject_column.is_some(),
            receipts: args.receipts,
            force: args.output.force || args.job.resume,
            bar,
            whole: Mutex::default(),
        }
    }
}

/// How rows are read.
pub(super) fn options(args: &TextArgs) -> RecordOptions {
    let mut options = corpus::options(&args.tables);
    options.columns.task.clone_from(&args.task_column);
    options.columns.subject.clone_from(&args.spending.subject_column);
    options
}

/// What a job keeps: the key of its noise and its name in the ledger.
fn secret_of(key: &NoiseKey, id: ReleaseId) -> String {
    let kept = key.keep();
    let hex: String = kept.expose().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex} {id}")
}

/// What a job kept.
fn from_secret(kept: &str) -> anyhow::Result<(NoiseKey, ReleaseId)> {
    let damaged = || "the job's key is damaged; begin anew with --force";
    let (hex, id) = kept.split_once(' ').with_context(damaged)?;
    let id = ReleaseId::from_hex(id).with_context(damaged)?;
    let mut bytes = Secret::new([0; 33]);
    ensure!(hex.len() == 66 && hex.is_ascii(), damaged());
    for (index, byte) in bytes.expose_mut().iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * index..2 * index + 2], 16).ok().with_context(damaged)?;
    }
    Ok((NoiseKey::from_kept(&bytes)?, id))
}

/// The veil as the work of a job.
struct TextWork {
    veil: Arc<TextVeil>,
    repairer: Option<Repairer>,
    key: NoiseKey,
    spending: Spending,
    map: Option<MapFile>,
    known: Mutex<Replacements>,
    with_subjects: bool,
    receipts: ReceiptsName,
    force: bool,
    bar: JobBar,
    /// Of everything that was piped.
    whole: Mutex<TextNote>,
}

/// What is known of veiled texts.
#[derive(Serialize, Deserialize, Default, Clone)]
struct TextNote {
    tally: TextTally,
    subjects: BTreeMap<String, TextTally>,
    /// What was replaced, where a map is kept. **Private.**
    pairs: Vec<Kept>,
}

impl Work for TextWork {
    type Error = Failed;
    type Note = TextNote;

    fn change(&self, texts: &Texts, place: Place) -> Result<(Changed, TextNote), Failed> {
        let first = ((place.file as u64) << FILE_RECORDS) + place.first_text;
        let veiled = self.veil(texts, first)?;
        let mut note = TextNote::default();
        let mut changed = Changed { texts: Vec::with_capacity(texts.len()), ..Changed::default() };
        let mut rows: Vec<(u64, TextTally)> = Vec::new();
        for (index, veiled) in veiled.iter().enumerate() {
            let mut tally = TextTally::default();
            tally.add(veiled.plan());
            changed.texts.push(Some(self.written(veiled, &mut tally)?));
            note.tally.join(&tally);
            if self.with_subjects {
                let subject = texts.subject(index).unwrap_or_default().to_owned();
                note.subjects.entry(subject).or_default().join(&tally);
            }
            if self.map.is_some() {
                note.pairs.extend(veiled.replacements().map(Kept::of));
            }
            if self.receipts == ReceiptsName::Columns {
                match rows.last_mut().filter(|(row, _)| *row == texts.row(index)) {
                    Some((_, known)) => known.join(&tally),
                    None => rows.push((texts.row(index), tally)),
                }
            }
        }
        if self.receipts == ReceiptsName::Columns {
            let receipt =
                |(row, tally): (u64, TextTally)| anyhow::Ok((row, self.receipt(&tally, None)?.to_line()));
            let values = rows.into_iter().map(receipt).collect::<anyhow::Result<_>>()?;
            changed.added.push(Added { name: RECEIPT.to_owned(), values });
        }
        Ok((changed, note))
    }

    fn join(&self, note: &mut TextNote, later: TextNote) {
        note.tally.join(&later.tally);
        for (subject, tally) in later.subjects {
            note.subjects.entry(subject).or_default().join(&tally);
        }
        note.pairs.extend(later.pairs);
    }

    fn resumed(&self, note: &TextNote) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        note.pairs.iter().for_each(|pair| pair.remember(&mut known));
    }

    fn release(&self, file: &FileDone<'_>, note: &TextNote) -> Result<(), Failed> {
        let receipt = self.receipt(&note.tally, Some(file.sha256.to_owned()))?;
        if let Some(map) = &self.map {
            // What was released must be restorable, so the map comes first.
            map.add(&note.pairs)?;
        }
        self.record(file.index as u64, &receipt, note, from_hex(file.fingerprint))?;
        if self.receipts == ReceiptsName::Sidecar {
            Output::file(receipt::beside(file.output), self.force)?.put(receipt.to_json().as_bytes())?;
        }
        Ok(())
    }

    fn released(&self, file: &FileDone<'_>) -> Result<(), Failed> {
        Ok(self.spending.released(file.index as u64)?)
    }

    fn passing(&self, texts: &Texts, part: u64, note: &TextNote) -> Result<(), Failed> {
        self.join(&mut self.whole.lock().unwrap_or_else(PoisonError::into_inner), note.clone());
        if let Some(map) = &self.map {
            map.add(&note.pairs)?;
        }
        if self.spending.is_on() {
            let receipt = self.receipt(&note.tally, None)?;
            self.record(part, &receipt, note, corpus::content_of(texts.iter()))?;
        }
        Ok(())
    }

    fn passed(&self, part: u64) -> Result<(), Failed> {
        Ok(self.spending.released(part)?)
    }

    fn workers(&self) -> Option<usize> {
        // What was replaced before decides what is written next, so documents come one after the other.
        self.map.is_some().then_some(1)
    }

    fn progress(&self, progress: &JobProgress<'_>) {
        self.bar.show(progress);
    }

    fn added(&self) -> Vec<String> {
        match self.receipts {
            ReceiptsName::Columns => vec![RECEIPT.to_owned()],
            ReceiptsName::Sidecar => Vec::new(),
        }
    }
}

impl TextWork {
    /// What was replaced in files that are released already is known again.
    fn refill(&self) {
        if let Some(map) = &self.map {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            map.remember(&mut known);
        }
    }

    fn veil<'t>(&self, texts: &'t Texts, first: u64) -> anyhow::Result<Vec<Veiled<'t>>> {
        if self.map.is_none() {
            return Ok(inkveil::veil_texts(
                &self.veil,
                texts,
                &mut Replacements::default(),
                first,
                &self.key,
            )?);
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(inkveil::veil_texts(&self.veil, texts, &mut known, first, &self.key)?)
    }

    fn written(&self, veiled: &Veiled<'_>, tally: &mut TextTally) -> anyhow::Result<String> {
        let Some(repairer) = &self.repairer else { return Ok(veiled.text().to_owned()) };
        let repaired = repairer.repair(veiled)?;
        if repaired.refused.is_none() {
            tally.repaired_by(&repairer.name());
        }
        Ok(repaired.text)
    }

    fn receipt(&self, tally: &TextTally, sha256: Option<String>) -> anyhow::Result<Receipt> {
        Ok(self.veil.receipt(tally, sha256, &self.key)?)
    }

    fn record(&self, part: u64, receipt: &Receipt, note: &TextNote, content: [u8; 32]) -> anyhow::Result<()> {
        if !self.spending.is_on() {
            return Ok(());
        }
        let subjects = note
            .subjects
            .iter()
            .map(|(subject, tally)| Ok((subject.clone(), self.receipt(tally, None)?)))
            .collect::<anyhow::Result<_>>()?;
        self.spending.record(part, receipt, &subjects, Some(content))
    }
}

/// A checksum as bytes.
fn from_hex(hex: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
        *byte =
            std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok()).unwrap_or(0);
    }
    bytes
}

fn say(args: &TextArgs, summary: &Summary, output: &Path) {
    corpus::say_rejected(summary);
    if !args.output.quiet {
        let files = if summary.files == 1 { String::new() } else { format!(" in {} files", summary.files) };
        let receipts = match args.receipts {
            ReceiptsName::Sidecar => "*.receipt.json beside it says what is promised",
            ReceiptsName::Columns => "each row has its receipt",
        };
        anstream::eprintln!(
            "{} {} rows{files} to {}; {receipts}",
            "veiled".bold(),
            summary.rows,
            output.display()
        );
    }
}

/// Refuses flags that explain single texts where files are veiled.
pub(super) fn check(args: &TextArgs) -> anyhow::Result<()> {
    if args.output.explain || args.output.explain_html.is_some() || args.output.json {
        bail!(
            "--explain, --explain-html and --json are for one input; take one file, without --output and --resume"
        );
    }
    ensure!(
        args.output.receipt.is_none() || args.output.output.is_none(),
        "each file has its receipt beside it; --receipt is for single texts and pipes"
    );
    Ok(())
}
