//! Static tables: one vector per token or word, without a network behind it.

mod model2vec;
mod words;

use std::fmt;
use std::path::Path;

pub use self::model2vec::StaticModel;
use crate::{Error, ErrorKind, Tokenizer, Weights};

/// Names with a vector each.
///
/// ```
/// use inkveil_nn::models::VectorTable;
///
/// let table = VectorTable::from_words(b"cat 1 0.5\ndog 0.25 1\n")?;
/// assert_eq!((table.len(), table.width()), (2, 2));
/// assert_eq!((table.name(1), table.row(1)), (Some("dog"), Some([0.25, 1.0].as_slice())));
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct VectorTable {
    names: Vec<String>,
    values: Vec<f32>,
    width: usize,
}

impl VectorTable {
    /// The token table of GPT-2 in a folder: `wte.weight` and its tokenizer. Names are tokens as the vocabulary has them
    /// (`Ġthe` for " the"); rows that no token has are named "".
    pub fn open_gpt2(folder: &Path) -> Result<Self, Error> {
        let weights = Weights::open(folder)?;
        let tokenizer = Tokenizer::open(folder)?;
        let names = ["wte.weight", "transformer.wte.weight"];
        let found = names.into_iter().find_map(|name| Some((name, weights.shape(name)?)));
        let (name, &[rows, width]) = found.ok_or_else(|| missing(names[0]).in_file(folder))? else {
            return Err(Error::corrupt("safetensors", "the token table is no matrix").in_file(folder));
        };
        tokenizer.check_rows(rows).map_err(|e| e.in_file(folder))?;
        let values = weights.values(name, &[rows, width])?.into_owned();
        Ok(VectorTable { names: token_names(&tokenizer, rows), values, width })
    }

    /// A table of words as text, as GloVe is distributed: on every line a word and its numbers, with a space between. A first
    /// line with the numbers of rows and columns is skipped. A word may have spaces in it.
    pub fn open_words(path: &Path) -> Result<Self, Error> {
        words::open(path).map_err(|e| e.in_file(path))
    }

    /// A table of words as text; see [`open_words`](Self::open_words).
    pub fn from_words(text: &[u8]) -> Result<Self, Error> {
        words::read(text)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Numbers per row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The name of a row.
    pub fn name(&self, row: usize) -> Option<&str> {
        self.names.get(row).map(String::as_str)
    }

    /// The vector of a row.
    pub fn row(&self, row: usize) -> Option<&[f32]> {
        self.values.chunks_exact(self.width.max(1)).nth(row)
    }

    /// All names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// All vectors, row after row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Names and vectors, without a copy.
    pub fn into_parts(self) -> (Vec<String>, Vec<f32>) {
        (self.names, self.values)
    }
}

impl fmt::Debug for VectorTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VectorTable({} × {})", self.len(), self.width)
    }
}

/// The tokens of so many rows.
fn token_names(tokenizer: &Tokenizer, rows: usize) -> Vec<String> {
    (0..rows as u32).map(|id| tokenizer.token(id).unwrap_or_default().to_owned()).collect()
}

fn missing(name: &str) -> Error {
    ErrorKind::MissingTensor { name: name.to_owned() }.into()
}
