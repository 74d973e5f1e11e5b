//! Texts from language models: continuing prompts, and scoring given continuations.

mod decoder;
mod likelihood;
mod release;
mod rollout;
mod sampling;
mod score;

use std::fmt;
use std::ops::ControlFlow;

use rayon::prelude::*;

pub use self::decoder::Decoder;
pub use self::likelihood::{Continuation, log_likelihoods};
use self::release::{Release, Step};
pub use self::rollout::{Rollout, rollout, rollout_after};
pub use self::sampling::Sampling;
pub use self::score::{Score, next_logits, score};
use crate::params::random::SplitMix;
use crate::{Error, Tokenizer};

/// When a text ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// After so many new tokens.
    pub max_tokens: usize,
    /// At any of these tokens.
    pub stop_ids: Vec<u32>,
    /// Before any of these texts.
    pub stop_texts: Vec<String>,
}

/// Why a text ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The model ended it with one of the tokens to stop at.
    Token,
    /// One of the texts to stop at was reached.
    Text,
    /// It has the most tokens allowed, or that the model can read.
    Length,
    /// It was cancelled.
    Cancelled,
}

/// A text that a model wrote.
#[derive(Clone, PartialEq, Eq)]
pub struct Generated {
    /// The text, up to where it was to stop.
    pub text: String,
    /// All tokens the model gave, those of the stop included.
    pub ids: Vec<u32>,
    /// Why it ended.
    pub ending: Ending,
}

/// What the model wrote is not shown.
impl fmt::Debug for Generated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Generated({} tokens, {:?})", self.ids.len(), self.ending)
    }
}

/// Continues prompts, all at once; each text is the same as if its prompt were alone (with the same random stream).
///
/// `show` gets the number of a prompt and the next piece of its text, as soon as it is certain: whole characters, and nothing
/// of a text to stop at. When it breaks, everything stops.
///
/// Prompts that are equal are read once. With a [`Llama`](crate::models::Llama), what a model can read counts from the longest
/// prompt: shorter ones are padded to it. A [`PackedLlama`](crate::cpu::PackedLlama) pads nothing.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use inkveil_nn::generate::{Ending, Limits, Sampling, generate};
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
/// let model = Llama::new(&Scope::trainable(None, &Device::Cpu, 1), &config)?; // it knows nothing yet
/// let limits = Limits { max_tokens: 5, stop_ids: vec![], stop_texts: vec![] };
/// let mut streamed = String::new();
/// let texts = generate(&model, &tokenizer, &[vec![0, 1]], &Sampling::default(), &limits, |_, piece| {
///     streamed.push_str(piece);
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!((texts[0].ids.len(), texts[0].ending), (5, Ending::Length));
/// assert_eq!(texts[0].text, streamed);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub fn generate<M: Decoder>(
    model: &M,
    tokenizer: &Tokenizer,
    prompts: &[Vec<u32>],
    sampling: &Sampling,
    limits: &Limits,
    mut show: impl FnMut(usize, &str) -> ControlFlow<()>,
) -> Result<Vec<Generated>, Error> {
    sampling.check()?;
    if limits.stop_texts.iter().any(String::is_empty) {
        return Err(Error::argument("an empty text to stop at would stop every text at once; leave it out"));
    }
    tokenizer.check_rows(model.config().vocabulary)?;
    check_prompts(model, prompts)?;
    let mut texts: Vec<Writing<'_>> = prompts
        .iter()
        .enumerate()
        .map(|(number, prompt)| Writing {
            release: Release::new(tokenizer, &limits.stop_texts),
            prompt,
            random: sampling.stream(number),
            ending: (limits.max_tokens == 0).then_some(Ending::Length),
        })
        .collect();
    if texts.is_empty() || limits.max_tokens == 0 {
        return Ok(texts.into_iter().map(Writing::done).collect());
    }

    let (mut cache, mut logits) = begin(model, prompts)?;
    // The texts of the rows of the cache.
    let mut running: Vec<usize> = (0..texts.len()).collect();
    loop {
        let chosen = choose(&mut texts, &mut logits, sampling)?;
        let mut pieces = Vec::with_capacity(running.len());
        for (row, (&number, id)) in running.iter().zip(chosen).enumerate() {
            let mut piece = texts[number].write(id, limits)?;
            if model.length(&cache, row) >= model.config().context {
                piece.push_str(&texts[number].end(Ending::Length)?);
            }
            pieces.push((number, piece));
        }
        if pieces.iter().any(|(number, piece)| !piece.is_empty() && show(*number, piece).is_break()) {
            texts.iter_mut().for_each(|text| text.ending = text.ending.or(Some(Ending::Cancelled)));
            break;
        }
        // Rows of the cache whose texts have ended are dropped.
        let left: Vec<usize> =
            (0..running.len()).filter(|&row| texts[running[row]].ending.is_none()).collect();
        if left.is_empty() {
            break;
        }
        if left.len() < running.len() {
            model.select(&mut cache, &left)?;
            running = left.into_iter().map(|row| running[row]).collect();
        }
        let last: Vec<u32> =
            running.iter().filter_map(|&number| texts[number].release.ids().last().copied()).collect();
        logits = model.step(&last, &mut cache)?;
    }
    Ok(texts.into_iter().map(Writing::done).collect())
}

