//! Models in folders with Hugging Face's layout, for inference and training.

mod batch;
mod bert;
pub(crate) mod config_file;
mod limits;
mod llama;
mod position;
mod projection;
mod self_attention;
mod t5;
mod tables;

pub use batch::TokenBatch;
pub(crate) use bert::MPNET_DISTANCE;
pub use bert::{Bert, BertConfig, BertKind};
pub(crate) use llama::BatchDecoder;
pub use llama::{Llama, LlamaCache, LlamaConfig};
pub(crate) use position::bucket;
pub use projection::Projection;
pub use t5::{T5, T5Config};
pub use tables::{StaticModel, VectorTable};

use std::path::Path;

use crate::layers::{Linear, Lora};
use crate::memory::{bytes_for, check_memory};
use crate::{Device, Error, ErrorKind, Scope, Tensor, Weights};
use config_file::ConfigFile;

/// A text encoder: computes one vector for each token id.
///
/// ```no_run
/// use std::path::Path;
///
/// use inkveil_nn::Device;
/// use inkveil_nn::models::{TextModel, TokenBatch};
///
/// let model = TextModel::open(Path::new("all-MiniLM-L6-v2"), &Device::Cpu)?;
/// let batch = TokenBatch::new(&[[101, 7592, 102]], 0)?;
/// let states = model.hidden_states(&batch)?; // (1, 3, 384)
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
#[non_exhaustive]
pub enum TextModel {
    /// BERT, RoBERTa or MPNet.
    Bert(Bert),
    /// The encoder of T5.
    T5(T5),
}

/// The settings in a folder's `config.json`.
enum EncoderConfig {
    Bert(BertConfig),
    T5(T5Config),
}

impl TextModel {
    /// Opens a folder for inference.
    pub fn open(folder: &Path, device: &Device) -> Result<Self, Error> {
        let weights = Weights::open(folder)?;
        TextModel::load(folder, &Scope::frozen(&weights, device))
    }

    /// Reads the settings from a folder and takes the parameters from `scope`, for training: use
    /// `Scope::trainable(Some(&weights), …)` to train all parameters, with `.freeze()` for a base
    /// under adapters.
    ///
    /// If the scope has weights, they must be complete. Without weights, the parameters are
    /// initialised.
    pub fn load(folder: &Path, scope: &Scope) -> Result<Self, Error> {
        let path = folder.join("config.json");
        let config = ConfigFile::open(&path)
            .and_then(|settings| EncoderConfig::read(&settings).map_err(|e| e.in_file(&path)))?;
        check_memory("the model", bytes_needed(scope), scope.device())?;
        let scope = scope.complete();
        match config {
            EncoderConfig::Bert(config) => {
                let scope = below_prefix(&scope, &["embeddings.word_embeddings.weight"])?;
                Bert::new(&scope, &config).map(TextModel::Bert)
            }
            EncoderConfig::T5(config) => {
                let scope = below_prefix(&scope, &["shared.weight", "encoder.embed_tokens.weight"])?;
                T5::new(&scope, &config).map(TextModel::T5)
            }
        }
    }

    /// Returns the input of the first layer, of shape (rows, length, dimension).
    pub fn embed(&self, batch: &TokenBatch) -> Result<Tensor, Error> {
        match self {
            TextModel::Bert(model) => model.embed(batch),
            TextModel::T5(model) => model.embed(batch),
        }
    }

    /// Returns the last states for the output of [`embed`](TextModel::embed), of shape (rows,
    /// length, dimension).
    pub fn encode(&self, embedded: &Tensor, batch: &TokenBatch) -> Result<Tensor, Error> {
        match self {
            TextModel::Bert(model) => model.encode(embedded, batch),
            TextModel::T5(model) => model.encode(embedded, batch),
        }
    }

    /// Returns the last states, of shape (rows, length, dimension). The states of padding are
    /// meaningless.
    pub fn hidden_states(&self, batch: &TokenBatch) -> Result<Tensor, Error> {
        self.encode(&self.embed(batch)?, batch)
    }

    /// Returns the table of token vectors, of shape (vocabulary, dimension).
    pub fn table(&self) -> &Tensor {
        match self {
            TextModel::Bert(model) => model.table(),
            TextModel::T5(model) => model.table(),
        }
    }

    /// Returns the dimension of the states.
    pub fn dimension(&self) -> usize {
        match self {
            TextModel::Bert(model) => model.config().width,
            TextModel::T5(model) => model.config().width,
        }
    }

    /// Returns the largest number of tokens of a text, if there is a limit.
    pub fn longest(&self) -> Option<usize> {
        match self {
            TextModel::Bert(model) => Some(model.config().longest()),
            TextModel::T5(_) => None,
        }
    }

    /// Adds a low-rank adapter to every linear map whose name passes, such as
    /// `encoder.layer.0.attention.self.query`. The variables of the adapters are in `scope` under
    /// the same names. Returns the number of adapters.
    pub fn add_lora(
        &mut self,
        scope: &Scope,
        lora: &Lora,
        passes: impl Fn(&str) -> bool,
    ) -> Result<usize, Error> {
        add_adapters(self.linears(), scope, lora, passes)
    }

