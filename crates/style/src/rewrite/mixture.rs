//! Mixtures of candidates, sentence by sentence.
//!
//! A model writes few candidates that are good as a whole. If their sentences correspond to those of the original,
//! each sentence can come from another candidate. Mixtures are measured like any other candidate, so a mixture is
//! used only if it is the fittest.

use std::ops::Range;

use super::align::{covering, in_order};
use super::choose::{Candidate, RewriteRules};
use super::judge::{Judge, RewriteSource};
use super::writer::Draft;
use crate::Error;

/// Passages with more sentences are not mixed.
const MOST_SENTENCES: usize = 12;

/// The most different texts for one sentence.
const MOST_VERSIONS: usize = 6;

/// The versions of each sentence of a passage.
struct Versions<'a> {
    passage: &'a str,
    sentences: Vec<Range<usize>>,
    /// For each sentence what candidates say for it, without repetitions. The first is that of the candidate that the
    /// mixtures start from.
    texts: Vec<Vec<String>>,
}

impl Versions<'_> {
    /// The passage with these versions of its sentences.
    fn mixture(&self, chosen: &[usize]) -> String {
        let mut text = String::with_capacity(self.passage.len());
        let mut end = 0;
        for ((sentence, versions), &version) in self.sentences.iter().zip(&self.texts).zip(chosen) {
            text.push_str(&self.passage[end..sentence.start]);
            text.push_str(&versions[version]);
            end = sentence.end;
        }
        text.push_str(&self.passage[end..]);
        text
    }

    /// Every mixture that differs from the first in one sentence, with the sentence and its version.
    fn single_changes(&self) -> Vec<(usize, usize)> {
        let versions = |(sentence, versions): (usize, &Vec<String>)| {
            (1..versions.len()).map(move |version| (sentence, version)).collect::<Vec<_>>()
        };
        self.texts.iter().enumerate().flat_map(versions).collect()
    }

    fn with(&self, changes: &[(usize, usize)]) -> String {
        let mut chosen = vec![0; self.sentences.len()];
        changes.iter().for_each(|&(sentence, version)| chosen[sentence] = version);
        self.mixture(&chosen)
    }
}

