//! Conversations as the models were trained on them.

use std::fmt;

use super::Tokenizer;
use crate::{Error, ErrorKind};

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Whoever runs the program: how the model should behave.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

/// Something said in a conversation.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// By whom.
    pub role: Role,
    /// What.
    pub content: String,
}

impl Message {
    /// What the user says.
    pub fn user(content: impl Into<String>) -> Self {
        Message { role: Role::User, content: content.into() }
    }

    /// How the model should behave.
    pub fn system(content: impl Into<String>) -> Self {
        Message { role: Role::System, content: content.into() }
    }
}

/// What is said is not shown.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Message({:?}, {} bytes)", self.role, self.content.len())
    }
}

/// How a model wants a conversation to be written.
///
/// ```
/// use inkveil_nn::{ChatTemplate, Message, Tokenizer};
///
/// # fn example(tokenizer: &Tokenizer) -> Result<(), inkveil_nn::Error> {
/// let prompt = ChatTemplate::SmolLm2.encode(tokenizer, &[Message::user("Say hello.")])?;
/// assert!(!prompt.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChatTemplate {
    /// SmolLM2: ChatML.
    SmolLm2,
    /// Qwen 2 and 2.5: ChatML.
    Qwen2,
}

const START: &str = "<|im_start|>";
const END: &str = "<|im_end|>";

impl ChatTemplate {
    /// What a model expects to be told where nobody tells it how to behave.
    fn default_system(self) -> &'static str {
        match self {
            ChatTemplate::SmolLm2 => "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
            ChatTemplate::Qwen2 => "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
        }
    }

    /// The id of the token that ends what the model says.
    pub fn stop_id(self, tokenizer: &Tokenizer) -> Result<u32, Error> {
        control(tokenizer, END)
    }

    /// The tokens of a conversation, up to where the model begins to speak.
    ///
    /// The controls are put in as tokens and what is said is put in as text, so nothing that is said can act as a control.
    pub fn encode(self, tokenizer: &Tokenizer, messages: &[Message]) -> Result<Vec<u32>, Error> {
        let (start, end) = (control(tokenizer, START)?, control(tokenizer, END)?);
        let mut ids = Vec::new();
        let mut say = |text: &str, last: bool| {
            ids.push(start);
            ids.extend(tokenizer.encode(text, false)?.ids);
            if !last {
                ids.push(end);
                ids.extend(tokenizer.encode("\n", false)?.ids);
            }
            Ok::<_, Error>(())
        };
        if messages.first().is_none_or(|message| message.role != Role::System) {
            say(&format!("system\n{}", self.default_system()), false)?;
        }
        for message in messages {
            let role = match message.role {
                Role::System => "system",
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            say(&format!("{role}\n{}", message.content), false)?;
        }
        say("assistant\n", true)?;
        Ok(ids)
    }
}

fn control(tokenizer: &Tokenizer, token: &str) -> Result<u32, Error> {
    let id = tokenizer.id(token).filter(|id| tokenizer.special_ids().contains(id));
    let unsupported = || ErrorKind::Unsupported {
        what: format!("a conversation with a tokenizer that has no {token}"),
        advice: "use a model that was tuned for chat in ChatML",
    };
    id.ok_or_else(|| unsupported().into())
}
