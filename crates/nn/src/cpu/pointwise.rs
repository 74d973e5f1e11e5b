//! Functions of single numbers, applied to whole registers: exponentials, activations, rounding to
//! 16 bits.

use pulp::{Arch, Scalar, Simd, WithSimd};

/// A function of one number.
///
/// It is a trait and not a closure, because code must be inlined to use wide registers, and
/// closures are not always inlined.
pub(super) trait Pointwise {
    /// Computes the function for all numbers of a register.
    fn of<S: Simd>(simd: S, x: S::f32s) -> S::f32s;
}

/// Computes `exp(x)` for x ≤ 0, with a relative error of 10⁻⁶ from −8 on and 10⁻⁵ from −87 on;
/// below that the result stays near 10⁻³⁸.
///
/// 2ʸ is split into an integer power, which goes into the exponent's bits, and a polynomial for the
/// rest.
#[inline(always)]
pub(super) fn exp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    /// Minimax for 2ʸ on [−½, ½], highest power first.
    const POWERS: [f32; 6] =
        [0.001_327_646_9, 0.009_675_541, 0.055_507_135, 0.240_221_2, 0.693_146_94, 1.000_000_1];
    /// Adding this constant leaves the nearest integer in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let x = simd.max_f32s(x, simd.splat_f32s(-87.0));
    let shifted = simd.mul_add_e_f32s(x, simd.splat_f32s(std::f32::consts::LOG2_E), simd.splat_f32s(ROUND));
    let whole = simd.sub_f32s(shifted, simd.splat_f32s(ROUND));
    let rest = simd.mul_add_e_f32s(x, simd.splat_f32s(std::f32::consts::LOG2_E), simd.neg_f32s(whole));
    let power = polynomial(simd, rest, POWERS);
    let exponent = simd.wrapping_dyn_shl_u32s(simd.transmute_u32s_f32s(shifted), simd.splat_u32s(23));
    simd.transmute_f32s_u32s(simd.add_u32s(simd.transmute_u32s_f32s(power), exponent))
}

/// Replaces numbers by `exp((x − highest)/temperature)`, or by 0 if they are NaN. None may be above
/// `highest`. Returns their sum.
pub(crate) fn exponentials(values: &mut [f32], highest: f32, temperature: f64) -> f64 {
    struct Exponentials<'a>(&'a mut [f32], f32, f32);

    impl WithSimd for Exponentials<'_> {
        type Output = f64;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> f64 {
            let Self(values, highest, inverse) = self;
            let (body, rest) = S::as_mut_simd_f32s(values);
            // Sums of a few thousand numbers in 32 bits, and their sum in 64 bits.
            let body = body
                .chunks_mut(256)
                .map(|part| f64::from(part_sum(simd, part, highest, inverse)))
                .sum::<f64>();
            body + f64::from(part_sum(Scalar, rest, highest, inverse))
        }
    }

    #[inline(always)]
    fn part_sum<S: Simd>(simd: S, values: &mut [S::f32s], highest: f32, inverse: f32) -> f32 {
        let (highest, inverse) = (simd.splat_f32s(highest), simd.splat_f32s(inverse));
        let (zero, least) = (simd.splat_f32s(0.0), simd.splat_f32s(-87.0));
        let mut sum = zero;
        for x in values {
            let exponent = simd.mul_f32s(simd.sub_f32s(*x, highest), inverse);
            // Numbers below the limit and NaN get no weight.
            let weight = simd.select_f32s(simd.greater_than_f32s(exponent, least), exp(simd, exponent), zero);
            *x = weight;
            sum = simd.add_f32s(sum, weight);
        }
        simd.reduce_sum_f32s(sum)
    }

    Arch::new().dispatch(Exponentials(values, highest, (1.0 / temperature) as f32))
}

/// `x·Φ(x)`, the exact form of GELU, with an error of 10⁻⁶ (beyond ±5: 2·10⁻⁷·|x|).
///
/// erf(x/√2)/x is even and smooth, so a polynomial in x², shifted to [−1, 1], is accurate without
/// cancellation. Beyond ±5.2, erf is ±1.
pub(super) struct Gelu;

