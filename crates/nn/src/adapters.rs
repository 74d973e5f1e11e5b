//! Files of low-rank adapters, and merging adapters into the weights of a model.

use std::path::Path;

use safetensors::tensor::{Dtype, TensorView, serialize};

use crate::product::f32_product;
use crate::quantise::quantise_from;
use crate::train::save_weights;
use crate::{Error, ErrorKind, Var, Weights};

/// The name suffixes of an adapter's two matrices: `X.lora_A.weight` and `X.lora_B.weight` change
/// `X.weight`.
const DOWN: &str = ".lora_A.weight";
const UP: &str = ".lora_B.weight";
/// The suffix under which [`UP`] is stored transposed: its rows are as short as the rank, so one
/// scale per row would take a third of the file.
const UP_TRANSPOSED: &str = ".lora_B.turned";

/// Writes adapters with 8 bits per number. `lora_B` is transposed, so that its rows are long.
///
/// ```
/// use inkveil_nn::layers::{Linear, Lora};
/// use inkveil_nn::{Device, Scope, open_adapters, save_adapters};
///
/// let scope = Scope::trainable(None, &Device::Cpu, 7);
/// let mut layer = Linear::new(&scope.freeze().enter("q"), 8, 6, false)?;
/// layer.add_lora(&scope.enter("q"), &Lora { rank: 2, alpha: 2.0, dropout: 0.0 })?;
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("adapters.safetensors");
/// save_adapters(&file, &scope.variables())?;
/// assert_eq!(open_adapters(&file)?.shape("q.lora_B.weight"), Some(&[6, 2][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn save_adapters(path: &Path, variables: &[(String, Var)]) -> Result<(), Error> {
    let stored = variables
        .iter()
        .map(|(name, variable)| match name.strip_suffix(UP) {
            Some(layer) => {
                let transposed = variable.as_tensor().t()?.contiguous()?;
                Ok((format!("{layer}{UP_TRANSPOSED}"), Var::from_tensor(&transposed)?))
            }
            None => Ok((name.clone(), variable.clone())),
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let rough = tempfile::Builder::new().suffix(".safetensors").tempfile();
    let rough = rough.map_err(|error| Error::io("make a temporary file", &error))?;
    save_weights(rough.path(), &stored)?;
    quantise_from(1, &Weights::open(rough.path())?, path, &mut |_, _| ())?;
    Ok(())
}

/// Opens a file of adapters, written by this crate or with an untransposed `lora_B` as other tools
/// write it.
pub fn open_adapters(path: &Path) -> Result<Weights, Error> {
    let stored = Weights::open(path)?;
    let mut transposed = Vec::new();
    for name in stored.names() {
        let Some(layer) = name.strip_suffix(UP_TRANSPOSED) else { continue };
        let &[rank, outputs] = stored.shape(name).unwrap_or_default() else {
            return Err(Error::corrupt("adapters", "a matrix does not have two dimensions").in_file(path));
        };
        let values = stored.values(name, &[rank, outputs]).map_err(|error| error.in_file(path))?;
        transposed.push((format!("{layer}{UP}"), vec![outputs, rank], transpose(&values, outputs)));
    }
    if !stored.names().any(|name| name.ends_with(DOWN)) {
        return Err(Error::corrupt("adapters", "it contains no adapters").in_file(path));
    }
    Ok(stored.with(&in_memory(&transposed)?))
}

/// Transposes a matrix with rows of `columns` numbers.
fn transpose(values: &[f32], columns: usize) -> Vec<f32> {
    (0..columns).flat_map(|column| values.iter().skip(column).step_by(columns.max(1)).copied()).collect()
}

/// Creates weights in memory.
fn in_memory(tensors: &[NamedTensor]) -> Result<Weights, Error> {
    let views = tensors.iter().map(|(name, shape, values)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytemuck::cast_slice(values));
        Ok::<_, Error>((name.as_str(), view.map_err(failed)?))
    });
    let views = views.collect::<Result<Vec<_>, _>>()?;
    Weights::from_bytes(serialize(views, None).map_err(failed)?)
}