impl Judge<'_> {
    /// Returns the fittest mixture of candidates of a passage that has no fault, if there is one. `chosen` is the
    /// fittest candidate.
    ///
    /// # Errors
    /// If a model fails.
    pub(super) fn mix(
        &self,
        rules: &RewriteRules,
        source: &RewriteSource,
        candidates: &[Candidate],
        chosen: Option<usize>,
    ) -> Result<Option<Candidate>, Error> {
        let Some(versions) = self.versions(source, candidates, chosen)? else { return Ok(None) };
        let singles = versions.single_changes();
        let mut texts = vec![versions.with(&[])];
        texts.extend(singles.iter().map(|change| versions.with(&[*change])));
        let mut mixed = self.judged(rules, source, texts)?;
        let fitness = |candidate: &Candidate| candidate.measures.map(|measures| rules.fitness(&measures));
        // Without the first one there is nothing to compare the others with.
        if let Some(first) = mixed.first().and_then(fitness) {
            let gains: Vec<((usize, usize), f64)> = singles
                .iter()
                .zip(&mixed[1..])
                .filter_map(|(change, mixture)| Some((*change, fitness(mixture)? - first)))
                .collect();
            let together = together(&gains, versions.sentences.len());
            let texts = together.iter().map(|changes| versions.with(changes)).collect();
            mixed.extend(self.judged(rules, source, texts)?);
        }
        Ok(rules.choose(&mixed).map(|best| mixed.swap_remove(best)))
    }

    fn judged(
        &self,
        rules: &RewriteRules,
        source: &RewriteSource,
        texts: Vec<String>,
    ) -> Result<Vec<Candidate>, Error> {
        let drafts = texts.into_iter().map(|text| Draft { text, cut: false }).collect();
        Ok(self.candidates(rules, &[source], vec![drafts])?.pop().unwrap_or_default())
    }

    /// What candidates say for each sentence of the source. Returns none if no two versions of a sentence differ.
    fn versions<'a>(
        &self,
        source: &'a RewriteSource,
        candidates: &[Candidate],
        chosen: Option<usize>,
    ) -> Result<Option<Versions<'a>>, Error> {
        let passage = source.text.as_str();
        let Some(sentences) = covering(passage).filter(|all| (2..=MOST_SENTENCES).contains(&all.len()))
        else {
            return Ok(None);
        };
        // The chosen candidate comes first.
        let first = chosen.and_then(|chosen| candidates.get(chosen));
        let others = candidates.iter().enumerate().filter(|(index, _)| Some(*index) != chosen);
        let rows: Vec<Vec<&str>> = first
            .into_iter()
            .chain(others.map(|(_, candidate)| candidate))
            .filter(|candidate| candidate.measures.is_some())
            .filter_map(|candidate| {
                let ranges = covering(&candidate.text).filter(|all| all.len() == sentences.len())?;
                Some(ranges.into_iter().map(|range| &candidate.text[range]).collect())
            })
            .collect();
        if rows.is_empty() {
            return Ok(None);
        }
        let own: Vec<&str> = sentences.iter().map(|range| &passage[range.clone()]).collect();
        let all: Vec<&str> = own.iter().chain(rows.iter().flatten()).copied().collect();
        let (meanings, facts) = (self.meaning.read(&all)?, self.facts(&all)?);
        let count = own.len();
        let mut texts: Vec<Vec<String>> = vec![Vec::new(); count];
        for (row, at) in rows.iter().zip((count..).step_by(count)) {
            if !in_order(&meanings[..count], &meanings[at..at + count]) {
                continue;
            }
            for (sentence, text) in row.iter().enumerate() {
                let invents = !facts[sentence].changes(&facts[at + sentence]).invented.is_empty();
                let versions = &mut texts[sentence];
                if !invents && versions.len() < MOST_VERSIONS && !versions.iter().any(|known| known == text) {
                    versions.push((*text).to_owned());
                }
            }
        }
        // A sentence that every candidate changes too much stays as it is.
        for (versions, own) in texts.iter_mut().zip(&own) {
            if versions.is_empty() {
                versions.push((*own).to_owned());
            }
        }
        let differ = texts.iter().any(|versions| versions.len() > 1);
        let rescues = chosen.is_none() && texts.iter().zip(&own).any(|(versions, own)| versions[0] != *own);
        Ok((differ || rescues).then_some(Versions { passage, sentences, texts }))
    }
}

/// The best change of each sentence that gains: all of them together, the better half of them, and the best two.
fn together(gains: &[((usize, usize), f64)], sentences: usize) -> Vec<Vec<(usize, usize)>> {
    let mut best: Vec<((usize, usize), f64)> = (0..sentences)
        .filter_map(|sentence| {
            let own = gains.iter().filter(|((of, _), gain)| *of == sentence && *gain > 0.0);
            own.copied().max_by(|a, b| a.1.total_cmp(&b.1))
        })
        .collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1));
    let changes: Vec<(usize, usize)> = best.into_iter().map(|(change, _)| change).collect();
    let mut counts = vec![changes.len(), changes.len().div_ceil(2), 2];
    counts.retain(|&count| (2..=changes.len()).contains(&count));
    counts.dedup();
    counts.into_iter().map(|count| changes[..count].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixtures_keep_what_stands_between_sentences() {
        let versions = Versions {
            passage: "  One.\nTwo. ",
            sentences: vec![2..6, 7..11],
            texts: vec![vec!["A.".into(), "B.".into()], vec!["C.".into(), "D!".into(), "E.".into()]],
        };
        assert_eq!(versions.with(&[]), "  A.\nC. ");
        assert_eq!(versions.with(&[(0, 1), (1, 2)]), "  B.\nE. ");
        assert_eq!(versions.single_changes(), [(0, 1), (1, 1), (1, 2)]);
    }

    #[test]
    fn only_the_best_gaining_change_of_a_sentence_is_combined() {
        let gains = [((0, 1), 0.1), ((0, 2), 0.3), ((1, 1), -0.2), ((2, 1), 0.2), ((3, 1), 0.05)];
        assert_eq!(together(&gains, 4), [vec![(0, 2), (2, 1), (3, 1)], vec![(0, 2), (2, 1)]]);
        assert!(together(&gains[..2], 4).is_empty(), "one change was measured already");
        assert!(together(&[], 4).is_empty());
    }
}
