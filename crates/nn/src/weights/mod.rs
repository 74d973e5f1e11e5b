//! Model weights in files: safetensors, GGUF, and eight bits per number with a scale per row.

mod file;
mod files;
pub(crate) mod gguf;
mod int8;
mod nibbles;
mod safetensors;
mod stored;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use candle_core::quantized::QTensor;
use candle_core::{Device, Tensor};

pub(crate) use self::file::{FileBytes, is_plain_name, read_small};
use self::files::WeightFiles;
use self::gguf::Metadata;
pub use self::int8::Int8Rows;
pub(crate) use self::nibbles::Nibbles;
use self::stored::{NumberFormat, StoredTensor};
use crate::{Error, ErrorKind};

/// The weights of a model: named tensors in one or more files, mapped into memory and read on
/// demand.
///
/// Files are untrusted: opening and reading any content gives an error or numbers, never a panic.
/// Tensors of GGUF files have the names that Hugging Face uses
/// (`model.layers.0.self_attn.q_proj.weight` for `blk.0.attn_q.weight`).
///
/// Clones share the files. While weights are open, their files must not be changed in place;
/// replacing them by renaming is safe.
///
/// ```
/// use inkveil_nn::Weights;
///
/// let header = br#"{"w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}}"#;
/// let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
/// bytes.extend(header);
/// bytes.extend([1.5_f32, -2.0].iter().flat_map(|x| x.to_le_bytes()));
///
/// let weights = Weights::from_bytes(bytes)?;
/// assert_eq!(weights.names().collect::<Vec<_>>(), ["w"]);
/// assert_eq!(weights.values("w", &[2, 1])?, [1.5, -2.0].as_slice());
/// assert!(weights.values("w", &[1, 2]).is_err()); // a different shape
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
#[derive(Clone)]
pub struct Weights(Arc<Inner>);

struct Inner {
    /// The path shown in errors.
    path: Option<PathBuf>,
    contents: WeightFiles,
    /// Quantised tensors in use, so that several users of a tensor share it.
    shared: Mutex<HashMap<String, Weak<QTensor>>>,
}

