//! The utility of released vectors for their purpose.

use inkveil_privacy::{NoiseAddress, Purpose as NoisePurpose};

use super::corpus::Purpose;
use super::noise::RowNoise;
use super::prepared::PreparedCorpus;
use super::queries::{NEAREST, RERANKED};
use super::spec::QueryName;
use crate::Error;
use crate::metrics::{cosine, pearson};

const TASK: NoisePurpose = NoisePurpose::named("sparse task");

/// Measures the utility. `released` are the vectors of documents.
pub(super) fn measure(
    prepared: &PreparedCorpus<'_>,
    clean: &[f32],
    released: &[f32],
    release: &RowNoise<'_>,
    side: QueryName,
) -> Result<Vec<(&'static str, f64)>, Error> {
    match (&prepared.corpus.purpose, &prepared.queries) {
        (Purpose::Pairs(pairs), _) => Ok(vec![("pearson", correlation(prepared, pairs, clean, release)?)]),
        (Purpose::Search(task), Some(queries)) => {
            let mut vectors = queries.vectors.clone();
            match side {
                QueryName::Noisy => {
                    release.with_noise(&mut vectors, NoiseAddress::record(0).purpose(TASK))?;
                }
                // The owner of the store erases queries too, without noise.
                QueryName::Clear => release.erase(&mut vectors)?,
                QueryName::Raw => {}
            }
            let many = task.search(&vectors, released, prepared.dim, RERANKED)?;
            // The owner of the texts has clean vectors of its own, and ranks what the store found by them.
            let again = task.rerank(&queries.vectors, &prepared.vectors, prepared.dim, &many)?;
            let found: Vec<Vec<usize>> =
                many.into_iter().map(|of_query| of_query.into_iter().take(NEAREST).collect()).collect();
            let kept = |(old, new): (&Vec<usize>, &Vec<usize>)| {
                let both = old.iter().filter(|document| new.contains(document)).count();
                both as f64 / old.len().max(1) as f64
            };
            let shares: f64 = queries.found.iter().zip(&found).map(kept).sum();
            Ok(vec![
                ("ndcg", task.ndcg(&found, NEAREST)),
                ("ndcg-reranked", task.ndcg(&again, NEAREST)),
                ("recall", task.recall(&found, NEAREST)),
                ("results", shares / found.len().max(1) as f64),
            ])
        }
        _ => Ok(Vec::new()),
    }
}

/// The correlation of the cosines of pairs with their scores. Every sentence of every pair gets new
/// noise, as if it came from a different owner.
fn correlation(
    prepared: &PreparedCorpus<'_>,
    pairs: &[(usize, usize, f64)],
    clean: &[f32],
    release: &RowNoise<'_>,
) -> Result<f64, Error> {
    let dim = prepared.dim;
    let sentences = pairs.iter().flat_map(|&(first, second, _)| [first, second]);
    let mut rows: Vec<f32> =
        sentences.flat_map(|sentence| clean[sentence * dim..][..dim].iter().copied()).collect();
    release.apply(&mut rows, NoiseAddress::record(0).purpose(TASK))?;
    let cosines = rows.chunks_exact(2 * dim).map(|pair| cosine(&pair[..dim], &pair[dim..]));
    let both: Vec<(f64, f64)> = cosines.zip(pairs.iter().map(|pair| pair.2)).collect();
    pearson(&both).ok_or_else(|| Error::argument("all pairs have the same score; take other pairs"))
}