impl Pointwise for Gelu {
    #[inline(always)]
    fn of<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
        const BOUND: f32 = 5.2;
        /// Minimax for the error of GELU, highest power first.
        const ERF: [f32; 14] = [
            -0.000_776_866_17,
            0.002_377_876,
            -0.002_936_714_3,
            0.004_009_185,
            -0.009_085_217,
            0.016_731_195,
            -0.025_239_173,
            0.036_077_16,
            -0.049_397_68,
            0.063_947_9,
            -0.079_863_98,
            0.100_051_224,
            -0.135_487_24,
            0.271_899_97,
        ];
        let bounded = simd.min_f32s(simd.max_f32s(x, simd.splat_f32s(-BOUND)), simd.splat_f32s(BOUND));
        let square = simd.mul_f32s(bounded, bounded);
        let moved =
            simd.mul_add_e_f32s(square, simd.splat_f32s(2.0 / (BOUND * BOUND)), simd.splat_f32s(-1.0));
        let erf = simd.mul_f32s(polynomial(simd, moved, ERF), bounded);
        let half = simd.mul_f32s(x, simd.splat_f32s(0.5));
        simd.mul_add_e_f32s(half, erf, half)
    }
}

/// GELU with tanh instead of erf, as some models use it: `x / (1 + exp(−2u))`, u = √(2/π)·(x +
/// 0.044715·x³).
pub(super) struct GeluTanh;

impl Pointwise for GeluTanh {
    #[inline(always)]
    fn of<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
        const TWICE: f32 = 2.0 * 0.797_884_6;
        let square = simd.mul_f32s(x, x);
        let slope = simd.mul_add_e_f32s(square, simd.splat_f32s(TWICE * 0.044_715), simd.splat_f32s(TWICE));
        times_sigmoid(simd, x, simd.mul_f32s(slope, x))
    }
}

/// `x / (1 + exp(−x))`.
pub(super) struct Silu;

impl Pointwise for Silu {
    #[inline(always)]
    fn of<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
        times_sigmoid(simd, x, x)
    }
}

/// `2 / (1 + exp(−2x)) − 1`.
pub(super) struct Tanh;

impl Pointwise for Tanh {
    #[inline(always)]
    fn of<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
        let two = simd.splat_f32s(2.0);
        let sigmoid = times_sigmoid(simd, two, simd.mul_f32s(two, x));
        simd.sub_f32s(sigmoid, simd.splat_f32s(1.0))
    }
}

/// `max(x, 0)`.
pub(super) struct Relu;

impl Pointwise for Relu {
    #[inline(always)]
    fn of<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
        simd.max_f32s(x, simd.splat_f32s(0.0))
    }
}

/// `x`.
pub(super) struct Identity;

impl Pointwise for Identity {
    #[inline(always)]
    fn of<S: Simd>(_: S, x: S::f32s) -> S::f32s {
        x
    }
}

/// Computes `x / (1 + exp(−u))` without taking the exponential of a positive number.
#[inline(always)]
fn times_sigmoid<S: Simd>(simd: S, x: S::f32s, u: S::f32s) -> S::f32s {
    let zero = simd.splat_f32s(0.0);
    let small = exp(simd, simd.neg_f32s(simd.abs_f32s(u)));
    let one = simd.splat_f32s(1.0);
    let top = simd.select_f32s(simd.less_than_f32s(u, zero), small, one);
    simd.div_f32s(simd.mul_f32s(x, top), simd.add_f32s(one, small))
}

#[inline(always)]
fn polynomial<S: Simd, const N: usize>(simd: S, x: S::f32s, coefficients: [f32; N]) -> S::f32s {
    let mut sum = simd.splat_f32s(coefficients[0]);
    for &coefficient in &coefficients[1..] {
        sum = simd.mul_add_e_f32s(sum, x, simd.splat_f32s(coefficient));
    }
    sum
}

