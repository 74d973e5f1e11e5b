//! A language model that answers questions about passages.

use std::fmt;

use inkveil_chat::{AnswerSettings, Chat, Request};

use crate::Error;
use crate::data::Question;

/// What the paper's evaluator is told (Appendix C of STAMP).
const TOLD: &str = "You are a helpful assistant that answers questions based on the provided context. \
                    Limit your answer to one word.";

/// Tokens of an answer: a name can have several, and a model that goes on has not understood.
const LONGEST: usize = 24;

/// A language model that answers questions about passages, asked as the paper asks.
///
/// ```
/// use inkveil_chat::{Answer, Chat, Error, Request};
/// use inkveil_eval::data::Question;
/// use inkveil_eval::experiment::Reader;
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
/// let reader = Reader::new(Box::new(Parrot));
/// let question = Question { passage: 0, question: "What is grey?".into(), answers: vec!["The cat".into()] };
/// assert_eq!(reader.answer(&["The cat is grey."], &[question])?, ["Context: The cat is grey."]);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
pub struct Reader(Box<dyn Chat>);

impl Reader {
    /// Asks this model.
    pub fn new(chat: Box<dyn Chat>) -> Self {
        Self(chat)
    }

    /// The first line of what it answers to each question about its passage.
    ///
    /// # Errors
    /// If the model fails, or a passage is longer than it can read.
    pub fn answer(&self, passages: &[&str], questions: &[Question]) -> Result<Vec<String>, Error> {
        let settings = AnswerSettings { max_tokens: LONGEST, seed: Some(1), ..AnswerSettings::default() };
        let ask = |(passage, question): (&&str, &Question)| {
            let asked = format!("Context: {passage}\n\nQuestion: {}", question.question);
            Request::new().system(TOLD).user(asked).with(settings.clone())
        };
        let requests: Vec<Request> = passages.iter().zip(questions).map(ask).collect();
        let answers = self.0.answer_each(&requests)?;
        let first = |text: &str| text.lines().next().unwrap_or_default().trim().to_owned();
        Ok(answers.iter().map(|answer| first(&answer.text)).collect())
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader({})", self.0.name())
    }
}
