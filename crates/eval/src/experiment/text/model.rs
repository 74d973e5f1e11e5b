//! Models that do the task, trained on clear texts.

use inkveil_nn::SentenceEncoder;

use super::super::cells::Tell;
use super::super::{Bench, TaskModel};
use super::tuned::Tuned;
use crate::Error;
use crate::attack::{Attacker, AuthorAttack, AuthorSettings, Evidence, NgramSettings, Words};
use crate::data::Labelled;
use crate::metrics::Group;

/// The models of a study.
pub(super) struct Models<'e> {
    models: Vec<(TaskModel, Trained)>,
    encoder: Option<&'e SentenceEncoder>,
}

enum Trained {
    Linear(AuthorAttack<usize>),
    Tuned(Box<Tuned>),
}

impl<'e> Models<'e> {
    pub(super) fn train(
        which: &[TaskModel],
        train: &Labelled,
        encoder: Option<&'e SentenceEncoder>,
        bench: &Bench<'_>,
        tell: &Tell<'_>,
    ) -> Result<Self, Error> {
        let texts: Vec<&str> = train.texts.iter().map(String::as_str).collect();
        let mut models = Vec::new();
        for &model in which {
            if model == TaskModel::Tuned {
                let tuned = Tuned::train(bench.names, train, bench.store, bench.device, tell)?;
                models.push((model, Trained::Tuned(Box::new(tuned))));
                continue;
            }
            let mut settings = AuthorSettings::of(Attacker::AuthorClassifier);
            // What a text is about is in its words; how it is spelt is the writer's.
            let words = NgramSettings {
                characters: None,
                words: Words::All,
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

    /// Which texts each model is right about: one value for each text.
    pub(super) fn right(
        &self,
        texts: &[&str],
        labels: &[usize],
    ) -> Result<Vec<(TaskModel, Vec<Group>)>, Error> {
        let needs = self.models.iter().any(|(model, _)| *model == TaskModel::Encoder);
        let vectors = encode(self.encoder.filter(|_| needs), texts)?;
        self.models
            .iter()
            .map(|(model, trained)| {
                let vectors = vectors.as_ref().filter(|_| *model == TaskModel::Encoder);
                let hits: Vec<bool> = match trained {
                    Trained::Linear(trained) => {
                        let guesses = trained.identify(&evidence(texts, vectors), labels)?;
                        guesses.all().iter().map(|guess| guess.author == guess.guessed).collect()
                    }
                    Trained::Tuned(tuned) => tuned
                        .classify(texts)?
                        .iter()
                        .zip(labels)
                        .map(|(found, label)| found == label)
                        .collect(),
                };
                let right = hits.into_iter().map(|hit| Group { sum: f64::from(u8::from(hit)), count: 1 });
                Ok((*model, right.collect()))
            })
            .collect()
    }
}

/// The vectors of texts, and their length.
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
