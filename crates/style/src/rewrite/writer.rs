//! Language models that write drafts.

use std::fmt;
use std::ops::ControlFlow;

use inkveil_chat::{Answer, AnswerSettings, AvoidedWords, Chat, Message, Request};

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
        let asked: Vec<Request> = requests.iter().map(|request| chat_request(request, settings)).collect();
        let mut all: Vec<Vec<Draft>> = Vec::with_capacity(requests.len());
        // A local model writes the drafts of several requests side by side, which takes much less time: it reads its
        // weights once for all of them. The user can stop it between two tokens.
        for together in asked.chunks((self.0.at_once() / settings.count.max(1)).max(1)) {
            if !progress(all.len()) {
                return Err(ErrorKind::Stopped.into());
            }
            let mut stopped = false;
            let answers = self.0.answers_to_each(together, settings.count, &mut |_, _, _| {
                stopped = !progress(all.len());
                if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if stopped {
                return Err(ErrorKind::Stopped.into());
            }
            let draft = |Answer { text, cut }| Draft { text, cut };
            all.extend(answers.into_iter().map(|answers| answers.into_iter().map(draft).collect()));
        }
        progress(requests.len());
        Ok(all)
    }

    /// As many as it writes four drafts of each at the same time.
    fn batch(&self) -> usize {
        self.0.at_once().div_ceil(4)
    }
}

fn chat_request(request: &DraftRequest, settings: &DraftSettings) -> Request {
    let DraftRequest { messages, max_tokens, avoid, seed } = request;
    let settings = AnswerSettings {
        max_tokens: *max_tokens,
        temperature: settings.temperature,
        top_p: Some(settings.top_p),
        seed: Some(*seed),
        avoid: AvoidedWords { penalty: settings.avoid, ..avoid.clone() },
        ..AnswerSettings::default()
    };
    Request { messages: messages.clone(), settings }
}

/// Returns the limit of tokens for a rewrite of a text of this many bytes. English has more than four bytes per token,
/// so a rewrite may be about half as long again as its source.
pub(crate) fn token_limit(bytes: usize) -> usize {
    bytes / 3 + 24
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Records how many requests come together.
    struct Together(Mutex<Vec<usize>>);

    impl Chat for &'static Together {
        fn name(&self) -> String {
            "together".to_owned()
        }

        fn answer(&self, _: &Request) -> Result<Answer, inkveil_chat::Error> {
            Ok(Answer { text: String::new(), cut: false })
        }

        fn answers_to_each(
            &self,
            requests: &[Request],
            count: usize,
            show: &mut dyn FnMut(usize, usize, &str) -> ControlFlow<()>,
        ) -> Result<Vec<Vec<Answer>>, inkveil_chat::Error> {
            self.0.lock().unwrap().push(requests.len());
            let _ = show(0, 0, "");
            let answer =
                |request: &Request| Answer { text: format!("{:?}", request.settings.seed), cut: false };
            Ok(requests.iter().map(|request| vec![answer(request); count]).collect())
        }

        fn at_once(&self) -> usize {
            8
        }
    }

    #[test]
    fn drafts_of_several_requests_are_written_together() {
        static MODEL: Together = Together(Mutex::new(Vec::new()));
        let writer = ChatWriter(Box::new(&MODEL));
        let request =
            |seed| DraftRequest { messages: Vec::new(), max_tokens: 9, avoid: AvoidedWords::default(), seed };
        let requests: Vec<DraftRequest> = (0..5).map(request).collect();
        let settings = DraftSettings { count: 4, ..DraftSettings::default() };
        let drafts = writer.write(&requests, &settings, &mut |_| true).unwrap();
        assert_eq!(std::mem::take(&mut *MODEL.0.lock().unwrap()), [2, 2, 1]);
        let texts: Vec<&str> = drafts.iter().flatten().map(|draft| draft.text.as_str()).collect();
        assert_eq!((texts.len(), texts[3], texts[4], texts[19]), (20, "Some(0)", "Some(1)", "Some(4)"));
        let many = DraftSettings { count: 9, ..settings };
        writer.write(&requests, &many, &mut |_| true).unwrap();
        assert_eq!(std::mem::take(&mut *MODEL.0.lock().unwrap()), [1; 5]);
        // The user stops it while the second pair is written.
        let stopped = writer.write(&requests, &settings, &mut |done| done < 2);
        assert!(matches!(stopped.unwrap_err().kind(), ErrorKind::Stopped));
        assert_eq!(std::mem::take(&mut *MODEL.0.lock().unwrap()), [2]);
    }
}
