//! Static tables: one vector per token or word, without a network.

mod model2vec;
mod words;

use std::fmt;
use std::path::Path;

pub use self::model2vec::StaticModel;
use crate::{Error, ErrorKind, Tokenizer, Weights};

/// A vector for each of many names.
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
    /// Opens the token table of GPT-2 in a folder: `wte.weight` and its tokenizer. Names are tokens
    /// as the vocabulary writes them (`Ġthe` for " the"); rows without a token are named "".
    pub fn open_gpt2(folder: &Path) -> Result<Self, Error> {
        let weights = Weights::open(folder)?;
        let tokenizer = Tokenizer::open(folder)?;
        let names = ["wte.weight", "transformer.wte.weight"];
        let found = names.into_iter().find_map(|name| Some((name, weights.shape(name)?)));
        let (name, &[rows, width]) = found.ok_or_else(|| missing(names[0]).in_file(folder))? else {
            return Err(Error::corrupt("safetensors", "the token table is not a matrix").in_file(folder));
        };
        tokenizer.check_rows(rows).map_err(|e| e.in_file(folder))?;
        let values = weights.values(name, &[rows, width])?.into_owned();
        Ok(VectorTable { names: token_names(&tokenizer, rows), values, width })
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the name of a row.
    pub fn name(&self, row: usize) -> Option<&str> {
        self.names.get(row).map(String::as_str)
    }

    /// Returns the vector of a row.
    pub fn row(&self, row: usize) -> Option<&[f32]> {
        self.values.chunks_exact(self.width.max(1)).nth(row)
    }

    /// Returns all names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns all vectors, row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns names and vectors without a copy.
    pub fn into_parts(self) -> (Vec<String>, Vec<f32>) {
        (self.names, self.values)
    }
}

impl fmt::Debug for VectorTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VectorTable({} × {})", self.len(), self.width)
    }
}

/// Returns the tokens of the first `rows` ids.
fn token_names(tokenizer: &Tokenizer, rows: usize) -> Vec<String> {
    (0..rows as u32).map(|id| tokenizer.token(id).unwrap_or_default().to_owned()).collect()
}

fn missing(name: &str) -> Error {
    ErrorKind::MissingTensor { name: name.to_owned() }.into()
}
