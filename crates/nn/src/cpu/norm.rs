//! Layer normalisation, fused with the preceding factors, bias and residual.

use pulp::{Arch, Scalar, Simd, WithSimd};

use super::operand::Operand;
use crate::{Error, Weights};

/// The parameters of a layer normalisation.
pub(super) struct Norm {
    gain: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Norm {
    /// Opens the normalisation with the tensors `name.weight` and `name.bias`; old files name them
    /// `gamma` and `beta`.
    pub(super) fn open(weights: &Weights, name: &str, width: usize, epsilon: f32) -> Result<Self, Error> {
        let has = |part| weights.shape(&format!("{name}.{part}")).is_some();
        let (gain, bias) =
            if has("gamma") && !has("weight") { ("gamma", "beta") } else { ("weight", "bias") };
        let vector =
            |part| weights.values(&format!("{name}.{part}"), &[width]).map(|values| values.into_owned());
        Ok(Self { gain: vector(gain)?, bias: vector(bias)?, epsilon })
    }

    /// Normalises the rows of `hidden` in place, and rounds them for the next product.
    pub(super) fn apply<T: Operand>(&self, arch: Arch, hidden: &mut [f32], rounded: &mut [T]) {
        arch.dispatch(Apply { norm: self, hidden, rounded });
    }

    /// Computes norm(hidden + product·factors + bias) in `hidden`, row by row, and rounds it.
    pub(super) fn apply_to_sum<T: Operand>(
        &self,
        arch: Arch,
        sum: ScaledSum<'_>,
        hidden: &mut [f32],
        rounded: &mut [T],
    ) {
        arch.dispatch(Add { sum, hidden: &mut *hidden, width: self.gain.len() });
        self.apply(arch, hidden, rounded);
    }
}

/// The output of a product that still needs its factors and bias.
#[derive(Clone, Copy)]
pub(super) struct ScaledSum<'a> {
    pub(super) product: &'a [f32],
    pub(super) factors: &'a [f32],
    pub(super) bias: &'a [f32],
}

struct Add<'a> {
    sum: ScaledSum<'a>,
    hidden: &'a mut [f32],
    width: usize,
}

impl WithSimd for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let ScaledSum { product, factors, bias } = self.sum;
        let ((factors, factors_rest), (bias, bias_rest)) = (S::as_simd_f32s(factors), S::as_simd_f32s(bias));
        for (hidden, product) in
            self.hidden.chunks_exact_mut(self.width).zip(product.chunks_exact(self.width))
        {
            let (hidden, hidden_rest) = S::as_mut_simd_f32s(hidden);
            let (product, product_rest) = S::as_simd_f32s(product);
            add(simd, hidden, product, factors, bias);
            add(Scalar, hidden_rest, product_rest, factors_rest, bias_rest);
        }
    }
}

#[inline(always)]
fn add<S: Simd>(simd: S, hidden: &mut [S::f32s], product: &[S::f32s], factors: &[S::f32s], bias: &[S::f32s]) {
    for (((hidden, &product), &factor), &bias) in hidden.iter_mut().zip(product).zip(factors).zip(bias) {
        *hidden = simd.add_f32s(*hidden, simd.mul_add_e_f32s(product, factor, bias));
    }
}

struct Apply<'a, T> {
    norm: &'a Norm,
    hidden: &'a mut [f32],
    rounded: &'a mut [T],
}

impl<T: Operand> WithSimd for Apply<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = self.norm.gain.len();
        let (gain, gain_rest) = S::as_simd_f32s(&self.norm.gain);
        let (bias, bias_rest) = S::as_simd_f32s(&self.norm.bias);
        let elements = T::elements(width);
        for (row, rounded) in self.hidden.chunks_exact_mut(width).zip(self.rounded.chunks_exact_mut(elements))
        {
            let (body, rest) = S::as_mut_simd_f32s(row);
            let mean = (sum(simd, body) + sum(Scalar, rest)) / width as f32;
            let squares = squares(simd, body, mean) + squares(Scalar, rest, mean);
            let factor = 1.0 / (squares / width as f32 + self.norm.epsilon).sqrt();
            scale(simd, body, mean, factor, gain, bias);
            scale(Scalar, rest, mean, factor, gain_rest, bias_rest);
            T::round(row, width, rounded);
        }
    }
}

#[inline(always)]
fn sum<S: Simd>(simd: S, row: &[S::f32s]) -> f32 {
    let mut sums = [simd.splat_f32s(0.0); 2];
    for pair in row.chunks(2) {
        for (sum, &x) in sums.iter_mut().zip(pair) {
            *sum = simd.add_f32s(*sum, x);
        }
    }
    simd.reduce_sum_f32s(simd.add_f32s(sums[0], sums[1]))
}

#[inline(always)]
fn squares<S: Simd>(simd: S, row: &[S::f32s], mean: f32) -> f32 {
    let mean = simd.splat_f32s(mean);
    let mut sums = [simd.splat_f32s(0.0); 2];
    for pair in row.chunks(2) {
        for (sum, &x) in sums.iter_mut().zip(pair) {
            let centred = simd.sub_f32s(x, mean);
            *sum = simd.mul_add_e_f32s(centred, centred, *sum);
        }
    }
    simd.reduce_sum_f32s(simd.add_f32s(sums[0], sums[1]))
}

#[inline(always)]
fn scale<S: Simd>(simd: S, row: &mut [S::f32s], mean: f32, factor: f32, gain: &[S::f32s], bias: &[S::f32s]) {
    let (mean, factor) = (simd.splat_f32s(mean), simd.splat_f32s(factor));
    for ((x, &gain), &bias) in row.iter_mut().zip(gain).zip(bias) {
        let standard = simd.mul_f32s(simd.sub_f32s(*x, mean), factor);
        *x = simd.mul_add_e_f32s(standard, gain, bias);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_any_width_are_normalised() {
        for width in [1, 7, 16, 37, 384] {
            let gain: Vec<f32> = (0..width).map(|i| 1.0 + i as f32 / 64.0).collect();
            let bias: Vec<f32> = (0..width).map(|i| i as f32 / 32.0 - 1.0).collect();
            let norm = Norm { gain: gain.clone(), bias: bias.clone(), epsilon: 1e-5 };
            let product: Vec<f32> = (0..2 * width).map(|i| ((i * 37) % 101) as f32).collect();
            let factors: Vec<f32> = (0..width).map(|i| 0.01 * (1 + i % 5) as f32).collect();
            let start: Vec<f32> = (0..2 * width).map(|i| ((i * 13) % 29) as f32 / 7.0).collect();
            let (mut hidden, mut rounded) = (start.clone(), vec![0.0_f32; 2 * width]);
            let sum = ScaledSum { product: &product, factors: &factors, bias: &gain };
            norm.apply_to_sum(Arch::new(), sum, &mut hidden, &mut rounded);
            assert_eq!(hidden, rounded);
            for row in 0..2 {
                let at = |i: usize| {
                    let j = row * width + i;
                    f64::from(start[j]) + f64::from(product[j]) * f64::from(factors[i]) + f64::from(gain[i])
                };
                let mean = (0..width).map(at).sum::<f64>() / width as f64;
                let variance = (0..width).map(|i| (at(i) - mean).powi(2)).sum::<f64>() / width as f64;
                for i in 0..width {
                    let wanted =
                        (at(i) - mean) / (variance + 1e-5).sqrt() * f64::from(gain[i]) + f64::from(bias[i]);
                    let error = (f64::from(hidden[row * width + i]) - wanted).abs();
                    assert!(error < 1e-4, "width {width}: {error}");
                }
            }
        }
    }
}
