//! The inner loops of products with block matrices: one panel of sixteen rows with a few rows of
//! activations.

use pulp::{Arch, Simd, WithSimd};

use super::activations::{Activations, Row};
use super::format::{BLOCK, Bits, HEADER, PANEL, REGISTER, WORD, factors};

/// Rows of activations that are multiplied together, so that each loaded part of the matrix is used
/// several times. Their sums fit into registers.
const TOGETHER: usize = 4;

/// Computes the products of a panel with every row of `left` into `out`. Each row's result is
/// independent of the other rows.
pub(super) fn multiply(panel: &[u8], bits: Bits, left: &Activations, out: &mut [f32]) {
    for (group, out) in out.chunks_mut(TOGETHER * PANEL).enumerate() {
        let row = |i: usize| left.row(group * TOGETHER + i);
        let (out, _) = out.as_chunks_mut::<PANEL>();
        match out {
            [a] => rows(panel, bits, [row(0)], [a]),
            [a, b] => rows(panel, bits, [row(0), row(1)], [a, b]),
            [a, b, c] => rows(panel, bits, [row(0), row(1), row(2)], [a, b, c]),
            [a, b, c, d] => rows(panel, bits, [row(0), row(1), row(2), row(3)], [a, b, c, d]),
            _ => {}
        }
    }
}

fn rows<const R: usize>(panel: &[u8], bits: Bits, left: [Row<'_>; R], out: [&mut [f32; PANEL]; R]) {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx512vnni") && std::is_x86_feature_detected!("avx512bw") {
        // SAFETY: the processor has these features, and AVX-512F, which all other AVX-512 features
        // require.
        let sums = unsafe {
            match bits {
                Bits::Four => vnni::rows::<R, true>(panel, left),
                Bits::Eight => vnni::rows::<R, false>(panel, left),
            }
        };
        out.into_iter().zip(sums).for_each(|(out, sums)| *out = sums);
        return;
    }
    for (out, left) in out.into_iter().zip(left) {
        *out = Arch::new().dispatch(Plain { panel, bits, left });
    }
}

/// The same for any processor, vectorised by the compiler.
struct Plain<'a> {
    panel: &'a [u8],
    bits: Bits,
    left: Row<'a>,
}

impl WithSimd for Plain<'_> {
    type Output = [f32; PANEL];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [f32; PANEL] {
        let Self { panel, bits, left } = self;
        let mut out = [0.0; PANEL];
        let integers: &[i8] = bytemuck::cast_slice(left.words);
        let blocks = panel.chunks_exact(bits.block_bytes()).zip(integers.as_chunks::<BLOCK>().0);
        for ((block, integers), (scale, sum)) in blocks.zip(left.scales.iter().zip(left.sums)) {
            let (registers, _) = block[HEADER..].as_chunks::<REGISTER>();
            let mut sums = [0_i32; PANEL];
            let (words, _) = integers.as_chunks::<WORD>();
            for (word, integers) in words.iter().enumerate() {
                let (register, shift, mask) = match bits {
                    Bits::Eight => (word, 0, 255),
                    Bits::Four => (word % registers.len(), if word < registers.len() { 0 } else { 4 }, 15),
                };
                for (sum, codes) in sums.iter_mut().zip(registers[register].as_chunks::<WORD>().0) {
                    for (&code, &integer) in codes.iter().zip(integers) {
                        *sum += i32::from((code >> shift) & mask) * i32::from(integer);
                    }
                }
            }
            for (row, (out, product)) in out.iter_mut().zip(sums).enumerate() {
                let [factor, least] = factors(block, row);
                *out += product as f32 * scale * factor + least * sum;
            }
        }
        out
    }
}

#[cfg(target_arch = "x86_64")]
mod vnni {
    use std::arch::x86_64::*;

    use super::super::format::Bits;
    use super::{BLOCK, HEADER, PANEL, REGISTER, Row, WORD};

    /// The number of words of a block.
    const WORDS: usize = BLOCK / WORD;

    /// One instruction multiplies four columns of sixteen rows. The sums of the sixteen rows stay
    /// in separate lanes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    #[allow(clippy::needless_range_loop)]
    pub(super) fn rows<const R: usize, const FOUR: bool>(
        panel: &[u8],
        left: [Row<'_>; R],
    ) -> [[f32; PANEL]; R] {
        let block_bytes = if FOUR { Bits::Four.block_bytes() } else { Bits::Eight.block_bytes() };
        let mut totals = [_mm512_setzero_ps(); R];
        let low = _mm512_set1_epi8(15);
        for (index, block) in panel.chunks_exact(block_bytes).enumerate() {
            fetch(block, block_bytes);
            let mut words: [&[i32; WORDS]; R] = [&[0; WORDS]; R];
            for r in 0..R {
                words[r] = &left[r].words.as_chunks().0[index];
            }
            let mut sums = [_mm512_setzero_si512(); R];
            if FOUR {
                for at in 0..WORDS / 2 {
                    let codes = load(block, HEADER + at * REGISTER);
                    let first = _mm512_and_si512(codes, low);
                    let second = _mm512_and_si512(_mm512_srli_epi16::<4>(codes), low);
                    for r in 0..R {
                        sums[r] = _mm512_dpbusd_epi32(sums[r], first, _mm512_set1_epi32(words[r][at]));
                        sums[r] =
                            _mm512_dpbusd_epi32(sums[r], second, _mm512_set1_epi32(words[r][at + WORDS / 2]));
                    }
                }
            } else {
                for at in 0..WORDS {
                    let codes = load(block, HEADER + at * REGISTER);
                    for r in 0..R {
                        sums[r] = _mm512_dpbusd_epi32(sums[r], codes, _mm512_set1_epi32(words[r][at]));
                    }
                }
            }
            let header = load(block, 0);
            let factors = _mm512_cvtph_ps(_mm512_castsi512_si256(header));
            let least = _mm512_cvtph_ps(_mm512_extracti64x4_epi64::<1>(header));
            for r in 0..R {
                let scaled =
                    _mm512_mul_ps(_mm512_cvtepi32_ps(sums[r]), _mm512_set1_ps(left[r].scales[index]));
                totals[r] = _mm512_fmadd_ps(scaled, factors, totals[r]);
                totals[r] = _mm512_fmadd_ps(least, _mm512_set1_ps(left[r].sums[index]), totals[r]);
            }
        }
        let mut out = [[0.0; PANEL]; R];
        for (out, total) in out.iter_mut().zip(totals) {
            // SAFETY: the array is as large as the register, and stores need no alignment.
            unsafe { _mm512_storeu_ps(out.as_mut_ptr(), total) };
        }
        out
    }

    /// How many blocks ahead memory is prefetched. Products wait mostly for memory, and the
    /// processor's own prefetching stops at the end of a page.
    const AHEAD: usize = 8;

    /// Prefetches the block that is [`AHEAD`] blocks after this one.
    #[inline(always)]
    fn fetch(block: &[u8], bytes: usize) {
        for line in (0..bytes).step_by(64) {
            // SAFETY: prefetching has no effect on memory for any address, and this one is not
            // dereferenced.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(block.as_ptr().wrapping_add(AHEAD * bytes + line).cast()) };
        }
    }

    /// Loads the 64 bytes of a block from `at` on.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load(block: &[u8], at: usize) -> __m512i {
        let bytes = &block[at..at + REGISTER];
        // SAFETY: the slice has the 64 bytes of a register, and loads need no alignment.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }
}
