//! The inner loops of products with block matrices: one panel of sixteen rows with a group of rows
//! of activations.

use pulp::{Arch, Simd, WithSimd};

use super::activations::{Activations, Group, WORDS, group_size};
use super::format::{Bits, HEADER, PANEL, REGISTER, WORD, factors};

/// Computes the products of a panel with every row of `left` into `out`. Each row's result is
/// independent of the other rows.
pub(super) fn multiply(panel: &[u8], bits: Bits, left: &Activations, out: &mut [f32]) {
    let (mut out, mut first) = (out.as_chunks_mut::<PANEL>().0, 0);
    while !out.is_empty() {
        let size = group_size(out.len());
        let rows;
        (rows, out) = out.split_at_mut(size);
        match size {
            12 => group::<12>(panel, bits, left.group(first), rows),
            8 => group::<8>(panel, bits, left.group(first), rows),
            4 => group::<4>(panel, bits, left.group(first), rows),
            3 => group::<3>(panel, bits, left.group(first), rows),
            2 => group::<2>(panel, bits, left.group(first), rows),
            _ => group::<1>(panel, bits, left.group(first), rows),
        }
        first += size;
    }
}

fn group<const R: usize>(panel: &[u8], bits: Bits, left: Group<'_, R>, out: &mut [[f32; PANEL]]) {
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
        out.copy_from_slice(&sums);
        return;
    }
    plain(panel, bits, left, out);
}

fn plain<const R: usize>(panel: &[u8], bits: Bits, left: Group<'_, R>, out: &mut [[f32; PANEL]]) {
    for (row, out) in out.iter_mut().enumerate() {
        *out = Arch::new().dispatch(Plain { panel, bits, left, row });
    }
}

/// The same for one row on any processor, vectorised by the compiler.
struct Plain<'a, const R: usize> {
    panel: &'a [u8],
    bits: Bits,
    left: Group<'a, R>,
    row: usize,
}

impl<const R: usize> WithSimd for Plain<'_, R> {
    type Output = [f32; PANEL];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [f32; PANEL] {
        let Self { panel, bits, left, row } = self;
        let mut out = [0.0; PANEL];
        let blocks = panel.chunks_exact(bits.block_bytes()).zip(left.words);
        for ((block, words), (scales, block_sums)) in blocks.zip(left.scales.iter().zip(left.sums)) {
            let (registers, _) = block[HEADER..].as_chunks::<REGISTER>();
            let mut sums = [0_i32; PANEL];
            for (word, integers) in words.iter().enumerate() {
                let integers = integers[row].to_ne_bytes().map(u8::cast_signed);
                let (register, shift, mask) = match bits {
                    Bits::Eight => (word, 0, 255),
                    Bits::Four => (word % registers.len(), if word < registers.len() { 0 } else { 4 }, 15),
                };
                for (sum, codes) in sums.iter_mut().zip(registers[register].as_chunks::<WORD>().0) {
                    for (&code, &integer) in codes.iter().zip(&integers) {
                        *sum += i32::from((code >> shift) & mask) * i32::from(integer);
                    }
                }
            }
            for (at, (out, product)) in out.iter_mut().zip(sums).enumerate() {
                let [factor, least] = factors(block, at);
                *out += product as f32 * scales[row] * factor + least * block_sums[row];
            }
        }
        out
    }
}

#[cfg(target_arch = "x86_64")]
mod vnni {
    use std::arch::asm;
    use std::arch::x86_64::*;

    use super::super::format::Bits;
    use super::{Group, HEADER, PANEL, REGISTER, WORDS};

