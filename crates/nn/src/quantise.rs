//! Quantises weights to a quarter of their size: matrices of 8-bit integers with one scale per row.

use std::borrow::Cow;
use std::path::Path;

use rayon::prelude::*;
use safetensors::tensor::{Dtype, View, serialize};

use crate::{Error, ErrorKind, Weights};

/// Matrices with fewer rows are not quantised. They save little, and one of them costs much
/// accuracy: the token type table, whose first row is part of every token, so its error does not
/// average out.
const FEWEST_ROWS: usize = 16;

/// The result of [`quantise`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantised {
    /// The number of tensors, without scales.
    pub tensors: usize,
    /// The number of matrices of 8-bit integers among them.
    pub matrices: usize,
    /// The length of the file in bytes.
    pub bytes: u64,
    /// Tensors that were left out because they hold no floats, such as tables of indices.
    pub left_out: Vec<String>,
}

/// Writes weights as one safetensors file with 8 bits per number. A matrix X has type I8 and a
/// tensor `X.scale` with one F32 per row; everything else, and matrices of fewer than 16 rows, is
/// F32.
///
/// The scale of each row minimises the squared error, and the same weights give the same bytes.
/// `progress` receives the number of finished tensors and the total. An existing file is replaced
/// when the new one is complete.
///
/// ```
/// use inkveil_nn::{Weights, quantise};
///
/// let header = br#"{"w":{"dtype":"F32","shape":[16,2],"data_offsets":[0,128]}}"#;
/// let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
/// bytes.extend(header);
/// bytes.extend([1.0_f32, -0.5].repeat(16).iter().flat_map(|x| x.to_le_bytes()));
/// let weights = Weights::from_bytes(bytes)?;
///
/// let folder = tempfile::tempdir().unwrap();
/// let file = folder.path().join("model.safetensors");
/// let written = quantise(&weights, &file, &mut |done, of| eprintln!("{done} of {of}"))?;
/// assert_eq!(written.matrices, 1);
///
/// let small = Weights::open(&file)?;
/// assert_eq!(small.int8_rows("w", &[16, 2])?.unwrap().values.len(), 32);
/// assert!(small.values("w", &[16, 2])?.iter().zip([1.0, -0.5].repeat(16)).all(|(x, y)| (x - y).abs() < 0.004));
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub fn quantise(
    weights: &Weights,
    out: &Path,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Quantised, Error> {
    quantise_from(FEWEST_ROWS, weights, out, progress)
}

/// Like [`quantise`], for matrices of at least `fewest` rows.
pub(crate) fn quantise_from(
    fewest: usize,
    weights: &Weights,
    out: &Path,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Quantised, Error> {
    let names: Vec<&str> = weights.names().collect();
    let mut summary = Quantised { tensors: 0, matrices: 0, bytes: 0, left_out: Vec::new() };
    let mut tensors = Vec::with_capacity(2 * names.len());
    for (done, &name) in names.iter().enumerate() {
        progress(done, names.len());
        if is_scale(weights, name)? {
            continue; // Written with its matrix.
        }
        let shape = weights.shape(name).unwrap_or_default();
        match convert(fewest, weights, name, shape) {
            Ok(converted) => {
                summary.matrices += usize::from(converted.len() == 2);
                tensors.extend(converted);
            }
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported { .. }) => {
                summary.left_out.push(name.to_owned());
                continue;
            }
            Err(error) => return Err(error),
        }
        summary.tensors += 1;
    }
    let bytes = serialize(tensors, None).map_err(|error| ErrorKind::Backend {
        doing: "write safetensors",
        cause: inkveil_error::Cause::new(error),
    })?;
    summary.bytes = bytes.len() as u64;
    inkveil_files::write_atomically(out, &bytes, true)?;
    progress(names.len(), names.len());
    Ok(summary)
}

/// Returns whether this tensor holds the scales of a matrix that is already quantised.
fn is_scale(weights: &Weights, name: &str) -> Result<bool, Error> {
    let matrix = name.strip_suffix(".scale").and_then(|matrix| Some((matrix, weights.shape(matrix)?)));
    match matrix {
        Some((matrix, shape)) if shape.len() == 2 => Ok(weights.int8_rows(matrix, shape)?.is_some()),
        _ => Ok(false),
    }
}

/// Converts one tensor to what is written: a matrix with its scales, or floats.
fn convert(
    fewest: usize,
    weights: &Weights,
    name: &str,
    shape: &[usize],
) -> Result<Vec<(String, MemoryTensor)>, Error> {
    let (rows, columns) = match *shape {
        [rows, columns] if rows >= fewest => (rows, columns),
        _ => {
            let floats = MemoryTensor::floats(shape.to_vec(), &finite(weights, name, shape)?);
            return Ok(vec![(name.to_owned(), floats)]);
        }
    };
    let (integers, scales) = match weights.int8_rows(name, shape)? {
        Some(found) => (found.values.to_vec(), found.scales.into_owned()),
        None if columns == 0 => (Vec::new(), vec![0.0; rows]),
        None => quantise_rows(&finite(weights, name, shape)?, columns),
    };
    let bytes = integers.iter().map(|value| value.to_le_bytes()[0]).collect();
    let matrix = MemoryTensor { dtype: Dtype::I8, shape: vec![rows, columns], bytes };
    Ok(vec![(name.to_owned(), matrix), (format!("{name}.scale"), MemoryTensor::floats(vec![rows], &scales))])
}

fn finite<'a>(weights: &'a Weights, name: &str, shape: &[usize]) -> Result<Cow<'a, [f32]>, Error> {
    let values = weights.values(name, shape)?;
    match values.iter().all(|value| value.is_finite()) {
        true => Ok(values),
        false => Err(Error::corrupt("weights", format!("{name:?} contains numbers that are not finite"))),
    }
}

