//! A search task: queries, documents and relevant results.

use std::collections::HashMap;

use inkveil_nn::product::f32_product;

use super::read::{Judgement, SearchText};
use crate::Error;
use crate::metrics::{cosine, ndcg};

/// Queries, documents and relevant results.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchTask {
    /// The queries with relevant documents.
    pub queries: Vec<SearchText>,
    /// All documents.
    pub documents: Vec<SearchText>,
    /// For each query, the relevant documents by number, with their relevance.
    judged: Vec<Vec<(usize, f64)>>,
}

impl SearchTask {
    /// Keeps the queries whose relevant documents are all present.
    ///
    /// # Errors
    /// If there is no such query.
    pub fn new(
        queries: Vec<SearchText>,
        documents: Vec<SearchText>,
        judgements: &[Judgement],
    ) -> Result<Self, Error> {
        let numbers: HashMap<&str, usize> =
            documents.iter().enumerate().map(|(number, document)| (document.id.as_str(), number)).collect();
        let mut of_query: HashMap<&str, Vec<&Judgement>> = HashMap::new();
        for judgement in judgements.iter().filter(|judgement| judgement.relevance > 0.0) {
            of_query.entry(&judgement.query).or_default().push(judgement);
        }
        let (mut kept, mut judged) = (Vec::new(), Vec::new());
        for query in queries {
            let Some(relevant) = of_query.get(query.id.as_str()) else { continue };
            let found = |judgement: &&Judgement| {
                Some((*numbers.get(judgement.document.as_str())?, judgement.relevance))
            };
            if let Some(all) = relevant.iter().map(found).collect::<Option<Vec<_>>>() {
                kept.push(query);
                judged.push(all);
            }
        }
        match kept.is_empty() {
            true => Err(Error::argument(
                "no query has all its relevant documents; check that the three files belong together",
            )),
            false => Ok(Self { queries: kept, documents, judged }),
        }
    }

    /// The first documents, and the queries whose relevant documents are among them.
    ///
    /// # Errors
    /// If there is no such query.
    pub fn first(&self, documents: usize) -> Result<Self, Error> {
        let answered = |judged: &[(usize, f64)]| judged.iter().all(|(document, _)| *document < documents);
        let all = self.queries.iter().zip(&self.judged).filter(|(_, judged)| answered(judged));
        let (queries, judged): (Vec<SearchText>, Vec<_>) =
            all.map(|(query, judged)| (query.clone(), judged.clone())).unzip();
        match queries.is_empty() {
            true => Err(Error::argument(
                "no query has all its relevant documents among the first ones; use more documents",
            )),
            false => {
                let documents = self.documents.iter().take(documents).cloned().collect();
                Ok(Self { queries, documents, judged })
            }
        }
    }

    /// Returns the numbers of the `k` nearest documents of each query by cosine, the nearest first.
    /// Rows have `dim` numbers, in the order of [`queries`](Self::queries) and
    /// [`documents`](Self::documents).
    ///
    /// # Errors
    /// If there is not one row for each query and document.
    pub fn search(
        &self,
        queries: &[f32],
        documents: &[f32],
        dim: usize,
        k: usize,
    ) -> Result<Vec<Vec<usize>>, Error> {
        let (rows, count) = (self.queries.len(), self.documents.len());
        if Some(queries.len()) != rows.checked_mul(dim) || Some(documents.len()) != count.checked_mul(dim) {
            return Err(Error::argument(format!(
                "{} and {} numbers are not rows of {dim} for {rows} queries and {count} documents",
                queries.len(),
                documents.len()
            )));
        }
        // The length of a query does not change the order of its documents.
        let lengths: Vec<f32> = documents.chunks_exact(dim.max(1)).map(length).collect();
        let mut products = vec![0.0; rows * count];
        f32_product(queries, documents, dim, &mut products)?;
        let ranked = products.chunks_exact_mut(count).map(|products| {
            products.iter_mut().zip(&lengths).for_each(|(x, length)| *x /= length.max(f32::MIN_POSITIVE));
            let mut order: Vec<usize> = (0..count).collect();
            let nearer =
                |a: &usize, b: &usize| products[*b].total_cmp(&products[*a]).then_with(|| Ord::cmp(a, b));
            if k < count {
                order.select_nth_unstable_by(k, nearer);
                order.truncate(k);
            }
            order.sort_unstable_by(nearer);
            order
        });
        Ok(ranked.collect())
    }

    /// Ranks the results of each query again by the cosine of these vectors, the nearest first.
    ///
    /// # Errors
    /// If there is not one row for each query and document, or not one result for each query.
    pub fn rerank(
        &self,
        queries: &[f32],
        documents: &[f32],
        dim: usize,
        results: &[Vec<usize>],
    ) -> Result<Vec<Vec<usize>>, Error> {
        let (rows, count) = (self.queries.len(), self.documents.len());
        let fits = Some(queries.len()) == rows.checked_mul(dim)
            && Some(documents.len()) == count.checked_mul(dim)
            && results.len() == rows
            && results.iter().flatten().all(|&document| document < count);
        if dim == 0 || !fits {
            return Err(Error::argument("vectors and results are not those of the queries and documents"));
        }
        let of_query = |(query, found): (&[f32], &Vec<usize>)| {
            let near = |&document: &usize| (cosine(query, &documents[document * dim..][..dim]), document);
            let mut all: Vec<(f64, usize)> = found.iter().map(near).collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            all.into_iter().map(|(_, document)| document).collect()
        };
        Ok(queries.chunks_exact(dim).zip(results).map(of_query).collect())
    }

