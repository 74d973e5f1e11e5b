//! `inkveil vector fit`: an eraser or a mask for a concept.

use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use indicatif::ProgressBar;
use inkveil::fit::{FitEvent, FitMethod, FitTarget, FitTexts, FitVectors, TextFile, VectorFit, WhiteBox};
use inkveil::nn::{Mlp, Weights};
use inkveil::vectors::{EraseSettings, FitEpoch, FitSettings, Mask};
use inkveil::vectors_io::VectorFormat;
use inkveil_eval::attack::SavedAttacker;

use super::concept;
use crate::args::FitArgs;
use crate::outcome::Outcome;
use crate::{interrupt, progress};

/// A mask covers nearly all dimensions if more than this share is open.
const NEARLY_ALL: f64 = 0.9;

pub(super) fn run(args: &FitArgs) -> anyhow::Result<Outcome> {
    let cancel = interrupt::flag()?;
    inkveil::files::refuse_same_file(&[
        ("the texts", Some(&args.texts.file)),
        ("--output", Some(&args.output)),
    ])?;
    // Texts and vectors may be in one file, as `vector embed` writes them.
    inkveil::files::refuse_same_file(&[
        ("--vectors", args.vectors.as_deref()),
        ("--output", Some(&args.output)),
    ])?;
    let fit = plan(args)?;
    let targets = match &args.label_column {
        Some(column) => {
            let name = args.concept.name.clone().unwrap_or_else(|| column.to_string());
            vec![FitTarget::label(name, &args.output, args.force)?]
        }
        None => FitTarget::concepts(concept::all(&args.concept)?, &args.output, args.force)?,
    };
    let tables = &args.texts.tables;
    let texts = FitTexts::File(TextFile {
        path: args.texts.file.clone(),
        from: tables.from,
        options: tables.options(),
        label: args.label_column.clone(),
    });
    let mut shown = Shown { quiet: args.quiet, bar: None };
    if args.measure {
        let outcome = super::measured_fit::run(args, &fit, targets, &texts, &cancel, &mut shown);
        shown.clear();
        if !matches!(outcome, Ok(Outcome::Success)) {
            return outcome;
        }
    } else {
        let fitted = fit.run(targets, &texts, &cancel, &mut |event| shown.event(event));
        shown.clear();
        fitted?;
    }
    if !fit.public && !args.quiet {
        say!(
            "note: the texts were not declared public (--public-corpus); the mask and every release with it reveal something \
             about them, and receipts say so"
        );
    }
    Ok(Outcome::Success)
}

/// The settings of the fit. Flags that do nothing with the method are refused.
fn plan(args: &FitArgs) -> anyhow::Result<VectorFit> {
    ensure!(
        !args.measure || args.method == FitMethod::Erase,
        "--measure is for erasers; leave out --method to fit one"
    );
    if args.method == FitMethod::Erase {
        let given = [
            ("--lambda", args.lambda.is_some()),
            ("--epochs", args.epochs.is_some()),
            ("--rate", args.rate.is_some()),
            ("--gate-rate", args.gate_rate.is_some()),
            ("--seed", args.seed.is_some() && !args.measure),
            ("--white-box", args.white_box.is_some()),
        ];
        if let Some((flag, _)) = given.iter().find(|(_, given)| *given) {
            bail!("{flag} is for masks; add --method mask, or leave it out to fit an eraser");
        }
    }
    if let Some(path) = &args.vectors {
        VectorFormat::from_path(path)
            .with_context(|| format!("the name of {} does not show its format", path.display()))?;
    }
    let known = FitSettings::default();
    Ok(VectorFit {
        pack: args.pack.clone(),
        vectors: args.vectors.clone().map(|path| FitVectors { path, encoder: args.encoder.clone() }),
        method: args.method,
        erase: EraseSettings { gamma: args.gamma, rho: args.rho, least_texts: args.min_count },
        gates: FitSettings {
            lambda: args.lambda.unwrap_or(known.lambda),
            epochs: args.epochs.unwrap_or(known.epochs),
            rate: args.rate.unwrap_or(known.rate),
            gate_rate: args.gate_rate.unwrap_or(known.gate_rate),
            seed: args.seed.unwrap_or(known.seed),
            ..known
        },
        white_box: args.white_box.as_deref().map(attacker_in).transpose()?,
        public: args.public_corpus,
    })
}

/// Opens an attacker that `attack vector` has saved.
fn attacker_in(file: &Path) -> anyhow::Result<WhiteBox> {
    let network = Mlp::from_weights(&Weights::open(file)?).with_context(|| file.display().to_string())?;
    let words = SavedAttacker::words_in(file)?;
    ensure!(network.outputs() == words.len(), "{}: the file has no attacker on vectors", file.display());
    let correct_outputs = Box::new(move |texts: &[&str], spans: &[Vec<inkveil::detect::Span>]| {
        let bug = |_| inkveil::ErrorKind::Bug("there is not one list of spans for each text").into();
        SavedAttacker::correct_outputs(&words, texts, spans).map_err(bug)
    });
    Ok(WhiteBox { network, correct_outputs })
}

