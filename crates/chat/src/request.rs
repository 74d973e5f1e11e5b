//! Requests and answers. Their `Debug` output contains no texts.

use std::fmt;

use inkveil_nn::Tokenizer;
use inkveil_nn::generate::AvoidedTokens;

use crate::{Error, ErrorKind, Message, Role};

/// Settings for generating an answer.
///
/// ```
/// use inkveil_chat::AnswerSettings;
///
/// let lively = AnswerSettings { temperature: 0.8, seed: Some(7), ..AnswerSettings::default() };
/// assert_eq!(lively.max_tokens, 512);
/// ```
#[derive(Clone, PartialEq)]
pub struct AnswerSettings {
    /// The largest number of tokens of an answer. 512 by default.
    pub max_tokens: usize,
    /// 0 always takes the likeliest token. 1 samples from the model's distribution. Larger values
    /// give more variety.
    pub temperature: f64,
    /// Sample only from the smallest set of tokens with at least this total probability. By default
    /// all tokens are used.
    pub top_p: Option<f64>,
    /// With the same seed, a local model gives the same answer again, and a server that supports
    /// seeds tries to. Without a seed, every answer is sampled anew.
    pub seed: Option<u64>,
    /// An answer ends before the first occurrence of any of these texts.
    pub stop: Vec<String>,
    /// Words that an answer should rather not contain. A local model honours it, a server does not.
    pub avoid: AvoidedWords,
}

impl Default for AnswerSettings {
    /// The likeliest answer with up to 512 tokens.
    fn default() -> Self {
        AnswerSettings {
            max_tokens: 512,
            temperature: 0.0,
            top_p: None,
            seed: None,
            stop: Vec::new(),
            avoid: AvoidedWords::default(),
        }
    }
}

impl AnswerSettings {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let what = if self.max_tokens == 0 {
            "max_tokens must be 1 or more"
        } else if !(self.temperature.is_finite() && self.temperature >= 0.0) {
            "the temperature must be a number of 0 or above"
        } else if self.top_p.is_some_and(|p| !(p > 0.0 && p <= 1.0)) {
            "top_p must be above 0 and at most 1"
        } else if self.stop.iter().any(String::is_empty) {
            "an empty stop text would end every answer at once; remove it"
        } else if !(self.avoid.penalty.is_finite() && self.avoid.penalty >= 0.0) {
            "the penalty of avoided words must be a number of 0 or above"
        } else {
            return Ok(());
        };
        Err(ErrorKind::BadRequest { what }.into())
    }
}

impl fmt::Debug for AnswerSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AnswerSettings { max_tokens, temperature, top_p, seed, stop, avoid: _ } = self;
        let top_p = top_p.map_or_else(String::new, |p| format!(", top-p {p}"));
        let seed = seed.map_or_else(|| "no seed".to_owned(), |seed| format!("seed {seed}"));
        write!(
            f,
            "AnswerSettings({max_tokens} tokens, temperature {temperature}{top_p}, {seed}, {} stop texts)",
            stop.len()
        )
    }
}

/// Words that an answer should rather not contain, so that it says the same in other words.
#[derive(Clone, PartialEq, Default)]
pub struct AvoidedWords {
    /// Words, without spaces.
    pub words: Vec<String>,
    /// Pairs of words in a row. Only the second is made less likely, and only after the first.
    pub pairs: Vec<(String, String)>,
    /// How much less likely: 1 makes a word e times less likely.
    pub penalty: f32,
}

impl AvoidedWords {
    /// Returns the tokens of these words.
    ///
    /// # Errors
    /// If the tokenizer fails.
    pub fn tokens(&self, tokenizer: &Tokenizer) -> Result<AvoidedTokens, inkveil_nn::Error> {
        AvoidedTokens::of_words(tokenizer, &self.words, &self.pairs, self.penalty)
    }
}

/// Shows no word.
impl fmt::Debug for AvoidedWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { words, pairs, penalty } = self;
        write!(f, "AvoidedWords({} words, {} pairs, penalty {penalty})", words.len(), pairs.len())
    }
}

/// A conversation that a model continues.
///
/// ```
/// use inkveil_chat::Request;
///
/// let request = Request::new()
///     .system("Answer in one word.")
///     .user("What do bees make?")
///     .assistant("Honey.")
///     .user("And spiders?");
/// assert_eq!(request.messages.len(), 4);
/// ```
#[derive(Clone, PartialEq, Default)]
pub struct Request {
    /// The messages so far.
    pub messages: Vec<Message>,
    /// The settings for the answer.
    pub settings: AnswerSettings,
}

impl Request {
    /// Creates a conversation without messages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a system message: instructions for the model.
    pub fn system(self, text: impl Into<String>) -> Self {
        self.say(Role::System, text.into())
    }

    /// Adds a message of the user.
    pub fn user(self, text: impl Into<String>) -> Self {
        self.say(Role::User, text.into())
    }

    /// Adds a message of the model, or an example of one.
    pub fn assistant(self, text: impl Into<String>) -> Self {
        self.say(Role::Assistant, text.into())
    }

    /// Sets the settings for the answer.
    pub fn with(mut self, settings: AnswerSettings) -> Self {
        self.settings = settings;
        self
    }

    fn say(mut self, role: Role, content: String) -> Self {
        self.messages.push(Message { role, content });
        self
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.messages.is_empty() {
            true => Err(ErrorKind::BadRequest { what: "the conversation has no messages; add one" }.into()),
            false => self.settings.check(),
        }
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request({} messages, {:?})", self.messages.len(), self.settings)
    }
}

/// The answer of a model.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// The text. Answers to conversations have no white space at either end.
    pub text: String,
    /// Whether it was cut off at the token limit or when generation was stopped. A rewrite that was
    /// cut off has lost content.
    pub cut: bool,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answer({} bytes{})", self.text.len(), if self.cut { ", cut" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_contains_no_texts() {
        let settings =
            AnswerSettings { stop: vec!["secret".into()], seed: Some(3), ..AnswerSettings::default() };
        let request = Request::new().system("secret").user("secret").assistant("secret").with(settings);
        assert_eq!(
            format!("{request:?}"),
            "Request(3 messages, AnswerSettings(512 tokens, temperature 0, seed 3, 1 stop texts))"
        );
        assert!(!format!("{:?}", request.messages).contains("secret"));
        let answer = Answer { text: "secret".into(), cut: true };
        assert_eq!(format!("{answer:?}"), "Answer(6 bytes, cut)");
    }

    #[test]
    fn invalid_requests_are_refused() {
        let base = AnswerSettings::default;
        for settings in [
            AnswerSettings { max_tokens: 0, ..base() },
            AnswerSettings { temperature: f64::NAN, ..base() },
            AnswerSettings { temperature: -0.1, ..base() },
            AnswerSettings { temperature: f64::INFINITY, ..base() },
            AnswerSettings { top_p: Some(0.0), ..base() },
            AnswerSettings { top_p: Some(1.5), ..base() },
            AnswerSettings { top_p: Some(f64::NAN), ..base() },
            AnswerSettings { stop: vec!["a".into(), String::new()], ..base() },
            AnswerSettings { avoid: AvoidedWords { penalty: f32::NAN, ..AvoidedWords::default() }, ..base() },
        ] {
            let error = Request::new().user("hello").with(settings).check().unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::BadRequest { .. }), "{error}");
        }
        assert!(Request::new().check().is_err());
        assert!(Request::new().user("").check().is_ok());
    }
}
