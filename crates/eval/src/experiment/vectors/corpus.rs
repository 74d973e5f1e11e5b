//! The texts of a set, their purpose, and their sensitive words.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use inkveil_detect::{Detector, Kind, Settings, Tier};
use inkveil_nn::SplitMix;
use unicode_segmentation::UnicodeSegmentation;

use super::source::{NAMES, VectorData};
use super::spec::{VectorStudy, WordGroups};
use crate::data::Mark;
use crate::experiment::context::RunContext;
use crate::{Error, Mention, SensitiveWords, retrieval};

/// The most words of a piece. Documents are compared in pieces, because a mask learns little from
/// one word among hundreds.
const PIECE: usize = 40;

pub(super) struct Corpus {
    /// Every distinct sentence, or every document.
    pub(super) texts: Vec<String>,
    pub(super) purpose: Purpose,
    pub(super) sensitive: SensitiveWords,
}

/// The purpose of the vectors.
pub(super) enum Purpose {
    /// The numbers of two sentences, and their score.
    Pairs(Vec<(usize, usize, f64)>),
    /// The texts are documents, and queries should find them.
    Search(retrieval::SearchTask),
    None,
}

impl Corpus {
    pub(super) fn new(
        study: &VectorStudy,
        words: Option<&WordGroups>,
        source: &VectorData,
        context: &RunContext<'_>,
    ) -> Result<Self, Error> {
        let (texts, purpose, marks) = match source {
            VectorData::Pairs(set) => {
                let (texts, pairs) = distinct(&set.pairs[..set.pairs.len().min(study.pair_rows)]);
                (texts, Purpose::Pairs(pairs), None)
            }
            VectorData::Search(set) => {
                let task = match study.text_rows {
                    Some(rows) => set.task.first(rows)?,
                    None => set.task.clone(),
                };
                let texts = task.documents.iter().map(|document| document.text.clone()).collect();
                (texts, Purpose::Search(task), None)
            }
            VectorData::Marked(set) => {
                let chosen = chosen(set.texts.len(), |text| !set.marks[text].is_empty(), study.text_rows);
                let texts = chosen.iter().map(|&text| set.texts[text].clone()).collect();
                let marks: Vec<Vec<Mark>> = chosen.iter().map(|&text| set.marks[text].clone()).collect();
                (texts, Purpose::None, Some(marks))
            }
            VectorData::Labelled(set) => {
                let mut seen = HashSet::new();
                let all = set.train.texts.iter().chain(&set.test.texts).map(String::as_str);
                let all: Vec<&str> = all.filter(|text| seen.insert(*text)).collect();
                let listed =
                    words.map(|words| SensitiveWords::of_words(&all, &list(words), 1)).transpose()?;
                let has = |text: usize| listed.as_ref().is_some_and(|found| !found.tokens()[text].is_empty());
                let chosen = chosen(all.len(), has, study.text_rows);
                (chosen.into_iter().map(|text| all[text].to_owned()).collect(), Purpose::None, None)
            }
        };
        let views: Vec<&str> = texts.iter().map(String::as_str).collect();
        let sensitive = match (marks, words) {
            (Some(marks), _) => SensitiveWords::of_marks(marks, study.min_count),
            (None, Some(words)) => SensitiveWords::of_words(&views, &list(words), study.min_count)?,
            (None, None) => names(&views, study.min_count, context)?,
        };
        // Search can be measured without sensitive words.
        if sensitive.words().is_empty() && !matches!(purpose, Purpose::Search(_)) {
            return Err(Error::argument("no sensitive word is frequent enough; lower min-count"));
        }
        Ok(Self { texts, purpose, sensitive })
    }

    /// The pieces of texts with hidden words, each with and without these words.
    pub(super) fn contrasts(&self, hidden: &dyn Fn(&Mention) -> bool) -> Vec<Contrast> {
        let mut all = Vec::new();
        for (index, text) in self.texts.iter().enumerate() {
            if !self.sensitive.mentions()[index].iter().any(hidden) {
                continue;
            }
            let pieces = match self.purpose {
                Purpose::Search(_) => pieces(text),
                _ => std::iter::once(0..text.len()).collect(),
            };
            for piece in pieces {
                let without = self.sensitive.without(index, text, piece.clone(), hidden);
                let left = without.filter(|rest| rest.chars().any(char::is_alphanumeric));
                all.extend(left.map(|without| Contrast { text: index, piece, without }));
            }
        }
        all
    }

    /// The words of a group.
    pub(super) fn of_group(&self, group: &str) -> Vec<usize> {
        let words = self.sensitive.words().iter().enumerate();
        words.filter(|(_, word)| word.kind.name() == group).map(|(number, _)| number).collect()
    }

    /// The most frequent word of a group.
    pub(super) fn most_frequent(&self, group: &str) -> Option<usize> {
        self.of_group(group).into_iter().max_by_key(|&word| self.sensitive.words()[word].sentences)
    }
}

/// A piece of a text, and the piece without its hidden words.
pub(super) struct Contrast {
    pub(super) text: usize,
    pub(super) piece: Range<usize>,
    pub(super) without: String,
}

