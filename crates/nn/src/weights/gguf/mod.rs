//! GGUF: the file format of llama.cpp, with quantised tensors and the model's settings in its
//! header.
//!
//! The header is parsed here and not by the tensor library, so that every length in it is checked
//! against the file before it is used.

mod cursor;
mod metadata;
mod names;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use candle_core::quantized::GgmlDType;

use self::cursor::{Cursor, FORMAT};
pub(crate) use self::metadata::Metadata;
use super::file::FileBytes;
use super::files::{WeightFiles, insert_new};
use super::stored::{NumberFormat, StoredTensor, count_of};
use crate::{Error, ErrorKind};

/// The first bytes of every file.
pub(super) const MAGIC: &[u8] = b"GGUF";
const MOST_DIMENSIONS: u32 = 4;
/// The alignment of tensors unless the file specifies another one.
const DEFAULT_ALIGNMENT: u64 = 32;

/// Reads the settings and tensors of one file.
pub(super) fn read(bytes: FileBytes) -> Result<WeightFiles, Error> {
    let bytes = Arc::new(bytes);
    let mut cursor = Cursor::new(&bytes);
    cursor.take(MAGIC.len())?;
    match cursor.u32()? {
        2 | 3 => {}
        version => {
            return Err(ErrorKind::Unsupported {
                what: format!("version {version} of GGUF"),
                advice: "use a little-endian file of version 2 or 3",
            }
            .into());
        }
    }
    let (tensor_count, setting_count) = (cursor.u64()?, cursor.u64()?);
    let metadata = Metadata::read(&mut cursor, setting_count, Arc::clone(&bytes))?;

    // No memory is reserved for the counts, which are untrusted: reading too many entries fails at
    // the end of the file.
    let mut headers = Vec::new();
    for _ in 0..tensor_count {
        headers.push(TensorHeader::read(&mut cursor)?);
    }
    let data = DataSection::after(cursor.position(), &metadata, bytes.len())?;
    let mut tensors = BTreeMap::new();
    for header in headers {
        let stored = header.locate(&data)?;
        insert_new(&mut tensors, FORMAT, names::hugging_face(&header.name), stored)?;
    }
    refuse_overlaps(&tensors)?;
    Ok(WeightFiles { files: vec![bytes], tensors, metadata: Some(metadata) })
}

/// The header entry of one tensor.
struct TensorHeader {
    name: String,
    /// Slowest dimension first; the file stores them in reverse order.
    shape: Vec<usize>,
    /// The number format, and the numbers and bytes per block.
    numbers: NumberFormat,
    block: (usize, usize),
    /// The offset from the start of the data.
    offset: u64,
}

impl TensorHeader {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let name = cursor.text()?.to_owned();
        let dimensions = cursor.u32()?;
        if dimensions > MOST_DIMENSIONS {
            return Err(Error::corrupt(FORMAT, format!("the tensor {name:?} has {dimensions} dimensions")));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            let length = cursor.u64()?;
            shape.push(usize::try_from(length).map_err(|_| too_large(&name))?);
        }
        shape.reverse();
        let (numbers, block) = numbers(cursor.u32()?, &name)?;
        Ok(TensorHeader { name, shape, numbers, block, offset: cursor.u64()? })
    }

    /// Locates the tensor, which must be inside the file.
    fn locate(&self, data: &DataSection) -> Result<StoredTensor, Error> {
        let (numbers_in_block, bytes_in_block) = self.block;
        let whole_blocks = self.shape.last().is_none_or(|columns| columns % numbers_in_block == 0);
        if !whole_blocks || (self.shape.is_empty() && numbers_in_block > 1) {
            let what = format!("the rows of {:?} are not multiples of {numbers_in_block}", self.name);
            return Err(Error::corrupt(FORMAT, what));
        }
        let size = count_of(&self.shape)
            .and_then(|count| (count / numbers_in_block).checked_mul(bytes_in_block))
            .ok_or_else(|| too_large(&self.name))?;
        if !self.offset.is_multiple_of(data.alignment) {
            let what =
                format!("the offset of the tensor {:?} is not a multiple of {}", self.name, data.alignment);
            return Err(Error::corrupt(FORMAT, what));
        }
        let start = usize::try_from(self.offset).ok().and_then(|offset| offset.checked_add(data.bytes.start));
        let end = start.and_then(|start| start.checked_add(size)).filter(|&end| end <= data.bytes.end);
        match (start, end) {
            (Some(start), Some(end)) => Ok(StoredTensor {
                numbers: self.numbers,
                shape: self.shape.clone(),
                file: 0,
                bytes: start..end,
            }),
            _ => Err(Error::corrupt(
                FORMAT,
                format!("the file ends before the end of the tensor {:?}", self.name),
            )),
        }
    }
}

