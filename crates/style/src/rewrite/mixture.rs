//! Mixtures of candidates, sentence by sentence.
//!
//! A model writes few candidates that are good as a whole. If their sentences correspond to those of the original,
//! each sentence can come from another candidate. Mixtures are measured like any other candidate, so a mixture is
//! used only if it is the fittest.
//!
//! A mixture keeps a sentence of the original only where the chosen candidate keeps it, because receipts count
//! it as rewritten. It loses no fact that every candidate states.

use std::collections::BTreeSet;
use std::ops::Range;

use super::align::{covering, in_order};
use super::choose::{Candidate, RewriteRules, words};
use super::judge::{Judge, RewriteSource};
use super::writer::Draft;
use crate::Error;
use crate::facts::{Fact, FactChanges, Facts};

/// Passages with more sentences are not mixed.
const MOST_SENTENCES: usize = 12;

/// The most different texts for one sentence.
const MOST_VERSIONS: usize = 6;

/// A sentence, and another version of it.
type Change = (usize, usize);

/// What a candidate says for a sentence.
struct Version {
    text: String,
    facts: Facts,
}

/// The versions of each sentence of a passage.
struct Versions<'a> {
    passage: &'a str,
    sentences: Vec<Range<usize>>,
    /// The facts of the sentences of the passage.
    facts: Facts,
    /// The facts that a candidate loses as a whole.
    lost: BTreeSet<Fact>,
    /// For each sentence what candidates say for it, without repetitions. The first is that of the candidate that the
    /// mixtures start from.
    all: Vec<Vec<Version>>,
}

impl Versions<'_> {
    /// Adds the sentences of a candidate that can be used in place of the original ones. Only the chosen candidate may
    /// keep original ones.
    fn add(&mut self, row: &[&str], facts: &[Facts], (own, own_facts): (&[&str], &[Facts]), is_chosen: bool) {
        self.lost.extend(self.facts.changes(&Facts::of_all(facts)).lost);
        let usable = usable(own_facts, facts);
        let parts = row.iter().zip(facts).zip(own).zip(usable);
        for ((((text, facts), own), usable), versions) in parts.zip(&mut self.all) {
            let is_new = versions.len() < MOST_VERSIONS && !versions.iter().any(|known| known.text == **text);
            if usable && is_new && (is_chosen || words(text) != words(own)) {
                versions.push(Version { text: (*text).to_owned(), facts: facts.clone() });
            }
        }
    }

    /// Every change of one sentence.
    fn single_changes(&self) -> Vec<Change> {
        let versions = |(sentence, versions): (usize, &Vec<Version>)| {
            (1..versions.len()).map(move |version| (sentence, version)).collect::<Vec<_>>()
        };
        self.all.iter().enumerate().flat_map(versions).collect()
    }

    /// The passage with the first versions of its sentences, except for these changes. None if it loses a fact that
    /// no candidate loses: two candidates can state a fact in different sentences.
    fn with(&self, changes: &[Change]) -> Option<String> {
        let mut chosen: Vec<&Version> =
            self.all.iter().map(|versions| versions.first()).collect::<Option<_>>()?;
        for &(sentence, version) in changes {
            *chosen.get_mut(sentence)? = self.all.get(sentence)?.get(version)?;
        }
        let facts = Facts::of_all(chosen.iter().map(|version| &version.facts));
        let lost = self.facts.changes(&facts).lost;
        lost.iter().all(|fact| self.lost.contains(fact)).then(|| self.mixture(&chosen))
    }

    /// These versions, and the text between the sentences of the passage.
    fn mixture(&self, versions: &[&Version]) -> String {
        let mut text = String::with_capacity(self.passage.len());
        let mut end = 0;
        for (sentence, version) in self.sentences.iter().zip(versions) {
            text.push_str(&self.passage[end..sentence.start]);
            text.push_str(&version.text);
            end = sentence.end;
        }
        text.push_str(&self.passage[end..]);
        text
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
        let Some(first) = versions.with(&[]) else { return Ok(None) };
        let single = |change| Some((change, versions.with(&[change])?));
        let (changes, singles): (Vec<Change>, Vec<String>) =
            versions.single_changes().into_iter().filter_map(single).unzip();
        let mut mixed = self.judged(rules, source, [vec![first], singles].concat())?;
        let together = together(&gains(rules, &changes, &mixed), versions.sentences.len());
        let texts = together.iter().filter_map(|changes| versions.with(changes)).collect();
        mixed.extend(self.judged(rules, source, texts)?);
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

    /// What candidates say for each sentence of the source. Returns none if no two versions of a sentence differ, or if
    /// a sentence has none.
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
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|&index| Some(index) != chosen);
        let rows: Vec<(bool, Vec<&str>)> = order
            .into_iter()
            .filter(|&index| candidates[index].measures.is_some())
            .filter_map(|index| {
                let text = candidates[index].text.as_str();
                let ranges = covering(text).filter(|all| all.len() == sentences.len())?;
                Some((Some(index) == chosen, ranges.into_iter().map(|range| &text[range]).collect()))
            })
            .collect();
        if rows.is_empty() {
            return Ok(None);
        }
        let own: Vec<&str> = sentences.iter().map(|range| &passage[range.clone()]).collect();
        let all: Vec<&str> = own.iter().chain(rows.iter().flat_map(|(_, row)| row)).copied().collect();
        let (meanings, facts) = (self.meaning.read(&all)?, self.facts(&all)?);
        let count = own.len();
        let ((own_meanings, meanings), (own_facts, facts)) =
            (meanings.split_at(count), facts.split_at(count));
        let mut versions = Versions {
            passage,
            sentences,
            facts: Facts::of_all(own_facts),
            lost: BTreeSet::new(),
            all: own.iter().map(|_| Vec::new()).collect(),
        };
        let read = meanings.chunks_exact(count).zip(facts.chunks_exact(count));
        for ((is_chosen, row), (meanings, facts)) in rows.iter().zip(read) {
            if in_order(own_meanings, meanings) {
                versions.add(row, facts, (&own, own_facts), *is_chosen);
            }
        }
        // A sentence that every candidate changes too much cannot stay as it is: the passage counts as rewritten.
        let complete = versions.all.iter().all(|versions| !versions.is_empty());
        let differ = versions.all.iter().any(|versions| versions.len() > 1);
        Ok((complete && (differ || chosen.is_none())).then_some(versions))
    }
}