/// Reads prompts, each different one once.
fn begin<M: Decoder>(model: &M, prompts: &[Vec<u32>]) -> Result<(M::Cache, Vec<Vec<f32>>), Error> {
    let mut different: Vec<&[u32]> = Vec::new();
    let mut rows = Vec::with_capacity(prompts.len());
    for prompt in prompts {
        rows.push(different.iter().position(|known| known == prompt).unwrap_or(different.len()));
        if rows.last() == Some(&different.len()) {
            different.push(prompt);
        }
    }
    let (mut cache, logits) = model.begin(&different)?;
    if different.len() == prompts.len() {
        return Ok((cache, logits));
    }
    model.select(&mut cache, &rows)?;
    Ok((cache, rows.into_iter().map(|row| logits[row].clone()).collect()))
}

/// The next tokens of the texts that have not ended, whose scores these are.
fn choose(
    texts: &mut [Writing<'_>],
    logits: &mut [Vec<f32>],
    sampling: &Sampling,
) -> Result<Vec<u32>, Error> {
    let running = texts.iter_mut().filter(|text| text.ending.is_none());
    let mut pairs: Vec<(&mut Writing<'_>, &mut Vec<f32>)> = running.zip(logits).collect();
    match pairs.as_mut_slice() {
        // One text is not worth waking another thread.
        [(text, logits)] => Ok(vec![text.choose(logits, sampling)?]),
        pairs => pairs.par_iter_mut().map(|(text, logits)| text.choose(logits, sampling)).collect(),
    }
}

/// A text that is being written.
struct Writing<'a> {
    release: Release<'a>,
    prompt: &'a [u32],
    random: SplitMix,
    ending: Option<Ending>,
}

impl Writing<'_> {
    fn choose(&mut self, logits: &mut [f32], sampling: &Sampling) -> Result<u32, Error> {
        // Only the penalty asks what was seen.
        let seen = match sampling.repetition_penalty {
            Some(_) => [self.prompt, self.release.ids()].concat(),
            None => Vec::new(),
        };
        sampling.choose(logits, &seen, &mut self.random)
    }

    /// Adds a token; the result may be shown.
    fn write(&mut self, id: u32, limits: &Limits) -> Result<String, Error> {
        let step = self.release.push(id)?;
        let full = self.release.ids().len() >= limits.max_tokens;
        match step {
            Step::Stop(piece) => {
                self.ending = Some(Ending::Text);
                Ok(piece)
            }
            Step::GoOn(piece) if limits.stop_ids.contains(&id) => Ok(piece + &self.end(Ending::Token)?),
            Step::GoOn(piece) if full => Ok(piece + &self.end(Ending::Length)?),
            Step::GoOn(piece) => Ok(piece),
        }
    }

    /// Ends the text, if it has not ended; the result may be shown.
    fn end(&mut self, ending: Ending) -> Result<String, Error> {
        if self.ending.is_some() {
            return Ok(String::new());
        }
        self.ending = Some(ending);
        self.release.finish()
    }

    fn done(self) -> Generated {
        let (ids, text) = self.release.into_parts();
        Generated { text, ids, ending: self.ending.unwrap_or(Ending::Cancelled) }
    }
}

fn check_prompts<M: Decoder>(model: &M, prompts: &[Vec<u32>]) -> Result<(), Error> {
    if prompts.iter().any(Vec::is_empty) {
        return Err(Error::argument("a prompt needs at least one token"));
    }
    prompts.iter().try_for_each(|prompt| check_ids(model.config().vocabulary, prompt))
}

/// Ids outside the table are noticed here: elsewhere than on the CPU nobody would.
fn check_ids(rows: usize, ids: &[u32]) -> Result<(), Error> {
    match ids.iter().all(|&id| (id as usize) < rows) {
        true => Ok(()),
        false => Err(Error::argument(format!(
            "a prompt has ids outside the model's {rows} tokens; use its own tokenizer"
        ))),
    }
}
