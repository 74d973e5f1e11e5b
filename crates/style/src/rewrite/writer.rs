//! Language models that write drafts.

use std::fmt;
use std::ops::ControlFlow;

use inkveil_chat::{AnswerSettings, AvoidedWords, Chat, Message, Request};

use crate::{Error, ErrorKind};

/// How drafts are sampled from a language model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DraftSettings {
    /// The number of drafts for each request.
    pub count: usize,
    /// 0 always takes the likeliest token; 1 samples from the model's distribution; higher values add variety.
    pub temperature: f64,
    /// Sample only from the likeliest tokens that together have this probability.
    pub top_p: f64,
    /// The largest number of tokens of a draft.
    pub max_tokens: usize,
    /// How much less likely the words and word pairs of the original become: 1 makes them e times less likely. Only
    /// a local model can do this.
    pub avoid: f32,
}

impl Default for DraftSettings {
    /// The settings of the paper's teacher.
    fn default() -> Self {
        Self { count: 8, temperature: 0.9, top_p: 0.95, max_tokens: 512, avoid: 0.0 }
    }
}

/// A request for drafts.
#[derive(Clone, PartialEq)]
pub struct DraftRequest {
    /// The conversation to answer.
    pub messages: Vec<Message>,
    /// The largest number of tokens of a draft of this request.
    pub max_tokens: usize,
    /// Words and word pairs of the original that a draft should rather not contain. Their penalty is
    /// [`DraftSettings::avoid`].
    pub avoid: AvoidedWords,
    /// The seed of the first draft. A local model on a CPU gives the same drafts for the same request.
    pub seed: u64,
}

/// Shows no text.
impl fmt::Debug for DraftRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DraftRequest({} messages, {} tokens)", self.messages.len(), self.max_tokens)
    }
}

/// A text that a language model wrote.
#[derive(Clone, PartialEq, Eq)]
pub struct Draft {
    /// The text.
    pub text: String,
    /// Whether the model reached the limit of tokens before it ended.
    pub cut: bool,
}

/// Shows no text.
impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Draft({} bytes{})", self.text.len(), if self.cut { ", cut" } else { "" })
    }
}

/// A language model that writes several drafts for each request.
pub trait DraftWriter: Send + Sync {
    /// Returns the drafts of each request, in order. `progress` receives the number of requests that are done and returns
    /// whether to continue.
    ///
    /// # Errors
    /// If the model fails, or `progress` returned false.
    fn write(
        &self,
        requests: &[DraftRequest],
        settings: &DraftSettings,
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<Draft>>, Error>;

    /// Returns how many requests it answers best at once.
    fn batch(&self) -> usize {
        1
    }
}

/// Any chat model as a writer of drafts.
pub struct ChatWriter(pub Box<dyn Chat>);

impl DraftWriter for ChatWriter {
    fn write(
        &self,
        requests: &[DraftRequest],
        settings: &DraftSettings,
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<Draft>>, Error> {
        let mut all = Vec::with_capacity(requests.len());
        for (index, DraftRequest { messages, max_tokens, avoid, seed }) in requests.iter().enumerate() {
            if !progress(index) {
                return Err(ErrorKind::Stopped.into());
            }
            let chat_settings = AnswerSettings {
                max_tokens: *max_tokens,
                temperature: settings.temperature,
                top_p: Some(settings.top_p),
                seed: Some(*seed),
                avoid: AvoidedWords { penalty: settings.avoid, ..avoid.clone() },
                ..AnswerSettings::default()
            };
            let request = Request { messages: messages.clone(), settings: chat_settings };
            // A local model writes its drafts side by side, so the user can stop it between two tokens.
            let mut stopped = false;
            let answers = self.0.answers(&request, settings.count, &mut |_, _| match progress(index) {
                true => ControlFlow::Continue(()),
                false => {
                    stopped = true;
                    ControlFlow::Break(())
                }
            })?;
            if stopped {
                return Err(ErrorKind::Stopped.into());
            }
            all.push(
                answers.into_iter().map(|answer| Draft { text: answer.text, cut: answer.cut }).collect(),
            );
        }
        progress(requests.len());
        Ok(all)
    }
}

/// Returns the limit of tokens for a rewrite of a text of this many bytes. English has more than four bytes per token,
/// so a rewrite may be about half as long again as its source.
pub(crate) fn token_limit(bytes: usize) -> usize {
    bytes / 3 + 24
}