/// Which sentences of a candidate can be used without its others: those that state nothing new, and that lose nothing
/// that a sentence with something new states in their place.
fn usable(own: &[Facts], facts: &[Facts]) -> Vec<bool> {
    let changes: Vec<FactChanges> = own.iter().zip(facts).map(|(own, facts)| own.changes(facts)).collect();
    let moved = |fact: &Fact| {
        changes.iter().zip(facts).any(|(changes, facts)| !changes.invented.is_empty() && facts.states(fact))
    };
    changes.iter().map(|changes| changes.invented.is_empty() && !changes.lost.iter().any(moved)).collect()
}

/// How much fitter than the first mixture each change makes it. Leaves out changes that give it a fault: a sentence that
/// lacks something is often the fittest, and every combination would contain it.
fn gains(rules: &RewriteRules, changes: &[Change], mixed: &[Candidate]) -> Vec<(Change, f64)> {
    let fitness = |candidate: &Candidate| candidate.measures.map(|measures| rules.fitness(&measures));
    let Some((first, singles)) = mixed.split_first() else { return Vec::new() };
    // Without the first one there is nothing to compare the others with.
    let Some(before) = fitness(first) else { return Vec::new() };
    let sound = |mixture: &Candidate| mixture.fault.is_none() || first.fault.is_some();
    let pairs = changes.iter().zip(singles).filter(|(_, mixture)| sound(mixture));
    pairs.filter_map(|(change, mixture)| Some((*change, fitness(mixture)? - before))).collect()
}

