//! `inkveil vector fit`: a mask for a concept.

use inkveil::files::Sha256Sum;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, ensure};
use inkveil::Encoder;
use inkveil::files::Output;
use inkveil::names_folder;
use inkveil::nn::{Mlp, Weights};
use inkveil::vectors::{
    Concept, CorpusNote, ErrorKind, FitSettings, Fitted, Mask, MaskNote, PairTexts, Pairs, attribution, fit,
    sensitivity,
};

use super::texts::Texts;
use super::{attack, concept};
use crate::args::FitArgs;
use crate::outcome::Outcome;
use crate::{corpus, interrupt, progress};
use inkveil::pack_folder;

/// The number of steps of integrated gradients.
const STEPS: usize = 16;

pub(super) fn run(args: &FitArgs) -> anyhow::Result<Outcome> {
    let cancel = interrupt::flag()?;
    inkveil::files::refuse_same_file(&[
        ("the texts", Some(&args.texts.file)),
        ("--output", Some(&args.output)),
    ])?;
    let tables = &args.texts.tables;
    let texts =
        Texts::read(&args.texts.file, tables.from, &corpus::options(tables), args.label_column.as_ref())?;
    let job = Job {
        args,
        encoder: Encoder::open(&args.pack)?,
        corpus: Sha256Sum::of_file(&args.texts.file)
            .context("cannot compute the checksum of the texts")?
            .to_string(),
        texts,
        cancel: &cancel,
    };
    if job.texts.labels.is_some() {
        let column = args.label_column.as_ref().map(ToString::to_string).unwrap_or_default();
        return job.labelled(args.concept.name.as_deref().unwrap_or(&column));
    }
    let concepts = concept::all(&args.concept)?;
    let into_folder = concepts.len() > 1 || args.output.is_dir();
    for concept in &concepts {
        let output = match into_folder {
            false => args.output.clone(),
            true => file_for(&args.output, concept)?,
        };
        job.learn(concept, &output)?;
    }
    Ok(Outcome::Success)
}

/// Returns the file of a mask in a folder, which is made if needed.
fn file_for(folder: &Path, concept: &Concept) -> anyhow::Result<PathBuf> {
    let name = concept.mask_file()?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    Ok(folder.join(name))
}

struct Job<'a> {
    args: &'a FitArgs,
    encoder: Encoder,
    texts: Texts,
    corpus: String,
    cancel: &'a AtomicBool,
}

