//! The texts, what they are for, and what is sensitive in them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use inkveil_detect::{Detector, Kind, Settings, Tier};
use inkveil_nn::SplitMix;
use unicode_segmentation::UnicodeSegmentation;

use super::super::Bench;
use super::material::Material;
use super::{Groups, VectorStudy};
use crate::data::Mark;
use crate::{Error, Mention, Sensitive, retrieval};

/// What is sensitive where no words are listed or marked.
pub(super) const NAMES: [Kind; 3] = [Kind::Person, Kind::Location, Kind::Organisation];

/// A document is compared with itself in pieces of so many words at most: a mask learns little from one word among hundreds.
const PIECE: usize = 40;

pub(super) struct Corpus {
    /// Every distinct sentence, or every document.
    pub(super) texts: Vec<String>,
    pub(super) task: Task,
    pub(super) sensitive: Sensitive,
}

/// What vectors are for.
pub(super) enum Task {
    /// The numbers of two sentences, and their score.
    Pairs(Vec<(usize, usize, f64)>),
    /// The texts are documents that queries should find.
    Search(retrieval::Task),
    Nothing,
}

impl Corpus {
    pub(super) fn new(
        study: &VectorStudy,
        words: Option<&Groups>,
        material: &Material,
        bench: &Bench<'_>,
    ) -> Result<Self, Error> {
        let (texts, task, marks) = match material {
            Material::Pairs(set) => {
                let (texts, pairs) = distinct(&set.pairs[..set.pairs.len().min(study.pair_rows)]);
                (texts, Task::Pairs(pairs), None)
            }
            Material::Search(set) => {
                let task = match study.text_rows {
                    Some(rows) => set.task.first(rows)?,
                    None => set.task.clone(),
                };
                let texts = task.documents.iter().map(|document| document.text.clone()).collect();
                (texts, Task::Search(task), None)
            }
            Material::Marked(set) => {
                let chosen = chosen(set.texts.len(), |text| !set.marks[text].is_empty(), study.text_rows);
                let texts = chosen.iter().map(|&text| set.texts[text].clone()).collect();
                let marks: Vec<Vec<Mark>> = chosen.iter().map(|&text| set.marks[text].clone()).collect();
                (texts, Task::Nothing, Some(marks))
            }
            Material::Labelled(set) => {
                let mut seen = HashSet::new();
                let all = set.train.texts.iter().chain(&set.test.texts).map(String::as_str);
                let all: Vec<&str> = all.filter(|text| seen.insert(*text)).collect();
                let listed = words.map(|words| Sensitive::of_words(&all, &list(words), 1)).transpose()?;
                let has = |text: usize| listed.as_ref().is_some_and(|found| !found.tokens()[text].is_empty());
                let chosen = chosen(all.len(), has, study.text_rows);
                (chosen.into_iter().map(|text| all[text].to_owned()).collect(), Task::Nothing, None)
            }
        };
        let views: Vec<&str> = texts.iter().map(String::as_str).collect();
        let sensitive = match (marks, words) {
            (Some(marks), _) => Sensitive::of_marks(marks, study.min_count),
            (None, Some(words)) => Sensitive::of_words(&views, &list(words), study.min_count)?,
            (None, None) => names(&views, study.min_count, bench)?,
        };
        // Documents are searched whether or not there is something for an attacker to learn.
        if sensitive.words().is_empty() && !matches!(task, Task::Search(_)) {
            return Err(Error::argument("no sensitive word is frequent enough; lower min-count"));
        }
        Ok(Self { texts, task, sensitive })
    }

