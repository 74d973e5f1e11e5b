//! Estimated scores with error bounds, and the exact score: the inner loops, compiled for the
//! present processor.

use pulp::{Arch, Simd, WithSimd};

/// The width of the widest registers in floats; narrower ones take several steps.
const LANES: usize = 16;

/// An entry of a fast product.
pub(super) trait Estimate: Copy {
    fn value(self) -> f32;
}

impl Estimate for f32 {
    #[inline(always)]
    fn value(self) -> f32 {
        self
    }
}

impl Estimate for i32 {
    #[inline(always)]
    fn value(self) -> f32 {
        self as f32
    }
}

/// The estimated scores of one query for the rows of a panel.
///
/// The score of row i is within `reach·radii[i] + slack` of `estimates[i]·scales[i]`. A row that is
/// not allowed has a NaN scale, so that every comparison with it is false.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'a, T> {
    pub(super) estimates: &'a [T],
    pub(super) scales: &'a [f32],
    pub(super) radii: &'a [f32],
    /// The largest of the radii.
    pub(super) widest: f32,
    pub(super) reach: f32,
    pub(super) slack: f32,
}

/// Bounds of the largest score in a panel.
#[derive(Clone, Copy)]
pub(super) struct Extremes {
    pub(super) lower: f32,
    pub(super) upper: f32,
}

impl<T: Estimate> Bounds<'_, T> {
    #[inline(always)]
    fn at(&self, i: usize) -> (f32, f32) {
        let (middle, error) =
            (self.estimates[i].value() * self.scales[i], self.reach * self.radii[i] + self.slack);
        (middle - error, middle + error)
    }

    /// Returns the bounds of `count` rows from `start` on.
    #[inline(always)]
    fn part(&self, start: usize, count: usize) -> Self {
        let part = start..start + count;
        Self {
            estimates: &self.estimates[part.clone()],
            scales: &self.scales[part.clone()],
            radii: &self.radii[part],
            ..*self
        }
    }

    /// Bounds the largest score. This bound is wider than those of single rows, but needs only one
    /// pass over the estimates.
    pub(super) fn extremes(&self) -> Extremes {
        let largest = Arch::new().dispatch(FindLargest(self));
        let error = self.reach * self.widest + self.slack;
        Extremes { lower: largest - error, upper: largest + error }
    }

    /// Finds the rows whose upper bound reaches the floor: position in the panel, lower and upper
    /// bound, in order.
    pub(super) fn reaching(&self, floor: f32, found: &mut Vec<(u32, f32, f32)>) {
        found.clear();
        Arch::new().dispatch(FindReaching { bounds: self, floor, found });
    }
}

/// Computes the exact score: products are exact in `f64` and summed in the same order on every
/// machine.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f64 {
    Arch::new().dispatch(Dot(a, b))
}

// Each loop has its own type instead of a closure, because a closure may be called through a
// function that is compiled for any processor.

struct FindLargest<'a, T>(&'a Bounds<'a, T>);

impl<T: Estimate> WithSimd for FindLargest<'_, T> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f32 {
        // Unlike `f32::max`, this leaves the maximum unchanged when compared with NaN.
        let larger = |a: f32, b: f32| if b > a { b } else { a };
        let (estimates, estimates_rest) = self.0.estimates.as_chunks::<LANES>();
        let (scales, scales_rest) = self.0.scales.as_chunks::<LANES>();
        let mut largest = [f32::NEG_INFINITY; LANES];
        for (estimates, scales) in estimates.iter().zip(scales) {
            for lane in 0..LANES {
                largest[lane] = larger(largest[lane], estimates[lane].value() * scales[lane]);
            }
        }
        let rest = estimates_rest.iter().zip(scales_rest).map(|(estimate, scale)| estimate.value() * scale);
        rest.fold(largest.into_iter().fold(f32::NEG_INFINITY, larger), larger)
    }
}

struct FindReaching<'a, T> {
    bounds: &'a Bounds<'a, T>,
    floor: f32,
    found: &'a mut Vec<(u32, f32, f32)>,
}

impl<T: Estimate> WithSimd for FindReaching<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { bounds, floor, found } = self;
        let count = bounds.estimates.len();
        let whole = count - count % LANES;
        let mut take = |i: usize| {
            let (lower, upper) = bounds.at(i);
            if upper >= floor {
                found.push((i as u32, lower, upper));
            }
        };
        for start in (0..whole).step_by(LANES) {
            let block = bounds.part(start, LANES);
            let mut reached = [false; LANES];
            for (lane, reached) in reached.iter_mut().enumerate() {
                *reached = block.at(lane).1 >= floor;
            }
            if reached.iter().fold(false, |any, &one| any | one) {
                (start..start + LANES).for_each(&mut take);
            }
        }
        (whole..count).for_each(take);
    }
}

struct Dot<'a>(&'a [f32], &'a [f32]);

impl WithSimd for Dot<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let mut sums = [0.0_f64; LANES];
        let (a_blocks, a_rest) = self.0.as_chunks::<LANES>();
        let (b_blocks, b_rest) = self.1.as_chunks::<LANES>();
        for (a, b) in a_blocks.iter().zip(b_blocks) {
            for lane in 0..LANES {
                sums[lane] += f64::from(a[lane]) * f64::from(b[lane]);
            }
        }
        let rest: f64 = a_rest.iter().zip(b_rest).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
        sums.iter().sum::<f64>() + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_not_allowed_are_skipped() {
        let bounds = Bounds {
            estimates: &[1.0_f32, 9.0, 2.0],
            scales: &[1.0, f32::NAN, 1.0],
            radii: &[0.5, 0.0, 0.25],
            widest: 0.5,
            reach: 2.0,
            slack: 0.0,
        };
        let extremes = bounds.extremes();
        assert_eq!((extremes.lower, extremes.upper), (1.0, 3.0));
        let mut found = Vec::new();
        bounds.reaching(f32::NEG_INFINITY, &mut found);
        assert_eq!(found, [(0, 0.0, 2.0), (2, 1.5, 2.5)]);
    }

    #[test]
    fn panels_may_have_any_length() {
        for count in 0..40_u16 {
            let estimates: Vec<i32> = (0..count).map(|i| i32::from(i * 7 % 37)).collect();
            let (scales, radii) = (vec![0.5; count.into()], vec![1.0; count.into()]);
            let bounds = Bounds {
                estimates: &estimates,
                scales: &scales,
                radii: &radii,
                widest: 1.0,
                reach: 0.25,
                slack: 0.0,
            };
            let largest = estimates.iter().max().map_or(f32::NEG_INFINITY, |&x| x as f32 * 0.5);
            let extremes = bounds.extremes();
            assert_eq!((extremes.lower, extremes.upper), (largest - 0.25, largest + 0.25));
            let mut found = Vec::new();
            bounds.reaching(10.25, &mut found);
            let wanted = estimates.iter().filter(|&&x| x as f32 * 0.5 >= 10.0).count();
            assert_eq!(found.len(), wanted);
        }
    }

    #[test]
    fn the_score_is_the_dot_product() {
        let a: Vec<f32> = (0..53).map(|i| i as f32).collect();
        let wanted: f64 = (0..53).map(|i| f64::from(i * i)).sum();
        assert_eq!(dot(&a, &a), wanted);
    }
}
