//! What is left of what vectors are for.

use inkveil_privacy::{NoiseAddress, Purpose};

use super::corpus::Task;
use super::seeded::Subject;
use super::trial::Veil;
use crate::Error;
use crate::metrics::{cosine, pearson};

/// Results that count.
const NEAREST: usize = 10;
const TASK: Purpose = Purpose::named("sparse task");

/// Vectors of queries, and what they find among clear documents.
pub(super) struct Queries {
    vectors: Vec<f32>,
    found: Vec<Vec<usize>>,
}

impl Queries {
    pub(super) fn new(
        task: &crate::retrieval::Task,
        vectors: Vec<f32>,
        documents: &[f32],
        dim: usize,
    ) -> Result<Self, Error> {
        let found = task.search(&vectors, documents, dim, NEAREST)?;
        Ok(Self { vectors, found })
    }
}

/// How well vectors still serve; `released` are those of documents.
pub(super) fn measure(
    subject: &Subject<'_>,
    clean: &[f32],
    released: &[f32],
    veil: &Veil<'_>,
) -> Result<Vec<(&'static str, f64)>, Error> {
    match (&subject.corpus.task, &subject.queries) {
        (Task::Pairs(pairs), _) => Ok(vec![("pearson", correlation(subject, pairs, clean, veil)?)]),
        (Task::Search(task), Some(queries)) => {
            let mut vectors = queries.vectors.clone();
            if subject.study.noisy_queries {
                veil.apply(&mut vectors, NoiseAddress::record(0).purpose(TASK))?;
            }
            let found = task.search(&vectors, released, subject.dim, NEAREST)?;
            let kept = |(old, new): (&Vec<usize>, &Vec<usize>)| {
                let both = old.iter().filter(|document| new.contains(document)).count();
                both as f64 / old.len().max(1) as f64
            };
            let shares: f64 = queries.found.iter().zip(&found).map(kept).sum();
            Ok(vec![("ndcg", task.ndcg(&found, NEAREST)), ("results", shares / found.len().max(1) as f64)])
        }
        _ => Ok(Vec::new()),
    }
}

/// The correlation of the cosine of each pair with its score. Every sentence of every pair is noised anew, as it would be if it came from its own
/// owner.
fn correlation(
    subject: &Subject<'_>,
    pairs: &[(usize, usize, f64)],
    clean: &[f32],
    veil: &Veil<'_>,
) -> Result<f64, Error> {
    let dim = subject.dim;
    let sentences = pairs.iter().flat_map(|&(first, second, _)| [first, second]);
    let mut rows: Vec<f32> =
        sentences.flat_map(|sentence| clean[sentence * dim..][..dim].iter().copied()).collect();
    veil.apply(&mut rows, NoiseAddress::record(0).purpose(TASK))?;
    let cosines = rows.chunks_exact(2 * dim).map(|pair| cosine(&pair[..dim], &pair[dim..]));
    let both: Vec<(f64, f64)> = cosines.zip(pairs.iter().map(|pair| pair.2)).collect();
    pearson(&both).ok_or_else(|| Error::argument("all pairs are equally alike; give others"))
}
