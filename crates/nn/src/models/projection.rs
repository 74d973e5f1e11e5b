//! The linear map after pooling in some sentence encoders.

use std::path::Path;

use serde::Deserialize;

use super::config_file::{ConfigFile, MAX_BYTES};
use super::limits::MAX_WIDTH;
use crate::layers::{Activation, Linear};
use crate::weights::{is_plain_name, read_small};
use crate::{Device, Error, ErrorKind, Scope, Tensor, Weights};

/// A linear map and an activation: the `Dense` module of a sentence-transformers folder (`2_Dense`
/// in sentence-T5 and GTR).
///
/// ```no_run
/// use std::path::Path;
///
/// use inkveil_nn::models::Projection;
/// use inkveil_nn::{DType, Device, Tensor};
///
/// let pooled = Tensor::ones((1, 768), DType::F32, &Device::Cpu)?;
/// let vector = match Projection::open(Path::new("gtr-t5-base"), &Device::Cpu)? {
///     Some(projection) => projection.forward(&pooled)?,
///     None => pooled,
/// };
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Projection {
    linear: Linear,
    activation: Activation,
    outputs: usize,
}

const FORMAT: &str = "list of modules";

/// An entry of `modules.json`.
#[derive(Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

impl Projection {
    /// Opens the projection of a model's folder, or returns `None` if its `modules.json` does not
    /// list one.
    pub fn open(folder: &Path, device: &Device) -> Result<Option<Self>, Error> {
        let list = folder.join("modules.json");
        if !list.exists() {
            return Ok(None);
        }
        let dense = find(&list).map_err(|e| e.in_file(&list))?;
        dense.map(|part| Projection::read(&folder.join(part), device)).transpose()
    }

    fn read(folder: &Path, device: &Device) -> Result<Self, Error> {
        let path = folder.join("config.json");
        let settings = ConfigFile::open(&path)?;
        let sizes = || {
            let inputs = settings.size("in_features", 1..=MAX_WIDTH)?;
            let outputs = settings.size("out_features", 1..=MAX_WIDTH)?;
            let class = settings.text_or("activation_function", "torch.nn.modules.activation.Tanh")?;
            let name = class.rsplit('.').next().unwrap_or(class).to_lowercase();
            let activation = Activation::from_config("activation_function", &name)?;
            Ok((inputs, outputs, settings.flag_or("bias", true)?, activation))
        };
        let (inputs, outputs, bias, activation) = sizes().map_err(|e: Error| e.in_file(&path))?;
        let weights = Weights::open(folder)?;
        let linear = Linear::new(&Scope::frozen(&weights, device).enter("linear"), inputs, outputs, bias)?;
        Ok(Projection { linear, activation, outputs })
    }

    /// Maps the last dimension of `x`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor, Error> {
        self.activation.forward(&self.linear.forward(x)?)
    }

    /// Returns the output dimension.
    pub fn dimension(&self) -> usize {
        self.outputs
    }
}

/// Finds the folder of the only dense module in a list of modules.
fn find(list: &Path) -> Result<Option<String>, Error> {
    let modules: Vec<Module> = serde_json::from_slice(&read_small(list, FORMAT, MAX_BYTES)?)
        .map_err(|e| Error::corrupt(FORMAT, format!("error at line {} column {}", e.line(), e.column())))?;
    let mut dense = modules.into_iter().filter(|module| module.kind.rsplit('.').next() == Some("Dense"));
    let first = dense.next();
    if dense.next().is_some() {
        let what = "a model with two dense modules".to_owned();
        return Err(ErrorKind::Unsupported { what, advice: "use a model with one or none" }.into());
    }
    match first {
        Some(module) if !is_plain_name(&module.path) => {
            Err(Error::corrupt(FORMAT, "the path of its dense module is not a plain name"))
        }
        first => Ok(first.map(|module| module.path)),
    }
}
