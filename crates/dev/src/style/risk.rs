//! Measures whether the risk of a memory predicts recognition, and how stable the risk is.

use std::path::PathBuf;

use clap::Args;
use inkveil_eval::attack::{AuthorAttack, AuthorAttacker, AuthorSettings, Evidence};
use inkveil_eval::metrics::{Bootstrap, Estimate, binned_spearman, quantile_bins, spearman};
use inkveil_eval::{AuthorCorpus, Split};
use inkveil_nn::{SentenceEncoder, SplitMix};
use inkveil_style::{Memory, MemoryGeometry, MemorySettings, StyleEncoder};

use super::options::{EncoderArgs, cut, name};

/// The number of bins in the paper, and the least number of texts in a bin.
const BINS: usize = 15;
const LEAST: usize = 5;

/// Compare the memory's risk with the success of attackers on originals
#[derive(Debug, Args)]
pub(crate) struct RiskArgs {
    /// Corpora in JSON lines
    #[arg(required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    encoder: EncoderArgs,

    /// The number of authors
    #[arg(long, default_value_t = 50)]
    authors: usize,

    /// The number of texts of each author
    #[arg(long, default_value_t = 40)]
    texts: usize,

    /// The merge radius of the memory
    #[arg(long, default_value_t = 0.3)]
    radius: f64,

    /// The seed of samples and splits
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(options: &RiskArgs) -> anyhow::Result<()> {
    let encoder = options.encoder.encoder()?;
    for file in &options.files {
        let corpus = AuthorCorpus::read(file)?;
        let most = corpus.sample(options.authors, options.texts, options.seed);
        let corpus = most.or_else(|_| corpus.sample(4, options.texts, options.seed))?;
        let split = corpus.split_texts(0.5, options.seed)?;
        println!(
            "\n## {} ({} training texts, {} attacked texts)\n",
            name(file),
            split.train().len(),
            split.test().len()
        );
        Study::new(options, &encoder, &corpus, &split)?.print(options.seed)?;
    }
    Ok(())
}

struct Study<'a> {
    encoder: &'a StyleEncoder,
    radius: f64,
    train: Side<'a>,
    test: Side<'a>,
}

/// Texts with their authors and vectors.
struct Side<'a> {
    texts: Vec<&'a str>,
    authors: Vec<&'a str>,
    style: Vec<f32>,
    sentence: Vec<f32>,
    sentence_width: usize,
}

impl<'a> Side<'a> {
    fn new(
        words: usize,
        encoder: &StyleEncoder,
        sentences: &SentenceEncoder,
        (texts, authors): (Vec<&'a str>, Vec<&'a str>),
    ) -> anyhow::Result<Self> {
        let texts: Vec<&str> = texts.into_iter().map(|text| cut(text, words)).collect();
        let style = encoder.encode(&texts)?.concat();
        let sentence = sentences.encode(&texts)?.concat();
        Ok(Self { texts, authors, style, sentence, sentence_width: sentences.width() })
    }

    /// The evidence of an attacker.
    fn evidence(&self, attacker: AuthorAttacker, style_width: usize) -> Evidence<'_> {
        match attacker {
            AuthorAttacker::NgramSvm => Evidence::texts(&self.texts),
            AuthorAttacker::StyleLogistic => Evidence::vectors(style_width, &self.style),
            _ => Evidence::texts(&self.texts).with_vectors(self.sentence_width, &self.sentence),
        }
    }
}

impl<'a> Study<'a> {
    fn new(
        options: &RiskArgs,
        encoder: &'a StyleEncoder,
        corpus: &'a AuthorCorpus,
        split: &Split,
    ) -> anyhow::Result<Self> {
        let sentences = SentenceEncoder::open(&options.encoder.pack)?;
        let (texts, authors) = (corpus.texts(), corpus.authors());
        let side = |texts, authors| Side::new(options.encoder.words, encoder, &sentences, (texts, authors));
        Ok(Self {
            encoder,
            radius: options.radius,
            train: side(split.train_of(&texts), split.train_of(&authors))?,
            test: side(split.test_of(&texts), split.test_of(&authors))?,
        })
    }

    fn memory(&self, vectors: &[f32]) -> anyhow::Result<Memory> {
        let dim = self.encoder.dimension();
        let settings = MemorySettings { merge_radius: self.radius, ..MemorySettings::default() };
        let mut memory = Memory::new(self.encoder.note().clone(), dim, settings)?;
        memory.add(vectors, None)?;
        Ok(memory)
    }

    /// Whether each test text was assigned to its author; accuracy; macro F1.
    fn success(&self, attacker: AuthorAttacker) -> anyhow::Result<(Vec<f64>, f64, f64)> {
        let width = self.encoder.dimension();
        let attack = AuthorAttack::train(
            &AuthorSettings::of(attacker),
            &self.train.evidence(attacker, width),
            &self.train.authors,
        )?;
        let guesses = attack.identify(&self.test.evidence(attacker, width), &self.test.authors)?;
        let right: Vec<f64> =
            guesses.all().iter().map(|guess| f64::from(u8::from(guess.is_right()))).collect();
        let accuracy = right.iter().sum::<f64>() / right.len().max(1) as f64;
        Ok((right, accuracy, guesses.macro_f1().unwrap_or(f64::NAN)))
    }

