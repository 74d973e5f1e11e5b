//! Measures vectors of single tokens with noise: how well they find documents, and how well they hide words.
//!
//! Late interaction stores a vector for each token of a document. A query also has one for each of its tokens, and the
//! score of a document is the sum, over the tokens of the query, of the largest cosine with one of its vectors.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;
use inkveil_detect::{Detector, Kind, Settings, Tier};
use inkveil_eval::SensitiveWords;
use inkveil_eval::data::Catalogue;
use inkveil_eval::retrieval::SearchTask;
use inkveil_nn::SentenceEncoder;
use inkveil_nn::product::f32_product;
use inkveil_privacy::{Epsilon, LaplaceL2, NoiseAddress, NoiseKey, release_rows};

/// The most results that count.
const NEAREST: usize = 10;
/// The number of texts that are encoded at once.
const BATCH: usize = 32;

/// Measure search and leakage of one noisy vector for each token
#[derive(Debug, Args)]
pub(crate) struct LateArgs {
    /// The folder of test sets
    #[arg(long)]
    data: PathBuf,

    /// The test set: documents with queries
    #[arg(long, default_value = "fiqa")]
    set: String,

    /// The folder of the pack
    #[arg(long, default_value = "models/en")]
    pack: PathBuf,

    /// Budgets of round noise, as in the experiments on vectors: ε·√n per unit of distance for each vector
    #[arg(long, value_delimiter = ',', default_value = "7,10,14,20,30,50")]
    epsilons: Vec<f64>,

    /// The most tokens of a text
    #[arg(long, default_value_t = 128)]
    tokens: usize,

    /// The seed of the split and of the noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The vectors of the tokens of a text, each of length 1, without special tokens.
struct Tokens {
    ids: Vec<u32>,
    rows: Vec<f32>,
}

pub(crate) fn run(args: &LateArgs) -> anyhow::Result<()> {
    let task = Catalogue::known().search(&args.set, &args.data)?.task;
    let encoder = SentenceEncoder::open(&args.pack)?;
    let dim = encoder.width();
    let texts: Vec<&str> = task.documents.iter().map(|document| document.text.as_str()).collect();
    let queries: Vec<&str> = task.queries.iter().map(|query| query.text.as_str()).collect();
    let (documents, queries) =
        (tokens_of(&encoder, &texts, args.tokens)?, tokens_of(&encoder, &queries, args.tokens)?);
    let names = names(args, &encoder, &texts)?;
    let stored: usize = documents.iter().map(|document| document.ids.len()).sum();
    println!(
        "{}: {} documents with {stored} vectors, {} queries, {} names of one token; seed {}",
        args.set,
        documents.len(),
        queries.len(),
        names.len(),
        args.seed
    );
    println!("| ε | NDCG@10 | tokens named | names found |\n|---|---:|---:|---:|");
    for epsilon in std::iter::once(None).chain(args.epsilons.iter().copied().map(Some)) {
        let released = released(&documents, dim, epsilon, args.seed)?;
        let search = task.ndcg(&search(&task, &queries, &released, dim)?, NEAREST);
        let attack = attack(&documents, &released, &names, dim, args.seed)?;
        let shown = epsilon.map_or_else(|| "none".to_owned(), |epsilon| epsilon.to_string());
        println!(
            "| {shown} | {:.1} | {:.1} | {:.1} |",
            100.0 * search,
            100.0 * attack.tokens,
            100.0 * attack.names
        );
    }
    Ok(())
}

fn tokens_of(encoder: &SentenceEncoder, texts: &[&str], most: usize) -> anyhow::Result<Vec<Tokens>> {
    let mut all = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        let ids: Vec<Vec<u32>> = batch
            .iter()
            .map(|text| {
                let mut ids = encoder.tokens(text)?;
                // The last special token is left out of the vectors, so it may be cut.
                ids.truncate(most);
                Ok::<_, inkveil_nn::Error>(ids)
            })
            .collect::<Result<_, _>>()?;
        let views: Vec<&[u32]> = ids.iter().map(Vec::as_slice).collect();
        for (ids, mut rows) in ids.iter().zip(encoder.encoder().hidden_states(&views)?) {
            let dim = encoder.width();
            let inner = 1..ids.len().saturating_sub(1).max(1);
            for row in rows.chunks_exact_mut(dim) {
                let length = row.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
                row.iter_mut().for_each(|x| *x /= length);
            }
            all.push(Tokens {
                ids: ids[inner.clone()].to_vec(),
                rows: rows[inner.start * dim..inner.end * dim].to_vec(),
            });
        }
    }
    Ok(all)
}