impl Weights {
    /// Opens a `.safetensors` or `.gguf` file, or a folder in the layout of Hugging Face:
    /// `model.safetensors`, or shards with `model.safetensors.index.json`, or a single `.gguf`
    /// file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let folder = std::fs::metadata(path).map_err(|e| Error::io("open it", &e).in_file(path))?.is_dir();
        let contents = match folder {
            true => open_folder(path),
            false => read(FileBytes::map(path)?),
        };
        Ok(Self::new(Some(path.to_owned()), contents.map_err(|e| e.in_file(path))?))
    }

    /// Reads the weights of a safetensors or GGUF file in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Error> {
        read(FileBytes::Owned(bytes)).map(|contents| Self::new(None, contents))
    }

    /// Returns these weights, where tensors of `others` replace those of the same name.
    ///
    /// ```
    /// # use std::path::Path;
    /// use inkveil_nn::Weights;
    ///
    /// let model = Weights::open(Path::new("tests/fixtures/bert"))?;
    /// assert_eq!(model.with(&model).names().count(), model.names().count());
    /// # Ok::<(), inkveil_nn::Error>(())
    /// ```
    pub fn with(&self, others: &Weights) -> Weights {
        let (ours, theirs) = (&self.0.contents, &others.0.contents);
        let files = ours.files.iter().chain(&theirs.files).cloned().collect();
        let mut tensors = ours.tensors.clone();
        for (name, stored) in &theirs.tensors {
            tensors.insert(
                name.clone(),
                StoredTensor { file: stored.file + ours.files.len(), ..stored.clone() },
            );
        }
        Self::new(self.0.path.clone(), WeightFiles { files, tensors, metadata: None })
    }

    fn new(path: Option<PathBuf>, contents: WeightFiles) -> Self {
        Weights(Arc::new(Inner { path, contents, shared: Mutex::default() }))
    }

    /// Returns the names of all tensors, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.contents.tensors.keys().map(String::as_str)
    }

    /// Returns the shape of a tensor, slowest dimension first.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.0.contents.tensors.get(name).map(|stored| stored.shape.as_slice())
    }

    /// Returns the numbers of a tensor of this shape. They are borrowed if the file stores them in
    /// `f32`, and converted otherwise.
    pub fn values(&self, name: &str, shape: &[usize]) -> Result<Cow<'_, [f32]>, Error> {
        self.widened(name, self.stored(name, shape)?).map_err(|e| self.with_path(e))
    }

    /// Returns a tensor of this shape in `f32`.
    pub fn tensor(&self, name: &str, shape: &[usize], device: &Device) -> Result<Tensor, Error> {
        let failed = Error::backend("make a tensor");
        match self.values(name, shape)? {
            Cow::Borrowed(values) => Tensor::from_slice(values, shape, device),
            Cow::Owned(values) => Tensor::from_vec(values, shape, device),
        }
        .map_err(failed)
    }

    /// Returns the 8-bit integers and row scales of a matrix, or `None` if it is not stored so.
    pub fn int8_rows(&self, name: &str, shape: &[usize]) -> Result<Option<Int8Rows<'_>>, Error> {
        let stored = self.stored(name, shape)?;
        match stored.numbers {
            NumberFormat::Int8 => self.int8(name, stored).map(Some).map_err(|e| self.with_path(e)),
            _ => Ok(None),
        }
    }

    /// Returns some rows of a matrix of this shape, without converting the others.
    pub(crate) fn row_range(
        &self,
        name: &str,
        shape: &[usize; 2],
        rows: Range<usize>,
    ) -> Result<Cow<'_, [f32]>, Error> {
        let stored = self.stored(name, shape)?;
        match stored.numbers {
            NumberFormat::Int8 => {
                let all = self.int8(name, stored).map_err(|e| self.with_path(e))?;
                let part = Int8Rows {
                    values: &all.values[rows.start * shape[1]..rows.end * shape[1]],
                    scales: all.scales[rows].into(),
                };
                Ok(Cow::Owned(part.widen()))
            }
            numbers => stored::widen(numbers, self.row_bytes(stored, shape, rows), name)
                .map_err(|e| self.with_path(e)),
        }
    }

    /// Returns whether a GGUF file stores the matrix of this shape in 4 bits.
    pub(crate) fn has_nibbles(&self, name: &str, shape: &[usize; 2]) -> Result<bool, Error> {
        Ok(
            matches!(self.stored(name, shape)?.numbers, NumberFormat::Blocks(dtype) if nibbles::is_known(dtype)),
        )
    }

    /// Returns some rows of a matrix that a GGUF file stores in 4 bits, or `None` if it is not
    /// stored so.
    pub(crate) fn nibbles(
        &self,
        name: &str,
        shape: &[usize; 2],
        rows: Range<usize>,
    ) -> Result<Option<Nibbles>, Error> {
        let stored = self.stored(name, shape)?;
        Ok(match stored.numbers {
            NumberFormat::Blocks(dtype) => nibbles::read(dtype, self.row_bytes(stored, shape, rows)),
            _ => None,
        })
    }

    /// Returns the bytes of some rows. No number and no block of numbers crosses a row boundary.
    fn row_bytes(&self, stored: &StoredTensor, shape: &[usize; 2], rows: Range<usize>) -> &[u8] {
        let bytes = self.bytes(stored);
        let row = bytes.len().checked_div(shape[0]).unwrap_or(0);
        &bytes[rows.start * row..rows.end * row]
    }

    /// Returns the integers of a tensor of this shape.
    pub(crate) fn integers(&self, name: &str, shape: &[usize]) -> Result<Vec<i64>, Error> {
        let stored = self.stored(name, shape)?;
        stored::integers(stored.numbers, self.bytes(stored), name).map_err(|e| self.with_path(e))
    }

    /// Returns the matrix in blocks, for products, or `None` if it is not stored in the blocks of
    /// GGUF.
    pub(crate) fn quantised(&self, name: &str) -> Result<Option<Arc<QTensor>>, Error> {
        let Some(stored) = self.0.contents.tensors.get(name) else {
            return Err(self.with_path(ErrorKind::MissingTensor { name: name.to_owned() }.into()));
        };
        let NumberFormat::Blocks(dtype) = stored.numbers else { return Ok(None) };
        // The library divides by the number of rows.
        if stored.shape.len() != 2 || stored.shape.contains(&0) {
            return Ok(None);
        }
        let mut shared = self.0.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tensor) = shared.get(name).and_then(Weak::upgrade) {
            return Ok(Some(tensor));
        }
        let tensor = Arc::new(
            stored::for_products(dtype, self.bytes(stored), &stored.shape).map_err(|e| self.with_path(e))?,
        );
        shared.insert(name.to_owned(), Arc::downgrade(&tensor));
        Ok(Some(tensor))
    }

    /// Estimates the memory that all tensors take when loaded for inference.
    pub(crate) fn loaded_bytes(&self) -> u64 {
        let bytes = |stored: &StoredTensor| match stored.numbers {
            // The library keeps some formats twice: as stored, and repacked for its kernels in up
            // to 4/3 of the size.
            NumberFormat::Blocks(_) => stored.bytes.len() as u64 * 7 / 3,
            _ => stored.shape.iter().map(|&length| length as u64).product::<u64>() * 4,
        };
        self.0.contents.tensors.values().map(bytes).sum()
    }

    /// Returns the settings in the header of a GGUF file, or `None` for safetensors.
    pub(crate) fn metadata(&self) -> Option<&Metadata> {
        self.0.contents.metadata.as_ref()
    }

    /// Adds the path of these weights to an error.
    pub(crate) fn with_path(&self, error: Error) -> Error {
        match &self.0.path {
            Some(path) => error.in_file(path),
            None => error,
        }
    }

    fn bytes(&self, stored: &StoredTensor) -> &[u8] {
        &self.0.contents.files[stored.file][stored.bytes.clone()]
    }

    fn stored(&self, name: &str, shape: &[usize]) -> Result<&StoredTensor, Error> {
        let kind = match self.0.contents.tensors.get(name) {
            Some(stored) if stored.shape == shape => return Ok(stored),
            Some(stored) => ErrorKind::Shape {
                name: name.to_owned(),
                expected: shape.to_vec(),
                found: stored.shape.clone(),
            },
            None => ErrorKind::MissingTensor { name: name.to_owned() },
        };
        Err(self.with_path(kind.into()))
    }

    fn widened(&self, name: &str, stored: &StoredTensor) -> Result<Cow<'_, [f32]>, Error> {
        match stored.numbers {
            NumberFormat::Int8 => self.int8(name, stored).map(|rows| Cow::Owned(rows.widen())),
            numbers => stored::widen(numbers, self.bytes(stored), name),
        }
    }

    /// Returns an int8 matrix `X` with its scales, which are the `f32` tensor `X.scale`.
    fn int8(&self, name: &str, stored: &StoredTensor) -> Result<Int8Rows<'_>, Error> {
        let scales = self.0.contents.tensors.get(&format!("{name}.scale"));
        let scales = scales.filter(|scales| scales.numbers == NumberFormat::F32);
        let scales = scales.map(|scales| (scales.shape.as_slice(), self.bytes(scales)));
        int8::rows(name, &stored.shape, self.bytes(stored), scales)
    }
}

