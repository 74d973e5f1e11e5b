//! Weights of models in files: safetensors, GGUF, and eight bits per number with a scale per row.

mod file;
pub(crate) mod gguf;
mod int8;
mod nibbles;
mod safetensors;
mod stored;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use candle_core::quantized::QTensor;
use candle_core::{Device, Tensor};

pub(crate) use self::file::{FileBytes, read_small};
use self::gguf::Metadata;
pub use self::int8::Rows8;
pub(crate) use self::nibbles::Nibbles;
use self::stored::{Numbers, Stored};
use crate::{Error, ErrorKind};

/// The weights of a model: named tensors in one or more files, mapped into memory and read when asked for.
///
/// Files are untrusted: whatever is in them, opening and reading gives an error or numbers. Tensors of GGUF have the names
/// that Hugging Face gives them (`model.layers.0.self_attn.q_proj.weight` for `blk.0.attn_q.weight`).
///
/// A clone shares the files. While weights are open, their files must not be changed in place; replacing them by
/// renaming is fine.
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
/// assert!(weights.values("w", &[1, 2]).is_err()); // another shape
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
#[derive(Clone)]
pub struct Weights(Arc<Inner>);

struct Inner {
    /// What errors call them.
    path: Option<PathBuf>,
    contents: Contents,
    /// Quantised tensors in use, so that two users of one tensor share it.
    shared: Mutex<HashMap<String, Weak<QTensor>>>,
}

/// What is in a set of files.
struct Contents {
    files: Vec<Arc<FileBytes>>,
    tensors: BTreeMap<String, Stored>,
    /// The settings in the header of GGUF.
    metadata: Option<Metadata>,
}

