//! Texts of a set, and who says what is left of their use.

use inkveil_nn::SentenceEncoder;
use inkveil_text::Document;

use super::super::cells::Tell;
use super::super::{Bench, Reader, TextStudy};
use super::Models;
use crate::Error;
use crate::data::{Catalogue, FileHashes, Labelled, LabelledSet, QuestionSet};
use crate::metrics::{Group, answer_f1, exact_match, unit_rows};

/// The sample of texts is the same in all cells; what differs is what is done to them.
const SAMPLE: u64 = 1;

/// A test set as it was read.
pub(super) enum TestSet {
    Labelled(LabelledSet),
    Questions(QuestionSet),
}

impl TestSet {
    pub(super) fn read(sets: &Catalogue, name: &str, bench: &Bench<'_>) -> Result<Self, Error> {
        Ok(match sets.get(name)?.questions.is_empty() {
            true => Self::Labelled(sets.labelled(name, bench.data)?),
            false => Self::Questions(sets.questions(name, bench.data)?),
        })
    }

    pub(super) fn files(&self) -> &FileHashes {
        match self {
            Self::Labelled(set) => &set.files,
            Self::Questions(set) => &set.files,
        }
    }

    /// How many there are to test on, and what else there is to say.
    pub(super) fn size(&self) -> (usize, String) {
        match self {
            Self::Labelled(set) => {
                (set.test.texts.len(), format!("{} texts trained on", set.train.texts.len()))
            }
            Self::Questions(set) => (set.questions.len(), format!("{} passages", set.passages.len())),
        }
    }
}

/// What the cells of a set have in common.
pub(super) struct Subject<'a> {
    pub(super) name: String,
    /// What all texts are for.
    pub(super) task: Option<String>,
    /// The texts, and what each is for, where that differs.
    pub(super) texts: Vec<String>,
    pub(super) tasks: Vec<Option<String>>,
    /// Texts of the same kind that are not tested on, from which attackers know the language.
    pub(super) others: Vec<String>,
    judge: Judge<'a>,
}

/// Who says what is left of the use of texts.
enum Judge<'a> {
    /// Models that classify them.
    Models(Models<'a>, Vec<usize>),
    /// A model that answers questions about them.
    Reader(&'a Reader, Vec<crate::data::Question>, &'a SentenceEncoder),
}

impl<'a> Subject<'a> {
    pub(super) fn new(
        study: &TextStudy,
        set: &TestSet,
        bench: &Bench<'a>,
        encoder: Option<&'a SentenceEncoder>,
        tell: &Tell<'_>,
    ) -> Result<Self, Error> {
        match set {
            TestSet::Labelled(set) => {
                let train = set.train.sample(study.train_rows, SAMPLE);
                let models = Models::train(&study.models, &train, encoder, bench, tell)?;
                let Labelled { texts, labels } = set.test.sample(study.test_rows, SAMPLE);
                Ok(Self {
                    name: set.name.clone(),
                    task: set.task.clone(),
                    tasks: vec![None; texts.len()],
                    texts,
                    others: train.texts,
                    judge: Judge::Models(models, labels),
                })
            }
            TestSet::Questions(set) => {
                let missing = || Error::argument("questions need a model that reads them; name one");
                let reader = bench.reader.ok_or_else(missing)?;
                let encoder = encoder.ok_or_else(missing)?;
                let asked = set.sample(study.question_rows.unwrap_or(usize::MAX), SAMPLE).questions;
                let is_asked = |passage| asked.iter().any(|question| question.passage == passage);
                let others = set.passages.iter().enumerate().filter(|(passage, _)| !is_asked(*passage));
                Ok(Self {
                    name: set.name.clone(),
                    task: None,
                    texts: asked.iter().map(|question| set.passages[question.passage].clone()).collect(),
                    tasks: asked.iter().map(|question| Some(question.question.clone())).collect(),
                    others: others.map(|(_, passage)| passage.clone()).take(study.train_rows).collect(),
                    judge: Judge::Reader(reader, asked, encoder),
                })
            }
        }
    }

    /// The texts as a veil takes them.
    pub(super) fn documents(&self) -> Vec<Document<'_>> {
        self.texts
            .iter()
            .zip(&self.tasks)
            .map(|(text, task)| match task {
                Some(task) => Document::new(text).task(task),
                None => Document::new(text),
            })
            .collect()
    }

    /// What is left of the use of these texts: for each measure, one value for each text.
    pub(super) fn use_of(&self, texts: &[&str]) -> Result<Vec<(String, Vec<Group>)>, Error> {
        match &self.judge {
            Judge::Models(models, labels) => {
                let right = models.right(texts, labels)?;
                Ok(right
                    .into_iter()
                    .map(|(model, right)| (format!("accuracy-{}", model.name()), right))
                    .collect())
            }
            Judge::Reader(reader, questions, encoder) => {
                let (mut exact, mut f1, mut cosine) = (Vec::new(), Vec::new(), Vec::new());
                for (answer, question) in reader.answer(texts, questions)?.iter().zip(questions) {
                    let one = |sum: f64| Group { sum, count: 1 };
                    exact.push(one(f64::from(u8::from(exact_match(answer, &question.answers)))));
                    f1.push(one(answer_f1(answer, &question.answers)));
                    cosine.push(one(closest(encoder, answer, &question.answers)?));
                }
                Ok(vec![("exact".to_owned(), exact), ("f1".to_owned(), f1), ("cosine".to_owned(), cosine)])
            }
        }
    }
}

/// The cosine of an answer with the closest of those that are wanted.
fn closest(encoder: &SentenceEncoder, answer: &str, wanted: &[String]) -> Result<f64, Error> {
    let texts: Vec<&str> = std::iter::once(answer).chain(wanted.iter().map(String::as_str)).collect();
    let rows: Vec<f32> = encoder.encode(&texts)?.concat();
    let rows = unit_rows(&rows, encoder.width());
    let (answer, wanted) = rows.split_at(encoder.width());
    let cosine = |row: &[f32]| answer.iter().zip(row).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    Ok(wanted.chunks_exact(encoder.width()).map(cosine).fold(0.0, f64::max))
}