/// The tokens that are names by themselves: those of words that the fast tagger marks in five documents or more.
fn names(args: &LateArgs, encoder: &SentenceEncoder, texts: &[&str]) -> anyhow::Result<BTreeSet<u32>> {
    let mut settings = Settings::of(Tier::Fast);
    settings.only = Some([Kind::Person, Kind::Location, Kind::Organisation].into());
    let spans = Detector::open(Some(&args.pack), settings)?.detect(texts)?;
    let words = SensitiveWords::in_spans(texts, &spans, 5)?;
    let of_word = |text: &str| -> anyhow::Result<Option<u32>> {
        let ids = encoder.tokens(text)?;
        Ok((ids.len() == 3).then(|| ids[1]))
    };
    let mut names = BTreeSet::new();
    for word in words.words() {
        names.extend(of_word(&word.text)?);
    }
    ensure!(!names.is_empty(), "no name is a single token; take another set");
    Ok(names)
}

fn released(
    documents: &[Tokens],
    dim: usize,
    epsilon: Option<f64>,
    seed: u64,
) -> anyhow::Result<Vec<Vec<f32>>> {
    let mut rows: Vec<Vec<f32>> = documents.iter().map(|document| document.rows.clone()).collect();
    if let Some(epsilon) = epsilon {
        let mechanism = LaplaceL2::new(dim, Epsilon::new(epsilon * (dim as f64).sqrt())?)?;
        let (key, mut first) = (NoiseKey::insecure_from_seed(seed), 0);
        for rows in rows.iter_mut() {
            release_rows(&mechanism, rows, NoiseAddress::record(first), &key)?;
            first += (rows.len() / dim) as u64;
        }
    }
    Ok(rows)
}

/// The nearest documents of each query, whose vectors are clear.
fn search(
    task: &SearchTask,
    queries: &[Tokens],
    documents: &[Vec<f32>],
    dim: usize,
) -> anyhow::Result<Vec<Vec<usize>>> {
    let asked: Vec<f32> = queries.iter().flat_map(|query| query.rows.iter().copied()).collect();
    let mut scores = vec![vec![f32::MIN; documents.len()]; task.queries.len()];
    let mut products = Vec::new();
    for (number, rows) in documents.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
        let unit = unit(rows, dim);
        let count = rows.len() / dim;
        products.clear();
        products.resize(asked.len() / dim * count, 0.0);
        f32_product(&asked, &unit, dim, &mut products)?;
        let mut best = products.chunks_exact(count).map(|row| row.iter().copied().fold(f32::MIN, f32::max));
        for (query, scores) in queries.iter().zip(&mut scores) {
            scores[number] = best.by_ref().take(query.ids.len()).sum();
        }
    }
    let nearest = |scores: Vec<f32>| {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then_with(|| a.cmp(b)));
        order.truncate(NEAREST);
        order
    };
    Ok(scores.into_iter().map(nearest).collect())
}

/// Rows of length 1. Search looks at directions only.
fn unit(rows: &[f32], dim: usize) -> Vec<f32> {
    let mut unit = rows.to_vec();
    for row in unit.chunks_exact_mut(dim) {
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        row.iter_mut().for_each(|x| *x /= length);
    }
    unit
}

struct Attack {
    /// The share of all tokens that are named.
    tokens: f64,
    /// The share of the names of a document that one of its vectors is taken for.
    names: f64,
}