    /// Returns the mean share of the relevant documents of a query that are among its first `k` results.
    pub fn recall(&self, results: &[Vec<usize>], k: usize) -> f64 {
        let of_query = |(results, judged): (&Vec<usize>, &Vec<(usize, f64)>)| {
            let found =
                judged.iter().filter(|(document, _)| results.iter().take(k).any(|one| one == document));
            found.count() as f64 / judged.len().max(1) as f64
        };
        results.iter().zip(&self.judged).map(of_query).sum::<f64>() / results.len().max(1) as f64
    }

    /// Returns the mean [NDCG](ndcg) of the first `k` results over all queries.
    pub fn ndcg(&self, results: &[Vec<usize>], k: usize) -> f64 {
        let of_query = |(results, judged): (&Vec<usize>, &Vec<(usize, f64)>)| {
            let relevance: HashMap<usize, f64> = judged.iter().copied().collect();
            let ranked: Vec<f64> =
                results.iter().map(|document| relevance.get(document).copied().unwrap_or(0.0)).collect();
            let ideal: Vec<f64> = relevance.into_values().collect();
            ndcg(&ranked, &ideal, k)
        };
        let scores: Vec<f64> = results.iter().zip(&self.judged).filter_map(of_query).collect();
        scores.iter().sum::<f64>() / scores.len().max(1) as f64
    }
}

fn length(row: &[f32]) -> f32 {
    row.iter().map(|x| x * x).sum::<f32>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str) -> SearchText {
        SearchText { id: id.to_owned(), text: String::new() }
    }

    fn task() -> SearchTask {
        let judge = |query: &str, document: &str, relevance| Judgement {
            query: query.to_owned(),
            document: document.to_owned(),
            relevance,
        };
        let judgements = [
            judge("p", "a", 2.0),
            judge("p", "c", 1.0),
            judge("q", "b", 1.0),
            judge("q", "elsewhere", 1.0),
            judge("r", "a", 0.0),
            judge("s", "b", 1.0),
            judge("s", "elsewhere", 0.0),
        ];
        SearchTask::new(
            ["p", "q", "r", "s"].map(entry).to_vec(),
            ["a", "b", "c"].map(entry).to_vec(),
            &judgements,
        )
        .unwrap()
    }

    #[test]
    fn queries_without_all_relevant_documents_are_dropped() {
        let kept: Vec<String> = task().queries.into_iter().map(|query| query.id).collect();
        assert_eq!(kept, ["p", "s"], "q lacks a document, and r has no relevant one");
        assert!(SearchTask::new(vec![entry("p")], vec![entry("a")], &[]).is_err());
        let few = task().first(2).unwrap();
        assert_eq!((few.queries.len(), few.documents.len()), (1, 2), "p needs the third");
        assert!(task().first(1).is_err());
    }

    #[test]
    fn results_are_ranked_by_cosine_and_scored() {
        let task = task();
        // a is on the first axis, b on the second, and c, which is long, between them.
        let documents = [0.5, 0.0, 0.0, 0.5, 9.0, 9.0];
        let results = task.search(&[1.0, 0.1, 0.0, 3.0], &documents, 2, 2).unwrap();
        assert_eq!(results, [vec![0, 2], vec![1, 2]]);
        assert_eq!(task.ndcg(&results, 2), 1.0);
        let wrong = [vec![1, 2], vec![0, 1]];
        let log3 = 3.0_f64.log2();
        let by_hand = ((1.0 / log3) / (2.0 + 1.0 / log3) + 1.0 / log3) / 2.0;
        assert!((task.ndcg(&wrong, 2) - by_hand).abs() < 1e-12);
        assert_eq!(task.search(&[1.0, 0.1, 0.0, 3.0], &documents, 2, 10).unwrap()[0].len(), 3);
        // p has the relevant documents a and c, s has b.
        assert_eq!(task.recall(&results, 2), 1.0);
        assert_eq!(task.recall(&results, 1), 0.75);
        assert_eq!(task.recall(&wrong, 2), 0.75);
        assert!(task.search(&[1.0], &documents, 2, 2).is_err());
    }

    #[test]
    fn results_are_ranked_again_by_other_vectors() {
        let task = task();
        let (queries, documents) = ([1.0, 0.1, 0.0, 3.0], [0.5, 0.0, 0.0, 0.5, 9.0, 9.0]);
        let found = [vec![1, 2, 0], vec![0, 2]];
        let again = task.rerank(&queries, &documents, 2, &found).unwrap();
        assert_eq!(again, [vec![0, 2, 1], vec![2, 0]]);
        assert!(task.rerank(&queries, &documents, 2, &found[..1]).is_err());
        assert!(task.rerank(&queries, &documents, 2, &[vec![3], vec![0]]).is_err());
        assert!(task.rerank(&queries[1..], &documents, 2, &found).is_err());
    }
}
