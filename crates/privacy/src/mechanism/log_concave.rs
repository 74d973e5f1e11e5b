//! Exact rejection sampling from a log-concave density on an interval, with known mode and unknown
//! integral.

use crate::NoiseStream;

/// An envelope of three pieces over a log-concave density f: flat at f(mode) in the middle, and on
/// each side the exponential that touches f at the point c where f(c) = f(mode)/e.
///
/// # Cost
/// To the right of the mode m, the tangent at c meets the flat top at t with c − t = 1/|slope|, so
/// the area of the envelope is f(m)·((t−m) + 1/|slope|) = f(m)·(c−m). By log-concavity log f lies
/// above its chord, so the area of f from m to c is at least f(m)·(c−m)·∫₀¹e^{−u}du =
/// f(m)·(c−m)·(1−1/e). The left side is symmetric. A draw therefore needs at most e/(e−1) < 1.59
/// tries on average for every density. If f has not fallen to f(m)/e before the end of the
/// interval, the envelope stays flat to the end and the same bound holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogConcave {
    mode: f64,
    left: Side,
    right: Side,
}

/// One side of the envelope, in distance from the mode.
#[derive(Debug, Clone, Copy)]
struct Side {
    /// The end of the flat part.
    flat: f64,
    /// The rate of the exponential tail, or ∞ if there is none.
    rate: f64,
    /// The end of the interval.
    end: f64,
}

impl Side {
    fn area(&self) -> f64 {
        self.flat + 1.0 / self.rate
    }
}

impl LogConcave {
    /// Builds the envelope for `log_density` (relative to its value at the mode) with derivative
    /// `slope` on [from, to].
    pub(super) fn new(
        (from, mode, to): (f64, f64, f64),
        log_density: impl Fn(f64) -> f64,
        slope: impl Fn(f64) -> f64,
    ) -> Self {
        let side = |direction: f64, end: f64| -> Side {
            let fallen = |distance: f64| log_density(mode + direction * distance) + 1.0;
            if end <= 0.0 || fallen(end) > 0.0 {
                return Side { flat: end.max(0.0), rate: f64::INFINITY, end: end.max(0.0) };
            }
            // Bisection for the point where the density has fallen to 1/e.
            let (mut near, mut far) = (0.0, end);
            for _ in 0..200 {
                let middle = 0.5 * (near + far);
                if fallen(middle) > 0.0 { near = middle } else { far = middle }
            }
            let rate = slope(mode + direction * far).abs();
            // The tangent is computed at the rounded `far`, so that the envelope stays above f in
            // spite of rounding.
            Side { flat: (far + (fallen(far) - 1.0) / rate).max(0.0), rate, end }
        };
        Self { mode, left: side(-1.0, mode - from), right: side(1.0, to - mode) }
    }

    /// Draws one exact sample.
    pub(super) fn draw(&self, log_density: impl Fn(f64) -> f64, stream: &mut NoiseStream) -> f64 {
        let (left, right) = (self.left.area(), self.right.area());
        loop {
            let mut position = stream.unit() * (left + right);
            let (side, direction) = if position < left { (&self.left, -1.0) } else { (&self.right, 1.0) };
            if direction > 0.0 {
                position -= left;
            }
            let (distance, log_envelope) = if position < side.flat {
                (position, 0.0)
            } else {
                let beyond = stream.exponential() / side.rate;
                (side.flat + beyond, -side.rate * beyond)
            };
            if distance <= side.end {
                let x = self.mode + direction * distance;
                if log_envelope - stream.exponential() <= log_density(x) {
                    return x;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoiseAddress, NoiseKey};
    use std::cell::Cell;

    /// Checks the bound of the doc comment for densities from flat to very narrow.
    #[test]
    fn tries_stay_below_the_bound() {
        for power in [0.0, 0.5, 10.0, 1e3, 1e6] {
            for rate in [0.0, 1.0, 1e3, 1e7] {
                let mode = if rate == 0.0 && power == 0.0 { 0.0 } else { f64::atan2(power, rate) };
                let log = |x: f64| {
                    let sine = if power == 0.0 { 0.0 } else { power * (x.sin() / mode.sin()).ln() };
                    -rate * (x - mode) + sine
                };
                let envelope =
                    LogConcave::new((0.0, mode, std::f64::consts::PI), log, |x| -rate + power / x.tan());
                let tries = Cell::new(0u32);
                let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
                for _ in 0..20_000 {
                    envelope.draw(
                        |x| {
                            tries.set(tries.get() + 1);
                            log(x)
                        },
                        &mut stream,
                    );
                }
                let mean = f64::from(tries.get()) / 20_000.0;
                assert!(mean < 1.6, "power {power}, rate {rate}: {mean} tries");
            }
        }
    }
}
