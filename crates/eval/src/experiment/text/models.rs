//! Models for the task, trained on clear texts.

use inkveil_nn::SentenceEncoder;

use super::fine_tuned::FineTuned;
use super::spec::TaskModel;
use crate::attack::{AuthorAttack, AuthorAttacker, AuthorSettings, Evidence, NgramSettings, WordFeatures};
use crate::data::LabelledTexts;
use crate::experiment::context::RunContext;
use crate::metrics::ValueSum;
use crate::{Error, Watch};

/// The models of a study.
pub(super) struct Models<'e> {
    models: Vec<(TaskModel, Trained)>,
    encoder: Option<&'e SentenceEncoder>,
}

enum Trained {
    Linear(AuthorAttack<usize>),
    FineTuned(Box<FineTuned>),
}

impl<'e> Models<'e> {
    pub(super) fn train(
        which: &[TaskModel],
        train: &LabelledTexts,
        encoder: Option<&'e SentenceEncoder>,
        context: &RunContext<'_>,
        watch: &Watch<'_>,
    ) -> Result<Self, Error> {
        let texts: Vec<&str> = train.texts.iter().map(String::as_str).collect();
        let mut models = Vec::new();
        for &model in which {
            if model == TaskModel::Tuned {
                let tuned = FineTuned::train(context.names, train, context.store, context.device, watch)?;
                models.push((model, Trained::FineTuned(Box::new(tuned))));
                continue;
            }
            let mut settings = AuthorSettings::of(AuthorAttacker::AuthorClassifier);
            // The words carry the topic; spelling and characters carry the author.
            let words = NgramSettings {
                characters: None,
                words: WordFeatures::All,
                fold_case: true,
                least_texts: 2,
                most: 50_000,
            };
            settings.ngrams = Some(words);
            settings.vectors = model == TaskModel::Encoder;
            settings.linear.cost = 20.0;
            let vectors = encode(encoder.filter(|_| settings.vectors), &texts)?;
            let evidence = evidence(&texts, vectors.as_ref());
            let trained = AuthorAttack::train(&settings, &evidence, &train.labels)?;
            models.push((model, Trained::Linear(trained)));
        }
        Ok(Self { models, encoder })
    }

    /// For each model and text, whether the model is right.
    pub(super) fn correct(
        &self,
        texts: &[&str],
        labels: &[usize],
    ) -> Result<Vec<(TaskModel, Vec<ValueSum>)>, Error> {
        let needs_vectors = self.models.iter().any(|(model, _)| *model == TaskModel::Encoder);
        let vectors = encode(self.encoder.filter(|_| needs_vectors), texts)?;
        self.models
            .iter()
            .map(|(model, trained)| {
                let vectors = vectors.as_ref().filter(|_| *model == TaskModel::Encoder);
                let hits: Vec<bool> = match trained {
                    Trained::Linear(trained) => {
                        let guesses = trained.identify(&evidence(texts, vectors), labels)?;
                        guesses.all().iter().map(|guess| guess.author == guess.guessed).collect()
                    }
                    Trained::FineTuned(tuned) => tuned
                        .classify(texts)?
                        .iter()
                        .zip(labels)
                        .map(|(found, label)| found == label)
                        .collect(),
                };
                Ok((*model, hits.into_iter().map(ValueSum::of_hit).collect()))
            })
            .collect()
    }
}

/// The vectors of texts, and their dimension.
fn encode(encoder: Option<&SentenceEncoder>, texts: &[&str]) -> Result<Option<(usize, Vec<f32>)>, Error> {
    let Some(encoder) = encoder else { return Ok(None) };
    let rows = encoder.encode(texts)?;
    Ok(Some((encoder.width(), rows.into_iter().flatten().collect())))
}

fn evidence<'a>(texts: &'a [&'a str], vectors: Option<&'a (usize, Vec<f32>)>) -> Evidence<'a> {
    let evidence = Evidence::texts(texts);
    match vectors {
        Some((width, rows)) => evidence.with_vectors(*width, rows),
        None => evidence,
    }
}