/// An attacker who knows every second document compares each vector of the others with the mean of each token, which is the
/// likeliest answer behind round noise if all vectors of a token were alike.
fn attack(
    documents: &[Tokens],
    released: &[Vec<f32>],
    names: &BTreeSet<u32>,
    dim: usize,
    seed: u64,
) -> anyhow::Result<Attack> {
    let known = |number: usize| number as u64 % 2 == seed % 2;
    let mut sums: BTreeMap<u32, (Vec<f32>, f32)> = BTreeMap::new();
    for (_, document) in documents.iter().enumerate().filter(|(number, _)| known(*number)) {
        for (id, row) in document.ids.iter().zip(document.rows.chunks_exact(dim)) {
            let (sum, count) = sums.entry(*id).or_insert_with(|| (vec![0.0; dim], 0.0));
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            *count += 1.0;
        }
    }
    let ids: Vec<u32> = sums.keys().copied().collect();
    let means: Vec<f32> = sums.values().flat_map(|(sum, count)| sum.iter().map(move |x| x / count)).collect();
    let squares: Vec<f32> =
        means.chunks_exact(dim).map(|mean| mean.iter().map(|x| x * x).sum::<f32>() / 2.0).collect();
    let (mut right, mut all, mut found, mut there) = (0, 0, 0, 0);
    let mut products = Vec::new();
    for (number, rows) in
        released.iter().enumerate().filter(|(number, rows)| !known(*number) && !rows.is_empty())
    {
        products.clear();
        products.resize(rows.len() / dim * ids.len(), 0.0);
        f32_product(rows, &means, dim, &mut products)?;
        let guess = |row: &[f32]| {
            let near = row.iter().zip(&squares).map(|(product, square)| product - square);
            let best = near.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            best.map_or(u32::MAX, |(at, _)| ids[at])
        };
        let guesses: Vec<u32> = products.chunks_exact(ids.len()).map(guess).collect();
        let truth = &documents[number].ids;
        right += truth.iter().zip(&guesses).filter(|(truth, guess)| truth == guess).count();
        all += truth.len();
        let hidden: BTreeSet<u32> = truth.iter().copied().filter(|id| names.contains(id)).collect();
        there += hidden.len();
        found += hidden.iter().filter(|id| guesses.contains(id)).count();
    }
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    Ok(Attack { tokens: share(right, all), names: share(found, there) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents() -> Vec<Tokens> {
        // Tokens 1 and 2 lie on the axes.
        let of = |ids: &[u32]| {
            let rows = ids.iter().flat_map(|id| if *id == 1 { [1.0, 0.0] } else { [0.0, 1.0] }).collect();
            Tokens { ids: ids.to_vec(), rows }
        };
        vec![of(&[1, 2, 2]), of(&[2, 1]), of(&[1]), of(&[2, 2])]
    }

    #[test]
    fn clear_vectors_name_every_token_and_noise_hides_them() {
        let (documents, names) = (documents(), BTreeSet::from([1]));
        let measured = |epsilon| {
            let rows = released(&documents, 2, epsilon, 1).unwrap();
            attack(&documents, &rows, &names, 2, 1).unwrap()
        };
        assert_eq!((measured(None).tokens, measured(None).names), (1.0, 1.0));
        assert!(measured(Some(1e-4)).tokens < 1.0);
    }

    #[test]
    fn a_document_scores_by_the_best_of_its_vectors() {
        use inkveil_eval::retrieval::{Judgement, SearchText};
        let text = |id: &str| SearchText { id: id.into(), text: "x".into() };
        let judged = [Judgement { query: "q".into(), document: "c".into(), relevance: 1.0 }];
        let task =
            SearchTask::new(vec![text("q")], vec![text("a"), text("b"), text("c"), text("d")], &judged)
                .unwrap();
        let rows = released(&documents(), 2, None, 1).unwrap();
        let query = Tokens { ids: vec![1], rows: vec![1.0, 0.0] };
        // All but the last have token 1; ties keep their order.
        assert_eq!(search(&task, &[query], &rows, 2).unwrap(), [[0, 1, 2, 3]]);
    }
}