impl Weights {
    /// Opens a `.safetensors` or `.gguf` file, or a folder in the layout of Hugging Face: `model.safetensors`, or shards with
    /// `model.safetensors.index.json`, or a single `.gguf` file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let folder = std::fs::metadata(path).map_err(|e| Error::io("open it", &e).in_file(path))?.is_dir();
        let contents = match folder {
            true => open_folder(path),
            false => read(FileBytes::map(path)?),
        };
        Ok(Self::new(Some(path.to_owned()), contents.map_err(|e| e.in_file(path))?))
    }

    /// The weights in a safetensors or GGUF file that is in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Error> {
        read(FileBytes::Owned(bytes)).map(|contents| Self::new(None, contents))
    }

    /// These weights, with those of `others` in place of tensors of the same name.
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
            tensors.insert(name.clone(), Stored { file: stored.file + ours.files.len(), ..stored.clone() });
        }
        Self::new(self.0.path.clone(), Contents { files, tensors, metadata: None })
    }

    fn new(path: Option<PathBuf>, contents: Contents) -> Self {
        Weights(Arc::new(Inner { path, contents, shared: Mutex::default() }))
    }

    /// The names of all tensors, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.contents.tensors.keys().map(String::as_str)
    }

    /// The shape of a tensor, slowest dimension first.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.0.contents.tensors.get(name).map(|stored| stored.shape.as_slice())
    }

    /// The numbers of a tensor of this shape. They are borrowed where the file has them in `f32`, and widened otherwise.
    pub fn values(&self, name: &str, shape: &[usize]) -> Result<Cow<'_, [f32]>, Error> {
        self.widened(name, self.stored(name, shape)?).map_err(|e| self.here(e))
    }

    /// A tensor of this shape in `f32`.
    pub fn tensor(&self, name: &str, shape: &[usize], device: &Device) -> Result<Tensor, Error> {
        let failed = Error::backend("make a tensor");
        match self.values(name, shape)? {
            Cow::Borrowed(values) => Tensor::from_slice(values, shape, device),
            Cow::Owned(values) => Tensor::from_vec(values, shape, device),
        }
        .map_err(failed)
    }

    /// The 8-bit integers of a matrix that is stored so, and the scales of its rows; none if it is stored otherwise.
    pub fn rows8(&self, name: &str, shape: &[usize]) -> Result<Option<Rows8<'_>>, Error> {
        let stored = self.stored(name, shape)?;
        match stored.numbers {
            Numbers::Int8 => self.int8(name, stored).map(Some).map_err(|e| self.here(e)),
            _ => Ok(None),
        }
    }

    /// Some rows of a matrix of this shape, without widening the others.
    pub(crate) fn some_rows(
        &self,
        name: &str,
        shape: &[usize; 2],
        rows: Range<usize>,
    ) -> Result<Cow<'_, [f32]>, Error> {
        let stored = self.stored(name, shape)?;
        match stored.numbers {
            Numbers::Int8 => {
                let all = self.int8(name, stored).map_err(|e| self.here(e))?;
                let part = Rows8 {
                    values: &all.values[rows.start * shape[1]..rows.end * shape[1]],
                    scales: all.scales[rows].into(),
                };
                Ok(Cow::Owned(part.widen()))
            }
            numbers => {
                stored::widen(numbers, self.row_bytes(stored, shape, rows), name).map_err(|e| self.here(e))
            }
        }
    }

    /// Whether GGUF has the matrix of this shape in 4 bits.
    pub(crate) fn has_nibbles(&self, name: &str, shape: &[usize; 2]) -> Result<bool, Error> {
        Ok(matches!(self.stored(name, shape)?.numbers, Numbers::Blocks(dtype) if nibbles::is_known(dtype)))
    }

    /// Some rows of a matrix that GGUF has in 4 bits; none if it is stored otherwise.
    pub(crate) fn nibbles(
        &self,
        name: &str,
        shape: &[usize; 2],
        rows: Range<usize>,
    ) -> Result<Option<Nibbles>, Error> {
        let stored = self.stored(name, shape)?;
        Ok(match stored.numbers {
            Numbers::Blocks(dtype) => nibbles::read(dtype, self.row_bytes(stored, shape, rows)),
            _ => None,
        })
    }

    /// The bytes of some rows: no number, and no block of numbers, lies in two rows.
    fn row_bytes(&self, stored: &Stored, shape: &[usize; 2], rows: Range<usize>) -> &[u8] {
        let bytes = self.bytes(stored);
        let row = bytes.len().checked_div(shape[0]).unwrap_or(0);
        &bytes[rows.start * row..rows.end * row]
    }

    /// The whole numbers of a tensor of this shape.
    pub(crate) fn integers(&self, name: &str, shape: &[usize]) -> Result<Vec<i64>, Error> {
        let stored = self.stored(name, shape)?;
        stored::integers(stored.numbers, self.bytes(stored), name).map_err(|e| self.here(e))
    }

    /// The matrix in blocks, for products, if GGUF has it in blocks; none if it is stored otherwise.
    pub(crate) fn quantised(&self, name: &str) -> Result<Option<Arc<QTensor>>, Error> {
        let Some(stored) = self.0.contents.tensors.get(name) else {
            return Err(self.here(ErrorKind::MissingTensor { name: name.to_owned() }.into()));
        };
        let Numbers::Blocks(dtype) = stored.numbers else { return Ok(None) };
        // The library divides by the number of rows.
        if stored.shape.len() != 2 || stored.shape.contains(&0) {
            return Ok(None);
        }
        let mut shared = self.0.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tensor) = shared.get(name).and_then(Weak::upgrade) {
            return Ok(Some(tensor));
        }
        let tensor = Arc::new(
            stored::for_products(dtype, self.bytes(stored), &stored.shape).map_err(|e| self.here(e))?,
        );
        shared.insert(name.to_owned(), Arc::downgrade(&tensor));
        Ok(Some(tensor))
    }

    /// About how much memory the tensors take when all are loaded for inference.
    pub(crate) fn loaded_bytes(&self) -> u64 {
        let bytes = |stored: &Stored| match stored.numbers {
            // The library keeps some formats twice: as they are, and repacked for its kernels in up to 4/3 of the size.
            Numbers::Blocks(_) => stored.bytes.len() as u64 * 7 / 3,
            _ => stored.shape.iter().map(|&length| length as u64).product::<u64>() * 4,
        };
        self.0.contents.tensors.values().map(bytes).sum()
    }

    /// The settings in the header of GGUF; none for safetensors.
    pub(crate) fn metadata(&self) -> Option<&Metadata> {
        self.0.contents.metadata.as_ref()
    }

    /// Names these weights in an error.
    pub(crate) fn here(&self, error: Error) -> Error {
        match &self.0.path {
            Some(path) => error.in_file(path),
            None => error,
        }
    }

    fn bytes(&self, stored: &Stored) -> &[u8] {
        &self.0.contents.files[stored.file][stored.bytes.clone()]
    }

    fn stored(&self, name: &str, shape: &[usize]) -> Result<&Stored, Error> {
        let kind = match self.0.contents.tensors.get(name) {
            Some(stored) if stored.shape == shape => return Ok(stored),
            Some(stored) => ErrorKind::Shape {
                name: name.to_owned(),
                expected: shape.to_vec(),
                found: stored.shape.clone(),
            },
            None => ErrorKind::MissingTensor { name: name.to_owned() },
        };
        Err(self.here(kind.into()))
    }

    fn widened(&self, name: &str, stored: &Stored) -> Result<Cow<'_, [f32]>, Error> {
        match stored.numbers {
            Numbers::Int8 => self.int8(name, stored).map(|rows| Cow::Owned(rows.widen())),
            numbers => stored::widen(numbers, self.bytes(stored), name),
        }
    }

    /// An int8 matrix `X` with its scales, which are the `f32` tensor `X.scale`.
    fn int8(&self, name: &str, stored: &Stored) -> Result<Rows8<'_>, Error> {
        let scales = self.0.contents.tensors.get(&format!("{name}.scale"));
        let scales = scales.filter(|scales| scales.numbers == Numbers::F32);
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

fn read(bytes: FileBytes) -> Result<Contents, Error> {
    match bytes.starts_with(gguf::MAGIC) {
        true => gguf::read(bytes),
        false => safetensors::read(bytes),
    }
}

fn open_folder(folder: &Path) -> Result<Contents, Error> {
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

/// The one `.gguf` file of a folder.
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
        Some(_) => Err(Error::argument("there are several .gguf files in this folder; name the one to use")),
        None => Err(Error::argument(
            "there are no weights in this folder; it needs model.safetensors, model.safetensors.index.json or a .gguf file",
        )),
    }
}

/// Adds a tensor; two of one name are an error, as one of them would be ignored.
fn insert_new(
    tensors: &mut BTreeMap<String, Stored>,
    format: &'static str,
    name: String,
    stored: Stored,
) -> Result<(), Error> {
    match tensors.contains_key(&name) {
        true => Err(Error::corrupt(format, format!("two tensors are named {name:?}"))),
        false => {
            tensors.insert(name, stored);
            Ok(())
        }
    }
}
