//! Models that are opened from folders in Hugging Face's layout, for inference and for training.

mod batch;
mod bert;
mod llama;
mod memory;
mod position;
mod projection;
mod self_attention;
pub(crate) mod settings;
mod t5;
mod tables;

pub use batch::TokenBatch;
pub(crate) use bert::MPNET_DISTANCE;
pub use bert::{Bert, BertConfig, BertKind};
pub use llama::{Cache, Llama, LlamaConfig};
pub(crate) use memory::{bytes_for, check_memory};
pub(crate) use position::bucket;
pub use projection::Projection;
pub use t5::{T5, T5Config};
pub use tables::{StaticModel, VectorTable};

use std::path::Path;

use crate::layers::{Linear, Lora};
use crate::{Device, Error, ErrorKind, Scope, Tensor, Weights};
use settings::Settings;

/// Larger settings are mistakes, or attacks: nothing that exists comes near.
pub(crate) const MAX_VOCABULARY: usize = 1 << 22;
pub(crate) const MAX_WIDTH: usize = 1 << 17;
pub(crate) const MAX_LAYERS: usize = 1 << 10;

/// An encoder of texts: token ids in, one vector for each token out.
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

/// What a folder's config.json says.
enum Config {
    Bert(BertConfig),
    T5(T5Config),
}

impl TextModel {
    /// Opens a folder for inference.
    pub fn open(folder: &Path, device: &Device) -> Result<Self, Error> {
        let weights = Weights::open(folder)?;
        TextModel::load(folder, &Scope::frozen(&weights, device))
    }

    /// Reads the settings from a folder and takes the parameters through `scope`, for training:
    /// `Scope::trainable(Some(&weights), …)` to train all, `.freeze()` on it for a base under adapters.
    ///
    /// If the scope has weights they must be complete; without, the model starts fresh.
    pub fn load(folder: &Path, scope: &Scope) -> Result<Self, Error> {
        let path = folder.join("config.json");
        let config = Settings::open(&path)
            .and_then(|settings| Config::read(&settings).map_err(|e| e.in_file(&path)))?;
        check_memory("the model", bytes_needed(scope), scope.device())?;
        let scope = scope.complete();
        match config {
            Config::Bert(config) => {
                let scope = below_prefix(&scope, &["embeddings.word_embeddings.weight"])?;
                Bert::new(&scope, &config).map(TextModel::Bert)
            }
            Config::T5(config) => {
                let scope = below_prefix(&scope, &["shared.weight", "encoder.embed_tokens.weight"])?;
                T5::new(&scope, &config).map(TextModel::T5)
            }
        }
    }

    /// What goes into the first layer, of shape (rows, length, dimension).
    pub fn embed(&self, batch: &TokenBatch) -> Result<Tensor, Error> {
        match self {
            TextModel::Bert(model) => model.embed(batch),
            TextModel::T5(model) => model.embed(batch),
        }
    }

    /// The last states for what [`embed`](TextModel::embed) gave, of shape (rows, length, dimension).
    pub fn encode(&self, embedded: &Tensor, batch: &TokenBatch) -> Result<Tensor, Error> {
        match self {
            TextModel::Bert(model) => model.encode(embedded, batch),
            TextModel::T5(model) => model.encode(embedded, batch),
        }
    }

    /// The last states, of shape (rows, length, dimension). Those of padding mean nothing.
    pub fn hidden_states(&self, batch: &TokenBatch) -> Result<Tensor, Error> {
        self.encode(&self.embed(batch)?, batch)
    }

    /// The table of token vectors, of shape (vocabulary, dimension).
    pub fn table(&self) -> &Tensor {
        match self {
            TextModel::Bert(model) => model.table(),
            TextModel::T5(model) => model.table(),
        }
    }

    /// The dimension of the states.
    pub fn dimension(&self) -> usize {
        match self {
            TextModel::Bert(model) => model.config().width,
            TextModel::T5(model) => model.config().width,
        }
    }

    /// How many tokens a text may have, if there is a limit.
    pub fn longest(&self) -> Option<usize> {
        match self {
            TextModel::Bert(model) => Some(model.config().longest()),
            TextModel::T5(_) => None,
        }
    }

