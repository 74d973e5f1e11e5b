//! Conversion of floating-point numbers in files to and from `f64`.

use half::{bf16, f16};

use crate::error::ErrorKind;

/// A floating-point type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloatType {
    F16,
    Bf16,
    F32,
    F64,
}

/// The order of a number's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

/// The type and the byte order of the numbers of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FloatLayout {
    pub(crate) float: FloatType,
    pub(crate) endian: Endian,
}

impl FloatType {
    pub(crate) fn name(self) -> &'static str {
        match self {
            FloatType::F16 => "float16",
            FloatType::Bf16 => "bfloat16",
            FloatType::F32 => "float32",
            FloatType::F64 => "float64",
        }
    }

    /// Returns why `value`, at `index`, cannot be stored as this type.
    pub(crate) fn refuse(self, index: usize, value: f64) -> ErrorKind {
        if value.is_finite() {
            ErrorKind::Overflow { index, dtype: self.name() }
        } else {
            ErrorKind::NotFinite { index }
        }
    }
}

impl FloatLayout {
    pub(crate) fn size(self) -> usize {
        match self.float {
            FloatType::F16 | FloatType::Bf16 => 2,
            FloatType::F32 => 4,
            FloatType::F64 => 8,
        }
    }

    /// Decodes all numbers in `bytes`. Bytes after the last whole number are ignored.
    pub(crate) fn decode(self, bytes: &[u8]) -> Vec<f64> {
        use Endian::{Big, Little};
        match (self.float, self.endian) {
            (FloatType::F16, Little) => decode(bytes, |b| f16::from_le_bytes(b).to_f64()),
            (FloatType::F16, Big) => decode(bytes, |b| f16::from_be_bytes(b).to_f64()),
            (FloatType::Bf16, Little) => decode(bytes, |b| bf16::from_le_bytes(b).to_f64()),
            (FloatType::Bf16, Big) => decode(bytes, |b| bf16::from_be_bytes(b).to_f64()),
            (FloatType::F32, Little) => decode(bytes, |b| f32::from_le_bytes(b).into()),
            (FloatType::F32, Big) => decode(bytes, |b| f32::from_be_bytes(b).into()),
            (FloatType::F64, Little) => decode(bytes, f64::from_le_bytes),
            (FloatType::F64, Big) => decode(bytes, f64::from_be_bytes),
        }
    }

    /// Appends `values` to `bytes`, or returns the position of the first that does not fit the type.
    pub(crate) fn encode(self, values: &[f64], bytes: &mut Vec<u8>) -> Result<(), usize> {
        use Endian::{Big, Little};
        bytes.reserve(values.len() * self.size());
        match (self.float, self.endian) {
            (FloatType::F16, Little) => encode(values, bytes, to_f16, f16::to_le_bytes),
            (FloatType::F16, Big) => encode(values, bytes, to_f16, f16::to_be_bytes),
            (FloatType::Bf16, Little) => encode(values, bytes, to_bf16, bf16::to_le_bytes),
            (FloatType::Bf16, Big) => encode(values, bytes, to_bf16, bf16::to_be_bytes),
            (FloatType::F32, Little) => encode(values, bytes, to_f32, f32::to_le_bytes),
            (FloatType::F32, Big) => encode(values, bytes, to_f32, f32::to_be_bytes),
            (FloatType::F64, Little) => encode(values, bytes, to_f64, f64::to_le_bytes),
            (FloatType::F64, Big) => encode(values, bytes, to_f64, f64::to_be_bytes),
        }
    }
}

/// Returns the position of the first number that is not finite.
pub(crate) fn first_not_finite(values: &[f64]) -> Option<usize> {
    // There is nearly always none, and checking whole blocks is several times as fast as stopping early.
    const BLOCK: usize = 64;
    let block =
        values.chunks(BLOCK).position(|block| !block.iter().fold(true, |ok, v| ok & v.is_finite()))?;
    let start = block * BLOCK;
    values[start..].iter().position(|value| !value.is_finite()).map(|position| start + position)
}

/// Rounds all `values` to `f32`, or returns the position of the first that is then not finite.
pub(crate) fn all_to_f32(values: &[f64]) -> Result<Vec<f32>, usize> {
    let narrow: Vec<f32> = values.iter().map(|value| *value as f32).collect();
    match narrow.iter().fold(true, |ok, v| ok & v.is_finite()) {
        true => Ok(narrow),
        false => Err(narrow.iter().position(|value| !value.is_finite()).unwrap_or(0)),
    }
}

fn to_f16(value: f64) -> Option<f16> {
    Some(f16::from_f64(value)).filter(|v| v.is_finite())
}

fn to_bf16(value: f64) -> Option<bf16> {
    Some(bf16::from_f64(value)).filter(|v| v.is_finite())
}

fn to_f32(value: f64) -> Option<f32> {
    Some(value as f32).filter(|v| v.is_finite())
}

fn to_f64(value: f64) -> Option<f64> {
    Some(value).filter(|v| v.is_finite())
}

fn decode<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|chunk| number(*chunk)).collect()
}

fn encode<T, const N: usize>(
    values: &[f64],
    bytes: &mut Vec<u8>,
    narrow: impl Fn(f64) -> Option<T>,
    to_bytes: impl Fn(T) -> [u8; N],
) -> Result<(), usize> {
    for (position, &value) in values.iter().enumerate() {
        bytes.extend_from_slice(&to_bytes(narrow(value).ok_or(position)?));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOATS: [FloatType; 4] = [FloatType::F16, FloatType::Bf16, FloatType::F32, FloatType::F64];

    #[test]
    fn every_layout_returns_what_it_was_given() {
        let values = [0.0, -0.0, 1.0, -1.5, 0.0078125, 240.0];
        for float in FLOATS {
            for endian in [Endian::Little, Endian::Big] {
                let layout = FloatLayout { float, endian };
                let mut bytes = Vec::new();
                layout.encode(&values, &mut bytes).unwrap();
                assert_eq!(bytes.len(), values.len() * layout.size());
                let back = layout.decode(&bytes);
                assert!(back.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()), "{layout:?}");
            }
        }
    }

    #[test]
    fn the_first_that_is_not_finite_is_found() {
        for length in [0, 1, 63, 64, 65, 200] {
            let mut values = vec![1.0; length];
            assert_eq!((first_not_finite(&values), all_to_f32(&values)), (None, Ok(vec![1.0; length])));
            for position in (0..length).rev() {
                values[position] = f64::NEG_INFINITY;
                assert_eq!((first_not_finite(&values), all_to_f32(&values)), (Some(position), Err(position)));
            }
        }
        assert_eq!(all_to_f32(&[1.0, 1e39]), Err(1));
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        for (float, large) in [(FloatType::F16, 7e4), (FloatType::Bf16, 3.5e38), (FloatType::F32, 3.5e38)] {
            for endian in [Endian::Little, Endian::Big] {
                let layout = FloatLayout { float, endian };
                assert_eq!(layout.encode(&[1.0, large], &mut Vec::new()), Err(1));
                assert_eq!(layout.encode(&[f64::NAN], &mut Vec::new()), Err(0));
            }
            assert_eq!(float.refuse(3, large), ErrorKind::Overflow { index: 3, dtype: float.name() });
        }
        let layout = FloatLayout { float: FloatType::F64, endian: Endian::Little };
        assert_eq!(layout.encode(&[f64::MAX, f64::INFINITY], &mut Vec::new()), Err(1));
        assert_eq!(FloatType::F64.refuse(1, f64::INFINITY), ErrorKind::NotFinite { index: 1 });
    }
}