/// Listed words with their groups.
fn list<'a>(words: &'a WordGroups) -> Vec<(&'a str, Kind)> {
    let of = |(group, words): (&'_ String, &'a Vec<String>)| {
        let kind = Kind::named(group);
        words.iter().map(move |word| (word.as_str(), kind.clone())).collect::<Vec<_>>()
    };
    words.iter().flat_map(of).collect()
}

fn names(texts: &[&str], min_count: usize, context: &RunContext<'_>) -> Result<SensitiveWords, Error> {
    let mut settings = Settings::of(Tier::Fast);
    settings.only = Some(NAMES.into());
    let spans = Detector::open(Some(context.names), settings)?.detect(texts)?;
    SensitiveWords::in_spans(texts, &spans, min_count)
}

/// Every sentence once, and the pairs by the numbers of their sentences.
fn distinct(set: &[crate::sts::SentencePair]) -> (Vec<String>, Vec<(usize, usize, f64)>) {
    let (mut texts, mut numbers) = (Vec::new(), HashMap::new());
    let mut number = |text: &String| {
        *numbers.entry(text.clone()).or_insert_with_key(|text: &String| {
            texts.push(text.clone());
            texts.len() - 1
        })
    };
    let pairs = set.iter().map(|pair| (number(&pair.first), number(&pair.second), pair.score)).collect();
    (texts, pairs)
}

/// At most `most` texts in a random order, those with sensitive words first.
fn chosen(count: usize, has: impl Fn(usize) -> bool, most: Option<usize>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    SplitMix::named(1, "texts", &[]).shuffle(&mut order);
    let (mut first, rest): (Vec<usize>, Vec<usize>) = order.into_iter().partition(|&text| has(text));
    first.extend(rest);
    first.truncate(most.unwrap_or(count));
    first
}

/// The sentences of a text. Long ones are cut, because some collections have no punctuation.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    for (start, sentence) in text.split_sentence_bound_indices() {
        let (mut begin, mut words, mut inside) = (start, 0, false);
        for (at, sign) in sentence.char_indices() {
            let word = !sign.is_whitespace();
            if word && !inside {
                if words == PIECE {
                    pieces.push(begin..start + at);
                    (begin, words) = (start + at, 0);
                }
                words += 1;
            }
            inside = word;
        }
        pieces.push(begin..start + sentence.len());
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(texts: &[&str], purpose: Purpose) -> Corpus {
        let words =
            [("rome", Kind::named("cities")), ("oslo", Kind::named("cities")), ("monday", Kind::Date)];
        let sensitive = SensitiveWords::of_words(texts, &words, 1).unwrap();
        Corpus { texts: texts.iter().map(|&text| text.to_owned()).collect(), purpose, sensitive }
    }

    #[test]
    fn a_contrast_lacks_the_hidden_words_only() {
        let corpus = corpus(&["Rome on  a Monday", "no place", "Oslo"], Purpose::None);
        let all: Vec<_> = corpus.contrasts(&|_| true).into_iter().map(|c| (c.text, c.without)).collect();
        // Nothing would be left of the last text.
        assert_eq!(all, [(0, "on a".to_owned())]);
        let cities = corpus.of_group("cities");
        let hidden = |mention: &Mention| mention.word.is_some_and(|word| cities.contains(&word));
        assert_eq!(corpus.contrasts(&hidden)[0].without, "on a Monday");
        assert_eq!(corpus.sensitive.words()[corpus.most_frequent("cities").unwrap()].text, "rome");
        assert_eq!(corpus.most_frequent("rivers"), None);
    }

    #[test]
    fn documents_are_compared_in_pieces() {
        let long = format!("They came. {} rome {}", "Word ".repeat(39), "word ".repeat(50));
        let pieces: Vec<&str> = pieces(&long).into_iter().map(|piece| &long[piece]).collect();
        assert_eq!(pieces.concat(), long);
        assert!(pieces.iter().all(|piece| piece.split_whitespace().count() <= PIECE));
        let queries = vec![retrieval::SearchText { id: "q".into(), text: "where".into() }];
        let documents = vec![retrieval::SearchText { id: "d".into(), text: long.clone() }];
        let found = retrieval::Judgement { query: "q".into(), document: "d".into(), relevance: 1.0 };
        let task = retrieval::SearchTask::new(queries, documents, &[found]).unwrap();
        let corpus = corpus(&[&long], Purpose::Search(task));
        let contrasts = corpus.contrasts(&|_| true);
        assert_eq!(contrasts.len(), 1);
        assert!(long[contrasts[0].piece.clone()].trim().ends_with("rome"));
        assert_eq!(contrasts[0].without, "Word ".repeat(39).trim());
    }

    #[test]
    fn texts_with_sensitive_words_come_first() {
        let chosen = chosen(10, |text| text % 2 == 0, Some(7));
        assert_eq!(chosen.len(), 7);
        assert!(chosen[..5].iter().all(|text| text % 2 == 0) && chosen[5..].iter().all(|text| text % 2 == 1));
    }
}
