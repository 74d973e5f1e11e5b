//! A stored tensor, and its conversion to `f32`.

use std::borrow::Cow;
use std::ops::Range;

use candle_core::Device;
use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use half::{bf16, f16};

use crate::{Error, ErrorKind};

/// The location and number format of a tensor.
#[derive(Debug, Clone)]
pub(crate) struct StoredTensor {
    pub(crate) numbers: NumberFormat,
    /// Slowest dimension first.
    pub(crate) shape: Vec<usize>,
    /// The index of its file.
    pub(crate) file: usize,
    /// Its byte range in that file. The range was checked to be inside the file and to match shape
    /// and type.
    pub(crate) bytes: Range<usize>,
}

/// A number format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberFormat {
    F64,
    F32,
    F16,
    Bf16,
    /// Eight bits with one scale per row, which is a separate tensor.
    Int8,
    /// A block format of GGUF.
    Blocks(GgmlDType),
    /// Another type, which may be present but is not read as floats.
    Other(&'static str),
}

/// Returns the count of numbers in a tensor of this shape, or nothing if it or the length of a row does not fit. The
/// tensor library multiplies all lengths after the first, also if the first is zero.
pub(crate) fn count_of(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |product, &length| product.checked_mul(length.max(1)))?;
    Some(shape.iter().product())
}

/// Converts the bytes of a tensor to `f32`, without a copy if the file stores `f32`.
///
/// Int8 is not handled here, because it needs its scales.
pub(crate) fn widen<'a>(numbers: NumberFormat, bytes: &'a [u8], name: &str) -> Result<Cow<'a, [f32]>, Error> {
    Ok(match numbers {
        NumberFormat::F32 => as_f32(bytes),
        NumberFormat::F64 => Cow::Owned(each(bytes, |b| f64::from_le_bytes(b) as f32)),
        NumberFormat::F16 => Cow::Owned(each(bytes, |b| f16::from_le_bytes(b).to_f32())),
        NumberFormat::Bf16 => Cow::Owned(each(bytes, |b| bf16::from_le_bytes(b).to_f32())),
        NumberFormat::Blocks(dtype) => {
            let count = bytes.len() / dtype.type_size() * dtype.block_size();
            let values = blocks(dtype, bytes, &[count])?.dequantize(&Device::Cpu);
            Cow::Owned(values.and_then(|t| t.to_vec1()).map_err(Error::backend("widen a quantised tensor"))?)
        }
        NumberFormat::Int8 => return Err(unsupported(name, "of 8-bit integers without scales")),
        NumberFormat::Other(dtype) => return Err(unsupported(name, &format!("of type {dtype}"))),
    })
}

/// Reads the integers of a tensor.
pub(crate) fn integers(numbers: NumberFormat, bytes: &[u8], name: &str) -> Result<Vec<i64>, Error> {
    match numbers {
        NumberFormat::Other("I64") => Ok(each(bytes, i64::from_le_bytes)),
        NumberFormat::Other("I32") => Ok(each(bytes, |b| i32::from_le_bytes(b).into())),
        _ => Err(unsupported(name, "with a type other than I64 and I32")),
    }
}

/// Copies a tensor in a block format of GGUF out of the file.
pub(crate) fn blocks(dtype: GgmlDType, bytes: &[u8], shape: &[usize]) -> Result<QTensor, Error> {
    let failed = Error::backend("read a quantised tensor");
    // The library does not check length and alignment, it panics. The check of the header ensures
    // whole blocks; blocks in a GGUF file are aligned to 8 bytes, but bytes in memory may not be.
    let aligned = bytes.as_ptr().align_offset(align_of::<f32>()) == 0;
    let storage = match aligned {
        true => QStorage::from_data(Cow::Borrowed(bytes), &Device::Cpu, dtype),
        false => {
            let mut words = vec![0_u32; bytes.len().div_ceil(4)];
            let copy: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
            let copy = &mut copy[..bytes.len()];
            copy.copy_from_slice(bytes);
            QStorage::from_data(Cow::Borrowed(copy), &Device::Cpu, dtype)
        }
    };
    QTensor::new(storage.map_err(&failed)?, shape).map_err(&failed)
}

