//! Compares lexicons, task vectors and relevance thresholds: which keep most of a text's utility at
//! the same protection.
//!
//! Sensitive words get the budget at which they survive with the probability `--survival` on each
//! lexicon, so attacks on all rows have the same success. The other words get budgets in the ratio
//! 4 : 3 (needed : not needed), scaled so that their mean budget for survival is the same in every
//! row. A row can only be better by spending where it matters. Utility is the topic of the veiled
//! text (nearest centroid of sentence vectors, trained on clean text) and its cosine with the clean
//! text.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use inkveil_lexicon::LexiconKind;
use inkveil_nn::SentenceEncoder;
use inkveil_privacy::{Epsilon, NoiseKey};
use inkveil_text::{
    Budget, Budgets, Document, Group, Preset, TaskVector, TextSettings, TextVeil, Threshold, Treatment,
};

const TASK: &str = "Is this news about world politics, sports, business, or science and technology?";

/// Compare lexicons and relevance thresholds on AG News
#[derive(Debug, Args)]
pub(crate) struct ChooseArgs {
    /// The folder of AG News, with train_first2000.csv and test.csv
    data: PathBuf,

    /// The folder of the pack
    #[arg(long, default_value = "models/en")]
    pack: PathBuf,

    /// The number of texts to veil
    #[arg(long, default_value_t = 400)]
    texts: usize,

    /// The probability that a sensitive word survives unchanged
    #[arg(long, default_value_t = 0.05)]
    survival: f64,
}

pub(crate) fn run(options: &ChooseArgs) -> anyhow::Result<()> {
    let encoder = SentenceEncoder::open(&options.pack)?;
    let train = read(&options.data.join("train_first2000.csv"), usize::MAX)?;
    let centroids = centroids(&encoder, &train)?;
    let test = read(&options.data.join("test.csv"), options.texts)?;
    let texts: Vec<&str> = test.iter().map(|(_, text)| text.as_str()).collect();
    let clean = encoder.encode(&texts)?;
    let accuracy = |vectors: &[Vec<f32>]| {
        let right =
            vectors.iter().zip(&test).filter(|(vector, (topic, _))| nearest(&centroids, vector) == *topic);
        right.count() as f64 / test.len() as f64
    };
    println!("clean: topic {:.3} of {} texts", accuracy(&clean), test.len());
    println!("| lexicon | task | needed from | needed | topic | cosine | sensitive survive | mean ε |");
    println!("|---|---|---|---|---|---|---|---|");
    let kinds = [LexiconKind::Subword, LexiconKind::Words];
    let all = kinds.into_iter().flat_map(|kind| TaskVector::ALL.map(|by| (kind, by)));
    // The vector of a sentence is comparable with vectors of whole words only.
    for (kind, by) in all.filter(|&(kind, by)| kind == LexiconKind::Words || by != TaskVector::Sentence) {
        for threshold in thresholds() {
            let row = row(options, kind, by, threshold, &texts)?;
            let vectors = encoder.encode(&row.texts.iter().map(String::as_str).collect::<Vec<_>>())?;
            let cosine: f64 =
                vectors.iter().zip(&clean).map(|(a, b)| dot(a, b)).sum::<f64>() / texts.len() as f64;
            println!(
                "| {kind} | {} | {threshold} | {:.3} | {:.3} | {cosine:.3} | {:.3} | {:.1} |",
                by.name(),
                row.needed,
                accuracy(&vectors),
                row.survived,
                row.mean
            );
        }
    }
    presets(options, &texts)
}

/// Prints how often words of each group survive under the presets.
fn presets(options: &ChooseArgs, texts: &[&str]) -> anyhow::Result<()> {
    println!("\n| preset | group 1 | group 2 | group 3 | group 4 |\n|---|---|---|---|---|");
    for preset in Preset::ALL {
        let mut settings = TextSettings::default();
        settings.tasks = vec![TASK.to_owned()];
        settings.budget = Budget::Preset(preset);
        let veil = TextVeil::open(&options.pack, settings)?;
        let documents: Vec<Document<'_>> = texts.iter().map(|text| Document::new(text)).collect();
        let (mut survived, mut noised) = ([0_u32; 4], [0_u32; 4]);
        for veiled in veil.veil_all(&documents, 0, &NoiseKey::insecure_from_seed(1))? {
            for (index, unit) in veiled.plan().units().iter().enumerate() {
                if unit.treatment == Treatment::Noise {
                    noised[unit.group as usize] += 1;
                    survived[unit.group as usize] += u32::from(veiled.survived(index));
                }
            }
        }
        let share = |group: Group| match noised[group as usize] {
            0 if veil.budgets().of(group).is_zero() => "replaced".to_owned(),
            0 => "kept".to_owned(),
            all => format!("{:.3} of {all}", f64::from(survived[group as usize]) / f64::from(all)),
        };
        println!("| {preset} | {} |", Group::ALL.map(share).join(" | "));
    }
    Ok(())
}

