//! Measures how well style vectors tell whether one author or two wrote a pair of texts.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use inkveil_eval::attack::{NgramSettings, Ngrams, WordFeatures};
use inkveil_eval::metrics::{Bootstrap, auc, threshold_accuracy};
use inkveil_eval::{AuthorCorpus, PairSettings, TextPair};
use inkveil_nn::SentenceEncoder;
use inkveil_style::features::{Profile, features};

use super::options::{EncoderArgs, cut, name};

/// Tell pairs of texts by one author from pairs by two: AUC and accuracy, with and without shared
/// topics
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Corpora in JSON lines
    #[arg(required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    encoder: EncoderArgs,

    /// Further style weights to compare
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    also: Vec<PathBuf>,

    /// The number of pairs
    #[arg(long, default_value_t = 2000)]
    pairs: usize,

    /// The seed of the pairs
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(options: &VerifyArgs) -> anyhow::Result<()> {
    println!("| corpus | pairs by two | method | AUC | accuracy |\n|---|---|---|---:|---:|");
    for file in &options.files {
        let corpus = AuthorCorpus::read(file)?;
        for same_topic in [false, true] {
            let topics = corpus.all().iter().any(|text| text.topic.is_some());
            // Authors with one topic only cannot be paired across topics.
            for cross_topic in [true, false] {
                let settings = PairSettings {
                    count: options.pairs,
                    cross_topic: cross_topic && topics,
                    same_topic,
                    seed: options.seed,
                };
                let Ok(pairs) = corpus.pairs(&settings) else { continue };
                let kind = match (same_topic, settings.cross_topic) {
                    (true, true) => "one topic (one author: two topics)",
                    (true, false) => "one topic",
                    (false, true) => "any topic (one author: two topics)",
                    (false, false) => "any topic",
                };
                measure(options, &name(file), kind, &corpus, &pairs)?;
                break;
            }
        }
    }
    Ok(())
}

fn measure(
    options: &VerifyArgs,
    corpus_name: &str,
    kind: &str,
    corpus: &AuthorCorpus,
    pairs: &[TextPair],
) -> anyhow::Result<()> {
    let used: BTreeSet<usize> = pairs.iter().flat_map(|pair| [pair.first, pair.second]).collect();
    let used: Vec<usize> = used.into_iter().collect();
    let all = corpus.texts();
    let texts: Vec<&str> = used.iter().map(|&index| cut(all[index], options.encoder.words)).collect();
    let place = |index: usize| used.binary_search(&index).unwrap_or(0);
    let report = |method: &str, score: &dyn Fn(usize, usize) -> f64| {
        let scores: Vec<(bool, f64)> = pairs
            .iter()
            .map(|pair| (pair.same_author, score(place(pair.first), place(pair.second))))
            .collect();
        let side = |scores: &[(bool, f64)], wanted: bool| -> Vec<f64> {
            scores.iter().filter(|(same, _)| *same == wanted).map(|(_, score)| *score).collect()
        };
        let area =
            Bootstrap::default().statistic(&scores, |scores| auc(&side(scores, true), &side(scores, false)));
        let right = threshold_accuracy(&side(&scores, true), &side(&scores, false), options.seed);
        let area = area
            .map_or("–".to_owned(), |area| format!("{:.3} [{:.3}, {:.3}]", area.mean, area.low, area.high));
        println!("| {corpus_name} | {kind} | {method} | {area} | {:.3} |", right.unwrap_or(f64::NAN));
    };
    let dense = |rows: Vec<Vec<f32>>| move |a: usize, b: usize| cosine(&rows[a], &rows[b]);

    let style = options.encoder.encoder()?.encode(&texts)?;
    report("style encoder", &dense(style.clone()));
    report("style encoder, centred on the corpus", &dense(centred(style)));
    for file in &options.also {
        report(&name(file), &dense(options.encoder.with_weights(file)?.encode(&texts)?));
    }
    let trunk = SentenceEncoder::open(&options.encoder.pack)?.encode(&texts)?;
    report("plain trunk", &dense(trunk.clone()));
    report("plain trunk, centred on the corpus", &dense(centred(trunk)));
    let mut settings = NgramSettings::default();
    settings.words = WordFeatures::Function;
    let rows = Ngrams::learn(&texts, &settings)?.rows(&texts);
    report("character n-grams, function words", &|a, b| f64::from(rows.row(a).cosine(rows.row(b))));
    report("interpretable features", &dense(standardised(&texts)));
    Ok(())
}

/// Vectors without their mean, which reflects the kind of text and not its author.
fn centred(mut rows: Vec<Vec<f32>>) -> Vec<Vec<f32>> {
    let count = rows.len().max(1) as f32;
    let mut mean = vec![0f32; rows.first().map_or(0, Vec::len)];
    for row in &rows {
        mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x / count);
    }
    for row in &mut rows {
        row.iter_mut().zip(&mean).for_each(|(x, mean)| *x -= mean);
    }
    rows
}

/// The features of texts, in standard deviations from their mean.
fn standardised(texts: &[&str]) -> Vec<Vec<f32>> {
    let mut rows: Vec<Vec<f32>> = texts.iter().map(|text| Profile::of(text).values().to_vec()).collect();
    for column in 0..features().len() {
        let mean = rows.iter().map(|row| f64::from(row[column])).sum::<f64>() / rows.len() as f64;
        let square =
            rows.iter().map(|row| (f64::from(row[column]) - mean).powi(2)).sum::<f64>() / rows.len() as f64;
        for row in &mut rows {
            // Without the limit, one rare sign in a short text would dominate.
            row[column] = ((f64::from(row[column]) - mean) / square.sqrt().max(1e-9)).clamp(-3.0, 3.0) as f32;
        }
    }
    rows
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt().max(1e-12)
}
