//! `inkveil vector fit`: an eraser or a mask for a concept.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail, ensure};
use inkveil::Encoder;
use inkveil::files::{Output, Sha256Sum};
use inkveil::names_folder;
use inkveil::nn::{Mlp, Weights};
use inkveil::vectors::{
    Concept, ConceptFinder, CorpusNote, Eraser, ErrorKind, FitEpoch, FitSettings, Fitted, Mask, MaskNote,
    PairTexts, Pairs, attribution, fit, sensitivity,
};

use super::texts::Texts;
use super::{attack, concept, erase};
use crate::args::{FitArgs, FitMethod};
use crate::outcome::Outcome;
use crate::{corpus, interrupt, progress};
use inkveil::pack_folder;

/// The number of steps of integrated gradients.
const STEPS: usize = 16;

/// A mask covers nearly all dimensions if more than this share is open.
const NEARLY_ALL: f64 = 0.9;

pub(super) fn run(args: &FitArgs) -> anyhow::Result<Outcome> {
    let cancel = interrupt::flag()?;
    inkveil::files::refuse_same_file(&[
        ("the texts", Some(&args.texts.file)),
        ("--output", Some(&args.output)),
    ])?;
    check(args)?;
    let targets = targets(args)?;
    let job = Job {
        args,
        encoder: Encoder::open(&args.pack)?,
        corpus: Sha256Sum::of_file(&args.texts.file)
            .context("cannot compute the checksum of the texts")?
            .to_string(),
        cancel: &cancel,
    };
    let names = names_folder(&pack_folder(&args.pack)?)?;
    let finders: Vec<ConceptFinder> = targets
        .iter()
        .filter_map(|target| target.concept.as_ref())
        .map(|concept| concept.finder(Some(&names)))
        .collect::<Result<_, _>>()?;
    let erasing = match args.method {
        FitMethod::Erase | FitMethod::Both => Some(erase::read(args, &job.encoder, &finders, &cancel)?),
        FitMethod::Mask => None,
    };
    let texts = match args.method {
        FitMethod::Mask | FitMethod::Both => {
            let tables = &args.texts.tables;
            let column = args.label_column.as_ref();
            Some(Texts::read(&args.texts.file, tables.from, &corpus::options(tables), column)?)
        }
        FitMethod::Erase => None,
    };
    for (index, target) in targets.into_iter().enumerate() {
        let erased = match &erasing {
            Some(read) => {
                let eraser = read.eraser(index, args)?;
                job.say_erased(&target.name, read.labelled(index), read.texts(), &eraser);
                Some((eraser, read.texts(), read.labelled(index)))
            }
            None => None,
        };
        let learnt = match &texts {
            Some(texts) => Some(match finders.get(index) {
                Some(finder) => job.learn(&target.name, finder, texts)?,
                None => job.labelled(&target.name, texts)?,
            }),
            None => None,
        };
        job.write(target, erased, learnt)?;
    }
    Ok(Outcome::Success)
}

/// Refuses flags that do nothing with this method.
fn check(args: &FitArgs) -> anyhow::Result<()> {
    if args.method == FitMethod::Erase {
        let given = [
            ("--lambda", args.lambda.is_some()),
            ("--epochs", args.epochs.is_some()),
            ("--rate", args.rate.is_some()),
            ("--gate-rate", args.gate_rate.is_some()),
            ("--seed", args.seed.is_some()),
            ("--white-box", args.white_box.is_some()),
        ];
        if let Some((flag, _)) = given.iter().find(|(_, given)| *given) {
            bail!("{flag} is for masks; add --method mask, or leave it out to fit an eraser");
        }
    }
    Ok(())
}

/// What a mask is learnt for, and where it goes.
struct Target {
    name: String,
    summary: String,
    sha256: String,
    /// None if a column has the labels.
    concept: Option<Concept>,
    path: PathBuf,
    /// Opened before learning, so that no result is lost to a file that cannot be written.
    output: Output,
}

fn targets(args: &FitArgs) -> anyhow::Result<Vec<Target>> {
    if let Some(column) = &args.label_column {
        let name = args.concept.name.clone().unwrap_or_else(|| column.to_string());
        let (path, output) = (args.output.clone(), Output::file(&args.output, args.force)?);
        let (summary, sha256) = ("a label".to_owned(), String::new());
        return Ok(vec![Target { name, summary, sha256, concept: None, path, output }]);
    }
    let concepts = concept::all(&args.concept)?;
    let into_folder = concepts.len() > 1 || args.output.is_dir();
    let target = |concept: Concept| -> anyhow::Result<Target> {
        let path = match into_folder {
            false => args.output.clone(),
            true => file_for(&args.output, &concept)?,
        };
        let output = Output::file(&path, args.force)?;
        let (name, summary, sha256) = (concept.name.clone(), concept.summary(), concept.sha256());
        Ok(Target { name, summary, sha256, concept: Some(concept), path, output })
    };
    concepts.into_iter().map(target).collect()
}

/// Returns the file of a mask in a folder, which is made if needed.
fn file_for(folder: &Path, concept: &Concept) -> anyhow::Result<PathBuf> {
    let name = concept.mask_file()?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    Ok(folder.join(name))
}