/// Prepares a matrix for products: as stored, or in eight bits if the library has only slow kernels
/// for its format (a tenth of the speed). Eight bits are more precise than any of these formats,
/// and the other factor is rounded to eight bits anyway.
pub(crate) fn for_products(dtype: GgmlDType, bytes: &[u8], shape: &[usize]) -> Result<QTensor, Error> {
    let matrix = blocks(dtype, bytes, shape)?;
    match dtype {
        GgmlDType::Q4_1 | GgmlDType::Q5_0 | GgmlDType::Q5_1 => matrix
            .dequantize(&Device::Cpu)
            .and_then(|wide| QTensor::quantize(&wide, GgmlDType::Q8_0))
            .map_err(Error::backend("requantise a tensor")),
        _ => Ok(matrix),
    }
}

/// Returns little-endian floats, borrowed if they are aligned and copied otherwise.
pub(crate) fn as_f32(bytes: &[u8]) -> Cow<'_, [f32]> {
    match bytemuck::try_cast_slice(bytes) {
        Ok(values) if cfg!(target_endian = "little") => Cow::Borrowed(values),
        _ => Cow::Owned(each(bytes, f32::from_le_bytes)),
    }
}

fn each<const N: usize, T>(bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|&chunk| read(chunk)).collect()
}

fn unsupported(name: &str, what: &str) -> Error {
    let advice = "convert the weights to another type, such as f32";
    ErrorKind::Unsupported { what: format!("the tensor {name:?} {what}"), advice }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_float_type_is_converted() {
        let bits = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let wanted = [1.0, -0.5, 65504.0];
        assert_eq!(widen(NumberFormat::F32, &bits(&wanted), "x").unwrap(), wanted.as_slice());
        let half: Vec<u8> = wanted.iter().flat_map(|&v| f16::from_f32(v).to_le_bytes()).collect();
        assert_eq!(widen(NumberFormat::F16, &half, "x").unwrap(), wanted.as_slice());
        let double: Vec<u8> = wanted.iter().flat_map(|&v| f64::from(v).to_le_bytes()).collect();
        assert_eq!(widen(NumberFormat::F64, &double, "x").unwrap(), wanted.as_slice());
        let brain: Vec<u8> = [1.0, -0.5].iter().flat_map(|&v| bf16::from_f32(v).to_le_bytes()).collect();
        assert_eq!(widen(NumberFormat::Bf16, &brain, "x").unwrap(), [1.0, -0.5].as_slice());
    }

    #[test]
    fn unaligned_floats_are_copied() {
        let words = [0_u32; 3];
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        assert!(matches!(as_f32(&bytes[..8]), Cow::Borrowed(_)));
        assert!(matches!(as_f32(&bytes[1..9]), Cow::Owned(_)));
        // One block of Q8_0: a scale of 2 in half precision, then 32 integers.
        let mut words = [0x0909_0909_u32; 9];
        let block: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        block[1..3].copy_from_slice(&f16::from_f32(2.0).to_le_bytes());
        let values = widen(NumberFormat::Blocks(GgmlDType::Q8_0), &block[1..35], "x").unwrap();
        assert_eq!(values, [18.0; 32].as_slice());
    }

    #[test]
    fn a_shape_is_too_large_also_if_it_holds_nothing() {
        assert_eq!(count_of(&[]), Some(1));
        assert_eq!(count_of(&[2, 3]), Some(6));
        assert_eq!(count_of(&[0, 1 << 40]), Some(0));
        assert_eq!(count_of(&[0, 1 << 40, 1 << 40]), None);
        assert_eq!(count_of(&[1 << 40, 1 << 40, 0]), None);
    }

    #[test]
    fn errors_name_the_unsupported_tensor() {
        let error = widen(NumberFormat::Other("I64"), &[0; 8], "ids").unwrap_err();
        assert!(error.to_string().contains("\"ids\" of type I64"), "{error}");
    }
}
