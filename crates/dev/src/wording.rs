//! Measures what a language model does to veiled documents: how much of a text it repairs, and what it fills
//! gaps with.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use inkveil::{AtZero, NoiseKey, Preset, Veil, Veiled, repair};
use inkveil_lexicon::{Lexicon, LexiconKind, Symbols, WordPrior};

/// Measure the repair of veiled documents and the filling of gaps by a local language model
#[derive(Debug, Args)]
pub(crate) struct WordingArgs {
    /// The documents
    #[arg(default_values_os_t = documents())]
    files: Vec<PathBuf>,
    /// The language model, as `text --repair` takes it
    #[arg(long, default_value = "qwen-1.5b")]
    model: String,
    /// The preset whose release is repaired
    #[arg(long, default_value = "strict")]
    preset: Preset,
    /// The seed of the noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Fill gaps instead of repairing
    #[arg(long)]
    fill: bool,
    /// Print the texts before and after
    #[arg(long)]
    show: bool,
}

fn documents() -> Vec<PathBuf> {
    let names = [
        "chat",
        "contract",
        "cv",
        "email-thread",
        "forum-post",
        "letter",
        "log",
        "medical-note",
        "memo",
        "ticket",
    ];
    names.iter().map(|name| PathBuf::from(format!("docs/results/documents/{name}.txt"))).collect()
}

/// What happened to the documents so far.
#[derive(Default)]
struct Sums {
    asked: usize,
    changed: usize,
    before: Surprise,
    after: Surprise,
    seconds: f64,
}

pub(crate) fn run(args: &WordingArgs) -> anyhow::Result<()> {
    let fluency = Fluency::open()?;
    let mut sums = Sums::default();
    match args.fill {
        true => println!("document       gaps  filled  as the original  perplexity: gaps, filled  seconds"),
        false => println!("document       sentences  changed  perplexity: veiled, repaired  seconds"),
    }
    for path in &args.files {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let one = if args.fill { filled(args, &text, &fluency)? } else { repaired(args, &text, &fluency)? };
        one.print(&name);
        sums.add(&one);
    }
    sums.print("all");
    Ok(())
}

fn repaired(args: &WordingArgs, text: &str, fluency: &Fluency) -> anyhow::Result<Sums> {
    let model = inkveil::open_model(&args.model)?;
    let veil = Veil::text().preset(args.preset).build()?;
    let veiled = one(&veil, text, args.seed)?;
    let started = Instant::now();
    let repaired = repair(&*model, &veiled)?;
    let seconds = started.elapsed().as_secs_f64();
    if args.show {
        println!("--- veiled\n{}\n--- repaired ({:?})\n{}", veiled.text(), repaired.refused, repaired.text);
    }
    Ok(Sums {
        asked: repaired.sentences,
        changed: repaired.changed,
        before: fluency.of(veiled.text())?,
        after: fluency.of(&repaired.text)?,
        seconds,
    })
}

fn filled(args: &WordingArgs, text: &str, fluency: &Fluency) -> anyhow::Result<Sums> {
    let gaps = Veil::text().preset(args.preset).at_zero(AtZero::Mask).build()?;
    let before = one(&gaps, text, args.seed)?.into_text();
    let veil = Veil::text().preset(args.preset).at_zero(AtZero::Fill).model(&args.model).build()?;
    let started = Instant::now();
    let veiled = one(&veil, text, args.seed)?;
    let seconds = started.elapsed().as_secs_f64();
    let same = veiled.replacements().filter(|replaced| replaced.replacement == replaced.original).count();
    let left = veiled.replacements().filter(|replaced| replaced.replacement.starts_with('[')).count();
    if args.show {
        println!("--- gaps\n{before}\n--- filled\n{}", veiled.text());
    }
    println!("  {} gaps, {left} without words, {same} as the original", veiled.replacements().count());
    Ok(Sums {
        asked: veiled.replacements().count(),
        changed: veiled.replacements().count() - left,
        before: fluency.of(&before)?,
        after: fluency.of(veiled.text())?,
        seconds,
    })
}

fn one<'t>(veil: &inkveil::TextVeil, text: &'t str, seed: u64) -> anyhow::Result<Veiled<'t>> {
    let key = NoiseKey::insecure_from_seed(seed);
    let veiled = veil.veil_all(&[inkveil::Document::new(text)], 0, &key)?;
    veiled.into_iter().next().context("no text came back")
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.asked += other.asked;
        self.changed += other.changed;
        self.before.add(&other.before);
        self.after.add(&other.after);
        self.seconds += other.seconds;
    }

    fn print(&self, name: &str) {
        println!(
            "{name:<13}{:>11}{:>9}{:>20.0}{:>10.0}{:>9.1}",
            self.asked,
            self.changed,
            self.before.perplexity(),
            self.after.perplexity(),
            self.seconds
        );
    }
}

/// The perplexity of words after their neighbour, by the prior of the pack.
struct Fluency {
    prior: WordPrior,
    lexicon: Lexicon,
}

#[derive(Default)]
struct Surprise {
    sum: f64,
    words: u32,
}

impl Fluency {
    fn open() -> anyhow::Result<Self> {
        let pack = inkveil::pack_folder(inkveil::DEFAULT_PACK)?;
        let lexicon = Lexicon::open_kind(&pack, LexiconKind::Words)?.with_symbols(Symbols::Units);
        let prior = WordPrior::open(&pack, &lexicon)?.context("the pack has no prior")?;
        Ok(Self { prior, lexicon })
    }

    fn of(&self, text: &str) -> anyhow::Result<Surprise> {
        let mut surprise = Surprise::default();
        for line in text.lines() {
            let symbols = self.prior.symbols_of(&self.lexicon.align(line)?);
            for near in symbols.windows(2) {
                let &[before, symbol] = near else { continue };
                if symbol.is_word() {
                    surprise.sum -= f64::from(self.prior.pair(before, symbol));
                    surprise.words += 1;
                }
            }
        }
        Ok(surprise)
    }
}

impl Surprise {
    fn add(&mut self, other: &Surprise) {
        self.sum += other.sum;
        self.words += other.words;
    }

    fn perplexity(&self) -> f64 {
        (self.sum / f64::from(self.words.max(1))).exp()
    }
}
