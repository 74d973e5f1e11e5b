//! Text generation: continues prompts and scores given continuations.

mod avoid;
mod decoder;
mod likelihood;
mod prompts;
mod rollout;
mod sampling;
mod score;
mod stream;
mod token_draws;

use std::fmt;
use std::ops::ControlFlow;

use rayon::prelude::*;

pub use self::avoid::AvoidedTokens;
pub use self::decoder::Decoder;
pub use self::likelihood::{Continuation, log_likelihoods};
use self::prompts::{begin, check_prompts};
pub use self::rollout::{Rollout, rollout, rollout_after};
pub use self::sampling::Sampling;
pub use self::score::{Score, next_logits, score};
use self::stream::{StreamEvent, TextStream};
use crate::params::random::SplitMix;
use crate::{Error, Tokenizer};

/// When the generation of a text ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerationLimits {
    /// After this many new tokens.
    pub max_tokens: usize,
    /// At any of these tokens.
    pub stop_ids: Vec<u32>,
    /// Before any of these texts.
    pub stop_texts: Vec<String>,
}

/// Why the generation of a text ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The model produced one of the stop tokens.
    Token,
    /// One of the stop texts was reached.
    Text,
    /// It reached the limit of tokens or of the model's context.
    Length,
    /// It was cancelled.
    Cancelled,
}

/// A generated text.
#[derive(Clone, PartialEq, Eq)]
pub struct Generated {
    /// The text, up to the stop.
    pub text: String,
    /// All generated tokens, including those of the stop.
    pub ids: Vec<u32>,
    /// Why it ended.
    pub stop_reason: StopReason,
}

/// The text is private, so `Debug` prints only its length.
impl fmt::Debug for Generated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Generated({} tokens, {:?})", self.ids.len(), self.stop_reason)
    }
}

/// Continues prompts in one batch. Each text is the same as if its prompt were alone (with the same
/// random stream).
///
/// `show` receives the index of a prompt and the next piece of its text as soon as it is certain:
/// whole characters, and nothing of a stop text. When it returns `Break`, generation is cancelled.
///
/// Equal prompts are read once. With a [`Llama`](crate::models::Llama), shorter prompts are padded
/// to the longest one, so the model's context limits the longest prompt plus the new tokens. A
/// [`PackedLlama`](crate::cpu::PackedLlama) pads nothing.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use inkveil_nn::generate::{GenerationLimits, Sampling, StopReason, generate};
/// use inkveil_nn::models::{Llama, LlamaConfig};
/// use inkveil_nn::{Device, Scope, Tokenizer};
///
/// # let config = LlamaConfig::from_json(br#"{
/// #     "model_type": "llama", "vocab_size": 3, "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1,
/// #     "num_attention_heads": 2, "max_position_embeddings": 32, "rms_norm_eps": 1e-5
/// # }"#)?;
/// let tokenizer = Tokenizer::from_json(
///     br#"{"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "c": 2}, "unk_token": "a"}}"#,
/// )?;
/// let model = Llama::new(&Scope::trainable(None, &Device::Cpu, 1), &config)?; // untrained
/// let limits = GenerationLimits { max_tokens: 5, stop_ids: vec![], stop_texts: vec![] };
/// let mut streamed = String::new();
/// let texts = generate(&model, &tokenizer, &[vec![0, 1]], &Sampling::default(), &limits, |_, piece| {
///     streamed.push_str(piece);
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!((texts[0].ids.len(), texts[0].stop_reason), (5, StopReason::Length));
/// assert_eq!(texts[0].text, streamed);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub fn generate<M: Decoder>(
    model: &M,
    tokenizer: &Tokenizer,
    prompts: &[Vec<u32>],
    sampling: &Sampling,
    limits: &GenerationLimits,
    show: impl FnMut(usize, &str) -> ControlFlow<()>,
) -> Result<Vec<Generated>, Error> {
    let prompts: Vec<Prompt<'_>> =
        prompts.iter().enumerate().map(|(stream, ids)| Prompt { ids, sampling, limits, stream }).collect();
    generate_each(model, tokenizer, &prompts, show)
}

/// A prompt, and how it is continued.
#[derive(Clone, Copy)]
pub struct Prompt<'a> {
    /// Its tokens.
    pub ids: &'a [u32],
    /// How its next tokens are chosen.
    pub sampling: &'a Sampling,
    /// When its text ends.
    pub limits: &'a GenerationLimits,
    /// The number of its random stream. [`generate`] counts them from 0.
    pub stream: usize,
}

