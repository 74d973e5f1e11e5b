//! A language model that answers questions about passages.

use std::fmt;

use inkveil_chat::{AnswerSettings, Chat, Request};

use crate::Error;
use crate::data::Question;

/// The instruction of the paper's evaluator (Appendix C of STAMP).
const INSTRUCTION: &str = "You are a helpful assistant that answers questions based on the provided context. \
                    Limit your answer to one word.";

/// The most tokens of an answer. A name can have several; a longer answer did not follow the
/// instruction.
const LONGEST: usize = 24;

/// A language model that answers questions about passages with the prompt of the paper.
///
/// ```
/// use inkveil_chat::{Answer, Chat, Error, Request};
/// use inkveil_eval::data::Question;
/// use inkveil_eval::experiment::AnsweringModel;
///
/// struct Parrot;
/// impl Chat for Parrot {
///     fn name(&self) -> String {
///         "parrot".to_owned()
///     }
///     fn answer(&self, request: &Request) -> Result<Answer, Error> {
///         let last = request.messages.last().map(|message| message.content.clone());
///         Ok(Answer { text: last.unwrap_or_default(), cut: false })
///     }
/// }
///
/// let model = AnsweringModel::new(Box::new(Parrot));
/// let question = Question { passage: 0, question: "What is grey?".into(), answers: vec!["The cat".into()] };
/// assert_eq!(model.answer(&["The cat is grey."], &[question])?, ["Context: The cat is grey."]);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
pub struct AnsweringModel(Box<dyn Chat>);

impl AnsweringModel {
    /// Uses this model.
    pub fn new(chat: Box<dyn Chat>) -> Self {
        Self(chat)
    }

    /// Returns the first line of the answer to each question about its passage.
    ///
    /// # Errors
    /// If the model fails, or a passage is longer than its context.
    pub fn answer(&self, passages: &[&str], questions: &[Question]) -> Result<Vec<String>, Error> {
        let settings = AnswerSettings { max_tokens: LONGEST, seed: Some(1), ..AnswerSettings::default() };
        let ask = |(passage, question): (&&str, &Question)| {
            let asked = format!("Context: {passage}\n\nQuestion: {}", question.question);
            Request::new().system(INSTRUCTION).user(asked).with(settings.clone())
        };
        let requests: Vec<Request> = passages.iter().zip(questions).map(ask).collect();
        let answers = self.0.answer_each(&requests)?;
        let first = |text: &str| text.lines().next().unwrap_or_default().trim().to_owned();
        Ok(answers.iter().map(|answer| first(&answer.text)).collect())
    }
}

impl fmt::Debug for AnsweringModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnsweringModel({})", self.0.name())
    }
}