    fn print(&self, seed: u64) -> anyhow::Result<()> {
        let memory = self.memory(&self.train.style)?;
        let geometry = memory.geometry()?;
        let dim = self.encoder.dimension();
        let outliers = self
            .test
            .style
            .chunks_exact(dim)
            .map(|row| geometry.mean_distance(row))
            .collect::<Result<Vec<_>, _>>()?;
        let share =
            outliers.iter().filter(|mean| **mean > geometry.tau()).count() as f64 / outliers.len() as f64;
        println!(
            "{} prototypes, τ = {:.3}, {:.1} % of the test texts are outliers.\n",
            memory.len(),
            geometry.tau(),
            100.0 * share
        );
        println!(
            "| attacker | accuracy | macro F1 | risk | ρ over 15 bins | ρ over texts | quintiles |\n|---|---:|---:|---|---:|---:|---|"
        );
        for attacker in AuthorAttacker::ALL {
            let (right, accuracy, f1) = self.success(attacker)?;
            for (kind, risks) in self.risks(&geometry)? {
                let pairs: Vec<(f64, f64)> = risks.iter().copied().zip(right.iter().copied()).collect();
                let bootstrap = Bootstrap::default();
                let bins = binned_spearman(&pairs, BINS, LEAST, &bootstrap);
                let texts = bootstrap.statistic(&pairs, spearman);
                let quintiles = quantile_bins(&pairs, 5, &bootstrap).unwrap_or_default();
                let quintiles: Vec<String> =
                    quintiles.iter().map(|bin| format!("{:.2}", bin.success.mean)).collect();
                println!(
                    "| {attacker} | {accuracy:.3} | {f1:.3} | {kind} | {} | {} | {} |",
                    shown(bins),
                    shown(texts),
                    quintiles.join(" ")
                );
            }
        }
        self.stability(&geometry, seed)
    }

    /// The risks of the test texts by several definitions.
    fn risks(&self, geometry: &MemoryGeometry<'_>) -> anyhow::Result<Vec<(&'static str, Vec<f64>)>> {
        let rows = || self.test.style.chunks_exact(self.encoder.dimension());
        let threshold = self.encoder.card().map_or(0.85, |card| card.same_author.threshold);
        Ok(vec![
            ("mean distance", rows().map(|row| geometry.mean_distance(row)).collect::<Result<_, _>>()?),
            ("−log density", rows().map(|row| geometry.surprise(row, false)).collect::<Result<_, _>>()?),
            (
                "−log density, visited",
                rows().map(|row| geometry.surprise(row, true)).collect::<Result<_, _>>()?,
            ),
            (
                "1 − alike",
                rows()
                    .map(|row| geometry.share_within(row, threshold).map(|share| 1.0 - share))
                    .collect::<Result<_, _>>()?,
            ),
        ])
    }

    fn stability(&self, whole: &MemoryGeometry<'_>, seed: u64) -> anyhow::Result<()> {
        let dim = self.encoder.dimension();
        let means = |geometry: &MemoryGeometry<'_>| -> anyhow::Result<Vec<f64>> {
            Ok(self
                .test
                .style
                .chunks_exact(dim)
                .map(|row| geometry.mean_distance(row))
                .collect::<Result<_, _>>()?)
        };
        let agree =
            |a: &[f64], b: &[f64]| spearman(&a.iter().copied().zip(b.iter().copied()).collect::<Vec<_>>());
        let mut order: Vec<usize> = (0..self.train.texts.len()).collect();
        let gathered = |order: &[usize]| -> Vec<f32> {
            order
                .iter()
                .flat_map(|&index| self.train.style[index * dim..(index + 1) * dim].iter().copied())
                .collect()
        };
        let (mut halves, mut orders, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        let usual = means(whole)?;
        for round in 0..5 {
            SplitMix::named(seed, "order", &[round]).shuffle(&mut order);
            let (first, second) = order.split_at(order.len() / 2);
            let (first, second) = (self.memory(&gathered(first))?, self.memory(&gathered(second))?);
            halves.extend(agree(&means(&first.geometry()?)?, &means(&second.geometry()?)?));
            let shuffled = self.memory(&gathered(&order))?;
            counts.push(shuffled.len());
            orders.extend(agree(&usual, &means(&shuffled.geometry()?)?));
        }
        let range = |values: &[f64]| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            format!("{:.3} (least {least:.3})", values.iter().sum::<f64>() / values.len().max(1) as f64)
        };
        println!(
            "\nAgreement of risks from two random halves: ρ = {}. After another order of insertion: ρ = {}, {} to {} prototypes.",
            range(&halves),
            range(&orders),
            counts.iter().min().unwrap_or(&0),
            counts.iter().max().unwrap_or(&0)
        );
        Ok(())
    }
}

fn shown(estimate: Option<Estimate>) -> String {
    estimate.map_or("–".to_owned(), |e| format!("{:.2} [{:.2}, {:.2}]", e.mean, e.low, e.high))
}
