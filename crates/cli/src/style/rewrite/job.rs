//! The work: models opened, texts rewritten, passages shown as they are done.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, ensure};
use inkveil::{AtZero, Budgets, Document, NoiseKey, Receipt, Tally, TextVeil, Veil};
use inkveil_privacy::Purpose;
use inkveil_style::{Draw, ErrorKind, Fallback, Progress, Rewrite, RewriteSettings, Rewriter, Rules, Writer};

use super::source::{Form, Source};
use crate::args::{FallbackName, RewriteArgs};
use crate::style::train::Measuring;
use crate::style::{models, tools};
use crate::{chat, device, digest, interrupt, progress};
use inkveil_pack::pack_folder;

/// Everything that rewriting needs.
pub(super) struct Job {
    pub(super) settings: RewriteSettings,
    pub(super) measuring: Measuring,
    pub(super) model: String,
    /// The adapters in use, and their checksum.
    pub(super) adapters: Option<(String, String)>,
    pub(super) local: bool,
    writer: Box<dyn Writer>,
    /// The veil that comes first, and the key of its noise.
    veil: Option<(TextVeil, NoiseKey)>,
    cancel: Arc<AtomicBool>,
    quiet: bool,
}

/// A text that was rewritten or refused.
pub(super) struct Settled {
    pub(super) rewrite: Rewrite,
    /// What the text veil spent, if it came first.
    pub(super) spent: Option<Tally>,
}

impl Settled {
    pub(super) fn text(&self) -> Option<&str> {
        self.rewrite.text.as_deref()
    }
}

/// On a GPU so many passages are written at once.
const AT_ONCE: usize = 512;

impl Job {
    pub(super) fn open(args: &RewriteArgs) -> anyhow::Result<Self> {
        ensure!((0.0..=1.0).contains(&args.meaning), "--meaning is a share from 0 to 1");
        ensure!((0.0..=5.0).contains(&args.temperature), "--temperature is a number from 0 to 5");
        let cancel = interrupt::flag()?;
        let pack = pack_folder(&args.tools.encoder.pack)?;
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
        let device = device::open(args.device)?;
        let batch = if device.is_cpu() { 1 } else { AT_ONCE };
        let writer = models::writer(&args.model, adapters.as_deref(), device)?;
        let (encoder, memory) = tools::open(&args.tools)?;
        let measuring = Measuring::with(encoder, memory, &pack)?;
        let veil = args.with_text_veil.map(|budgets| veil(&args.tools.encoder.pack, budgets)).transpose()?;
        let adapters = adapters
            .map(|file| anyhow::Ok((chat::public_name(&file.display().to_string()), digest::of_file(&file)?)))
            .transpose()?;
        let seed = match args.seed {
            Some(seed) => seed,
            None => fresh_seed()?,
        };
        let settings = RewriteSettings {
            draw: Draw {
                count: args.candidates.into(),
                temperature: args.temperature,
                seed,
                ..Draw::default()
            },
            rounds: args.rounds.into(),
            rules: Rules { meaning: args.meaning, ..Rules::default() },
            fallback: match args.fallback {
                FallbackName::Refuse => Fallback::Refuse,
                FallbackName::Closest => Fallback::Closest,
                FallbackName::Keep => Fallback::Keep,
            },
            batch,
        };
        let (model, quiet) = (chat::public_name(&args.model), args.quiet);
        Ok(Self { settings, measuring, model, adapters, local, writer, veil, cancel, quiet })
    }

    /// Rewrites all texts. With `streams`, what is certain of a text goes to standard output at once.
    pub(super) fn run(&self, source: &Source, streams: bool) -> anyhow::Result<Vec<Settled>> {
        let geometry = self.measuring.memory.geometry()?;
        let rewriter = Rewriter {
            judge: self.measuring.judge(&geometry),
            writer: &*self.writer,
            settings: self.settings,
        };
        let (texts, spent) = self.veiled(source)?;
        let bar = progress::bar(
            None,
            "rewriting {bar:30} {human_pos}/{human_len} passages  {eta} left",
            self.quiet,
        );
        let shows = streams && source.form == Form::Text;
        let mut broken = None;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let made = rewriter.rewrite(&texts, &mut |event| {
            match event {
                Progress::Passages(done, all) => {
                    bar.set_length(all as u64);
                    bar.set_position(done as u64);
                }
                Progress::Piece(_, piece) if shows && broken.is_none() => {
                    let mut out = std::io::stdout().lock();
                    let written = bar.suspend(|| out.write_all(piece.as_bytes()).and_then(|()| out.flush()));
                    broken = written.err();
                }
                Progress::Piece(..) => {}
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
    fn veiled(&self, source: &Source) -> anyhow::Result<(Vec<String>, Vec<Option<Tally>>)> {
        let Some((veil, key)) = &self.veil else {
            return Ok((source.texts.clone(), vec![None; source.texts.len()]));
        };
        let documents: Vec<Document<'_>> = source.texts.iter().map(|text| Document::new(text)).collect();
        let veiled = veil.veil_all(&documents, 0, key)?;
        let both = veiled.iter().map(|veiled| {
            let mut tally = Tally::default();
            tally.add(veiled.plan());
            (veiled.text().to_owned(), Some(tally))
        });
        Ok(both.unzip())
    }

    /// What the text veil promises for texts that were released, if it came first.
    pub(super) fn promise(&self, released: &[&Settled]) -> anyhow::Result<Option<Receipt>> {
        let Some((veil, key)) = &self.veil else { return Ok(None) };
        let mut all = Tally::default();
        released.iter().filter_map(|one| one.spent.as_ref()).for_each(|spent| all.join(spent));
        Ok(Some(veil.receipt(&all, None, key)?))
    }
}

/// The veil that comes first. What gets nothing is replaced by a fresh value of its kind, which a model can rewrite.
fn veil(pack: &str, budgets: Budgets) -> anyhow::Result<(TextVeil, NoiseKey)> {
    let veil = Veil::text().pack(pack).budgets(budgets).at_zero(AtZero::Surrogate).build()?;
    Ok((veil, NoiseKey::fresh()?))
}

/// A seed that differs from call to call.
fn fresh_seed() -> anyhow::Result<u64> {
    Ok(NoiseKey::fresh()?.stream(0, 0, Purpose::named("rewrite")).next_u64())
}
