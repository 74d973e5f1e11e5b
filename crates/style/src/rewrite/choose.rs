//! The choice among candidates.

use serde::{Deserialize, Serialize};

use super::answer::{clean, echoes};
use super::judge::{Judge, RewriteSource};
use super::layout::fixed_parts;
use super::measures::RewriteMeasures;
use super::writer::Draft;
use crate::Error;

/// What makes a candidate acceptable, and what makes one better than another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RewriteRules {
    /// The smallest share of the meaning that must be kept: the paper's δ.
    ///
    /// The paper's 0.80 is on the scale of an encoder that gives unrelated sentences as much. With ours, sentences that
    /// people find roughly equivalent (3 of 5 in STS-B) have about 0.7.
    pub meaning: f64,
    /// The weight of nearness to the reference, relative to distance from the source: the paper's γ.
    pub guidance: f64,
    /// The penalty for each share of entities that are kept.
    pub entities: f64,
    /// The penalty for each share of the source's words and word pairs that are kept. Attackers use words, and
    /// the paper's fitness looks at style alone.
    pub wording: f64,
    /// The penalty for each unit of likeness to earlier texts of the writer, in style, in words that recur there and in
    /// n-grams.
    pub linking: f64,
    /// What the choice looks at beside the paper's fitness.
    pub attack: AttackWeights,
    /// What is done about facts that a candidate invents.
    pub facts: FactRule,
    /// The smallest and largest length of a candidate, relative to its source.
    pub length: (f64, f64),
}

/// The weights of what attackers use, in the choice among candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttackWeights {
    /// The penalty for the candidate's own risk, from 0 to 1.
    pub risk: f64,
    /// The penalty for the chance that an attacker with style vectors finds the writer among [`Goal::AUTHORS`](super::Goal)
    /// authors.
    pub found: f64,
    /// The penalty for the likeness of its n-grams to those of the source, from 0 to 1.
    pub ngrams: f64,
}

impl AttackWeights {
    /// The choice looks at styles and words only, as before attackers were part of it.
    pub const NONE: Self = Self { risk: 0.0, found: 0.0, ngrams: 0.0 };
}

/// What is done about a candidate that invents a number, a day, a name or the writer, or that changes a
/// negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactRule {
    /// It is not good enough.
    Refuse,
    /// It is reported.
    Report,
}

impl FactRule {
    /// Returns the name of the rule.
    pub fn name(self) -> &'static str {
        match self {
            Self::Refuse => "refused",
            Self::Report => "reported",
        }
    }
}

impl Default for RewriteRules {
    fn default() -> Self {
        Self {
            meaning: 0.7,
            guidance: 1.0,
            entities: 1.0,
            wording: 1.0,
            linking: 2.0,
            attack: AttackWeights { risk: 2.0, found: 0.5, ngrams: 1.0 },
            facts: FactRule::Refuse,
            length: (0.5, 1.6),
        }
    }
}

/// Why a candidate is not good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CandidateFault {
    /// It has no letter or digit.
    Empty,
    /// The model reached the limit of tokens before it ended.
    Cut,
    /// It is far shorter or longer than its source.
    Length,
    /// It equals its source, apart from case and spaces.
    Copy,
    /// It repeats the prompt.
    Prompt,
    /// It lacks a link or a piece of code of its source.
    Parts,
    /// Its meaning differs from its source.
    Meaning,
    /// It invents a fact, or changes a negation.
    Facts,
}

impl CandidateFault {
    /// Returns the fault in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Cut => "not finished",
            Self::Length => "far shorter or longer",
            Self::Copy => "a copy",
            Self::Prompt => "with words of the prompt",
            Self::Parts => "without its links or code",
            Self::Meaning => "another meaning",
            Self::Facts => "with invented facts",
        }
    }
}

