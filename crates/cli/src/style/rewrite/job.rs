//! The work: models opened, texts rewritten, passages shown as they are done.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, ensure};
use inkveil::{AtZero, Budgets, Document, NoiseKey, Receipt, TextTally, TextVeil, Veil};
use inkveil_privacy::Purpose;
use inkveil_style::{
    DraftSettings, ErrorKind, Fallback, JudgeModels, Rewrite, RewriteProgress, RewriteRules, RewriteSettings,
    RewriteTally, StyleVeil,
};

use super::source::{Form, Source};
use crate::args::{FallbackName, RewriteArgs};
use crate::style::{models, tools};
use crate::words::folder_of;
use crate::{chat, device, interrupt, progress};

/// Everything that rewriting needs.
pub(super) struct Job {
    pub(super) veil: StyleVeil,
    seed: u64,
    /// The veil that comes first, and the key of its noise.
    text_veil: Option<(TextVeil, NoiseKey)>,
    cancel: Arc<AtomicBool>,
    quiet: bool,
}

/// A text that was rewritten or refused.
pub(super) struct Settled {
    pub(super) rewrite: Rewrite,
    /// What the text veil spent, if it came first.
    pub(super) spent: Option<TextTally>,
}

impl Settled {
    pub(super) fn text(&self) -> Option<&str> {
        self.rewrite.text.as_deref()
    }
}

impl Job {
    pub(super) fn open(args: &RewriteArgs) -> anyhow::Result<Self> {
        ensure!((0.0..=1.0).contains(&args.meaning), "--meaning is a share from 0 to 1");
        ensure!((0.0..=5.0).contains(&args.temperature), "--temperature is a number from 0 to 5");
        let cancel = interrupt::flag()?;
        let pack = folder_of(&args.tools.encoder.pack)?;
        let local = !chat::is_address(&args.model);
        let adapters = match &args.adapters {
            Some(name) if name.as_os_str() == "none" => None,
            Some(file) => {
                ensure!(local, "--adapters belong to a local model; a server has its own");
                ensure!(file.is_file(), "{}: no such file", file.display());
                Some(file.clone())
            }
            None => Some(pack.join(format!("rewriter-{}.safetensors", args.model)))
                .filter(|file: &PathBuf| local && file.is_file()),
        };
        let model = models::open(&args.model, adapters.as_deref(), device::open(args.device)?)?;
        let (encoder, memory) = tools::open(&args.tools)?;
        let judge = JudgeModels::open(&pack, encoder, memory)?;
        let text_veil =
            args.with_text_veil.map(|budgets| text_veil(&args.tools.encoder.pack, budgets)).transpose()?;
        let seed = match args.seed {
            Some(seed) => seed,
            None => fresh_seed()?,
        };
        let settings = RewriteSettings {
            draft: DraftSettings {
                count: args.candidates.into(),
                temperature: args.temperature,
                ..DraftSettings::default()
            },
            rounds: args.rounds.into(),
            rules: RewriteRules { meaning: args.meaning, ..RewriteRules::default() },
            fallback: match args.fallback {
                FallbackName::Refuse => Fallback::Refuse,
                FallbackName::Closest => Fallback::Closest,
                FallbackName::Keep => Fallback::Keep,
            },
        };
        let veil = StyleVeil::new(model, judge, settings)?;
        Ok(Self { veil, seed, text_veil, cancel, quiet: args.quiet })
    }

    /// Rewrites all texts. With `streams`, what is certain of a text goes to standard output at once.
    pub(super) fn run(&self, source: &Source, streams: bool) -> anyhow::Result<Vec<Settled>> {
        let (texts, spent) = self.veiled(source)?;
        let bar = progress::bar(
            None,
            "rewriting {bar:30} {human_pos}/{human_len} passages  {eta} left",
            self.quiet,
        );
        let shows = streams && source.form == Form::Text;
        let mut broken = None;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let made = self.veil.rewrite_all(&texts, 0, self.seed, &mut |event| {
            match event {
                RewriteProgress::Passages { done, all } => {
                    bar.set_length(all as u64);
                    bar.set_position(done as u64);
                }
                RewriteProgress::Piece { piece, .. } if shows && broken.is_none() => {
                    let mut out = std::io::stdout().lock();
                    let written = bar.suspend(|| out.write_all(piece.as_bytes()).and_then(|()| out.flush()));
                    broken = written.err();
                }
                RewriteProgress::Piece { .. } => {}
            }
            broken.is_none() && !self.cancel.load(Ordering::Relaxed)
        });
        bar.finish_and_clear();
        if let Some(error) = broken {
            return Err(error).context("cannot write the text");
        }
        let made = made.map_err(|error| match error.kind() {
            ErrorKind::Stopped => inkveil_io::Error::from(inkveil_io::ErrorKind::Cancelled).into(),
            _ => anyhow::Error::from(error),
        })?;
        Ok(made.into_iter().zip(spent).map(|(rewrite, spent)| Settled { rewrite, spent }).collect())
    }

    /// The texts as the model gets them, and what the text veil spent on each.
    fn veiled(&self, source: &Source) -> anyhow::Result<(Vec<String>, Vec<Option<TextTally>>)> {
        let Some((veil, key)) = &self.text_veil else {
            return Ok((source.texts.clone(), vec![None; source.texts.len()]));
        };
        let documents: Vec<Document<'_>> = source.texts.iter().map(|text| Document::new(text)).collect();
        let veiled = veil.veil_all(&documents, 0, key)?;
        let both = veiled.iter().map(|veiled| {
            let mut tally = TextTally::default();
            tally.add(veiled.plan());
            (veiled.text().to_owned(), Some(tally))
        });
        Ok(both.unzip())
    }

    /// One receipt for all texts that were released; `sha256` is the checksum of what was written.
    pub(super) fn receipt(&self, settled: &[Settled], sha256: Option<String>) -> anyhow::Result<Receipt> {
        let before = self.before(settled)?;
        let tally: RewriteTally = settled.iter().map(|one| &one.rewrite).collect();
        Ok(self.veil.receipt_of(&tally, before.as_ref(), sha256)?)
    }

    /// The receipt of the text veil for texts that were released, if it came first.
    fn before(&self, settled: &[Settled]) -> anyhow::Result<Option<Receipt>> {
        let Some((veil, key)) = &self.text_veil else { return Ok(None) };
        let mut all = TextTally::default();
        let released = settled.iter().filter(|one| one.text().is_some());
        released.filter_map(|one| one.spent.as_ref()).for_each(|spent| all.join(spent));
        Ok(Some(veil.receipt(&all, None, key)?))
    }
}

/// The veil that comes first. What gets nothing is replaced by a fresh value of its kind, which a model can rewrite.
fn text_veil(pack: &str, budgets: Budgets) -> anyhow::Result<(TextVeil, NoiseKey)> {
    let veil = Veil::text().pack(pack).budgets(budgets).at_zero(AtZero::Surrogate).build()?;
    Ok((veil, NoiseKey::fresh()?))
}

/// A seed that differs from call to call.
fn fresh_seed() -> anyhow::Result<u64> {
    Ok(NoiseKey::fresh()?.stream(0, 0, Purpose::named("rewrite")).next_u64())
}
