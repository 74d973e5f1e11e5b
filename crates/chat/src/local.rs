//! A language model on this machine.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::ops::ControlFlow;
use std::path::Path;

use inkveil_nn::cpu::PackedLlama;
use inkveil_nn::generate::{Generated, GenerationLimits, Prompt, Sampling, StopReason, generate_each};
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::{ChatTemplate, DType, Device, Scope, Tokenizer, Weights};

use crate::{Answer, AnswerSettings, Chat, Error, ErrorKind, Message, Request, Role};

/// The number of answers written at the same time. All their caches are in memory.
const BATCH: usize = 24;

/// A language model on this machine. It sends nothing over the network.
///
/// The model must be tuned for conversations in ChatML, like SmolLM2-Instruct and Qwen2.5-Instruct.
/// Messages are treated as plain text: `<|im_end|>` in a message does not end it.
///
/// ```no_run
/// use std::path::Path;
///
/// use inkveil_chat::{Chat, LocalChat, Request, AnswerSettings};
///
/// let chat = LocalChat::open(Path::new("packs/smollm2"))?;
/// let answer = chat.answer(&Request::new().user("What is the capital of France?"))?;
/// let gap = AnswerSettings { max_tokens: 5, ..AnswerSettings::default() };
/// let next = chat.continue_text("The capital of France is", &gap)?;
/// println!("{} / {}", answer.text, next.text);
/// # Ok::<(), inkveil_chat::Error>(())
/// ```
pub struct LocalChat {
    name: String,
    model: Model,
    tokenizer: Tokenizer,
    template: ChatTemplate,
    /// The ids of the tokens that start and end a message.
    controls: [u32; 2],
}

/// A model that generates text.
enum Model {
    /// Packed for this processor.
    Packed(PackedLlama),
    /// On any device.
    Any(Llama),
}

impl Model {
    fn config(&self) -> &LlamaConfig {
        match self {
            Model::Packed(model) => model.config(),
            Model::Any(model) => model.config(),
        }
    }
}