/// Quantises a matrix with at least one column to integers and scales.
fn quantise_rows(values: &[f32], columns: usize) -> (Vec<i8>, Vec<f32>) {
    let mut integers = vec![0; values.len()];
    let rows = values.par_chunks_exact(columns).zip(integers.par_chunks_exact_mut(columns));
    let scales = rows.map(|(row, out)| {
        let scale = best_scale(row);
        row.iter().zip(out).for_each(|(&value, out)| *out = round(value, inverse(scale)) as i8);
        scale
    });
    let scales = scales.collect();
    (integers, scales)
}

/// Returns the scale with the least squared error among a few dozen candidates: from slightly above
/// the scale that fits the largest entry down to half of it, which clips.
///
/// Sums are computed in one order without fused operations, so that every machine finds the same
/// scale.
fn best_scale(row: &[f32]) -> f32 {
    let largest = row.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let candidates = (25..=53_u8).rev().map(|step| largest / 127.0 * (f32::from(step) / 50.0));
    let mut best = (f64::INFINITY, largest / 127.0);
    for candidate in candidates {
        // For given integers, the best scale is a ratio of sums. It hardly changes the integers.
        let scale = refined(row, candidate);
        let error = squared_error(row, scale);
        if error < best.0 {
            best = (error, scale);
        }
    }
    best.1
}

/// Returns the best scale for the integers that `scale` gives.
fn refined(row: &[f32], scale: f32) -> f32 {
    let inverse = inverse(scale);
    let (mut products, mut squares) = (0.0_f64, 0.0_f64);
    for &value in row {
        let integer = f64::from(round(value, inverse));
        products += integer * f64::from(value);
        squares += integer * integer;
    }
    match (products / squares) as f32 {
        refined if refined.is_normal() => refined,
        _ => scale,
    }
}

fn squared_error(row: &[f32], scale: f32) -> f64 {
    let inverse = inverse(scale);
    let error = |&value: &f32| f64::from(value) - f64::from(round(value, inverse)) * f64::from(scale);
    row.iter().map(error).map(|error| error * error).sum()
}

/// Returns 1/scale, or 0 if that is not finite; then all integers are 0.
fn inverse(scale: f32) -> f32 {
    Some(1.0 / scale).filter(|inverse| inverse.is_finite()).unwrap_or(0.0)
}

fn round(value: f32, inverse: f32) -> f32 {
    (value * inverse).round_ties_even().clamp(-127.0, 127.0)
}