/// Prints what happens, with a progress bar.
pub(super) struct Shown {
    quiet: bool,
    bar: Option<(&'static str, ProgressBar)>,
}

impl Shown {
    pub(super) fn event(&mut self, event: FitEvent<'_>) {
        match event {
            FitEvent::Read { texts } => {
                self.bar("reading {spinner} {human_pos} texts  {elapsed}", None).set_position(texts);
            }
            FitEvent::Encoding { with_concept, done, all } => {
                let template = match with_concept {
                    true => "with the concept {bar:30} {human_pos}/{human_len} texts  {eta} left",
                    false => "without it {bar:30} {human_pos}/{human_len} texts  {eta} left",
                };
                self.bar(template, Some(all)).set_position(done);
            }
            FitEvent::Epoch { epoch, of } => {
                let template = "learning {bar:30} {human_pos}/{human_len} epochs  {eta} left  {msg}";
                let bar = self.bar(template, Some(of as u64));
                bar.set_message(in_words(&epoch, "  accuracy"));
                bar.set_position(epoch.number as u64);
            }
            FitEvent::Erased { concept, texts, note } => self.say(format_args!(
                "{concept}: {} words in {} of {texts} texts; the erased directions hold {:.1} % of what tells them apart \
                 and {:.1} % of the spread of all vectors",
                note.labels,
                note.labelled_texts,
                100.0 * note.concept_removed,
                100.0 * note.spread_removed
            )),
            FitEvent::Found { concept, counts, pairs } => {
                self.say(format_args!(
                    "{concept}: {} mentions in {} of {} texts; {pairs} pairs ({} texts have no other content)",
                    counts.mentions, counts.with_concept, counts.texts, counts.emptied
                ));
                if counts.with_concept == counts.texts {
                    self.say(format_args!(
                        "note: every text mentions the concept; texts without it would improve the mask"
                    ));
                }
            }
            FitEvent::Labelled { concept, with, without } => {
                self.say(format_args!("{concept}: {with} texts with the label, {without} without"));
            }
            FitEvent::Learnt { sensitivity, last } => {
                if let Some(last) = last {
                    self.say(format_args!("{}", in_words(&last, ", accuracy on held-out texts")));
                }
                if let Some(change) = sensitivity {
                    self.say(format_args!(
                        "without the concept, the tenth of dimensions with the highest gates changes by {:.4}, and the tenth with the lowest by {:.4} (p = {:.1e})",
                        change.top, change.bottom, change.p_value
                    ));
                }
            }
            FitEvent::Written { mask, path } => self.written(mask, path),
        }
    }

    fn written(&mut self, mask: &Mask, path: &Path) {
        let path = path.display();
        if let Some(eraser) = &mask.eraser {
            self.say(format_args!("{path}: erases {} of {} directions", eraser.directions(), eraser.dim()));
        }
        if let Some(measured) = &mask.note.measured {
            self.say(format_args!("{}", measured.in_words().join("\n")));
        }
        if mask.has_gates() {
            let open = 100.0 * mask.open_share();
            self.say(format_args!("{path}: {open:.1} % of {} dimensions are open", mask.dim()));
        }
        if mask.has_gates() && mask.open_share() > NEARLY_ALL {
            anstream::eprintln!(
                "warning: the mask covers nearly all dimensions, so noise that follows it is nearly the same in \
                 all directions; a larger --lambda gives fewer, and --method erase hides words better"
            );
        }
    }

    /// The bar of this template. A new template replaces the bar.
    fn bar(&mut self, template: &'static str, total: Option<u64>) -> &ProgressBar {
        if self.bar.as_ref().is_none_or(|(now, _)| *now != template) {
            self.clear();
        }
        let quiet = self.quiet;
        &self.bar.get_or_insert_with(|| (template, progress::bar(total, template, quiet))).1
    }

    pub(super) fn clear(&mut self) {
        if let Some((_, bar)) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn say(&mut self, what: std::fmt::Arguments<'_>) {
        self.clear();
        if !self.quiet {
            say!("{what}");
        }
    }
}

fn in_words(epoch: &FitEpoch, accuracy: &str) -> String {
    let right = epoch.accuracy.map_or(String::new(), |share| format!("{accuracy} {:.1} %", 100.0 * share));
    format!("loss {:.4}, open {:.1} %{right}", epoch.loss, 100.0 * epoch.open)
}
