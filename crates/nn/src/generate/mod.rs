//! Texts from language models: continuing prompts, and scoring given continuations.

mod release;
mod sampling;
mod score;

use std::fmt;
use std::ops::ControlFlow;

use self::release::{Release, Step};
pub use self::sampling::Sampling;
pub use self::score::{Score, next_logits, score};
use crate::models::Llama;
use crate::params::random::SplitMix;
use crate::{Error, Tensor, Tokenizer};

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
/// What a model can read counts from the longest prompt: shorter ones are padded to it.
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
pub fn generate(
    model: &Llama,
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
    let Some((ids, padding)) = padded(model, prompts)? else { return Ok(Vec::new()) };
    let mut cache = model.cache(padding);
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

    let mut hidden = match limits.max_tokens {
        0 => None,
        _ => Some(model.extend(&ids, &mut cache)?),
    };
    while let Some(current) = hidden.take() {
        let running: Vec<usize> = (0..texts.len()).filter(|&number| texts[number].ending.is_none()).collect();
        for (&number, logits) in running.iter().zip(&mut score::last_logits(model, &current)?) {
            let piece = texts[number].write(logits, sampling, limits)?;
            if !piece.is_empty() && show(number, &piece).is_break() {
                texts.iter_mut().for_each(|text| text.ending = text.ending.or(Some(Ending::Cancelled)));
                return Ok(texts.into_iter().map(Writing::done).collect());
            }
        }
        if cache.length() >= model.config().context {
            for (number, text) in texts.iter_mut().enumerate() {
                let rest = text.end(Ending::Length)?;
                if !rest.is_empty() && show(number, &rest).is_break() {
                    break;
                }
            }
        }
        // Rows of the cache whose texts have ended are dropped.
        let left: Vec<usize> =
            (0..running.len()).filter(|&row| texts[running[row]].ending.is_none()).collect();
        if left.is_empty() {
            break;
        }
        if left.len() < running.len() {
            cache.select(&left)?;
        }
        let last = left.iter().filter_map(|&row| texts[running[row]].release.ids().last().copied());
        let ids = Tensor::from_iter(last, model.device())?.reshape((left.len(), 1))?;
        hidden = Some(model.extend(&ids, &mut cache)?);
    }
    Ok(texts.into_iter().map(Writing::done).collect())
}

/// A text that is being written.
struct Writing<'a> {
    release: Release<'a>,
    prompt: &'a [u32],
    random: SplitMix,
    ending: Option<Ending>,
}

impl Writing<'_> {
    /// Chooses the next token; the result may be shown.
    fn write(&mut self, logits: &mut [f32], sampling: &Sampling, limits: &Limits) -> Result<String, Error> {
        let seen = [self.prompt, self.release.ids()].concat();
        let id = sampling.choose(logits, &seen, &mut self.random)?;
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

/// Prompts side by side, padded on the left, and the padding of each; none if there are no prompts.
fn padded(model: &Llama, prompts: &[Vec<u32>]) -> Result<Option<(Tensor, Vec<usize>)>, Error> {
    if prompts.iter().any(Vec::is_empty) {
        return Err(Error::argument("a prompt needs at least one token"));
    }
    prompts.iter().try_for_each(|prompt| check_ids(model, prompt))?;
    let Some(longest) = prompts.iter().map(Vec::len).max() else { return Ok(None) };
    let padding: Vec<usize> = prompts.iter().map(|prompt| longest - prompt.len()).collect();
    let rows = prompts.iter().zip(&padding);
    let ids =
        rows.flat_map(|(prompt, &padding)| std::iter::repeat_n(0, padding).chain(prompt.iter().copied()));
    let ids = Tensor::from_iter(ids, model.device())?.reshape((prompts.len(), longest))?;
    Ok(Some((ids, padding)))
}

/// Ids outside the table are noticed here: elsewhere than on the CPU nobody would.
fn check_ids(model: &Llama, ids: &[u32]) -> Result<(), Error> {
    let rows = model.config().vocabulary;
    match ids.iter().all(|&id| (id as usize) < rows) {
        true => Ok(()),
        false => Err(Error::argument(format!(
            "a prompt has ids outside the model's {rows} tokens; use its own tokenizer"
        ))),
    }
}