impl RewriteRules {
    /// Returns a fault that shows without measuring.
    pub fn obvious_fault(&self, source: &str, draft: &Draft) -> Option<CandidateFault> {
        let (before, after) = (words(source), words(&draft.text));
        let ratio = after.len() as f64 / before.len().max(1) as f64;
        if !draft.text.chars().any(char::is_alphanumeric) {
            Some(CandidateFault::Empty)
        } else if draft.cut {
            Some(CandidateFault::Cut)
        } else if before == after {
            Some(CandidateFault::Copy)
        // A difference of two words is never a fault.
        } else if after.len().abs_diff(before.len()) > 2 && !(self.length.0..=self.length.1).contains(&ratio)
        {
            Some(CandidateFault::Length)
        } else if fixed_parts(source).into_iter().any(|part| !draft.text.contains(part)) {
            Some(CandidateFault::Parts)
        } else {
            None
        }
    }

    /// Returns the fault of a candidate that was measured.
    pub fn fault(&self, measures: &RewriteMeasures) -> Option<CandidateFault> {
        if measures.meaning < self.meaning {
            Some(CandidateFault::Meaning)
        } else if measures.invented > 0 && self.facts == FactRule::Refuse {
            Some(CandidateFault::Facts)
        } else {
            None
        }
    }

    /// Returns the paper's fitness, less the penalties for entities and wording that are kept, for likeness to earlier
    /// texts, and for what attackers use.
    pub fn fitness(&self, measures: &RewriteMeasures) -> f64 {
        let likeness = measures.link.map_or(0.0, |link| link.style.cosine + link.recurring + link.ngrams);
        let attack = self.attack;
        measures.style_distance
            - self.guidance * measures.reference_distance
            - self.entities * measures.entities_kept.unwrap_or(0.0)
            - self.wording * measures.wording_kept
            - self.linking * likeness
            - attack.risk * measures.risk
            - attack.found * measures.found
            - attack.ngrams * measures.ngrams_kept
    }

    /// Returns the position of the fittest candidate without a fault.
    pub fn choose(&self, candidates: &[Candidate]) -> Option<usize> {
        let good = candidates.iter().enumerate().filter(|(_, candidate)| candidate.fault.is_none());
        let best = good.filter_map(|(index, candidate)| Some((index, self.fitness(&candidate.measures?))));
        best.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(index, _)| index)
    }

    /// Returns the position of the complete candidate that invents least and, among those, keeps most of the meaning: the
    /// paper's fallback if none is good enough.
    pub fn closest(&self, candidates: &[Candidate]) -> Option<usize> {
        let whole = candidates.iter().enumerate().filter(|(_, candidate)| {
            matches!(candidate.fault, None | Some(CandidateFault::Meaning | CandidateFault::Facts))
        });
        let measured = whole.filter_map(|(index, candidate)| Some((index, candidate.measures?)));
        let worse = |a: &(usize, RewriteMeasures), b: &(usize, RewriteMeasures)| {
            let meaning = a.1.meaning.total_cmp(&b.1.meaning);
            b.1.invented.cmp(&a.1.invented).then(meaning).then(b.0.cmp(&a.0))
        };
        measured.max_by(worse).map(|(index, _)| index)
    }
}

/// The words of a text, in lower case. Texts with the same words are copies of each other.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_lowercase).collect()
}

/// A draft with its measures and its fault.
#[derive(Clone)]
pub struct Candidate {
    /// The text.
    pub text: String,
    /// Its measures; none if it had an obvious fault.
    pub measures: Option<RewriteMeasures>,
    /// Why it is not good enough; none if it is.
    pub fault: Option<CandidateFault>,
}

/// Shows no text.
impl std::fmt::Debug for Candidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Candidate({} bytes, {:?})", self.text.len(), self.fault)
    }
}