#[cfg(test)]
mod tests {
    use std::marker::PhantomData;
    use std::ops::Range;

    use super::*;

    /// Applies a function to numbers, on the widest registers.
    struct Apply<'a, F>(&'a mut [f32], PhantomData<F>);

    impl<F: Pointwise> WithSimd for Apply<'_, F> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let (body, rest) = S::as_mut_simd_f32s(self.0);
            assert!(rest.is_empty());
            for x in body {
                *x = F::of(simd, *x);
            }
        }
    }

    struct Exp;

    impl Pointwise for Exp {
        #[inline(always)]
        fn of<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
            exp(simd, x)
        }
    }

    /// Returns the largest error at multiples of 1/1024.
    fn worst<F: Pointwise>(range: Range<i32>, exact: fn(f64) -> f64, relative: bool) -> f64 {
        let inputs: Vec<f32> = (range.start * 1024..range.end * 1024).map(|i| i as f32 / 1024.0).collect();
        let mut outputs = inputs.clone();
        Arch::new().dispatch(Apply::<F>(&mut outputs, PhantomData));
        let error = |(&x, &y): (&f32, &f32)| {
            let wanted = exact(x.into());
            (f64::from(y) - wanted).abs() / if relative { wanted.abs() } else { 1.0 }
        };
        inputs.iter().zip(&outputs).map(error).fold(0.0, f64::max)
    }

    /// Computes Φ by its Taylor series about 0 times the density, which converges everywhere and
    /// adds only positive terms.
    fn normal_cdf(x: f64) -> f64 {
        let density = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let (mut term, mut sum, mut odd) = (x.abs(), 0.0, 1.0);
        while term > 1e-18 * (1.0 + sum) {
            sum += term;
            odd += 2.0;
            term *= x * x / odd;
        }
        0.5 + x.signum() * density * sum
    }

    #[test]
    fn exp_is_accurate() {
        assert!(worst::<Exp>(-87..0, f64::exp, true) < 1e-5);
        assert!(worst::<Exp>(-8..0, f64::exp, true) < 1e-6);
    }

    #[test]
    fn exponentials_and_their_sum_are_accurate() {
        let mut values: Vec<f32> = (0..1037).map(|i| -(i as f32) / 8.0).collect();
        let wanted: Vec<f64> = values.iter().map(|&x| f64::from(x - 1.0) / 2.0).map(f64::exp).collect();
        let sum = exponentials(&mut values, 1.0, 2.0);
        assert!(values.iter().zip(&wanted).all(|(&a, b)| (f64::from(a) - b).abs() < 1e-5 * b + 1e-37));
        assert!((sum - wanted.iter().sum::<f64>()).abs() < 1e-5 * sum);
        let mut odd = [f32::NAN, f32::NEG_INFINITY, 0.0];
        assert_eq!((exponentials(&mut odd, 0.0, 1.0), odd[0], odd[1]), (f64::from(odd[2]), 0.0, 0.0));
    }

    #[test]
    fn activations_are_accurate() {
        assert!(worst::<Gelu>(-5..5, |x| x * normal_cdf(x), false) < 1e-6);
        assert!(worst::<Gelu>(-8..8, |x| x * normal_cdf(x), false) < 8.0 * 2e-7);
        let tanh = |x: f64| 0.5 * x * (1.0 + (0.797_884_560_802_865_4 * (x + 0.044_715 * x * x * x)).tanh());
        assert!(worst::<GeluTanh>(-8..8, tanh, false) < 2e-6);
        assert!(worst::<Silu>(-8..8, |x| x / (1.0 + (-x).exp()), false) < 2e-6);
        assert!(worst::<Tanh>(-8..8, f64::tanh, false) < 1e-6);
        assert_eq!(worst::<Relu>(-8..8, |x| x.max(0.0), false), 0.0);
        assert_eq!(worst::<Identity>(-8..8, |x| x, false), 0.0);
    }
}
