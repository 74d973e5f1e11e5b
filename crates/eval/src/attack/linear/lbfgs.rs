//! Minimises a smooth function of many numbers (limited-memory BFGS; Liu and Nocedal, 1989).

use std::collections::VecDeque;

/// The number of steps whose curvature is remembered.
const MEMORY: usize = 6;

/// The least share of the predicted decrease that a step must reach (Armijo's condition).
const DECREASE: f64 = 1e-4;

/// After this many halvings a step is below the precision of `f32`.
const HALVINGS: usize = 30;

/// Minimises from `at` until the gradient is shorter than `tolerance` times the first one, no step
/// decreases the value, or after `steps` steps. `function` returns the value at a point and writes
/// the gradient.
pub(super) fn minimise(
    mut at: Vec<f32>,
    steps: usize,
    tolerance: f32,
    mut function: impl FnMut(&[f32], &mut [f32]) -> f64,
) -> Vec<f32> {
    let mut gradient = vec![0.0; at.len()];
    let mut value = function(&at, &mut gradient);
    let enough = dot(&gradient, &gradient) * f64::from(tolerance).powi(2);
    let mut memory = Memory::default();
    let (mut next, mut next_gradient) = (at.clone(), gradient.clone());
    for _ in 0..steps {
        if dot(&gradient, &gradient) <= enough {
            break;
        }
        let direction = memory.direction(&gradient);
        let slope = dot(&direction, &gradient);
        // Without curvature the length of the direction says nothing about the step length.
        let mut length = if memory.pairs.is_empty() { 1.0 / (1.0 + (-slope).sqrt()) } else { 1.0 };
        let mut found = None;
        for _ in 0..HALVINGS {
            let by = length as f32;
            next.iter_mut().zip(&at).zip(&direction).for_each(|((next, x), d)| *next = x + by * d);
            let reached = function(&next, &mut next_gradient);
            if reached <= value + DECREASE * length * slope {
                found = Some(reached);
                break;
            }
            length /= 2.0;
        }
        let Some(reached) = found else { break };
        memory.add(&at, &next, &gradient, &next_gradient);
        value = reached;
        std::mem::swap(&mut at, &mut next);
        std::mem::swap(&mut gradient, &mut next_gradient);
    }
    at
}

/// The changes of the gradient in the last steps.
#[derive(Default)]
struct Memory {
    pairs: VecDeque<Pair>,
}

struct Pair {
    step: Vec<f32>,
    change: Vec<f32>,
    /// Their product.
    curvature: f64,
}

impl Memory {
    fn add(&mut self, at: &[f32], next: &[f32], gradient: &[f32], next_gradient: &[f32]) {
        // The memory of the oldest pair is used again, which matters for a million weights.
        let old = (self.pairs.len() == MEMORY).then(|| self.pairs.pop_front()).flatten();
        let (mut step, mut change) = old.map_or_else(Default::default, |pair| (pair.step, pair.change));
        let minus = |out: &mut Vec<f32>, a: &[f32], b: &[f32]| {
            out.clear();
            out.extend(a.iter().zip(b).map(|(a, b)| a - b));
        };
        minus(&mut step, next, at);
        minus(&mut change, next_gradient, gradient);
        let curvature = dot(&step, &change);
        // For a convex function it is negative by rounding only.
        if curvature > 0.0 {
            self.pairs.push_back(Pair { step, change, curvature });
        }
    }

    /// The descent direction with the approximate inverse curvature: the two loops of Nocedal
    /// (1980).
    fn direction(&self, gradient: &[f32]) -> Vec<f32> {
        let mut direction: Vec<f32> = gradient.iter().map(|g| -g).collect();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let share = dot(&pair.step, &direction) / pair.curvature;
            add(&mut direction, &pair.change, -share);
            shares.push(share);
        }
        if let Some(last) = self.pairs.back() {
            let scale = (last.curvature / dot(&last.change, &last.change)) as f32;
            direction.iter_mut().for_each(|d| *d *= scale);
        }
        for (pair, share) in self.pairs.iter().zip(shares.into_iter().rev()) {
            let back = dot(&pair.change, &direction) / pair.curvature;
            add(&mut direction, &pair.step, share - back);
        }
        direction
    }
}

fn add(to: &mut [f32], other: &[f32], times: f64) {
    let times = times as f32;
    to.iter_mut().zip(other).for_each(|(to, other)| *to += times * other);
}

/// A product in eight independent sums, which a processor computes in parallel.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [0.0_f64; 8];
    let (left, right) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest = left.remainder().iter().zip(right.remainder());
    let rest: f64 = rest.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
    for (a, b) in left.zip(right) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += f64::from(*a) * f64::from(*b));
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_of_an_ill_conditioned_function_is_found() {
        // Σ scaleᵢ·(xᵢ − i)²/2 with scales from 1 to 1,000.
        let scales: Vec<f32> = (0..11).map(|i| 10.0_f32.powf(0.3 * i as f32)).collect();
        let mut calls = 0;
        let minimum = minimise(vec![0.0; 11], 200, 1e-5, |x, gradient| {
            calls += 1;
            let mut value = 0.0;
            for (i, (x, scale)) in x.iter().zip(&scales).enumerate() {
                let off = x - i as f32;
                gradient[i] = scale * off;
                value += f64::from(scale * off * off / 2.0);
            }
            value
        });
        assert!(minimum.iter().enumerate().all(|(i, x)| (x - i as f32).abs() < 1e-2), "{minimum:?}");
        assert!(calls < 100, "{calls} calls");
    }

    #[test]
    fn the_minimum_is_not_left() {
        let mut calls = 0;
        let minimum = minimise(vec![0.0], 50, 1e-3, |x, gradient| {
            calls += 1;
            gradient[0] = x[0];
            f64::from(x[0] * x[0] / 2.0)
        });
        assert_eq!((minimum, calls), (vec![0.0], 1));
    }

    #[test]
    fn products_include_every_number_once() {
        let numbers: Vec<f32> = (1..=19).map(|i| i as f32).collect();
        assert_eq!(dot(&numbers, &numbers), 19.0 * 20.0 * 39.0 / 6.0);
    }
}