impl Judge<'_> {
    /// Measures the drafts of each source and finds their faults.
    ///
    /// # Errors
    /// If a model fails.
    pub fn candidates(
        &self,
        rules: &RewriteRules,
        sources: &[&RewriteSource],
        drafts: Vec<Vec<Draft>>,
    ) -> Result<Vec<Vec<Candidate>>, Error> {
        let mut all: Vec<Vec<Candidate>> = sources
            .iter()
            .zip(drafts)
            .map(|(source, drafts)| {
                let example = self.geometry.memory().text(source.reference);
                let candidate = |draft: Draft| {
                    let draft = clean(draft, &source.text);
                    let echo = echoes(&draft.text, &source.text, example).then_some(CandidateFault::Prompt);
                    let fault = rules.obvious_fault(&source.text, &draft).or(echo);
                    Candidate { fault, text: draft.text, measures: None }
                };
                drafts.into_iter().map(candidate).collect()
            })
            .collect();
        let whole = |candidate: &Candidate| candidate.fault.is_none();
        let pairs: Vec<(&RewriteSource, &str)> = sources
            .iter()
            .zip(&all)
            .flat_map(|(source, candidates)| {
                candidates.iter().filter(|c| whole(c)).map(move |c| (*source, c.text.as_str()))
            })
            .collect();
        let measures = self.measure(&pairs)?;
        for (candidate, measures) in all.iter_mut().flatten().filter(|c| whole(c)).zip(measures) {
            candidate.fault = rules.fault(&measures);
            candidate.measures = Some(measures);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::super::measures::test_measures;
    use super::*;

    fn measures(
        style_distance: f64,
        reference_distance: f64,
        meaning: f64,
        kept: Option<f64>,
    ) -> RewriteMeasures {
        RewriteMeasures {
            style_distance,
            reference_distance,
            meaning,
            entities_kept: kept,
            ..test_measures()
        }
    }

    fn candidate(measures: RewriteMeasures) -> Candidate {
        let fault = RewriteRules::default().fault(&measures);
        Candidate { text: "text".into(), measures: Some(measures), fault }
    }

    #[test]
    fn the_fittest_candidate_with_the_same_meaning_is_chosen() {
        let rules = RewriteRules::default();
        let candidates = [
            candidate(measures(0.9, 0.1, 0.69, None)), // fittest, but another meaning
            candidate(measures(0.5, 0.4, 0.7, None)),
            candidate(measures(0.6, 0.3, 0.9, None)),
            candidate(measures(0.9, 0.3, 0.9, Some(0.5))), // fitter, but keeps names
        ];
        assert_eq!(rules.choose(&candidates), Some(2));
        assert_eq!(rules.choose(&candidates[..1]), None);
        assert_eq!(rules.closest(&candidates[..1]), Some(0));
        let empty = Candidate { text: String::new(), measures: None, fault: Some(CandidateFault::Empty) };
        assert_eq!(rules.closest(&[empty]), None);
    }

    #[test]
    fn of_equal_candidates_the_one_that_attackers_find_less_is_chosen() {
        let rules = RewriteRules::default();
        let even = measures(0.5, 0.4, 0.9, None);
        for better in [
            RewriteMeasures { risk: 0.4, ..even },
            RewriteMeasures { found: 0.2, ..even },
            RewriteMeasures { ngrams_kept: 0.4, ..even },
        ] {
            let candidates = [candidate(even), candidate(better)];
            assert_eq!(rules.choose(&candidates), Some(1));
            let before = RewriteRules { attack: AttackWeights::NONE, ..rules };
            assert_eq!(before.choose(&candidates), Some(0), "the first of equal ones");
        }
    }

    #[test]
    fn obvious_faults_are_found_without_measuring() {
        let rules = RewriteRules::default();
        let fault = |text: &str, cut| {
            let source = "The bus was late again so we walked home.";
            rules.obvious_fault(source, &Draft { text: text.into(), cut })
        };
        assert_eq!(fault(" … ", false), Some(CandidateFault::Empty));
        assert_eq!(fault("the bus was  late again so we walked home.", false), Some(CandidateFault::Copy));
        assert_eq!(fault("Again the bus came late and so we", true), Some(CandidateFault::Cut));
        assert_eq!(fault("No bus.", false), Some(CandidateFault::Length));
        assert_eq!(fault(&"It was late. ".repeat(9), false), Some(CandidateFault::Length));
        assert_eq!(fault("Again the bus came late, and we went home on foot.", false), None);
        let linked = |text: &str| {
            let source = "See https://a.example for the new times of the bus.";
            rules.obvious_fault(source, &Draft { text: text.into(), cut: false })
        };
        assert_eq!(linked("The new times of the bus are on the web."), Some(CandidateFault::Parts));
        assert_eq!(linked("The new times are at https://a.example now."), None);
    }
}