/// The best change of each sentence that gains: all of them together, the better half of them, and the best two.
fn together(gains: &[(Change, f64)], sentences: usize) -> Vec<Vec<Change>> {
    let mut best: Vec<(Change, f64)> = (0..sentences)
        .filter_map(|sentence| {
            let own = gains.iter().filter(|((of, _), gain)| *of == sentence && *gain > 0.0);
            own.copied().max_by(|a, b| a.1.total_cmp(&b.1))
        })
        .collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1));
    let changes: Vec<Change> = best.into_iter().map(|(change, _)| change).collect();
    let mut counts = vec![changes.len(), changes.len().div_ceil(2), 2];
    counts.retain(|&count| (2..=changes.len()).contains(&count));
    counts.dedup();
    counts.into_iter().map(|count| changes[..count].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::choose::CandidateFault;
    use super::super::measures::{RewriteMeasures, test_measures};
    use super::*;

    fn version(text: &str) -> Version {
        Version { text: text.to_owned(), facts: Facts::of(text, []) }
    }

    fn two_sentences<'a>(passage: &'a str, all: [&[&str]; 2]) -> Versions<'a> {
        Versions {
            passage,
            sentences: covering(passage).unwrap(),
            facts: Facts::of(passage, []),
            lost: BTreeSet::new(),
            all: all.map(|versions| versions.iter().map(|text| version(text)).collect()).into(),
        }
    }

    #[test]
    fn mixtures_keep_what_stands_between_sentences() {
        let mut versions = two_sentences("  One.\nTwo. ", [&["A.", "B."], &["C 2.", "D 2!", "E 2."]]);
        versions.sentences = vec![2..6, 7..11];
        assert_eq!(versions.with(&[]).unwrap(), "  A.\nC 2. ");
        assert_eq!(versions.with(&[(0, 1), (1, 2)]).unwrap(), "  B.\nE 2. ");
        assert_eq!(versions.single_changes(), [(0, 1), (1, 1), (1, 2)]);
    }

    #[test]
    fn a_mixture_loses_no_fact_that_every_candidate_states() {
        // The first candidate states 7 in the first sentence only, the second one in the second only.
        let all: [&[&str]; 2] = [&["We have 7.", "We have some."], &["They left.", "All 7 left."]];
        let mut versions = two_sentences("We own 7 boats. The 7 went.", all);
        assert!(versions.with(&[]).is_some() && versions.with(&[(0, 1), (1, 1)]).is_some());
        assert_eq!(versions.with(&[(0, 1)]), None);
        // If a candidate loses it, a mixture may lose it too.
        versions.lost = versions.facts.changes(&Facts::default()).lost.into_iter().collect();
        assert_eq!(versions.with(&[(0, 1)]).unwrap(), "We have some. They left.");
    }

    #[test]
    fn a_sentence_whose_fact_moved_to_another_one_is_not_used() {
        let facts = |texts: &[&str]| texts.iter().map(|text| Facts::of(text, [])).collect::<Vec<_>>();
        let own = facts(&["It cost 40 pounds.", "We paid on Monday.", "Six came, and two left."]);
        let usable = |texts: &[&str]| usable(&own, &facts(texts));
        assert_eq!(usable(&["It cost a bit.", "We paid on Monday.", "Two left."]), [true; 3]);
        assert_eq!(
            usable(&["It cost a bit.", "We paid 40 pounds on Monday.", "Two left."]),
            [false, false, true]
        );
        assert_eq!(usable(&["It cost a bit.", "We paid 9 on Monday.", "Two left."]), [true, false, true]);
    }

    #[test]
    fn candidates_are_used_sentence_by_sentence_and_copies_are_not() {
        let passage = "It cost 40 pounds. We paid on Monday.";
        let own = ["It cost 40 pounds.", "We paid on Monday."];
        let facts = |texts: &[&str]| texts.iter().map(|text| Facts::of(text, [])).collect::<Vec<_>>();
        let texts = |is_chosen| {
            let mut versions = two_sentences(passage, [&[], &[]]);
            for row in
                [["IT cost  40 pounds.", "Monday was when we paid."], ["40 pounds was it.", "We paid."]]
            {
                versions.add(&row, &facts(&row), (&own, &facts(&own)), is_chosen);
            }
            let lost: Vec<&str> = versions.lost.iter().map(|fact| fact.value.as_str()).collect();
            assert_eq!(lost, ["monday"]);
            let texts = |of: &Vec<Version>| of.iter().map(|version| version.text.clone()).collect::<Vec<_>>();
            versions.all.iter().map(texts).collect::<Vec<_>>()
        };
        let second = ["Monday was when we paid.", "We paid."];
        assert_eq!(texts(false), [&["40 pounds was it."][..], &second]);
        assert_eq!(texts(true), [&["IT cost  40 pounds.", "40 pounds was it."][..], &second]);
    }

    #[test]
    fn a_change_that_adds_a_fault_is_not_combined() {
        let candidate = |style_distance: f64, fault| Candidate {
            text: String::new(),
            measures: Some(RewriteMeasures { style_distance, ..test_measures() }),
            fault,
        };
        let rules = RewriteRules::default();
        let changes = [(0, 1), (1, 1), (2, 1)];
        let meaning = Some(CandidateFault::Meaning);
        let mixed = |first| {
            vec![candidate(0.2, first), candidate(0.9, meaning), candidate(0.3, None), candidate(0.4, None)]
        };
        let gaining = |mixed: &[Candidate]| {
            gains(&rules, &changes, mixed).into_iter().map(|(of, _)| of).collect::<Vec<_>>()
        };
        let sound = gains(&rules, &changes, &mixed(None));
        assert_eq!(together(&sound, 3), [vec![(2, 1), (1, 1)]]);
        assert_eq!(
            gaining(&mixed(meaning)),
            changes,
            "with a fault of the first one there is nothing to add"
        );
        let unmeasured = Candidate { text: String::new(), measures: None, fault: Some(CandidateFault::Copy) };
        let mut without = mixed(None);
        without[1] = unmeasured.clone();
        assert_eq!(gaining(&without), changes[1..]);
        without[0] = unmeasured;
        assert!(gaining(&without).is_empty() && gaining(&[]).is_empty());
    }

    #[test]
    fn only_the_best_gaining_change_of_a_sentence_is_combined() {
        let gains = [((0, 1), 0.1), ((0, 2), 0.3), ((1, 1), -0.2), ((2, 1), 0.2), ((3, 1), 0.05)];
        assert_eq!(together(&gains, 4), [vec![(0, 2), (2, 1), (3, 1)], vec![(0, 2), (2, 1)]]);
        assert!(together(&gains[..2], 4).is_empty(), "one change was measured already");
        assert!(together(&[], 4).is_empty());
    }
}
