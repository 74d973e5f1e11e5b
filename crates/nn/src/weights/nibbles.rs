//! Unpacks the 4-bit formats of GGUF: codes from 0 to 15, and a scale and a minimum for every 32 of
//! them.

use candle_core::quantized::GgmlDType;
use half::f16;

/// The number of codes that share a scale.
const BLOCK: usize = 32;

/// Numbers `scale·code + minimum` with codes of 4 bits.
pub(crate) struct Nibbles {
    /// One code per byte.
    pub(crate) codes: Vec<u8>,
    /// The scale and the minimum of every 32 codes.
    pub(crate) factors: Vec<[f32; 2]>,
}

/// Returns whether the format has 4 bits.
pub(super) fn is_known(dtype: GgmlDType) -> bool {
    matches!(dtype, GgmlDType::Q4_0 | GgmlDType::Q4_1 | GgmlDType::Q4K)
}

/// Unpacks whole blocks, or returns `None` for other formats.
pub(super) fn read(dtype: GgmlDType, bytes: &[u8]) -> Option<Nibbles> {
    let mut out = Nibbles { codes: Vec::new(), factors: Vec::new() };
    match dtype {
        GgmlDType::Q4_0 => bytes.as_chunks::<18>().0.iter().for_each(|block| {
            let scale = half(block, 0);
            out.push(&block[2..], scale, -8.0 * scale);
        }),
        GgmlDType::Q4_1 => bytes.as_chunks::<20>().0.iter().for_each(|block| {
            out.push(&block[4..], half(block, 0), half(block, 2));
        }),
        GgmlDType::Q4K => bytes.as_chunks::<144>().0.iter().for_each(|block| out.push_large(block)),
        _ => return None,
    }
    Some(out)
}

impl Nibbles {
    /// Adds a block of 32. The lower halves of the bytes come first.
    fn push(&mut self, bytes: &[u8], scale: f32, least: f32) {
        self.codes.extend(bytes.iter().map(|byte| byte & 15));
        self.codes.extend(bytes.iter().map(|byte| byte >> 4));
        self.factors.push([scale, least]);
    }

    /// Adds a block of 256: eight blocks of 32, whose factors are 6-bit multiples of two numbers.
    fn push_large(&mut self, block: &[u8; 144]) {
        let (scale, least) = (half(block, 0), half(block, 2));
        let (packed, codes) = block[4..].split_at(12);
        for (pair, bytes) in codes.chunks_exact(BLOCK).enumerate() {
            for (part, shift) in [(2 * pair, 0), (2 * pair + 1, 4)] {
                let (times, minus) = match part {
                    0..4 => (packed[part] & 63, packed[part + 4] & 63),
                    _ => (
                        (packed[part + 4] & 15) | ((packed[part - 4] >> 6) << 4),
                        (packed[part + 4] >> 4) | ((packed[part] >> 6) << 4),
                    ),
                };
                self.codes.extend(bytes.iter().map(|byte| (byte >> shift) & 15));
                self.factors.push([scale * f32::from(times), -least * f32::from(minus)]);
            }
        }
    }
}

fn half(block: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([block[at], block[at + 1]]).to_f32()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::stored::{NumberFormat, widen};

    #[test]
    fn unpacked_numbers_match_the_library() {
        for dtype in [GgmlDType::Q4_0, GgmlDType::Q4_1, GgmlDType::Q4K] {
            let mut bytes: Vec<u8> = (0..dtype.type_size() * 3).map(|i| (i * 89 + i / 7) as u8).collect();
            for block in bytes.chunks_mut(dtype.type_size()) {
                block[..2].copy_from_slice(&f16::from_f32(0.37).to_le_bytes());
                block[2..4].copy_from_slice(&f16::from_f32(-1.6).to_le_bytes());
            }
            let wanted = widen(NumberFormat::Blocks(dtype), &bytes, "x").unwrap();
            let found = read(dtype, &bytes).unwrap();
            assert!(is_known(dtype) && found.codes.len() == wanted.len());
            for (at, (&code, wanted)) in found.codes.iter().zip(&*wanted).enumerate() {
                let [scale, least] = found.factors[at / BLOCK];
                assert!(
                    (scale * f32::from(code) + least - wanted).abs() <= 1e-4 * wanted.abs().max(1.0),
                    "{dtype:?}"
                );
            }
        }
        assert!(read(GgmlDType::Q8_0, &[]).is_none() && !is_known(GgmlDType::Q8_0));
    }
}