    /// Merges all adapters into their matrices.
    pub fn merge_lora(&mut self) -> Result<(), Error> {
        self.linears().into_iter().try_for_each(|(_, linear)| linear.merge_lora())
    }

    fn linears(&mut self) -> Vec<(String, &mut Linear)> {
        match self {
            TextModel::Bert(model) => model.linears(),
            TextModel::T5(model) => model.linears(),
        }
    }
}

impl EncoderConfig {
    fn read(settings: &ConfigFile) -> Result<Self, Error> {
        let model_type = settings.text("model_type")?;
        if let Some(kind) = BertKind::named(model_type) {
            return BertConfig::read(settings, kind).map(EncoderConfig::Bert);
        }
        if model_type == "t5" {
            return T5Config::read(settings).map(EncoderConfig::T5);
        }
        let what = "this model_type".to_owned();
        let advice = "use a bert, roberta, xlm-roberta, camembert, mpnet or t5";
        Err(ErrorKind::Unsupported { what, advice }.into())
    }
}

/// Returns the bytes for the scope's weights and for the training state.
fn bytes_needed(scope: &Scope) -> u64 {
    let Some(weights) = scope.weights() else { return 0 };
    // Training keeps a gradient and two moments for each parameter.
    let copies = |name: &str| if scope.trains(name) { 4 } else { 1 };
    let shapes = weights.names().filter_map(|name| Some((weights.shape(name)?, copies(name))));
    bytes_for(shapes.flat_map(|(shape, copies)| std::iter::repeat_n(shape, copies)))
}

/// Returns the scope at which the model's names begin.
fn below_prefix(scope: &Scope, signs: &[&'static str]) -> Result<Scope, Error> {
    match scope.weights() {
        Some(weights) => Ok(scope.enter(prefix(weights, signs)?.trim_end_matches('.'))),
        None => Ok(scope.clone()),
    }
}

/// Finds the prefix of a model's tensor names, including its dot: files of a task model have a
/// prefix such as `bert.`. `signs` are possible names of the first table; the shortest tensor name
/// that ends with one of them determines the prefix.
pub(crate) fn prefix<'w>(weights: &'w Weights, signs: &[&'static str]) -> Result<&'w str, Error> {
    let before = |name: &'w str| signs.iter().find_map(|sign| name.strip_suffix(sign));
    let found = weights.names().filter_map(before).filter(|found| found.is_empty() || found.ends_with('.'));
    found.min_by_key(|found| (found.len(), *found)).ok_or_else(|| {
        let name = signs.first().copied().unwrap_or_default().to_owned();
        ErrorKind::MissingTensor { name }.into()
    })
}

/// Adds a low-rank adapter to every linear map whose name passes. Returns their number.
fn add_adapters<'m>(
    linears: impl IntoIterator<Item = (String, &'m mut Linear)>,
    scope: &Scope,
    lora: &Lora,
    passes: impl Fn(&str) -> bool,
) -> Result<usize, Error> {
    let mut added = 0;
    for (name, linear) in linears {
        if passes(&name) {
            linear.add_lora(&scope.enter(&name), lora)?;
            added += 1;
        }
    }
    Ok(added)
}

#[cfg(test)]
mod tests {
    use safetensors::Dtype;
    use safetensors::tensor::TensorView;

    use super::*;
    use crate::Init;

    /// Creates weights with one number under each name.
    fn weights(names: &[String]) -> Weights {
        let bytes = 1f32.to_le_bytes();
        let view = TensorView::new(Dtype::F32, vec![1], &bytes).unwrap();
        let file = safetensors::serialize(names.iter().map(|name| (name, &view)), None).unwrap();
        Weights::from_bytes(file).unwrap()
    }

    fn scope(names: &[String]) -> Scope {
        Scope::frozen(&weights(names), &Device::Cpu)
    }

    #[test]
    fn training_needs_more_memory() {
        let weights = weights(&["a".into(), "b".into(), "c".into()]);
        let trainable = Scope::trainable(Some(&weights), &Device::Cpu, 0);
        assert_eq!(bytes_needed(&Scope::frozen(&weights, &Device::Cpu)), 3 * 4);
        assert_eq!(bytes_needed(&trainable), 3 * 16);
        assert_eq!(bytes_needed(&trainable.only(|name| name == "b")), 16 + 2 * 4);
        assert_eq!(bytes_needed(&Scope::trainable(None, &Device::Cpu, 0)), 0);
    }

    #[test]
    fn the_prefix_of_a_task_model_is_found() {
        let sign = "embeddings.word_embeddings.weight";
        for prefix in ["", "bert.", "roberta.", "mpnet.", "model.", "0.auto_model.", "a.b.c."] {
            let names = [format!("{prefix}{sign}"), format!("{prefix}x"), "head.weight".into()];
            let found = below_prefix(&scope(&names), &["other", sign]).unwrap();
            found.get("x", &[1], Init::Zeros).unwrap();
        }
        // The shorter prefix wins. A name that merely ends with the same letters does not count.
        let names = ["a.b.s", "a.s", "xs", "a.x"].map(String::from);
        below_prefix(&scope(&names), &["s"]).unwrap().get("x", &[1], Init::Zeros).unwrap();
        let error = below_prefix(&scope(&["xs".into()]), &["s"]).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::MissingTensor { name: "s".into() });
    }
}
