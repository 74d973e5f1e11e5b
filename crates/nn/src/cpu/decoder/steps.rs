//! The steps between the products of a layer: normalisation, rotary embeddings, the gate.

use pulp::{Arch, Scalar, Simd, WithSimd};

use super::super::pointwise::{Pointwise, Silu};
use crate::layers::RopeStyle;

/// Divides the rows of `x` by the root of their mean square, multiplies them by `gain`, and writes
/// them to `out`.
pub(super) fn rms_norm(x: &[f32], gain: &[f32], epsilon: f32, out: &mut [f32]) {
    Arch::new().dispatch(RmsNormStep { x, gain, epsilon, out });
}

struct RmsNormStep<'a> {
    x: &'a [f32],
    gain: &'a [f32],
    epsilon: f32,
    out: &'a mut [f32],
}

impl WithSimd for RmsNormStep<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = self.gain.len();
        for (x, out) in self.x.chunks_exact(width).zip(self.out.chunks_exact_mut(width)) {
            let (body, rest) = S::as_simd_f32s(x);
            let mean = (squares(simd, body) + squares(Scalar, rest)) / width as f32;
            let factor = 1.0 / (mean + self.epsilon).sqrt();
            for ((out, x), gain) in out.iter_mut().zip(x).zip(self.gain) {
                *out = x * factor * gain;
            }
        }
    }
}

#[inline(always)]
fn squares<S: Simd>(simd: S, x: &[S::f32s]) -> f32 {
    let sum = x.iter().fold(simd.splat_f32s(0.0), |sum, &x| simd.mul_add_e_f32s(x, x, sum));
    simd.reduce_sum_f32s(sum)
}

/// Computes silu(gate)·up into `out`. A row of `x` consists of gate and up.
pub(super) fn gated(x: &[f32], inner: usize, out: &mut [f32]) {
    Arch::new().dispatch(Gated { x, inner, out });
}

struct Gated<'a> {
    x: &'a [f32],
    inner: usize,
    out: &'a mut [f32],
}

impl WithSimd for Gated<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (x, out) in self.x.chunks_exact(2 * self.inner).zip(self.out.chunks_exact_mut(self.inner)) {
            let (gate, up) = x.split_at(self.inner);
            let ((gate, gate_rest), (up, up_rest)) = (S::as_simd_f32s(gate), S::as_simd_f32s(up));
            let (out, out_rest) = S::as_mut_simd_f32s(out);
            multiply(simd, gate, up, out);
            multiply(Scalar, gate_rest, up_rest, out_rest);
        }
    }
}

#[inline(always)]
fn multiply<S: Simd>(simd: S, gate: &[S::f32s], up: &[S::f32s], out: &mut [S::f32s]) {
    for ((out, &gate), &up) in out.iter_mut().zip(gate).zip(up) {
        *out = simd.mul_f32s(Silu::of(simd, gate), up);
    }
}

/// The rotation of each pair of numbers of a head at each position.
pub(super) struct Rotations {
    /// Cosine and sine.
    angles: Vec<[f32; 2]>,
    pairs: usize,
    style: RopeStyle,
}

impl Rotations {
    /// Computes the rotations at these positions. In `f64`, so that distant positions keep their
    /// phase.
    pub(super) fn new(
        positions: impl Iterator<Item = usize>,
        width: usize,
        base: f64,
        style: RopeStyle,
    ) -> Self {
        let pairs = width / 2;
        let frequencies: Vec<f64> =
            (0..pairs).map(|pair| base.powf(-2.0 * pair as f64 / width as f64)).collect();
        let angle = |angle: f64| [angle.cos() as f32, angle.sin() as f32];
        let angles = positions
            .flat_map(|position| frequencies.iter().map(move |f| angle(position as f64 * f)))
            .collect();
        Rotations { angles, pairs, style }
    }

    /// Rotates the heads of a row at the position with this index.
    pub(super) fn apply(&self, index: usize, row: &mut [f32]) {
        let angles = &self.angles[index * self.pairs..][..self.pairs];
        for head in row.chunks_exact_mut(2 * self.pairs) {
            match self.style {
                RopeStyle::Halves => {
                    let (first, second) = head.split_at_mut(self.pairs);
                    for ((a, b), &angle) in first.iter_mut().zip(second).zip(angles) {
                        rotate(a, b, angle);
                    }
                }
                RopeStyle::Interleaved => {
                    for ([a, b], &angle) in head.as_chunks_mut::<2>().0.iter_mut().zip(angles) {
                        rotate(a, b, angle);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn rotate(a: &mut f32, b: &mut f32, [cos, sin]: [f32; 2]) {
    (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_normalised_and_gated() {
        for width in [2, 16, 37] {
            let x: Vec<f32> = (0..2 * width).map(|i| ((i * 37) % 23) as f32 / 5.0 - 2.0).collect();
            let gain: Vec<f32> = (0..width).map(|i| 1.0 + i as f32 / 8.0).collect();
            let mut out = vec![0.0; 2 * width];
            rms_norm(&x, &gain, 1e-5, &mut out);
            for (out, x) in out.chunks(width).zip(x.chunks(width)) {
                let mean = x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / width as f64;
                for ((out, &x), &gain) in out.iter().zip(x).zip(&gain) {
                    let wanted = f64::from(x) / (mean + 1e-5).sqrt() * f64::from(gain);
                    assert!((f64::from(*out) - wanted).abs() < 1e-5);
                }
            }
            let mut out = vec![0.0; width];
            gated(&x, width, &mut out);
            for ((out, gate), up) in out.iter().zip(&x[..width]).zip(&x[width..]) {
                assert!((out - gate / (1.0 + (-gate).exp()) * up).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn pairs_are_rotated_by_their_angles() {
        // Position 3, frequencies 1 and 1/10.
        let (c0, s0, c1, s1) = (3f32.cos(), 3f32.sin(), 0.3f32.cos(), 0.3f32.sin());
        let rotated = |style| {
            let mut row = [1.0, 2.0, 3.0, 4.0];
            Rotations::new([7, 3].into_iter(), 4, 100.0, style).apply(1, &mut row);
            row
        };
        let close =
            |a: [f32; 4], b: [f32; 4]| assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?}");
        close(
            rotated(RopeStyle::Halves),
            [c0 - 3.0 * s0, 2.0 * c1 - 4.0 * s1, s0 + 3.0 * c0, 2.0 * s1 + 4.0 * c1],
        );
        close(
            rotated(RopeStyle::Interleaved),
            [c0 - 2.0 * s0, s0 + 2.0 * c0, 3.0 * c1 - 4.0 * s1, 3.0 * s1 + 4.0 * c1],
        );
    }
}
