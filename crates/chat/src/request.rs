//! What is asked, and what comes back. None of it shows its texts in `Debug`.

use std::fmt;

use crate::{Error, ErrorKind, Message, Role};

/// How an answer is drawn, and where it ends.
///
/// ```
/// use inkveil_chat::Settings;
///
/// let lively = Settings { temperature: 0.8, seed: Some(7), ..Settings::default() };
/// assert_eq!(lively.max_tokens, 512);
/// ```
#[derive(Clone, PartialEq)]
pub struct Settings {
    /// The most tokens of an answer; 512 if nothing is said.
    pub max_tokens: usize,
    /// 0 takes the likeliest token always; 1 draws as the model says; more is wilder.
    pub temperature: f64,
    /// Draw from the fewest tokens only that together have this probability; from all if nothing is said.
    pub top_p: Option<f64>,
    /// With the same seed, a local model draws the same answer again, and a server that knows seeds tries to. Without one,
    /// every answer is drawn anew.
    pub seed: Option<u64>,
    /// An answer ends before any of these.
    pub stop: Vec<String>,
}

impl Default for Settings {
    /// The likeliest answer, of up to 512 tokens.
    fn default() -> Self {
        Settings { max_tokens: 512, temperature: 0.0, top_p: None, seed: None, stop: Vec::new() }
    }
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let what = if self.max_tokens == 0 {
            "an answer needs 1 token or more; raise max_tokens"
        } else if !(self.temperature.is_finite() && self.temperature >= 0.0) {
            "the temperature must be a number of 0 or above"
        } else if self.top_p.is_some_and(|p| !(p > 0.0 && p <= 1.0)) {
            "top_p must be above 0 and at most 1"
        } else if self.stop.iter().any(String::is_empty) {
            "an empty text to stop at would stop every answer at once; leave it out"
        } else {
            return Ok(());
        };
        Err(ErrorKind::BadRequest { what }.into())
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { max_tokens, temperature, top_p, seed, stop } = self;
        let top_p = top_p.map_or_else(String::new, |p| format!(", top-p {p}"));
        let seed = seed.map_or_else(|| "no seed".to_owned(), |seed| format!("seed {seed}"));
        write!(
            f,
            "Settings({max_tokens} tokens, temperature {temperature}{top_p}, {seed}, {} texts to stop at)",
            stop.len()
        )
    }
}

/// A conversation that a model is to continue.
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
    /// What was said so far.
    pub messages: Vec<Message>,
    /// How the answer is drawn.
    pub settings: Settings,
}

impl Request {
    /// A conversation in which nothing was said yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds how the model should behave.
    pub fn system(self, text: impl Into<String>) -> Self {
        self.say(Role::System, text.into())
    }

    /// Adds what the user says.
    pub fn user(self, text: impl Into<String>) -> Self {
        self.say(Role::User, text.into())
    }

    /// Adds what the model said, or an example of what it should say.
    pub fn assistant(self, text: impl Into<String>) -> Self {
        self.say(Role::Assistant, text.into())
    }

    /// Sets how the answer is drawn.
    pub fn with(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    fn say(mut self, role: Role, content: String) -> Self {
        self.messages.push(Message { role, content });
        self
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.messages.is_empty() {
            true => Err(ErrorKind::BadRequest { what: "a conversation needs a message; add one" }.into()),
            false => self.settings.check(),
        }
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request({} messages, {:?})", self.messages.len(), self.settings)
    }
}

/// What a model wrote.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its text. What answers a conversation has no white space around it.
    pub text: String,
    /// Whether it ends where there was no more room rather than where the model wanted to end: a rewrite that was cut has
    /// lost something.
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
    fn texts_are_not_shown() {
        let settings = Settings { stop: vec!["secret".into()], seed: Some(3), ..Settings::default() };
        let request = Request::new().system("secret").user("secret").assistant("secret").with(settings);
        assert_eq!(
            format!("{request:?}"),
            "Request(3 messages, Settings(512 tokens, temperature 0, seed 3, 1 texts to stop at))"
        );
        assert!(!format!("{:?}", request.messages).contains("secret"));
        let answer = Answer { text: "secret".into(), cut: true };
        assert_eq!(format!("{answer:?}"), "Answer(6 bytes, cut)");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let base = Settings::default;
        for settings in [
            Settings { max_tokens: 0, ..base() },
            Settings { temperature: f64::NAN, ..base() },
            Settings { temperature: -0.1, ..base() },
            Settings { temperature: f64::INFINITY, ..base() },
            Settings { top_p: Some(0.0), ..base() },
            Settings { top_p: Some(1.5), ..base() },
            Settings { top_p: Some(f64::NAN), ..base() },
            Settings { stop: vec!["a".into(), String::new()], ..base() },
        ] {
            let error = Request::new().user("hello").with(settings).check().unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::BadRequest { .. }), "{error}");
        }
        assert!(Request::new().check().is_err());
        assert!(Request::new().user("").check().is_ok());
    }
}
