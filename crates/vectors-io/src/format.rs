//! The file formats of vectors.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};

/// A file format that holds vectors.
///
/// ```
/// use inkveil_vectors_io::VectorFormat;
/// use std::path::Path;
///
/// assert_eq!("npy".parse(), Ok(VectorFormat::Npy));
/// assert_eq!(VectorFormat::from_path(Path::new("notes.ndjson")), Some(VectorFormat::Jsonl));
/// assert_eq!(VectorFormat::Parquet.to_string(), "parquet");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VectorFormat {
    /// One JSON value per line: an array of numbers, or an object with one in a field.
    Jsonl,
    /// NumPy: one matrix.
    Npy,
    /// Apache Parquet: vectors in a list column.
    Parquet,
    /// safetensors: vectors in a tensor with two axes.
    Safetensors,
}

impl VectorFormat {
    /// Returns the format that the extension of a file stands for.
    pub fn from_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "jsonl" | "ndjson" => Some(VectorFormat::Jsonl),
            "npy" => Some(VectorFormat::Npy),
            "parquet" | "pq" => Some(VectorFormat::Parquet),
            "safetensors" => Some(VectorFormat::Safetensors),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            VectorFormat::Jsonl => "jsonl",
            VectorFormat::Npy => "npy",
            VectorFormat::Parquet => "parquet",
            VectorFormat::Safetensors => "safetensors",
        }
    }
}

impl FromStr for VectorFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        [VectorFormat::Jsonl, VectorFormat::Npy, VectorFormat::Parquet, VectorFormat::Safetensors]
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| ErrorKind::UnknownFormat { given: name.to_owned() }.into())
    }
}

impl From<VectorFormat> for &'static str {
    fn from(format: VectorFormat) -> Self {
        format.name()
    }
}

impl fmt::Display for VectorFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_extensions() {
        for format in
            [VectorFormat::Jsonl, VectorFormat::Npy, VectorFormat::Parquet, VectorFormat::Safetensors]
        {
            assert_eq!(format.to_string().parse(), Ok(format));
            let path = format!("dir.x/a.b.{}", format.to_string().to_uppercase());
            assert_eq!(VectorFormat::from_path(Path::new(&path)), Some(format));
        }
        assert_eq!(VectorFormat::from_path(Path::new("a.pq")), Some(VectorFormat::Parquet));
        assert_eq!(VectorFormat::from_path(Path::new("npy")), None);
        assert_eq!(
            "csv".parse::<VectorFormat>().unwrap_err().to_string(),
            "unknown format \"csv\"; use jsonl, npy, parquet or safetensors"
        );
    }
}
