//! A language model on this machine.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::ops::ControlFlow;
use std::path::Path;

use inkveil_nn::cpu::PackedLlama;
use inkveil_nn::generate::{Ending, Generated, Limits, Sampling, generate};
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::{ChatTemplate, DType, Device, Scope, Tokenizer, Weights};

use crate::{Answer, Chat, Error, ErrorKind, Message, Request, Role, Settings};

/// So many requests are answered at the same time: their caches are all in memory.
const TOGETHER: usize = 16;

/// A language model on this machine: no text leaves it.
///
/// It must have been tuned for conversations in ChatML, as SmolLM2-Instruct and Qwen2.5-Instruct were. What is said is only
/// text to it: `<|im_end|>` in a message ends nothing.
///
/// ```no_run
/// use std::path::Path;
///
/// use inkveil_chat::{Chat, LocalChat, Request, Settings};
///
/// let chat = LocalChat::open(Path::new("packs/smollm2"))?;
/// let answer = chat.answer(&Request::new().user("What is the capital of France?"))?;
/// let gap = Settings { max_tokens: 5, ..Settings::default() };
/// let next = chat.continue_text("The capital of France is", &gap)?;
/// println!("{} / {}", answer.text, next.text);
/// # Ok::<(), inkveil_chat::Error>(())
/// ```
pub struct LocalChat {
    name: String,
    model: Model,
    tokenizer: Tokenizer,
    template: ChatTemplate,
    /// The ids that begin and end what somebody says.
    controls: [u32; 2],
}

/// A model that writes.
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
    /// Opens the model in a folder in the hub's layout, or in a GGUF file or a folder with one. It computes on the CPU.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with_adapters(path, None)
    }

    /// The same with low-rank adapters, such as training writes them, folded into the model.
    pub fn open_with_adapters(path: &Path, adapters: Option<&Path>) -> Result<Self, Error> {
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into());
        // The tokenizer says at once whether the model is of use; its weights may take a while.
        let tokenizer = Tokenizer::open(path)?;
        controls(&tokenizer).map_err(|e| e.of(path.display()))?;
        Self::with_model(name, Model::Packed(PackedLlama::open_with_adapters(path, adapters)?), tokenizer)
    }

    /// The same on another device.
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

    /// A model that was opened already, on any device, and its tokenizer. The name is for people.
    pub fn new(name: impl Into<String>, model: Llama, tokenizer: Tokenizer) -> Result<Self, Error> {
        Self::with_model(name.into(), Model::Any(model), tokenizer)
    }

    fn with_model(name: String, model: Model, tokenizer: Tokenizer) -> Result<Self, Error> {
        let controls = controls(&tokenizer).map_err(|e| e.of(&name))?;
        tokenizer.check_rows(model.config().vocabulary).map_err(|e| Error::from(e).of(&name))?;
        // They differ in what the model is told where nobody tells it how to behave; only Qwen has biases.
        let template = if model.config().bias { ChatTemplate::Qwen2 } else { ChatTemplate::SmolLm2 };
        Ok(LocalChat { name, model, tokenizer, template, controls })
    }

    /// Continues a text from its left to its right, as if there were no conversation. `prefix` followed by the answer is the
    /// whole text.
    pub fn continue_text(&self, prefix: &str, settings: &Settings) -> Result<Answer, Error> {
        settings.check()?;
        // Tokens carry the space before a word, so a text that ends in one is a text that models hardly know. The space is left
        // to the model, and where that comes to nothing the text is taken as it is.
        let words = prefix.trim_end_matches(' ');
        if words.len() < prefix.len() && !words.is_empty() {
            let Answer { text, cut } = self.continue_as_is(words, settings)?;
            if let Some(rest) = text.strip_prefix(' ') {
                return Ok(Answer { text: rest.to_owned(), cut });
            }
        }
        self.continue_as_is(prefix, settings)
    }

    fn continue_as_is(&self, prefix: &str, settings: &Settings) -> Result<Answer, Error> {
        let mut prompt = self.tokenizer.encode(prefix, true)?.ids;
        // Some tokenizers end every text with a control, after which there is nothing to continue.
        let specials = self.tokenizer.special_ids();
        while prompt.pop_if(|id| specials.contains(id)).is_some() {}
        if prompt.is_empty() {
            return Err(ErrorKind::BadRequest { what: "there is no text to continue; give some" }.into());
        }
        if self.count(&prompt) != [0, 0] {
            return Err(Error::from(ErrorKind::ControlInText).of(&self.name));
        }
        let go_on = &mut |_: usize, _: &str| ControlFlow::Continue(());
        let written = self.write(&[prompt], settings, go_on)?.into_iter().next();
        Ok(written.map_or(Answer { text: String::new(), cut: true }, answer))
    }

    /// The tokens of a conversation, up to where the model begins to speak.
    fn prompt(&self, messages: &[Message]) -> Result<Vec<u32>, Error> {
        let prompt = self.template.encode(&self.tokenizer, messages)?;
        // Texts are encoded as text, but a tokenizer whose vocabulary lists whole words can still find a control among
        // them. So the controls are counted: one pair around each message, one around what the template adds before the
        // first, and one that lets the model speak.
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

    /// A text after each prompt.
    fn write(
        &self,
        prompts: &[Vec<u32>],
        settings: &Settings,
        show: &mut dyn FnMut(usize, &str) -> ControlFlow<()>,
    ) -> Result<Vec<Generated>, Error> {
        let (tokens, most) = (prompts.iter().map(Vec::len).max().unwrap_or(0), self.model.config().context);
        if tokens >= most {
            return Err(Error::from(ErrorKind::TooLong { tokens, most }).of(&self.name));
        }
        let sampling = Sampling {
            temperature: settings.temperature,
            top_p: settings.top_p,
            seed: settings.seed.unwrap_or_else(any_seed),
            ..Sampling::default()
        };
        let limits = Limits {
            max_tokens: settings.max_tokens,
            // Whichever control the model writes, it is not a part of its answer.
            stop_ids: self.tokenizer.special_ids().to_vec(),
            stop_texts: settings.stop.clone(),
        };
        match &self.model {
            Model::Packed(model) => generate(model, &self.tokenizer, prompts, &sampling, &limits, show),
            Model::Any(model) => generate(model, &self.tokenizer, prompts, &sampling, &limits, show),
        }
        .map_err(|e| Error::from(e).of(&self.name))
    }
}