/// Merges adapters into the weights of a model: `X.weight + lora_B · lora_A`, like a
/// [`Lora`](crate::layers::Lora) whose strength equals its rank. Other tensors of `adapters`
/// replace those of the same name.
///
/// ```
/// use std::path::Path;
/// use inkveil_nn::{Weights, with_adapters};
///
/// let model = Weights::open(Path::new("tests/fixtures/bert"))?;
/// let same = with_adapters(&model, &model)?; // these contain no adapters
/// assert_eq!(same.names().count(), model.names().count());
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub fn with_adapters(weights: &Weights, adapters: &Weights) -> Result<Weights, Error> {
    let mut merged = Vec::new();
    for name in adapters.names() {
        let Some(layer) = name.strip_suffix(DOWN) else { continue };
        merged.push(merge(weights, adapters, layer)?);
    }
    Ok(weights.with(adapters).with(&in_memory(&merged)?))
}

fn failed(error: safetensors::SafeTensorError) -> Error {
    ErrorKind::Backend { doing: "combine adapters", cause: inkveil_error::Cause::new(error) }.into()
}

type NamedTensor = (String, Vec<usize>, Vec<f32>);

/// Merges the adapter of one layer into its matrix.
fn merge(weights: &Weights, adapters: &Weights, layer: &str) -> Result<NamedTensor, Error> {
    let name = format!("{layer}.weight");
    let missing = |name: &str| Error::from(ErrorKind::MissingTensor { name: name.to_owned() });
    let down_name = format!("{layer}{DOWN}");
    let &[rank, inputs] = adapters.shape(&down_name).unwrap_or_default() else {
        return Err(missing(&down_name));
    };
    let &[outputs, _] = weights.shape(&name).unwrap_or_default() else { return Err(missing(&name)) };
    let down = adapters.values(&down_name, &[rank, inputs])?;
    let up = adapters.values(&format!("{layer}{UP}"), &[outputs, rank])?;
    let mut values = weights.values(&name, &[outputs, inputs])?.into_owned();
    // The product takes its right factor by rows, which are the columns of `down`.
    let columns = transpose(&down, inputs);
    let mut change = vec![0.0; values.len()];
    f32_product(&up, &columns, rank, &mut change)?;
    values.iter_mut().zip(change).for_each(|(value, change)| *value += change);
    Ok((name, vec![outputs, inputs], values))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::cpu::{PackedEncoder, Precision, Sequence};
    use crate::layers::Lora;
    use crate::models::{BertConfig, TextModel, TokenBatch};
    use crate::train::save_weights;
    use crate::{Device, Scope, Tensor};

    #[test]
    fn merged_weights_give_the_same_states_as_adapters() {
        let folder = Path::new("tests/fixtures/bert");
        let weights = Weights::open(folder).unwrap();
        let scope = Scope::trainable(Some(&weights), &Device::Cpu, 5);
        let mut model = TextModel::load(folder, &scope.freeze()).unwrap();
        model.add_lora(&scope, &Lora { rank: 3, alpha: 3.0, dropout: 0.0 }, |_| true).unwrap();
        for (name, variable) in scope.variables() {
            let fresh = Tensor::randn(0f32, 0.3, variable.shape(), &Device::Cpu).unwrap();
            variable.set(&fresh).unwrap();
            assert!(name.contains("lora"));
        }
        let ids = [2_u32, 5, 9, 14, 3];
        let types = [0_u32, 0, 1, 1, 0];
        let batch = TokenBatch::new(&[ids], 0).unwrap().with_types(&[types]).unwrap();
        let wanted: Vec<f32> = model.hidden_states(&batch).unwrap().flatten_all().unwrap().to_vec1().unwrap();

        let file = tempfile::NamedTempFile::new().unwrap();
        save_weights(file.path(), &scope.variables()).unwrap();
        let merged = with_adapters(&weights, &Weights::open(file.path()).unwrap()).unwrap();
        let config = BertConfig::open(folder).unwrap();
        let encoder = PackedEncoder::new(&merged, &config, Precision::F32).unwrap();
        let sequence = Sequence { ids: &ids, types: &types.map(|kind| kind as u8) };
        let found = encoder.map_typed(&[sequence], |_, states| states.to_vec()).unwrap();
        assert!(found[0].iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-4));
        let without = encoder.hidden_states(&[&ids]).unwrap();
        assert!(without[0].iter().zip(&wanted).any(|(a, b)| (a - b).abs() > 1e-3), "types change the states");
        assert!(encoder.map_typed(&[Sequence { ids: &ids, types: &[9; 5] }], |_, _| ()).is_err());
        assert!(encoder.map_typed(&[Sequence { ids: &ids, types: &[0; 4] }], |_, _| ()).is_err());
    }
}