/// A learnt mask: its gates, the mean squares of dimensions, and how it was learnt.
struct Learnt {
    gates: Vec<f32>,
    mean_squares: Vec<f32>,
    pairs: usize,
    texts: usize,
    how: Option<(FitSettings, Vec<FitEpoch>)>,
}

struct Job<'a> {
    args: &'a FitArgs,
    encoder: Encoder,
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

    fn learn(&self, name: &str, finder: &ConceptFinder, texts: &Texts) -> anyhow::Result<Learnt> {
        let texts = texts.as_strs();
        let found = PairTexts::find(finder, &texts)?;
        let counts = found.counts;
        self.say(format_args!(
            "{name}: {} mentions in {} of {} texts; {} pairs ({} texts have no other content)",
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
        let (gates, how) = match &self.args.white_box {
            Some(file) => (self.attributed(file, finder, &with, &pairs)?, None),
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
        let (mean_squares, pairs) = (pairs.mean_squares(), pairs.len());
        Ok(Learnt { gates, mean_squares, pairs, texts: texts.len(), how })
    }

    fn labelled(&self, name: &str, texts: &Texts) -> anyhow::Result<Learnt> {
        let labels = texts.labels.as_deref().unwrap_or_default();
        let all = texts.as_strs();
        let side = |wanted: bool| -> Vec<&str> {
            all.iter().zip(labels).filter(|(_, label)| **label == wanted).map(|(text, _)| *text).collect()
        };
        let (with, without) = (side(true), side(false));
        self.say(format_args!("{name}: {} texts with the label, {} without", with.len(), without.len()));
        let positive = self.encode(&with, "with the concept")?;
        let negative = self.encode(&without, "without it")?;
        let pairs = Pairs::from_labels(self.encoder.model.width(), positive, negative)?;
        let (fitted, settings) = self.gates(&pairs)?;
        Ok(Learnt {
            gates: fitted.gates,
            mean_squares: pairs.mean_squares(),
            pairs: pairs.len(),
            texts: all.len(),
            how: Some((settings, fitted.curve)),
        })
    }

    fn gates(&self, pairs: &Pairs) -> anyhow::Result<(Fitted, FitSettings)> {
        let known = FitSettings::default();
        let settings = FitSettings {
            lambda: self.args.lambda.unwrap_or(known.lambda),
            epochs: self.args.epochs.unwrap_or(known.epochs),
            rate: self.args.rate.unwrap_or(known.rate),
            gate_rate: self.args.gate_rate.unwrap_or(known.gate_rate),
            seed: self.args.seed.unwrap_or(known.seed),
            ..known
        };
        let bar = progress::bar(
            Some(settings.epochs as u64),
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
        finder: &ConceptFinder,
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
        target: Target,
        erased: Option<(Eraser, usize, usize)>,
        learnt: Option<Learnt>,
    ) -> anyhow::Result<()> {
        let (texts, pairs) = match (&erased, &learnt) {
            (_, Some(learnt)) => (learnt.texts, learnt.pairs),
            (Some((_, texts, labelled)), None) => (*texts, *labelled),
            (None, None) => (0, 0),
        };
        let public = self.args.public_corpus;
        let corpus = CorpusNote { sha256: self.corpus.clone(), texts, pairs, public };
        let (gates, mean_squares, how) = match learnt {
            Some(learnt) => (learnt.gates, learnt.mean_squares, learnt.how),
            None => (Vec::new(), Vec::new(), None),
        };
        let about = (target.name.as_str(), target.summary.as_str(), target.sha256.as_str());
        let note = MaskNote::new(about, self.encoder.note.clone(), corpus, how);
        let mask = Mask { gates, mean_squares, eraser: erased.map(|(eraser, ..)| eraser), note };
        target.output.put(&mask.to_bytes()?)?;
        let path = target.path.display();
        if let Some(eraser) = &mask.eraser {
            self.say(format_args!("{path}: erases {} of {} directions", eraser.directions(), eraser.dim()));
        }
        if mask.has_gates() {
            self.say(format_args!(
                "{path}: {:.1} % of {} dimensions are open",
                100.0 * mask.open_share(),
                mask.dim()
            ));
        }
        if mask.has_gates() && mask.open_share() > NEARLY_ALL {
            anstream::eprintln!(
                "warning: the mask covers nearly all dimensions, so noise that follows it is nearly the same in \
                 all directions; a larger --lambda gives fewer, and --method erase hides words better"
            );
        }
        if !public {
            self.say(format_args!(
                "note: the texts were not declared public (--public-corpus); the mask and every release with it reveal something \
                 about them, and receipts say so"
            ));
        }
        Ok(())
    }

    fn say_erased(&self, name: &str, labelled: usize, texts: usize, eraser: &Eraser) {
        let note = &eraser.note;
        self.say(format_args!(
            "{name}: {} words in {labelled} of {texts} texts; the erased directions hold {:.1} % of what tells them apart \
             and {:.1} % of the spread of all vectors",
            note.labels,
            100.0 * note.concept_removed,
            100.0 * note.spread_removed
        ));
    }

    fn say(&self, what: std::fmt::Arguments<'_>) {
        if !self.args.quiet {
            say!("{what}");
        }
    }
}