/// The part of the file with the numbers.
struct DataSection {
    bytes: Range<usize>,
    alignment: u64,
}

impl DataSection {
    fn after(header_end: usize, metadata: &Metadata, file_end: usize) -> Result<Self, Error> {
        let alignment = metadata.unsigned("general.alignment").unwrap_or(DEFAULT_ALIGNMENT);
        if !(alignment.is_power_of_two() && (8..=1 << 16).contains(&alignment)) {
            return Err(Error::corrupt(
                FORMAT,
                format!("its alignment is {alignment}, which is not a power of two from 8 to 65536"),
            ));
        }
        // Both numbers fit: the header is in memory, and the alignment is small.
        let start = header_end.next_multiple_of(alignment as usize);
        // A file without tensors may end with its header.
        Ok(DataSection { bytes: start.min(file_end)..file_end, alignment })
    }
}

fn refuse_overlaps(tensors: &BTreeMap<String, StoredTensor>) -> Result<(), Error> {
    let mut all: Vec<(&Range<usize>, &String)> =
        tensors.iter().map(|(name, stored)| (&stored.bytes, name)).collect();
    all.sort_by_key(|(bytes, _)| (bytes.start, bytes.end));
    match all.windows(2).find(|pair| pair[1].0.start < pair[0].0.end) {
        Some(pair) => {
            Err(Error::corrupt(FORMAT, format!("the tensors {:?} and {:?} overlap", pair[0].1, pair[1].1)))
        }
        None => Ok(()),
    }
}

/// Returns the number format of a type code, and the numbers and bytes per block.
fn numbers(code: u32, name: &str) -> Result<(NumberFormat, (usize, usize)), Error> {
    let blocks = match code {
        0 => return Ok((NumberFormat::F32, (1, 4))),
        1 => return Ok((NumberFormat::F16, (1, 2))),
        28 => return Ok((NumberFormat::F64, (1, 8))),
        30 => return Ok((NumberFormat::Bf16, (1, 2))),
        24 => return Ok((NumberFormat::Other("I8"), (1, 1))),
        25 => return Ok((NumberFormat::Other("I16"), (1, 2))),
        26 => return Ok((NumberFormat::Other("I32"), (1, 4))),
        27 => return Ok((NumberFormat::Other("I64"), (1, 8))),
        2 => GgmlDType::Q4_0,
        3 => GgmlDType::Q4_1,
        6 => GgmlDType::Q5_0,
        7 => GgmlDType::Q5_1,
        8 => GgmlDType::Q8_0,
        10 => GgmlDType::Q2K,
        11 => GgmlDType::Q3K,
        12 => GgmlDType::Q4K,
        13 => GgmlDType::Q5K,
        14 => GgmlDType::Q6K,
        _ => {
            return Err(ErrorKind::Unsupported {
                what: format!("the tensor {name:?} in GGUF's format number {code}"),
                advice: "use a file quantised to Q4_K_M, Q6_K or Q8_0, or one in F16",
            }
            .into());
        }
    };
    Ok((NumberFormat::Blocks(blocks), (blocks.block_size(), blocks.type_size())))
}

fn too_large(name: &str) -> Error {
    Error::corrupt(FORMAT, format!("the tensor {name:?} is larger than the address space"))
}
