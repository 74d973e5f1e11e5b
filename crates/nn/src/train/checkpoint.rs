//! Checkpoints: variables, optimiser and the caller's state in one safetensors file.

use std::collections::HashMap;
use std::path::Path;

use inkveil_files::Output;
use safetensors::SafeTensors;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::AdamW;
use crate::weights::read_small;
use crate::{DType, Device, Error, ErrorKind, Tensor, Var};

const FORMAT: &str = "checkpoint";
/// The only metadata entry of the file. The order of several entries would be random.
const HEADER: &str = "inkveil";
const VERSION: u32 = 1;
/// The longest header that the format allows, plus its length field.
const MAX_HEADER: usize = 100_000_000 + 8;

#[derive(Serialize, Deserialize)]
struct Header<T> {
    version: u32,
    steps: u64,
    state: T,
}

/// Returns the names under which a variable and its optimiser state are stored.
fn names(variable: &str) -> [String; 3] {
    ["value", "mean", "square"].map(|part| format!("{part}/{variable}"))
}

impl AdamW {
    /// Writes the variables, the optimiser and `state` (for example the position in the data) to
    /// one file. The file appears only when it is complete. A run restored from it gives the same
    /// result as an uninterrupted one.
    ///
    /// ```
    /// use inkveil_nn::train::{AdamW, AdamWSettings};
    /// use inkveil_nn::{Device, Init, Scope};
    ///
    /// let scope = Scope::trainable(None, &Device::Cpu, 7);
    /// scope.get("x", &[2], Init::Ones)?;
    /// let mut optimiser = AdamW::new(scope.variables(), AdamWSettings::default())?;
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("training.safetensors");
    /// optimiser.save(&path, &("epoch", 3))?;
    /// let (word, epoch): (String, u32) = optimiser.restore(&path)?;
    /// assert_eq!((word.as_str(), epoch), ("epoch", 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: &Path, state: &impl Serialize) -> Result<(), Error> {
        let header = Header { version: VERSION, steps: self.steps, state };
        let header = serde_json::to_string(&header)
            .map_err(|_| Error::argument("the state cannot be written as JSON; use maps with string keys"))?;
        let mut tensors = Vec::with_capacity(3 * self.states.len());
        for saved in &self.states {
            let parts = [&saved.variable, &saved.mean, &saved.square].map(|part| part.as_tensor().clone());
            tensors.extend(names(&saved.name).into_iter().zip(parts));
        }
        write(path, tensors, Some(HashMap::from([(HEADER.to_owned(), header)]))).map_err(|e| e.in_file(path))
    }

    /// Restores what [`save`](AdamW::save) wrote into this optimiser and its variables, and returns
    /// the caller's state.
    ///
    /// If the file does not contain exactly these variables, it fails and nothing changes.
    pub fn restore<T: DeserializeOwned>(&mut self, path: &Path) -> Result<T, Error> {
        self.restore_from(path).map_err(|e| e.in_file(path))
    }

    fn restore_from<T: DeserializeOwned>(&mut self, path: &Path) -> Result<T, Error> {
        let bytes = self.read_whole(path)?;
        let file = SafeTensors::deserialize(&bytes).map_err(|e| Error::corrupt(FORMAT, e.to_string()))?;
        let (_, metadata) =
            SafeTensors::read_metadata(&bytes).map_err(|e| Error::corrupt(FORMAT, e.to_string()))?;
        let header = metadata.metadata().as_ref().and_then(|entries| entries.get(HEADER));
        let header = header.ok_or_else(|| Error::corrupt(FORMAT, "it was not written by this program"))?;
        // serde's message may quote the state, so only the position is reported.
        let header: Header<T> = serde_json::from_str(header).map_err(|e| {
            Error::corrupt(FORMAT, format!("its state has an unexpected structure at column {}", e.column()))
        })?;
        if header.version != VERSION {
            let what = format!("version {} of checkpoints", header.version);
            return Err(
                ErrorKind::Unsupported { what, advice: "use the program version that wrote it" }.into()
            );
        }
        if file.len() != 3 * self.states.len() {
            let (found, expected) = (file.len() / 3, self.states.len());
            return Err(Error::corrupt(
                FORMAT,
                format!("it contains {found} variables, but this model has {expected}"),
            ));
        }
        // Everything is read and checked before anything changes.
        let mut parts = Vec::with_capacity(self.states.len());
        for saved in &self.states {
            let [value, mean, square] = names(&saved.name);
            let value = read(&file, &value, &saved.variable)?;
            parts.push((value, read(&file, &mean, &saved.mean)?, read(&file, &square, &saved.square)?));
        }
        for (saved, (value, mean, square)) in self.states.iter_mut().zip(parts) {
            saved.variable.set(&value)?;
            saved.mean.set(&mean)?;
            saved.square.set(&square)?;
        }
        self.steps = header.steps;
        Ok(header.state)
    }

    /// Reads the file, if it is not longer than a checkpoint of these variables can be.
    fn read_whole(&self, path: &Path) -> Result<Vec<u8>, Error> {
        let tensors = self.states.iter().flat_map(|state| [&state.variable, &state.mean, &state.square]);
        let most = tensors.map(|t| t.elem_count() * t.dtype().size_in_bytes()).sum::<usize>() + MAX_HEADER;
        read_small(path, FORMAT, most as u64)
    }
}

