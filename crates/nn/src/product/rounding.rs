//! Rounding to 16-bit floats.

use half::bf16;

/// Rounds to the nearest 16-bit float, ties to even. It has no branches, so that the compiler
/// vectorises it. All numbers must be finite.
#[inline(always)]
pub(crate) fn narrow(values: &[f32], out: &mut [bf16]) {
    for (out, value) in out.iter_mut().zip(values) {
        let bits = value.to_bits();
        let even = (bits >> 16) & 1;
        *out = bf16::from_bits((bits.wrapping_add(0x7fff + even) >> 16) as u16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_matches_the_format() {
        let values: Vec<f32> =
            (0..70_000_u32).map(|i| f32::from_bits(0x3f80_0000 + i * 7 + (i << 13))).collect();
        let values: Vec<f32> = values.into_iter().filter(|x| x.is_finite()).collect();
        let mut out = vec![bf16::ZERO; values.len()];
        narrow(&values, &mut out);
        assert!(values.iter().zip(&out).all(|(&x, &y)| bf16::from_f32(x) == y));
    }
}