    /// One instruction multiplies four columns of sixteen rows. The sums of the sixteen rows stay
    /// in separate lanes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    #[allow(clippy::needless_range_loop)]
    pub(super) fn rows<const R: usize, const FOUR: bool>(
        panel: &[u8],
        left: Group<'_, R>,
    ) -> [[f32; PANEL]; R] {
        let block_bytes = if FOUR { Bits::Four.block_bytes() } else { Bits::Eight.block_bytes() };
        let mut totals = [_mm512_setzero_ps(); R];
        let low = _mm512_set1_epi8(15);
        let blocks = panel.chunks_exact(block_bytes).zip(left.words);
        for ((block, words), (scales, block_sums)) in blocks.zip(left.scales.iter().zip(left.sums)) {
            fetch(block, block_bytes);
            let mut sums = [_mm512_setzero_si512(); R];
            if FOUR {
                for at in 0..WORDS / 2 {
                    let codes = load(block, HEADER + at * REGISTER);
                    let first = _mm512_and_si512(codes, low);
                    let second = _mm512_and_si512(_mm512_srli_epi16::<4>(codes), low);
                    add_products(&mut sums, first, &words[at]);
                    add_products(&mut sums, second, &words[at + WORDS / 2]);
                }
            } else {
                for at in 0..WORDS {
                    add_products(&mut sums, load(block, HEADER + at * REGISTER), &words[at]);
                }
            }
            let header = load(block, 0);
            let factors = _mm512_cvtph_ps(_mm512_castsi512_si256(header));
            let least = _mm512_cvtph_ps(_mm512_extracti64x4_epi64::<1>(header));
            for r in 0..R {
                let scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[r]), _mm512_set1_ps(scales[r]));
                totals[r] = _mm512_fmadd_ps(scaled, factors, totals[r]);
                totals[r] = _mm512_fmadd_ps(least, _mm512_set1_ps(block_sums[r]), totals[r]);
            }
        }
        let mut out = [[0.0; PANEL]; R];
        for (out, total) in out.iter_mut().zip(totals) {
            // SAFETY: the array is as large as the register, and stores need no alignment.
            unsafe { _mm512_storeu_ps(out.as_mut_ptr(), total) };
        }
        out
    }

    /// Adds the products of four columns with a word of each row, row after row.
    #[target_feature(enable = "avx512f,avx512vnni")]
    #[inline]
    #[allow(clippy::needless_range_loop)]
    fn add_products<const R: usize>(sums: &mut [__m512i; R], codes: __m512i, words: &[i32; R]) {
        for r in 0..R {
            sums[r] = _mm512_dpbusd_epi32(sums[r], codes, _mm512_set1_epi32(words[r]));
            // The compiler would compute one row after the other. Each instruction would wait for the
            // one before it, and products would take twice the time.
            // SAFETY: it is no instruction. It keeps the order of the sums.
            unsafe { asm!("/* {0} */", inout(zmm_reg) sums[r], options(nomem, nostack, preserves_flags)) };
        }
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

#[cfg(test)]
mod tests {
    use half::f16;

    use super::super::format::{BLOCK, code};
    use super::*;

    /// A panel of blocks with any codes. Scales and minima differ by row and block.
    fn panel(bits: Bits, blocks: usize) -> Vec<u8> {
        let mut panel: Vec<u8> =
            (0..blocks * bits.block_bytes()).map(|at| (at * 7919 % 1013 % 256) as u8).collect();
        for (index, block) in panel.chunks_exact_mut(bits.block_bytes()).enumerate() {
            for row in 0..PANEL {
                let factors = [0.01 * (1 + row + index) as f32, -0.5 - 0.1 * row as f32];
                for (at, factor) in [row, PANEL + row].into_iter().zip(factors) {
                    block[2 * at..2 * at + 2].copy_from_slice(&f16::from_f32(factor).to_le_bytes());
                }
            }
        }
        panel
    }

    /// The products of sixteen rows with one row of activations in 64 bits, and the sizes of their parts.
    fn wanted(panel: &[u8], bits: Bits, (integers, scales): (&[i8], &[f32])) -> [(f64, f64); PANEL] {
        std::array::from_fn(|row| {
            let blocks = panel.chunks_exact(bits.block_bytes()).zip(integers.chunks_exact(BLOCK)).zip(scales);
            let parts = blocks.flat_map(|((block, integers), scale)| {
                let [factor, least] = factors(block, row).map(f64::from);
                integers.iter().enumerate().map(move |(column, integer)| {
                    let number = f64::from(code(block, bits, row, column)) * factor + least;
                    number * f64::from(*integer) * f64::from(*scale)
                })
            });
            parts.fold((0.0, 0.0), |(sum, size), part| (sum + part, size + part.abs()))
        })
    }

    fn check<const R: usize>(bits: Bits, blocks: usize) {
        let panel = panel(bits, blocks);
        let left: Vec<f32> =
            (0..R * blocks * BLOCK).map(|i| ((i * 37) % 255) as f32 - 127.0 + (i / 300) as f32).collect();
        let left = Activations::round(&left, blocks * BLOCK);
        let (mut found, mut fastest) = ([[9.0; PANEL]; R], [[9.0; PANEL]; R]);
        plain(&panel, bits, left.group::<R>(0), &mut found);
        multiply(&panel, bits, &left, fastest.as_flattened_mut());
        for (row, (found, fastest)) in found.iter().zip(&fastest).enumerate() {
            let (integers, scales) = left.row(row);
            for ((found, fastest), (sum, size)) in
                found.iter().zip(fastest).zip(wanted(&panel, bits, (&integers, &scales)))
            {
                for out in [*found, *fastest] {
                    let off = (f64::from(out) - sum).abs();
                    assert!(off < 2e-6 * size, "{bits:?}, row {row} of {R}: {out} for {sum}");
                }
            }
        }
    }

    #[test]
    fn plain_products_are_those_of_the_fastest_kernel() {
        for bits in [Bits::Four, Bits::Eight] {
            for blocks in [1, 3] {
                check::<1>(bits, blocks);
                check::<2>(bits, blocks);
                check::<3>(bits, blocks);
                check::<4>(bits, blocks);
                check::<8>(bits, blocks);
                check::<12>(bits, blocks);
            }
        }
    }
}