impl LocalChat {
    /// Opens a model in a folder in the hub's layout, a GGUF file, or a folder with a GGUF file. It
    /// runs on the CPU.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with_adapters(path, None)
    }

    /// Opens a model with low-rank adapters from training, which are multiplied beside its matrices.
    pub fn open_with_adapters(path: &Path, adapters: Option<&Path>) -> Result<Self, Error> {
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into());
        // The tokenizer shows at once whether the model can be used, while loading the weights may
        // take long.
        let tokenizer = Tokenizer::open(path)?;
        controls(&tokenizer).map_err(|e| e.of(path.display()))?;
        Self::with_model(name, Model::Packed(PackedLlama::open_with_adapters(path, adapters)?), tokenizer)
    }

    /// Opens a model on another device.
    pub fn open_on(path: &Path, device: &Device) -> Result<Self, Error> {
        if device.is_cpu() {
            return Self::open(path);
        }
        let scope = Scope::frozen(&Weights::open(path)?, device).with_dtype(DType::BF16);
        let model = Llama::new(&scope, &LlamaConfig::open(path)?)?;
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into());
        Self::with_model(name, Model::Any(model), Tokenizer::open(path)?)
    }

    /// Wraps a model that is already open, on any device, and its tokenizer. `name` is shown to
    /// users.
    pub fn new(name: impl Into<String>, model: Llama, tokenizer: Tokenizer) -> Result<Self, Error> {
        Self::with_model(name.into(), Model::Any(model), tokenizer)
    }

    fn with_model(name: String, model: Model, tokenizer: Tokenizer) -> Result<Self, Error> {
        let controls = controls(&tokenizer).map_err(|e| e.of(&name))?;
        tokenizer.check_rows(model.config().vocabulary).map_err(|e| Error::from(e).of(&name))?;
        // The templates differ in the default system message. Only Qwen has biases.
        let template = if model.config().bias { ChatTemplate::Qwen2 } else { ChatTemplate::SmolLm2 };
        Ok(LocalChat { name, model, tokenizer, template, controls })
    }

    /// Continues a text as plain text, without a conversation. The whole text is `prefix` followed
    /// by the answer.
    pub fn continue_text(&self, prefix: &str, settings: &AnswerSettings) -> Result<Answer, Error> {
        settings.check()?;
        // Tokens include the space before a word, so models rarely see a text that ends in a space.
        // The space is left to the model. If the model does not write it, the prefix is used
        // unchanged.
        let words = prefix.trim_end_matches(' ');
        if words.len() < prefix.len() && !words.is_empty() {
            let Answer { text, cut } = self.continue_as_is(words, settings)?;
            if let Some(rest) = text.strip_prefix(' ') {
                return Ok(Answer { text: rest.to_owned(), cut });
            }
        }
        self.continue_as_is(prefix, settings)
    }

    fn continue_as_is(&self, prefix: &str, settings: &AnswerSettings) -> Result<Answer, Error> {
        let mut prompt = self.tokenizer.encode(prefix, true)?.ids;
        // Some tokenizers end every text with a control token, after which nothing can be
        // continued.
        let specials = self.tokenizer.special_ids();
        while prompt.pop_if(|id| specials.contains(id)).is_some() {}
        if prompt.is_empty() {
            return Err(ErrorKind::BadRequest { what: "there is no text to continue" }.into());
        }
        if self.count(&prompt) != [0, 0] {
            return Err(Error::from(ErrorKind::ControlInText).of(&self.name));
        }
        let ignore = &mut |_: usize, _: &str| ControlFlow::Continue(());
        let written = self.write(&[(prompt, settings)], 1, ignore)?.into_iter().next();
        Ok(written.map_or(Answer { text: String::new(), cut: true }, answer))
    }

    /// Returns the tokens of a conversation, up to the start of the model's answer.
    fn prompt(&self, messages: &[Message]) -> Result<Vec<u32>, Error> {
        let prompt = self.template.encode(&self.tokenizer, messages)?;
        // Texts are encoded as plain text, but a tokenizer with whole words in its vocabulary can
        // still find a control token in them. So the control tokens are counted: one pair for each
        // message, one pair for the default system message if the template adds it, and one start
        // token for the answer.
        let added = messages.first().is_none_or(|message| message.role != Role::System);
        let turns = messages.len() + usize::from(added);
        match self.count(&prompt) == [turns + 1, turns] {
            true => Ok(prompt),
            false => Err(Error::from(ErrorKind::ControlInText).of(&self.name)),
        }
    }

    fn count(&self, prompt: &[u32]) -> [usize; 2] {
        self.controls.map(|control| prompt.iter().filter(|&&id| id == control).count())
    }

    /// Generates `count` texts for each prompt, in order, all at the same time.
    fn write(
        &self,
        prompts: &[(Vec<u32>, &AnswerSettings)],
        count: usize,
        show: &mut dyn FnMut(usize, &str) -> ControlFlow<()>,
    ) -> Result<Vec<Generated>, Error> {
        let tokens = prompts.iter().map(|(prompt, _)| prompt.len()).max().unwrap_or(0);
        let most = self.model.config().context;
        if tokens >= most {
            return Err(Error::from(ErrorKind::TooLong { tokens, most }).of(&self.name));
        }
        let rules = prompts.iter().map(|(_, settings)| self.rules(settings));
        let rules = rules.collect::<Result<Vec<_>, _>>()?;
        let all: Vec<Prompt<'_>> = prompts
            .iter()
            .zip(&rules)
            .flat_map(|((ids, _), (sampling, limits))| {
                (0..count).map(move |stream| Prompt { ids, sampling, limits, stream })
            })
            .collect();
        match &self.model {
            Model::Packed(model) => generate_each(model, &self.tokenizer, &all, show),
            Model::Any(model) => generate_each(model, &self.tokenizer, &all, show),
        }
        .map_err(|e| Error::from(e).of(&self.name))
    }

    /// Returns how tokens are chosen and when a text ends.
    fn rules(&self, settings: &AnswerSettings) -> Result<(Sampling, GenerationLimits), Error> {
        let sampling = Sampling {
            temperature: settings.temperature,
            top_p: settings.top_p,
            seed: settings.seed.unwrap_or_else(any_seed),
            avoid: settings.avoid.tokens(&self.tokenizer)?,
            ..Sampling::default()
        };
        let limits = GenerationLimits {
            max_tokens: settings.max_tokens,
            // Control tokens are never part of an answer.
            stop_ids: self.tokenizer.special_ids().to_vec(),
            stop_texts: settings.stop.clone(),
        };
        Ok((sampling, limits))
    }
}

