//! Conversations in the format that chat models were trained on.

use std::fmt;

use super::Tokenizer;
use crate::{Error, ErrorKind};

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The program: how the model should behave.
    System,
    /// The person who asks.
    User,
    /// The model.
    Assistant,
}

/// A message in a conversation.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// Its author.
    pub role: Role,
    /// Its text.
    pub content: String,
}

impl Message {
    /// Creates a message of the user.
    pub fn user(content: impl Into<String>) -> Self {
        Message { role: Role::User, content: content.into() }
    }

    /// Creates a message that says how the model should behave.
    pub fn system(content: impl Into<String>) -> Self {
        Message { role: Role::System, content: content.into() }
    }
}

/// The text is private, so `Debug` prints only its length.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Message({:?}, {} bytes)", self.role, self.content.len())
    }
}

/// The format of a conversation for a model.
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
    /// Returns the system message that a model expects by default.
    fn default_system(self) -> &'static str {
        match self {
            ChatTemplate::SmolLm2 => "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
            ChatTemplate::Qwen2 => "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
        }
    }

    /// Returns the id of the token that ends a message.
    pub fn stop_id(self, tokenizer: &Tokenizer) -> Result<u32, Error> {
        control(tokenizer, END)
    }

    /// Encodes a conversation as tokens, up to the point where the model's answer begins.
    ///
    /// Control tokens are inserted as ids and messages are encoded as text, so no message can act
    /// as a control token.
    pub fn encode(self, tokenizer: &Tokenizer, messages: &[Message]) -> Result<Vec<u32>, Error> {
        let (start, end) = (control(tokenizer, START)?, control(tokenizer, END)?);
        let mut ids = Vec::new();
        let mut push = |text: &str, last: bool| {
            ids.push(start);
            ids.extend(tokenizer.encode(text, false)?.ids);
            if !last {
                ids.push(end);
                ids.extend(tokenizer.encode("\n", false)?.ids);
            }
            Ok::<_, Error>(())
        };
        if messages.first().is_none_or(|message| message.role != Role::System) {
            push(&format!("system\n{}", self.default_system()), false)?;
        }
        for message in messages {
            let role = match message.role {
                Role::System => "system",
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            push(&format!("{role}\n{}", message.content), false)?;
        }
        push("assistant\n", true)?;
        Ok(ids)
    }
}

fn control(tokenizer: &Tokenizer, token: &str) -> Result<u32, Error> {
    let id = tokenizer.id(token).filter(|id| tokenizer.special_ids().contains(id));
    let unsupported = || ErrorKind::Unsupported {
        what: format!("a conversation with a tokenizer without the token {token}"),
        advice: "use a chat model that was trained with ChatML",
    };
    id.ok_or_else(|| unsupported().into())
}