impl Chat for LocalChat {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn answer(&self, request: &Request) -> Result<Answer, Error> {
        let go_on = &mut |_: usize, _: &str| ControlFlow::Continue(());
        let answer = self.answers(request, 1, go_on)?.into_iter().next();
        Ok(answer.unwrap_or(Answer { text: String::new(), cut: true }))
    }

    fn answers(
        &self,
        request: &Request,
        count: usize,
        show: &mut dyn FnMut(usize, &str) -> ControlFlow<()>,
    ) -> Result<Vec<Answer>, Error> {
        request.check()?;
        let prompts = vec![self.prompt(&request.messages)?; count];
        let written = self.write(&prompts, &request.settings, show)?;
        Ok(written.into_iter().map(trimmed).collect())
    }

    fn answer_each(&self, requests: &[Request]) -> Result<Vec<Answer>, Error> {
        let go_on = &mut |_: usize, _: &str| ControlFlow::Continue(());
        let mut answers = Vec::with_capacity(requests.len());
        // Requests that are drawn alike, one after another, are read and answered together.
        for alike in requests.chunk_by(|a, b| a.settings == b.settings) {
            for part in alike.chunks(TOGETHER) {
                part.iter().try_for_each(Request::check)?;
                let prompts = part
                    .iter()
                    .map(|request| self.prompt(&request.messages))
                    .collect::<Result<Vec<_>, _>>()?;
                answers.extend(self.write(&prompts, &part[0].settings, go_on)?.into_iter().map(trimmed));
            }
        }
        Ok(answers)
    }
}

fn trimmed(written: Generated) -> Answer {
    let Answer { text, cut } = answer(written);
    Answer { text: text.trim().to_owned(), cut }
}

fn answer(written: Generated) -> Answer {
    Answer { cut: matches!(written.ending, Ending::Length | Ending::Cancelled), text: written.text }
}

impl fmt::Debug for LocalChat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalChat({}, {:?})", self.name, self.template)
    }
}

/// The ids of the two controls of ChatML.
fn controls(tokenizer: &Tokenizer) -> Result<[u32; 2], Error> {
    let control = |token| tokenizer.id(token).filter(|id| tokenizer.special_ids().contains(id));
    match (control("<|im_start|>"), control("<|im_end|>")) {
        (Some(start), Some(end)) => Ok([start, end]),
        _ => Err(ErrorKind::NoTemplate.into()),
    }
}

/// A seed that differs from call to call. Answers need variety and not secrecy, so the standard library's will do.
fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}