/// Like [`generate`], for prompts that are continued in different ways. Each text is the same as if
/// its prompt were alone.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::path::Path;
///
/// use inkveil_nn::Tokenizer;
/// use inkveil_nn::cpu::PackedLlama;
/// use inkveil_nn::generate::{GenerationLimits, Prompt, Sampling, generate_each};
///
/// let path = Path::new("tests/fixtures/gguf-tiny/llama-f16.gguf");
/// let (model, tokenizer) = (PackedLlama::open(path)?, Tokenizer::open(path)?);
/// let sampling = Sampling::default();
/// let [short, long] =
///     [2, 5].map(|max_tokens| GenerationLimits { max_tokens, stop_ids: vec![], stop_texts: vec![] });
/// let prompt = |limits| Prompt { ids: &[5, 9, 200], sampling: &sampling, limits, stream: 0 };
/// let go_on = |_: usize, _: &str| ControlFlow::Continue(());
/// let texts = generate_each(&model, &tokenizer, &[prompt(&short), prompt(&long)], go_on)?;
/// assert_eq!(texts[0].ids, texts[1].ids[..2]);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub fn generate_each<M: Decoder>(
    model: &M,
    tokenizer: &Tokenizer,
    prompts: &[Prompt<'_>],
    mut show: impl FnMut(usize, &str) -> ControlFlow<()>,
) -> Result<Vec<Generated>, Error> {
    prompts.iter().try_for_each(|prompt| prompt.sampling.check())?;
    if prompts.iter().flat_map(|prompt| &prompt.limits.stop_texts).any(String::is_empty) {
        return Err(Error::argument("a stop text must not be empty"));
    }
    tokenizer.check_rows(model.config().vocabulary)?;
    check_prompts(model, prompts.iter().map(|prompt| prompt.ids))?;
    let mut texts: Vec<RunningText<'_>> = prompts
        .iter()
        .map(|&prompt| RunningText {
            stream: TextStream::new(tokenizer, &prompt.limits.stop_texts),
            prompt,
            random: prompt.sampling.stream(prompt.stream),
            stop_reason: (prompt.limits.max_tokens == 0).then_some(StopReason::Length),
        })
        .collect();
    // The text of each row of the cache.
    let mut running: Vec<usize> =
        (0..texts.len()).filter(|&number| texts[number].stop_reason.is_none()).collect();
    if running.is_empty() {
        return Ok(texts.into_iter().map(RunningText::done).collect());
    }

    let read: Vec<&[u32]> = running.iter().map(|&number| prompts[number].ids).collect();
    let (mut cache, mut logits) = begin(model, &read)?;
    loop {
        let chosen = choose(&mut texts, &mut logits)?;
        let mut pieces = Vec::with_capacity(running.len());
        for (row, (&number, id)) in running.iter().zip(chosen).enumerate() {
            let mut piece = texts[number].write(id)?;
            if model.length(&cache, row) >= model.config().context {
                piece.push_str(&texts[number].end(StopReason::Length)?);
            }
            pieces.push((number, piece));
        }
        if pieces.iter().any(|(number, piece)| !piece.is_empty() && show(*number, piece).is_break()) {
            texts
                .iter_mut()
                .for_each(|text| text.stop_reason = text.stop_reason.or(Some(StopReason::Cancelled)));
            break;
        }
        // Rows of the cache whose texts have ended are dropped.
        let left: Vec<usize> =
            (0..running.len()).filter(|&row| texts[running[row]].stop_reason.is_none()).collect();
        if left.is_empty() {
            break;
        }
        if left.len() < running.len() {
            model.select(&mut cache, &left)?;
            running = left.into_iter().map(|row| running[row]).collect();
        }
        let last: Vec<u32> =
            running.iter().filter_map(|&number| texts[number].stream.ids().last().copied()).collect();
        logits = model.step(&last, &mut cache)?;
    }
    Ok(texts.into_iter().map(RunningText::done).collect())
}

/// Chooses the next tokens of the running texts, given their scores.
fn choose(texts: &mut [RunningText<'_>], logits: &mut [Vec<f32>]) -> Result<Vec<u32>, Error> {
    let running = texts.iter_mut().filter(|text| text.stop_reason.is_none());
    let mut pairs: Vec<(&mut RunningText<'_>, &mut Vec<f32>)> = running.zip(logits).collect();
    match pairs.as_mut_slice() {
        // For a single text, waking another thread does not pay off.
        [(text, logits)] => Ok(vec![text.choose(logits)?]),
        pairs => pairs.par_iter_mut().map(|(text, logits)| text.choose(logits)).collect(),
    }
}

/// A text that is being generated.
struct RunningText<'a> {
    stream: TextStream<'a>,
    prompt: Prompt<'a>,
    random: SplitMix,
    stop_reason: Option<StopReason>,
}

impl RunningText<'_> {
    fn choose(&mut self, logits: &mut [f32]) -> Result<u32, Error> {
        let Prompt { ids, sampling, .. } = self.prompt;
        // Only the repetition penalty needs the tokens seen so far.
        let seen = match sampling.repetition_penalty {
            Some(_) => [ids, self.stream.ids()].concat(),
            None => Vec::new(),
        };
        sampling.choose(logits, &seen, self.stream.ids().last().copied(), &mut self.random)
    }

    /// Adds a token and returns the text that may be shown.
    fn write(&mut self, id: u32) -> Result<String, Error> {
        let limits = self.prompt.limits;
        let step = self.stream.push(id)?;
        let full = self.stream.ids().len() >= limits.max_tokens;
        match step {
            StreamEvent::Stop(piece) => {
                self.stop_reason = Some(StopReason::Text);
                Ok(piece)
            }
            StreamEvent::Continue(piece) if limits.stop_ids.contains(&id) => {
                Ok(piece + &self.end(StopReason::Token)?)
            }
            StreamEvent::Continue(piece) if full => Ok(piece + &self.end(StopReason::Length)?),
            StreamEvent::Continue(piece) => Ok(piece),
        }
    }

    /// Ends the text, unless it has ended, and returns the text that may be shown.
    fn end(&mut self, stop_reason: StopReason) -> Result<String, Error> {
        if self.stop_reason.is_some() {
            return Ok(String::new());
        }
        self.stop_reason = Some(stop_reason);
        self.stream.finish()
    }

    fn done(self) -> Generated {
        let (ids, text) = self.stream.into_parts();
        Generated { text, ids, stop_reason: self.stop_reason.unwrap_or(StopReason::Cancelled) }
    }
}