impl Job<'_> {
    /// Encodes texts, with a progress bar.
    fn encode(&self, texts: &[&str], what: &str) -> anyhow::Result<Vec<f32>> {
        let template = format!("{what} {{bar:30}} {{human_pos}}/{{human_len}} texts  {{eta}} left");
        let bar = crate::progress::bar(Some(texts.len() as u64), &template, self.args.quiet);
        let vectors = self.encoder.encode(texts, self.cancel, |done| bar.set_position(done));
        bar.finish_and_clear();
        Ok(vectors?)
    }

    fn learn(&self, concept: &Concept, output: &Path) -> anyhow::Result<()> {
        // Opened before learning, so that no result is lost to a file that cannot be written.
        let output_file = Output::file(output, self.args.force)?;
        let names = names_folder(&pack_folder(&self.args.pack)?)?;
        let finder = concept.finder(Some(&names))?;
        let texts = self.texts.as_strs();
        let found = PairTexts::find(&finder, &texts)?;
        let counts = found.counts;
        self.say(format_args!(
            "{}: {} mentions in {} of {} texts; {} pairs ({} texts have no other content)",
            concept.name,
            counts.mentions,
            counts.with_concept,
            counts.texts,
            found.with.len(),
            counts.emptied
        ));
        if counts.with_concept == counts.texts {
            self.say(format_args!(
                "note: every text mentions the concept; texts without it would improve the mask"
            ));
        }
        let with: Vec<&str> = found.with.iter().map(|&index| texts[index]).collect();
        let without: Vec<&str> = found.without.iter().map(String::as_str).collect();
        let positive = self.encode(&with, "with the concept")?;
        let negative = self.encode(&without, "without it")?;
        let pairs = Pairs::from_vectors(self.encoder.model.width(), positive, negative)?;
        let (gates, learnt) = match &self.args.white_box {
            Some(file) => (self.attributed(file, &finder, &with, &pairs)?, None),
            None => {
                let (fitted, settings) = self.gates(&pairs)?;
                (fitted.gates, Some((settings, fitted.curve)))
            }
        };
        let reaction = sensitivity(&pairs, &gates)?;
        self.say(format_args!(
            "without the concept, the tenth of dimensions with the highest gates changes by {:.4}, and the tenth with the lowest by {:.4} (p = {:.1e})",
            reaction.top, reaction.bottom, reaction.p_value
        ));
        let about = (concept.name.as_str(), concept.summary(), concept.sha256());
        self.write((about.0, &about.1, &about.2), &pairs, (gates, learnt), (output, output_file))
    }

    fn labelled(&self, name: &str) -> anyhow::Result<Outcome> {
        let output = Output::file(&self.args.output, self.args.force)?;
        let labels = self.texts.labels.as_deref().unwrap_or_default();
        let all = self.texts.as_strs();
        let side = |wanted: bool| -> Vec<&str> {
            all.iter().zip(labels).filter(|(_, label)| **label == wanted).map(|(text, _)| *text).collect()
        };
        let (with, without) = (side(true), side(false));
        self.say(format_args!("{name}: {} texts with the label, {} without", with.len(), without.len()));
        let positive = self.encode(&with, "with the concept")?;
        let negative = self.encode(&without, "without it")?;
        let pairs = Pairs::from_labels(self.encoder.model.width(), positive, negative)?;
        let (fitted, settings) = self.gates(&pairs)?;
        let learnt = (fitted.gates, Some((settings, fitted.curve)));
        self.write((name, "a label", ""), &pairs, learnt, (&self.args.output, output))?;
        Ok(Outcome::Success)
    }

    fn gates(&self, pairs: &Pairs) -> anyhow::Result<(Fitted, FitSettings)> {
        let FitArgs { lambda, epochs, rate, gate_rate, seed, .. } = *self.args;
        let settings = FitSettings { lambda, epochs, rate, gate_rate, seed, ..FitSettings::default() };
        let bar = progress::bar(
            Some(epochs as u64),
            "learning {bar:30} {human_pos}/{human_len} epochs  {eta} left  {msg}",
            self.args.quiet,
        );
        let fitted = fit(pairs, &settings, &mut |epoch| {
            let accuracy = epoch.accuracy.map_or(String::new(), |a| format!("  accuracy {:.1} %", 100.0 * a));
            bar.set_message(format!("loss {:.4}  open {:.1} %{accuracy}", epoch.loss, 100.0 * epoch.open));
            bar.inc(1);
            !self.cancel.load(Ordering::Relaxed)
        });
        bar.finish_and_clear();
        let fitted = fitted.map_err(|error| match error.kind() {
            ErrorKind::Stopped => crate::outcome::interrupted(),
            _ => anyhow::Error::from(error),
        })?;
        if let Some(last) = fitted.curve.last() {
            let right = last
                .accuracy
                .map_or(String::new(), |a| format!(", accuracy on held-out texts {:.1} %", 100.0 * a));
            self.say(format_args!("loss {:.4}, open {:.1} %{right}", last.loss, 100.0 * last.open));
        }
        Ok((fitted, settings))
    }

    /// Returns the dimensions that the attacker in `file` uses to find the words of the concept.
    fn attributed(
        &self,
        file: &Path,
        finder: &inkveil::vectors::ConceptFinder,
        with: &[&str],
        pairs: &Pairs,
    ) -> anyhow::Result<Vec<f32>> {
        let weights = Weights::open(file)?;
        let attacker = Mlp::from_weights(&weights).with_context(|| file.display().to_string())?;
        let words = attack::words_of(file)?;
        ensure!(
            attacker.inputs() == pairs.dim() && attacker.outputs() == words.len(),
            "{}: the attacker is for {} dimensions and {} words, but these vectors have {} dimensions",
            file.display(),
            attacker.inputs(),
            words.len(),
            pairs.dim()
        );
        let answers = attack::answers(&words, with, &finder.spans(with)?)?;
        let rows: Vec<f32> = (0..pairs.len()).flat_map(|index| pairs.positive(index)).copied().collect();
        Ok(attribution(&attacker, &rows, &answers, STEPS)?)
    }

    fn write(
        &self,
        about: (&str, &str, &str),
        pairs: &Pairs,
        (gates, learnt): (Vec<f32>, Option<(FitSettings, Vec<inkveil::vectors::FitEpoch>)>),
        (path, output): (&Path, Output),
    ) -> anyhow::Result<()> {
        let corpus = CorpusNote {
            sha256: self.corpus.clone(),
            texts: self.texts.texts.len(),
            pairs: pairs.len(),
            public: self.args.public_corpus,
        };
        let note = MaskNote::new(about, self.encoder.note.clone(), corpus, learnt);
        let mask = Mask { gates, mean_squares: pairs.mean_squares(), note };
        output.put(&mask.to_bytes()?)?;
        self.say(format_args!(
            "{}: {:.1} % of {} dimensions are open",
            path.display(),
            100.0 * mask.open_share(),
            pairs.dim()
        ));
        if !self.args.public_corpus {
            self.say(format_args!(
                "note: the texts were not declared public (--public-corpus); the mask and every release with it reveal something \
                 about them, and receipts say so"
            ));
        }
        Ok(())
    }

    fn say(&self, what: std::fmt::Arguments<'_>) {
        if !self.args.quiet {
            say!("{what}");
        }
    }
}
