//! Models that do the task, trained on clear texts.

use inkveil_nn::SentenceEncoder;

use super::super::TaskModel;
use crate::Error;
use crate::attack::{Attacker, AuthorAttack, AuthorSettings, Evidence, NgramSettings, Words};
use crate::data::Labelled;
use crate::metrics::Group;

/// The models of a study.
pub(super) struct Models<'e> {
    models: Vec<(TaskModel, AuthorAttack<usize>)>,
    encoder: Option<&'e SentenceEncoder>,
}

impl<'e> Models<'e> {
    pub(super) fn train(
        which: &[TaskModel],
        train: &Labelled,
        encoder: Option<&'e SentenceEncoder>,
    ) -> Result<Self, Error> {
        let texts: Vec<&str> = train.texts.iter().map(String::as_str).collect();
        let mut models = Vec::new();
        for &model in which {
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
            models.push((model, AuthorAttack::train(&settings, &evidence, &train.labels)?));
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
                let guesses = trained.identify(&evidence(texts, vectors), labels)?;
                let right = guesses
                    .all()
                    .iter()
                    .map(|guess| Group { sum: f64::from(u8::from(guess.author == guess.guessed)), count: 1 });
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
