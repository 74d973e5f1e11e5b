//! The header of a safetensors file, and which of its tensors holds the vectors.

use std::fmt;

use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};

use crate::dense::Dense;
use crate::error::{Error, ErrorKind};
use crate::float::{Endian, FloatLayout, FloatType};
use crate::format::VectorFormat;
use inkveil_files::ByteStream;

/// The limit that the format sets.
const MAX_HEADER: u64 = 100_000_000;

/// The header, and the chosen tensor.
#[derive(Clone)]
pub(crate) struct TensorsHeader {
    /// The bytes of the length field and the header.
    pub(crate) bytes: Vec<u8>,
    pub(crate) name: String,
    pub(crate) dense: Dense,
    /// The number of bytes of other tensors before this one.
    pub(crate) before: u64,
    /// The number of bytes of other tensors after this one.
    pub(crate) after: u64,
}

impl TensorsHeader {
    pub(crate) fn read(stream: &mut ByteStream, column: Option<&str>) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        match stream.read_up_to(8, &mut bytes)? {
            0 => return Err(ErrorKind::Empty.into()),
            8 => {}
            _ => return Err(corrupt("the file ends inside its header")),
        }
        let mut length = [0; 8];
        length.copy_from_slice(&bytes);
        let length = u64::from_le_bytes(length);
        if length > MAX_HEADER {
            return Err(ErrorKind::TooLong { what: "the safetensors header", limit: MAX_HEADER }.into());
        }
        if stream.read_up_to(length, &mut bytes)? < length {
            return Err(corrupt("the file ends inside its header"));
        }
        // The message of the parser may quote the free text of the header, so it is dropped.
        let metadata: Metadata = serde_json::from_slice(&bytes[8..]).map_err(|_| {
            corrupt("its header is not JSON, or its tensors leave gaps, overlap or have wrong sizes")
        })?;
        let (name, info) = choose(&metadata, column)?;
        let dense = dense(info).map_err(|e| e.in_field(Some(&name)))?;
        let (start, end) = info.data_offsets;
        let (before, after) = (start as u64, metadata.data_len().saturating_sub(end) as u64);
        Ok(TensorsHeader { bytes, name, dense, before, after })
    }
}

impl fmt::Debug for TensorsHeader {
    // The header may hold free text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorsHeader")
            .field("name", &self.name)
            .field("dense", &self.dense)
            .finish_non_exhaustive()
    }
}

fn corrupt(what: &str) -> Error {
    Error::corrupt(VectorFormat::Safetensors, what)
}

fn choose<'m>(metadata: &'m Metadata, column: Option<&str>) -> Result<(String, &'m TensorInfo), Error> {
    let names = metadata.offset_keys();
    if let Some(column) = column {
        return match metadata.info(column) {
            Some(info) => Ok((column.to_owned(), info)),
            None => Err(Error::from(ErrorKind::MissingField { present: names }).in_field(Some(column))),
        };
    }
    let fit = |info: &TensorInfo| info.shape.len() == 2 && layout(info.dtype).is_some();
    let mut found: Vec<(String, &TensorInfo)> = names
        .iter()
        .filter_map(|name| metadata.info(name).map(|info| (name.clone(), info)))
        .filter(|(_, info)| fit(info))
        .collect();
    match (found.pop(), found.is_empty(), names.is_empty()) {
        (Some(only), true, _) => Ok(only),
        (Some(last), false, _) => {
            found.push(last);
            let candidates = found.into_iter().map(|(name, _)| name).collect();
            Err(ErrorKind::Ambiguous { candidates }.into())
        }
        (None, _, true) => Err(ErrorKind::Empty.into()),
        (None, _, false) => Err(ErrorKind::NoVectors { candidates: names }.into()),
    }
}

fn layout(dtype: Dtype) -> Option<FloatLayout> {
    let float = match dtype {
        Dtype::F16 => FloatType::F16,
        Dtype::BF16 => FloatType::Bf16,
        Dtype::F32 => FloatType::F32,
        Dtype::F64 => FloatType::F64,
        _ => return None,
    };
    Some(FloatLayout { float, endian: Endian::Little })
}

fn dense(info: &TensorInfo) -> Result<Dense, Error> {
    let layout = layout(info.dtype).ok_or_else(|| {
        Error::unsupported(
            format!("a tensor of type {:?}", info.dtype),
            "convert it to F16, BF16, F32 or F64, or choose another tensor",
        )
    })?;
    match info.shape[..] {
        [rows, dim] => Dense::new(layout, rows as u64, dim as u64),
        _ => Err(Error::unsupported(
            format!("a tensor with {} axes", info.shape.len()),
            "choose a tensor with two axes, one row per vector",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkveil_files::Input;

    fn read(json: &str, column: Option<&str>) -> Result<TensorsHeader, Error> {
        let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
        bytes.extend(json.as_bytes());
        TensorsHeader::read(&mut ByteStream::open(Input::from_bytes(bytes)).unwrap(), column)
    }

    const TWO: &str = r#"{"__metadata__":{"k":"v"},
        "ids":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},
        "a":{"dtype":"F32","shape":[2,3],"data_offsets":[16,40]},
        "b":{"dtype":"BF16","shape":[2,1],"data_offsets":[40,44]}}  "#;

    #[test]
    fn chooses_the_tensor() {
        let header = read(TWO, Some("a")).unwrap();
        assert_eq!((header.before, header.after, header.dense.dim), (16, 4, 3));
        assert_eq!(header.bytes.len(), 8 + TWO.len());
        let two = read(TWO, None).unwrap_err();
        assert_eq!(two.kind(), &ErrorKind::Ambiguous { candidates: vec!["a".into(), "b".into()] });
        let missing = read(TWO, Some("c")).unwrap_err();
        assert!(matches!(missing.kind(), ErrorKind::MissingField { present } if present.len() == 3));
        assert!(read(TWO, Some("ids")).unwrap_err().to_string().contains("I64"));
    }

    #[test]
    fn says_what_is_wrong() {
        for json in [
            "x",
            r#"{"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,20]}}"#,
            r#"{"a":{"dtype":"F32","shape":[2,3],"data_offsets":[4,28]}}"#,
            r#"{"a":{"dtype":"F32","shape":[9223372036854775807,9],"data_offsets":[0,24]}}"#,
        ] {
            assert!(matches!(read(json, None).unwrap_err().kind(), ErrorKind::Corrupt { .. }), "{json}");
        }
        assert_eq!(read("{}", None).unwrap_err().kind(), &ErrorKind::Empty);
        let empty = r#"{"a":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]}}"#;
        assert_eq!(read(empty, None).unwrap_err().kind(), &ErrorKind::Empty);
        let flat = r#"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}}"#;
        assert!(matches!(read(flat, None).unwrap_err().kind(), ErrorKind::NoVectors { .. }));
        assert!(read(flat, Some("a")).unwrap_err().to_string().contains("1 axes"));
    }
}