/// A tensor in memory.
struct MemoryTensor {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl MemoryTensor {
    fn floats(shape: Vec<usize>, values: &[f32]) -> Self {
        Self {
            dtype: Dtype::F32,
            shape,
            bytes: values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        }
    }
}

impl View for MemoryTensor {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(tensors: Vec<(&str, MemoryTensor)>) -> Weights {
        Weights::from_bytes(serialize(tensors, None).unwrap()).unwrap()
    }

    /// Numbers distributed like weights: many small ones, a few large ones.
    fn sample(count: usize) -> Vec<f32> {
        (0..count).map(|i| ((i * 7919 % 1009) as f32 / 504.5 - 1.0).powi(5) * 0.3).collect()
    }

    #[test]
    fn the_best_scale_beats_the_largest_entry() {
        let row = sample(384);
        let plain = row.iter().fold(0.0_f32, |a, v| a.max(v.abs())) / 127.0;
        let best = best_scale(&row);
        assert!(squared_error(&row, best) < squared_error(&row, plain));
        assert_eq!(best_scale(&[0.0; 4]), 0.0);
        assert!(best_scale(&[1e-44, -1e-44]).is_finite());
        assert!(best_scale(&[f32::MAX, -f32::MAX]).is_finite());
    }

    #[test]
    fn quantised_files_are_small_accurate_and_reproducible() {
        let matrix = sample(64 * 48);
        let source = || {
            weights(vec![
                ("a.weight", MemoryTensor::floats(vec![64, 48], &matrix)),
                ("a.bias", MemoryTensor::floats(vec![64], &matrix[..64])),
                ("a.types", MemoryTensor::floats(vec![2, 48], &matrix[..96])),
                ("a.position_ids", MemoryTensor { dtype: Dtype::I64, shape: vec![1, 2], bytes: vec![0; 16] }),
            ])
        };
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("1"), folder.path().join("2"));
        let mut seen = Vec::new();
        let written = quantise(&source(), &first, &mut |done, all| seen.push((done, all))).unwrap();
        quantise(&source(), &second, &mut |_, _| ()).unwrap();
        let bytes = std::fs::read(&first).unwrap();
        assert_eq!(bytes, std::fs::read(&second).unwrap());
        assert_eq!(seen, [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]);
        assert_eq!((written.tensors, written.matrices, written.bytes), (3, 1, bytes.len() as u64));
        assert_eq!(written.left_out, ["a.position_ids"]);

        let small = Weights::open(&first).unwrap();
        assert_eq!(small.values("a.bias", &[64]).unwrap(), &matrix[..64]);
        assert_eq!(small.values("a.types", &[2, 48]).unwrap(), &matrix[..96]);
        let rows = small.int8_rows("a.weight", &[64, 48]).unwrap().unwrap();
        assert!(rows.values.iter().all(|&value| value != -128));
        let wide = rows.widen();
        let (squares, errors) =
            matrix.iter().zip(&wide).fold((0.0, 0.0), |(s, e), (a, b)| (s + a * a, e + (a - b).powi(2)));
        assert!(errors / squares < 1e-4, "{}", errors / squares);

        // Weights that are already quantised do not change.
        quantise(&small, &second, &mut |_, _| ()).unwrap();
        assert_eq!(bytes, std::fs::read(&second).unwrap());
    }

    #[test]
    fn infinite_numbers_and_missing_folders_are_errors() {
        let broken = weights(vec![
            ("w", MemoryTensor::floats(vec![1, 2], &[1.0, f32::NAN])),
            ("x", MemoryTensor::floats(vec![32, 2], &[1.0; 64])),
        ]);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("w");
        assert!(matches!(
            quantise(&broken, &file, &mut |_, _| ()).unwrap_err().kind(),
            ErrorKind::Corrupt { .. }
        ));
        assert!(!file.exists());
        let fine = weights(vec![("w", MemoryTensor::floats(vec![1, 2], &[1.0, 2.0]))]);
        let nowhere = folder.path().join("none/w");
        assert!(matches!(quantise(&fine, &nowhere, &mut |_, _| ()).unwrap_err().kind(), ErrorKind::File(_)));
    }
}
