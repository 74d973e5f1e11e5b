//! Questions about passages, in SQuAD's format.

use std::path::Path;

use serde::Deserialize;

use super::files::{FileHashes, check_rows, note_hash};
use super::sample::sample;
use super::spec::SetSpec;
use crate::Error;

/// A question, its passage and the correct answers.
#[derive(Clone, PartialEq, Eq)]
pub struct Question {
    /// The position of the passage among all passages.
    pub passage: usize,
    /// The question.
    pub question: String,
    /// The correct answers.
    pub answers: Vec<String>,
}

/// A test set of questions. It has no `Debug`, which would print texts.
#[derive(Clone, PartialEq, Eq)]
pub struct QuestionSet {
    /// Its name.
    pub name: String,
    /// The passages.
    pub passages: Vec<String>,
    /// The questions.
    pub questions: Vec<Question>,
    /// The checksums of the files.
    pub files: FileHashes,
}

#[derive(Deserialize)]
struct Squad {
    data: Vec<Article>,
}

#[derive(Deserialize)]
struct Article {
    paragraphs: Vec<Paragraph>,
}

#[derive(Deserialize)]
struct Paragraph {
    context: String,
    qas: Vec<SquadQuestion>,
}

#[derive(Deserialize)]
struct SquadQuestion {
    question: String,
    #[serde(default)]
    answers: Answers,
    #[serde(default)]
    is_impossible: bool,
}

/// The layout of the original files, or of the Hugging Face hub.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answers {
    Each(Vec<Answer>),
    Together { text: Vec<String> },
}

#[derive(Deserialize)]
struct Answer {
    text: String,
}

impl Default for Answers {
    fn default() -> Self {
        Self::Each(Vec::new())
    }
}

impl Answers {
    fn texts(self) -> Vec<String> {
        match self {
            Self::Each(answers) => answers.into_iter().map(|answer| answer.text).collect(),
            Self::Together { text } => text,
        }
    }
}

impl QuestionSet {
    /// Reads questions in SQuAD's format. Questions without an answer are left out.
    ///
    /// ```
    /// use inkveil_eval::data::QuestionSet;
    ///
    /// let json = r#"{"data": [{"title": "t", "paragraphs": [{"context": "The cat is grey.",
    ///     "qas": [{"id": "1", "question": "What is grey?", "answers": [{"text": "The cat", "answer_start": 0}]}]}]}]}"#;
    /// let set = QuestionSet::from_json("cats", json)?;
    /// assert_eq!(set.questions[0].answers, ["The cat"]);
    /// # Ok::<(), inkveil_eval::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is not in this format.
    pub fn from_json(name: &str, json: &str) -> Result<Self, Error> {
        let mut set = Self {
            name: name.to_owned(),
            passages: Vec::new(),
            questions: Vec::new(),
            files: FileHashes::new(),
        };
        set.add(json)?;
        Ok(set)
    }

    pub(super) fn read(name: &str, spec: &SetSpec, folder: &Path) -> Result<Self, Error> {
        if spec.questions.is_empty() {
            return Err(Error::argument(format!("the test set {name:?} has no questions")));
        }
        let mut set = Self::from_json(name, "{\"data\": []}")?;
        for file in &spec.questions {
            let path = folder.join(&file.file);
            note_hash(&path, &file.file, &mut set.files)?;
            let json = std::fs::read_to_string(&path)
                .map_err(|error| Error::io("read the file", error).in_file(&path))?;
            let before = set.questions.len();
            set.add(&json).map_err(|error| error.in_file(&path))?;
            check_rows(file.rows, (set.questions.len() - before) as u64, "rows", &path)?;
        }
        Ok(set)
    }

    /// Draws `wanted` questions by the seed, in order.
    #[must_use]
    pub fn sample(&self, wanted: usize, seed: u64) -> Self {
        let questions = sample(self.questions.len(), wanted, seed);
        Self {
            questions: questions.into_iter().map(|item| self.questions[item].clone()).collect(),
            ..self.clone()
        }
    }

    fn add(&mut self, json: &str) -> Result<(), Error> {
        // Only the line of the error is used, because the message may quote the text.
        let squad: Squad = serde_json::from_str(json).map_err(|error| {
            Error::format("the file is not in SQuAD's format").in_line(error.line().saturating_sub(1))
        })?;
        for paragraph in squad.data.into_iter().flat_map(|article| article.paragraphs) {
            let passage = self.passages.len();
            self.passages.push(paragraph.context);
            for asked in paragraph.qas {
                let answers = asked.answers.texts();
                if !asked.is_impossible && !answers.is_empty() {
                    self.questions.push(Question { passage, question: asked.question, answers });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_do_not_quote_texts() {
        let error = QuestionSet::from_json("x", "{\"data\": \"a secret\"}").err().unwrap();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