impl fmt::Debug for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.path.as_ref().map(|path| path.display().to_string());
        write!(
            f,
            "Weights({}, {} tensors)",
            name.as_deref().unwrap_or("in memory"),
            self.0.contents.tensors.len()
        )
    }
}

fn read(bytes: FileBytes) -> Result<WeightFiles, Error> {
    match bytes.starts_with(gguf::MAGIC) {
        true => gguf::read(bytes),
        false => safetensors::read(bytes),
    }
}

fn open_folder(folder: &Path) -> Result<WeightFiles, Error> {
    let single = folder.join("model.safetensors");
    if single.exists() {
        return read(FileBytes::map(&single)?).map_err(|e| e.in_file(&single));
    }
    let index = folder.join("model.safetensors.index.json");
    if index.exists() {
        return safetensors::read_shards(folder, &index).map_err(|e| e.in_file(&index));
    }
    let path = only_gguf(folder)?;
    gguf::read(FileBytes::map(&path)?).map_err(|e| e.in_file(&path))
}

/// Finds the only `.gguf` file of a folder.
fn only_gguf(folder: &Path) -> Result<PathBuf, Error> {
    let failed = |e: std::io::Error| Error::io("list the folder", &e);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gguf")) {
            found.push(path);
        }
    }
    match found.pop() {
        Some(path) if found.is_empty() => Ok(path),
        Some(_) => {
            Err(Error::argument("there are several .gguf files in this folder; give the path of one file"))
        }
        None => Err(Error::argument(
            "there are no weights in this folder; it must contain model.safetensors, model.safetensors.index.json or a .gguf file",
        )),
    }
}