impl Chat for LocalChat {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn leaves_this_machine(&self) -> bool {
        false
    }

    fn answer(&self, request: &Request) -> Result<Answer, Error> {
        let ignore = &mut |_: usize, _: &str| ControlFlow::Continue(());
        let answer = self.answers(request, 1, ignore)?.into_iter().next();
        Ok(answer.unwrap_or(Answer { text: String::new(), cut: true }))
    }

    fn answers(
        &self,
        request: &Request,
        count: usize,
        show: &mut dyn FnMut(usize, &str) -> ControlFlow<()>,
    ) -> Result<Vec<Answer>, Error> {
        let all =
            self.answers_to_each(std::slice::from_ref(request), count, &mut |_, n, piece| show(n, piece))?;
        Ok(all.into_iter().flatten().collect())
    }

    fn answers_to_each(
        &self,
        requests: &[Request],
        count: usize,
        show: &mut dyn FnMut(usize, usize, &str) -> ControlFlow<()>,
    ) -> Result<Vec<Vec<Answer>>, Error> {
        let prompts = requests.iter().map(|request| {
            request.check()?;
            Ok((self.prompt(&request.messages)?, &request.settings))
        });
        let prompts = prompts.collect::<Result<Vec<_>, Error>>()?;
        let each = count.max(1);
        let written = self.write(&prompts, count, &mut |at, piece| show(at / each, at % each, piece))?;
        let mut written = written.into_iter().map(trimmed);
        Ok(requests.iter().map(|_| written.by_ref().take(count).collect()).collect())
    }

    fn at_once(&self) -> usize {
        BATCH
    }

    fn answer_each(&self, requests: &[Request]) -> Result<Vec<Answer>, Error> {
        let answer = |part| self.answers_to_each(part, 1, &mut |_, _, _| ControlFlow::Continue(()));
        let parts = requests.chunks(BATCH).map(answer).collect::<Result<Vec<_>, _>>()?;
        Ok(parts.into_iter().flatten().flatten().collect())
    }
}

fn trimmed(written: Generated) -> Answer {
    let Answer { text, cut } = answer(written);
    Answer { text: text.trim().to_owned(), cut }
}

fn answer(written: Generated) -> Answer {
    Answer {
        cut: matches!(written.stop_reason, StopReason::Length | StopReason::Cancelled),
        text: written.text,
    }
}

impl fmt::Debug for LocalChat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalChat({}, {:?})", self.name, self.template)
    }
}

/// Returns the ids of the two control tokens of ChatML.
fn controls(tokenizer: &Tokenizer) -> Result<[u32; 2], Error> {
    let control = |token| tokenizer.id(token).filter(|id| tokenizer.special_ids().contains(id));
    match (control("<|im_start|>"), control("<|im_end|>")) {
        (Some(start), Some(end)) => Ok([start, end]),
        _ => Err(ErrorKind::NoTemplate.into()),
    }
}

/// Returns a seed that differs from call to call. Answers need variety, not secrecy, so the
/// standard library's hasher is enough.
fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}