/// Writes variables under their own names, so that the file can be opened as
/// [`Weights`](crate::Weights).
///
/// ```
/// use inkveil_nn::train::save_weights;
/// use inkveil_nn::{Device, Init, Scope, Weights};
///
/// let scope = Scope::trainable(None, &Device::Cpu, 7);
/// scope.enter("head").get("weight", &[2, 3], Init::Ones)?;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("head.safetensors");
/// save_weights(&path, &scope.variables())?;
/// assert_eq!(Weights::open(&path)?.shape("head.weight"), Some(&[2, 3][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn save_weights(path: &Path, variables: &[(String, Var)]) -> Result<(), Error> {
    let tensors = variables.iter().map(|(name, variable)| (name.clone(), variable.as_tensor().clone()));
    write(path, tensors.collect(), None).map_err(|e| e.in_file(path))
}

fn write(
    path: &Path,
    tensors: Vec<(String, Tensor)>,
    metadata: Option<HashMap<String, String>>,
) -> Result<(), Error> {
    let tensors = tensors
        .into_iter()
        .map(|(name, tensor)| Ok((name, tensor.to_device(&Device::Cpu)?.contiguous()?)))
        .collect::<Result<Vec<_>, Error>>()?;
    Output::file(path, true)?.fill_by_path(|temporary| {
        safetensors::serialize_to_file(tensors, metadata, temporary).map_err(|e| match e {
            safetensors::SafeTensorError::IoError(e) => Error::io("write it", &e),
            other => Error::argument(format!("these tensors cannot be written: {other}")),
        })
    })
}

/// Reads the tensor `name` with the type, shape and device of `like`.
fn read(file: &SafeTensors<'_>, name: &str, like: &Tensor) -> Result<Tensor, Error> {
    let view =
        file.tensor(name).map_err(|_| Error::from(ErrorKind::MissingTensor { name: name.to_owned() }))?;
    if view.shape() != like.dims() {
        let (name, expected, found) = (name.to_owned(), like.dims().to_vec(), view.shape().to_vec());
        return Err(ErrorKind::Shape { name, expected, found }.into());
    }
    if DType::try_from(view.dtype())? != like.dtype() {
        let what = format!("{name:?} has type {:?}, but this model has {:?}", view.dtype(), like.dtype());
        return Err(Error::corrupt(FORMAT, what));
    }
    Ok(Tensor::from_raw_buffer(view.data(), like.dtype(), view.shape(), like.device())?)
}
