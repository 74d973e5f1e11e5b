//! Who writes: a language model that draws several answers to each prompt.

use std::fmt;
use std::ops::ControlFlow;

use inkveil_chat::{AnswerSettings, Chat, Message, Request};

use crate::Error;

/// How answers are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw {
    /// How many answers each prompt gets.
    pub count: usize,
    /// 0 takes the likeliest token always; 1 draws as the model says; more is wilder.
    pub temperature: f64,
    /// Draw from the likeliest tokens only that together have this probability.
    pub top_p: f64,
    /// The most tokens of an answer.
    pub max_tokens: usize,
    /// The same seed draws the same answers from a local model.
    pub seed: u64,
}

impl Default for Draw {
    /// As the paper's teacher draws.
    fn default() -> Self {
        Self { count: 8, temperature: 0.9, top_p: 0.95, max_tokens: 512, seed: 0 }
    }
}

/// An answer.
#[derive(Clone, PartialEq, Eq)]
pub struct Written {
    /// Its text.
    pub text: String,
    /// Whether it ends where there was no more room.
    pub cut: bool,
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Written({} bytes{})", self.text.len(), if self.cut { ", cut" } else { "" })
    }
}

/// A language model that draws several answers to each prompt.
pub trait Writer {
    /// The answers to each prompt, in their order. `report` is told how many prompts are done, and says whether to go on.
    ///
    /// # Errors
    /// If the model fails, or `report` asked to stop.
    fn write(
        &self,
        prompts: &[Vec<Message>],
        draw: &Draw,
        report: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<Written>>, Error>;
}

/// Any chat model as a writer.
pub struct ChatWriter(pub Box<dyn Chat>);

impl Writer for ChatWriter {
    fn write(
        &self,
        prompts: &[Vec<Message>],
        draw: &Draw,
        report: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<Written>>, Error> {
        let mut all = Vec::with_capacity(prompts.len());
        for (index, messages) in prompts.iter().enumerate() {
            if !report(index) {
                return Err(crate::ErrorKind::Stopped.into());
            }
            let settings = AnswerSettings {
                max_tokens: draw.max_tokens,
                temperature: draw.temperature,
                top_p: Some(draw.top_p),
                seed: Some(draw.seed.wrapping_add((index * draw.count) as u64)),
                ..AnswerSettings::default()
            };
            let request = Request { messages: messages.clone(), settings };
            // The candidates are written side by side, so whoever wants to stop must not wait for the last word of all.
            let mut stopped = false;
            let answers = self.0.answers(&request, draw.count, &mut |_, _| match report(index) {
                true => ControlFlow::Continue(()),
                false => {
                    stopped = true;
                    ControlFlow::Break(())
                }
            })?;
            if stopped {
                return Err(crate::ErrorKind::Stopped.into());
            }
            let written = answers.into_iter().map(|answer| Written { text: answer.text, cut: answer.cut });
            all.push(written.collect());
        }
        report(prompts.len());
        Ok(all)
    }
}
