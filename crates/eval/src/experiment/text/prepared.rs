//! The texts of a test set, and what measures their utility.

use inkveil_nn::SentenceEncoder;
use inkveil_text::Document;

use super::models::Models;
use super::spec::TextStudy;
use crate::data::{Catalogue, FileHashes, LabelledSet, LabelledTexts, QuestionSet};
use crate::experiment::answering::AnsweringModel;
use crate::experiment::context::RunContext;
use crate::metrics::{ValueSum, answer_f1, exact_match, unit_rows};
use crate::{Error, ErrorKind, Watch};

/// All cells use the same sample of texts.
const SAMPLE: u64 = 1;

/// A test set.
pub(super) enum TestSet {
    Labelled(LabelledSet),
    Questions(QuestionSet),
}

impl TestSet {
    pub(super) fn read(sets: &Catalogue, name: &str, context: &RunContext<'_>) -> Result<Self, Error> {
        Ok(match sets.get(name)?.questions.is_empty() {
            true => Self::Labelled(sets.labelled(name, context.data)?),
            false => Self::Questions(sets.questions(name, context.data)?),
        })
    }

    pub(super) fn files(&self) -> &FileHashes {
        match self {
            Self::Labelled(set) => &set.files,
            Self::Questions(set) => &set.files,
        }
    }

    /// The number of test rows, and a remark.
    pub(super) fn size(&self) -> (usize, String) {
        match self {
            Self::Labelled(set) => {
                (set.test.texts.len(), format!("{} training texts", set.train.texts.len()))
            }
            Self::Questions(set) => (set.questions.len(), format!("{} passages", set.passages.len())),
        }
    }
}

/// What the cells of a test set share.
pub(super) struct PreparedSet<'a> {
    pub(super) name: String,
    /// The task of all texts.
    pub(super) task: Option<String>,
    /// The texts, and the task of each if it has its own.
    pub(super) texts: Vec<String>,
    pub(super) tasks: Vec<Option<String>>,
    /// Other texts of the same kind, from which attackers learn the language.
    pub(super) others: Vec<String>,
    utility: Utility<'a>,
}

/// What measures the utility of texts.
enum Utility<'a> {
    /// Models that classify them, and the labels.
    Models(Models<'a>, Vec<usize>),
    /// A model that answers questions about them.
    Answers(&'a AnsweringModel, Vec<crate::data::Question>, &'a SentenceEncoder),
}

impl<'a> PreparedSet<'a> {
    pub(super) fn new(
        study: &TextStudy,
        set: &TestSet,
        context: &RunContext<'a>,
        encoder: Option<&'a SentenceEncoder>,
        watch: &Watch<'_>,
    ) -> Result<Self, Error> {
        match set {
            TestSet::Labelled(set) => {
                let train = set.train.sample(study.train_rows, SAMPLE);
                let models = Models::train(&study.models, &train, encoder, context, watch)?;
                let LabelledTexts { texts, labels } = set.test.sample(study.test_rows, SAMPLE);
                Ok(Self {
                    name: set.name.clone(),
                    task: set.task.clone(),
                    tasks: vec![None; texts.len()],
                    texts,
                    others: train.texts,
                    utility: Utility::Models(models, labels),
                })
            }
            TestSet::Questions(set) => {
                let (Some(model), Some(encoder)) = (context.answering, encoder) else {
                    return Err(ErrorKind::NoAnsweringModel.into());
                };
                let asked = set.sample(study.question_rows.unwrap_or(usize::MAX), SAMPLE).questions;
                let is_asked = |passage| asked.iter().any(|question| question.passage == passage);
                let others = set.passages.iter().enumerate().filter(|(passage, _)| !is_asked(*passage));
                Ok(Self {
                    name: set.name.clone(),
                    task: None,
                    texts: asked.iter().map(|question| set.passages[question.passage].clone()).collect(),
                    tasks: asked.iter().map(|question| Some(question.question.clone())).collect(),
                    others: others.map(|(_, passage)| passage.clone()).take(study.train_rows).collect(),
                    utility: Utility::Answers(model, asked, encoder),
                })
            }
        }
    }

    /// The texts as documents of a veil.
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

    /// Measures the utility of released texts: for each measure, one value for each text.
    pub(super) fn utility_of(&self, texts: &[&str]) -> Result<Vec<(String, Vec<ValueSum>)>, Error> {
        match &self.utility {
            Utility::Models(models, labels) => {
                let correct = models.correct(texts, labels)?;
                Ok(correct
                    .into_iter()
                    .map(|(model, hits)| (format!("accuracy-{}", model.name()), hits))
                    .collect())
            }
            Utility::Answers(model, questions, encoder) => {
                let (mut exact, mut f1, mut cosine) = (Vec::new(), Vec::new(), Vec::new());
                for (answer, question) in model.answer(texts, questions)?.iter().zip(questions) {
                    let one = |sum: f64| ValueSum { sum, count: 1 };
                    exact.push(ValueSum::of_hit(exact_match(answer, &question.answers)));
                    f1.push(one(answer_f1(answer, &question.answers)));
                    cosine.push(one(closest(encoder, answer, &question.answers)?));
                }
                Ok(vec![("exact".to_owned(), exact), ("f1".to_owned(), f1), ("cosine".to_owned(), cosine)])
            }
        }
    }
}

/// The cosine of an answer with the closest correct answer.
fn closest(encoder: &SentenceEncoder, answer: &str, wanted: &[String]) -> Result<f64, Error> {
    let texts: Vec<&str> = std::iter::once(answer).chain(wanted.iter().map(String::as_str)).collect();
    let rows: Vec<f32> = encoder.encode(&texts)?.concat();
    let rows = unit_rows(&rows, encoder.width());
    let (answer, wanted) = rows.split_at(encoder.width());
    let cosine = |row: &[f32]| answer.iter().zip(row).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    Ok(wanted.chunks_exact(encoder.width()).map(cosine).fold(0.0, f64::max))
}