    /// Adds a low-rank adapter to every linear map whose name passes, such as
    /// `encoder.layer.0.attention.self.query`; the adapters' variables are in `scope` under the same name.
    /// Gives the number of adapters.
    pub fn add_lora(
        &mut self,
        scope: &Scope,
        lora: &Lora,
        passes: impl Fn(&str) -> bool,
    ) -> Result<usize, Error> {
        add_adapters(self.linears(), scope, lora, passes)
    }

    /// Folds all adapters into their matrices.
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

impl Config {
    fn read(settings: &Settings) -> Result<Self, Error> {
        let model_type = settings.text("model_type")?;
        if let Some(kind) = BertKind::named(model_type) {
            return BertConfig::read(settings, kind).map(Config::Bert);
        }
        if model_type == "t5" {
            return T5Config::read(settings).map(Config::T5);
        }
        let what = "this model_type".to_owned();
        let advice = "use a bert, roberta, xlm-roberta, camembert, mpnet or t5";
        Err(ErrorKind::Unsupported { what, advice }.into())
    }
}

/// Bytes for the scope's weights and for what training needs beside them.
fn bytes_needed(scope: &Scope) -> u64 {
    let Some(weights) = scope.weights() else { return 0 };
    // Training keeps a gradient and two moments for each parameter.
    let copies = |name: &str| if scope.trains(name) { 4 } else { 1 };
    let shapes = weights.names().filter_map(|name| Some((weights.shape(name)?, copies(name))));
    bytes_for(shapes.flat_map(|(shape, copies)| std::iter::repeat_n(shape, copies)))
}

/// The scope at which the model begins.
fn below_prefix(scope: &Scope, signs: &[&'static str]) -> Result<Scope, Error> {
    match scope.weights() {
        Some(weights) => Ok(scope.enter(prefix(weights, signs)?.trim_end_matches('.'))),
        None => Ok(scope.clone()),
    }
}

/// What stands before the names of a model's tensors, with its dot: files of a task's model have it under a name such as `bert.`.
/// All of `signs` are names of the first table; the shortest name with one of them at its end tells the prefix.
pub(crate) fn prefix<'w>(weights: &'w Weights, signs: &[&'static str]) -> Result<&'w str, Error> {
    let before = |name: &'w str| signs.iter().find_map(|sign| name.strip_suffix(sign));
    let found = weights.names().filter_map(before).filter(|found| found.is_empty() || found.ends_with('.'));
    found.min_by_key(|found| (found.len(), *found)).ok_or_else(|| {
        let name = signs.first().copied().unwrap_or_default().to_owned();
        ErrorKind::MissingTensor { name }.into()
    })
}

/// Adds a low-rank adapter to every linear map whose name passes; gives their number.
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

    /// Weights with one number under each name.
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
    fn what_is_trained_needs_more_memory() {
        let weights = weights(&["a".into(), "b".into(), "c".into()]);
        let trainable = Scope::trainable(Some(&weights), &Device::Cpu, 0);
        assert_eq!(bytes_needed(&Scope::frozen(&weights, &Device::Cpu)), 3 * 4);
        assert_eq!(bytes_needed(&trainable), 3 * 16);
        assert_eq!(bytes_needed(&trainable.only(|name| name == "b")), 16 + 2 * 4);
        assert_eq!(bytes_needed(&Scope::trainable(None, &Device::Cpu, 0)), 0);
    }

    #[test]
    fn the_prefix_of_a_tasks_model_is_found() {
        let sign = "embeddings.word_embeddings.weight";
        for prefix in ["", "bert.", "roberta.", "mpnet.", "model.", "0.auto_model.", "a.b.c."] {
            let names = [format!("{prefix}{sign}"), format!("{prefix}x"), "head.weight".into()];
            let found = below_prefix(&scope(&names), &["other", sign]).unwrap();
            found.get("x", &[1], Init::Zeros).unwrap();
        }
        // Of two, the outer; and a name that only ends alike is not one.
        let names = ["a.b.s", "a.s", "xs", "a.x"].map(String::from);
        below_prefix(&scope(&names), &["s"]).unwrap().get("x", &[1], Init::Zeros).unwrap();
        let error = below_prefix(&scope(&["xs".into()]), &["s"]).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::MissingTensor { name: "s".into() });
    }
}
