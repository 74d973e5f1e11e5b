//! Which of several candidates is released, if any.

use serde::{Deserialize, Serialize};

use super::{Measures, Source, Written};

/// What a candidate must be, and what makes one better than another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// The least share of the meaning that must be kept: the paper's δ. Its 0.80 is on the scale of an encoder that gives unrelated sentences as much;
    /// with ours, sentences that people find roughly equivalent (3 of 5 in STS-B) have about 0.7.
    pub meaning: f64,
    /// How much nearness to the reference counts beside distance from the source: the paper's γ.
    pub guidance: f64,
    /// How much each share of entities that are kept counts against a candidate.
    pub entities: f64,
    /// The shortest and longest a candidate may be, beside its source.
    pub length: (f64, f64),
}

impl Default for Rules {
    fn default() -> Self {
        Self { meaning: 0.7, guidance: 1.0, entities: 1.0, length: (0.5, 1.6) }
    }
}

/// Why a candidate is not good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// It says nothing.
    Empty,
    /// The model did not come to an end.
    Cut,
    /// It is far shorter or longer than its source.
    Length,
    /// It is its source, but for case and spaces.
    Copy,
    /// It says something else.
    Meaning,
}

impl Fault {
    /// In words.
    pub fn says(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Cut => "not finished",
            Self::Length => "far shorter or longer",
            Self::Copy => "a copy",
            Self::Meaning => "another meaning",
        }
    }
}

impl Rules {
    /// What is wrong with a candidate at first sight, before it is measured.
    pub fn obvious_fault(&self, source: &str, written: &Written) -> Option<Fault> {
        let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
        let (before, after) = (words(source), words(&written.text));
        let ratio = after.len() as f64 / before.len().max(1) as f64;
        if !written.text.chars().any(char::is_alphanumeric) {
            Some(Fault::Empty)
        } else if written.cut {
            Some(Fault::Cut)
        } else if before == after {
            Some(Fault::Copy)
        // One word more or less is never far.
        } else if after.len().abs_diff(before.len()) > 2 && !(self.length.0..=self.length.1).contains(&ratio)
        {
            Some(Fault::Length)
        } else {
            None
        }
    }

    /// What is wrong with a candidate that has been measured.
    pub fn fault(&self, measures: &Measures) -> Option<Fault> {
        (measures.meaning < self.meaning).then_some(Fault::Meaning)
    }

    /// The paper's fitness, less what is kept of the entities.
    pub fn fitness(&self, measures: &Measures) -> f64 {
        measures.style_distance
            - self.guidance * measures.reference_distance
            - self.entities * measures.entities_kept.unwrap_or(0.0)
    }

    /// The fittest of the candidates without a fault.
    pub fn choose(&self, candidates: &[Candidate]) -> Option<usize> {
        let good = candidates.iter().enumerate().filter(|(_, candidate)| candidate.fault.is_none());
        let best = good.filter_map(|(index, candidate)| Some((index, self.fitness(&candidate.measures?))));
        best.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(index, _)| index)
    }

    /// The candidate that keeps most of the meaning, of those that say something: the paper's way out where none is good enough.
    pub fn closest(&self, candidates: &[Candidate]) -> Option<usize> {
        let whole = candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| matches!(candidate.fault, None | Some(Fault::Meaning)));
        let measured = whole.filter_map(|(index, candidate)| Some((index, candidate.measures?.meaning)));
        measured.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(index, _)| index)
    }
}

/// A rewrite that may be chosen.
#[derive(Clone)]
pub struct Candidate {
    /// Its text.
    pub text: String,
    /// What was measured of it, if it was worth it.
    pub measures: Option<Measures>,
    /// Why it is not good enough, if it is not.
    pub fault: Option<Fault>,
}

/// The text is private.
impl std::fmt::Debug for Candidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Candidate({} bytes, {:?})", self.text.len(), self.fault)
    }
}

impl super::Judge<'_> {
    /// Makes candidates of what was written for each source: measured, and with their faults.
    ///
    /// # Errors
    /// If a model fails.
    pub fn candidates(
        &self,
        rules: &Rules,
        sources: &[&Source],
        written: Vec<Vec<Written>>,
    ) -> Result<Vec<Vec<Candidate>>, crate::Error> {
        let mut all: Vec<Vec<Candidate>> = sources
            .iter()
            .zip(written)
            .map(|(source, written)| {
                let candidate = |written: Written| Candidate {
                    fault: rules.obvious_fault(&source.text, &written),
                    text: written.text,
                    measures: None,
                };
                written.into_iter().map(candidate).collect()
            })
            .collect();
        let whole = |candidate: &Candidate| candidate.fault.is_none();
        let pairs: Vec<(&Source, &str)> = sources
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
    use super::*;

    fn measures(style_distance: f64, reference_distance: f64, meaning: f64, kept: Option<f64>) -> Measures {
        Measures {
            style_distance,
            reference_distance,
            meaning,
            entities_kept: kept,
            mean_distance: 0.5,
            risk: 0.5,
            outlier: false,
        }
    }

    fn candidate(measures: Measures) -> Candidate {
        let fault = Rules::default().fault(&measures);
        Candidate { text: "text".into(), measures: Some(measures), fault }
    }

    #[test]
    fn the_fittest_with_the_same_meaning_is_chosen() {
        let rules = Rules::default();
        let candidates = [
            candidate(measures(0.9, 0.1, 0.69, None)), // fittest, but something else
            candidate(measures(0.5, 0.4, 0.7, None)),
            candidate(measures(0.6, 0.3, 0.9, None)),
            candidate(measures(0.9, 0.3, 0.9, Some(0.5))), // fitter, but for the names
        ];
        assert_eq!(rules.choose(&candidates), Some(2));
        assert_eq!(rules.choose(&candidates[..1]), None);
        assert_eq!(rules.closest(&candidates[..1]), Some(0));
        let empty = Candidate { text: String::new(), measures: None, fault: Some(Fault::Empty) };
        assert_eq!(rules.closest(&[empty]), None);
    }

    #[test]
    fn faults_are_seen_at_first_sight() {
        let rules = Rules::default();
        let fault = |text: &str, cut| {
            let source = "The bus was late again so we walked home.";
            rules.obvious_fault(source, &Written { text: text.into(), cut })
        };
        assert_eq!(fault(" … ", false), Some(Fault::Empty));
        assert_eq!(fault("the bus was  late again so we walked home.", false), Some(Fault::Copy));
        assert_eq!(fault("Again the bus came late and so we", true), Some(Fault::Cut));
        assert_eq!(fault("No bus.", false), Some(Fault::Length));
        assert_eq!(fault(&"It was late. ".repeat(9), false), Some(Fault::Length));
        assert_eq!(fault("Again the bus came late, and we went home on foot.", false), None);
    }
}