    /// The parts of texts that have something to hide, each with its text and without what is hidden.
    pub(super) fn contrasts(&self, hidden: &dyn Fn(&Mention) -> bool) -> Vec<Contrast> {
        let mut all = Vec::new();
        for (index, text) in self.texts.iter().enumerate() {
            if !self.sensitive.mentions()[index].iter().any(hidden) {
                continue;
            }
            let pieces = match self.task {
                Task::Search(_) => pieces(text),
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

    /// The commonest word of a group.
    pub(super) fn commonest(&self, group: &str) -> Option<usize> {
        self.of_group(group).into_iter().max_by_key(|&word| self.sensitive.words()[word].sentences)
    }
}

/// A piece of a text, and the same without what is hidden.
pub(super) struct Contrast {
    pub(super) text: usize,
    pub(super) piece: Range<usize>,
    pub(super) without: String,
}

/// Listed words with their groups.
fn list<'a>(words: &'a Groups) -> Vec<(&'a str, Kind)> {
    let of = |(group, words): (&'_ String, &'a Vec<String>)| {
        let kind = Kind::named(group);
        words.iter().map(move |word| (word.as_str(), kind.clone())).collect::<Vec<_>>()
    };
    words.iter().flat_map(of).collect()
}

fn names(texts: &[&str], min_count: usize, bench: &Bench<'_>) -> Result<Sensitive, Error> {
    let mut settings = Settings::of(Tier::Fast);
    settings.only = Some(NAMES.into());
    let spans = Detector::open(Some(bench.names), settings).and_then(|detector| detector.detect(texts))?;
    Sensitive::in_spans(texts, &spans, min_count)
}

/// Every sentence once, and the pairs by the numbers of their sentences.
fn distinct(set: &[crate::sts::Pair]) -> (Vec<String>, Vec<(usize, usize, f64)>) {
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

/// At most so many texts in a random order, those with something to learn first.
fn chosen(count: usize, has: impl Fn(usize) -> bool, most: Option<usize>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    SplitMix::named(1, "texts", &[]).shuffle(&mut order);
    let (mut first, rest): (Vec<usize>, Vec<usize>) = order.into_iter().partition(|&text| has(text));
    first.extend(rest);
    first.truncate(most.unwrap_or(count));
    first
}

/// The sentences of a text; long ones are cut, since some collections come without punctuation.
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

    fn corpus(texts: &[&str], task: Task) -> Corpus {
        let words =
            [("rome", Kind::named("cities")), ("oslo", Kind::named("cities")), ("monday", Kind::Date)];
        let sensitive = Sensitive::of_words(texts, &words, 1).unwrap();
        Corpus { texts: texts.iter().map(|&text| text.to_owned()).collect(), task, sensitive }
    }

    #[test]
    fn a_contrast_lacks_what_is_hidden_and_nothing_else() {
        let corpus = corpus(&["Rome on  a Monday", "no place", "Oslo"], Task::Nothing);
        let all: Vec<_> = corpus.contrasts(&|_| true).into_iter().map(|c| (c.text, c.without)).collect();
        // Of the last nothing would be left.
        assert_eq!(all, [(0, "on a".to_owned())]);
        let cities = corpus.of_group("cities");
        let hidden = |mention: &Mention| mention.word.is_some_and(|word| cities.contains(&word));
        assert_eq!(corpus.contrasts(&hidden)[0].without, "on a Monday");
        assert_eq!(corpus.sensitive.words()[corpus.commonest("cities").unwrap()].text, "rome");
        assert_eq!(corpus.commonest("rivers"), None);
    }

    #[test]
    fn documents_are_compared_in_pieces() {
        let long = format!("They came. {} rome {}", "Word ".repeat(39), "word ".repeat(50));
        let pieces: Vec<&str> = pieces(&long).into_iter().map(|piece| &long[piece]).collect();
        assert_eq!(pieces.concat(), long);
        assert!(pieces.iter().all(|piece| piece.split_whitespace().count() <= PIECE));
        let queries = vec![retrieval::Entry { id: "q".into(), text: "where".into() }];
        let documents = vec![retrieval::Entry { id: "d".into(), text: long.clone() }];
        let found = retrieval::Judgement { query: "q".into(), document: "d".into(), relevance: 1.0 };
        let task = retrieval::Task::new(queries, documents, &[found]).unwrap();
        let corpus = corpus(&[&long], Task::Search(task));
        let contrasts = corpus.contrasts(&|_| true);
        assert_eq!(contrasts.len(), 1);
        assert!(long[contrasts[0].piece.clone()].trim().ends_with("rome"));
        assert_eq!(contrasts[0].without, "Word ".repeat(39).trim());
    }

    #[test]
    fn texts_with_something_to_learn_come_first() {
        let chosen = chosen(10, |text| text % 2 == 0, Some(7));
        assert_eq!(chosen.len(), 7);
        assert!(chosen[..5].iter().all(|text| text % 2 == 0) && chosen[5..].iter().all(|text| text % 2 == 1));
    }
}