fn thresholds() -> Vec<Threshold> {
    let cosines = [0.3, 0.4, 0.5, 0.6, 0.7].map(Threshold::Cosine);
    let quantiles = [0.8, 0.9, 0.95, 0.98, 0.99, 1.0].map(Threshold::Quantile);
    cosines.into_iter().chain(quantiles).collect()
}

struct Row {
    texts: Vec<String>,
    needed: f64,
    survived: f64,
    mean: f64,
}

fn row(
    options: &ChooseArgs,
    kind: LexiconKind,
    by: TaskVector,
    threshold: Threshold,
    texts: &[&str],
) -> anyhow::Result<Row> {
    let mut settings = TextSettings::default();
    settings.lexicon = Some(kind);
    settings.task_vector = by;
    settings.threshold = Some(threshold);
    settings.tasks = vec![TASK.to_owned()];
    settings.budget = Budget::TargetSurvival(options.survival);
    let documents: Vec<Document<'_>> = texts.iter().map(|text| Document::new(text)).collect();
    let first = TextVeil::open(&options.pack, settings.clone())?;
    let sensitive = first.budgets().of(Group::SensitiveNeeded);
    let counts = first.plan(&documents)?.iter().fold([0; 4], |mut sum, plan| {
        plan.counts().iter().zip(&mut sum).for_each(|(count, sum)| *sum += count);
        sum
    });
    // The mean budget of other words: the one at which half of them survive.
    settings.budget = Budget::TargetSurvival(0.5);
    let mean = TextVeil::open(&options.pack, settings.clone())?.budgets().of(Group::SensitiveNeeded).get();
    let (needed, neither) = (counts[2] as f64, counts[3] as f64);
    let share = needed / (needed + neither).max(1.0);
    let unit = mean / (4.0 * share + 3.0 * (1.0 - share));
    let budgets = [sensitive, sensitive, Epsilon::new(4.0 * unit)?, Epsilon::new(3.0 * unit)?];
    settings.budget = Budget::Each(Budgets::new(budgets));
    let veil = TextVeil::open(&options.pack, settings)?;
    let veiled = veil.veil_all(&documents, 0, &NoiseKey::insecure_from_seed(1))?;
    let (mut survived, mut noised) = (0.0, 0.0_f64);
    for veiled in &veiled {
        for (index, unit) in veiled.plan().units().iter().enumerate() {
            if unit.group.is_sensitive() && unit.treatment == Treatment::Noise {
                noised += 1.0;
                survived += f64::from(u8::from(veiled.survived(index)));
            }
        }
    }
    let means = veiled.iter().filter_map(|veiled| veiled.plan().mean_epsilon());
    Ok(Row {
        needed: share,
        survived: survived / noised.max(1.0),
        mean: means.map(Epsilon::get).sum::<f64>() / veiled.len().max(1) as f64,
        texts: veiled.into_iter().map(|veiled| veiled.into_text()).collect(),
    })
}

/// Reads the topic and the text of each line. The files quote every field.
fn read(path: &Path, most: usize) -> anyhow::Result<Vec<(usize, String)>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let line = |line: &str| {
        let fields: Vec<&str> = line.trim().trim_matches('"').split("\",\"").collect();
        let topic = fields.first()?.parse::<usize>().ok()?.checked_sub(1)?;
        Some((topic, fields.get(1..)?.join(". ").replace("\"\"", "\"").replace('\\', " ")))
    };
    Ok(text.lines().filter_map(line).take(most).collect())
}

fn centroids(encoder: &SentenceEncoder, texts: &[(usize, String)]) -> anyhow::Result<Vec<Vec<f32>>> {
    let vectors = encoder.encode(&texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>())?;
    let mut sums = vec![vec![0.0; encoder.width()]; 4];
    for ((topic, _), vector) in texts.iter().zip(&vectors) {
        if let Some(sum) = sums.get_mut(*topic) {
            sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
        }
    }
    for sum in &mut sums {
        let length = dot(sum, sum).sqrt() as f32;
        sum.iter_mut().for_each(|x| *x /= length);
    }
    Ok(sums)
}

fn nearest(centroids: &[Vec<f32>], vector: &[f32]) -> usize {
    let best =
        centroids.iter().map(|centroid| dot(centroid, vector)).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or(0, |(topic, _)| topic)
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}
