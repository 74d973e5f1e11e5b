//! Exact confidence bounds for probabilities, and the lower bound on ε that follows from them.

use statrs::function::gamma::ln_gamma;

/// The Clopper–Pearson lower bound: any smaller probability gives `hits` or more of `trials` with
/// probability at most `alpha`.
pub(super) fn lower_bound(hits: u64, trials: u64, alpha: f64) -> f64 {
    if hits == 0 {
        return 0.0;
    }
    let (k, n) = (hits as f64, trials as f64);
    // Pr[Bin(n, p) ≥ k] = I_p(k, n−k+1) grows with p.
    bisect(|p| incomplete_beta(k, n - k + 1.0, p) < alpha).0
}

/// The Clopper–Pearson upper bound: any larger probability gives `hits` or fewer of `trials` with
/// probability at most `alpha`.
pub(super) fn upper_bound(hits: u64, trials: u64, alpha: f64) -> f64 {
    if hits >= trials {
        return 1.0;
    }
    let (k, n) = (hits as f64, trials as f64);
    // Pr[Bin(n, p) ≤ k] = 1 − I_p(k+1, n−k) = I_{1−p}(n−k, k+1) falls with p.
    bisect(|p| incomplete_beta(n - k, k + 1.0, 1.0 - p) >= alpha).1
}

/// Encloses the point in [0, 1] where `below` becomes false.
fn bisect(below: impl Fn(f64) -> bool) -> (f64, f64) {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if below(middle) { low = middle } else { high = middle }
    }
    (low, high)
}

/// Returns a lower bound on the ε of a mechanism for which the event happened `hits` times under x
/// and `misses` times under x′, of `trials` each. With confidence 1 − `alpha` the true ε is at
/// least this. Returns −∞ if the counts imply no bound.
pub(super) fn epsilon_lower_bound(hits: u64, misses: u64, trials: u64, delta: f64, alpha: f64) -> f64 {
    let p = lower_bound(hits, trials, alpha / 2.0) - delta;
    let q = upper_bound(misses, trials, alpha / 2.0);
    if p > 0.0 { (p / q).ln() } else { f64::NEG_INFINITY }
}

/// Returns the regularised incomplete beta function I_x(a, b), by its continued fraction. The
/// fraction needs about √(a+b) terms, and library implementations stop after a hundred.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    let log_front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    if x < (a + 1.0) / (a + b + 2.0) {
        log_front.exp() * beta_fraction(a, b, x) / a
    } else {
        1.0 - log_front.exp() * beta_fraction(b, a, 1.0 - x) / b
    }
}

/// Evaluates the continued fraction of the incomplete beta function by Lentz's method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let guard = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    for m in 1..100_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for step in [even, odd] {
            d = 1.0 / guard(1.0 + step * d);
            c = guard(1.0 + step / c);
            result *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // All of n hits: the lower bound is α^{1/n}; none: the upper bound is 1 − α^{1/n}.
        assert!((lower_bound(10, 10, 0.05) - 0.05f64.powf(0.1)).abs() < 1e-12);
        assert!((upper_bound(0, 10, 0.05) - (1.0 - 0.05f64.powf(0.1))).abs() < 1e-12);
        assert_eq!(lower_bound(0, 10, 0.05), 0.0);
        assert_eq!(upper_bound(10, 10, 0.05), 1.0);
        // 5 of 20 at 97.5 % on each side, from published tables: 0.08657 and 0.49105.
        assert!((lower_bound(5, 20, 0.025) - 0.086_571).abs() < 1e-5);
        assert!((upper_bound(5, 20, 0.025) - 0.491_046).abs() < 1e-5);
    }

    #[test]
    fn incomplete_beta_equals_the_binomial_sum() {
        // I_p(k, n−k+1) = Pr[Bin(n, p) ≥ k], summed directly.
        let (n, p) = (400u32, 0.3f64);
        for k in [60u32, 100, 120, 150, 200] {
            let sum: f64 = (k..=n)
                .map(|i| {
                    let [n, i] = [n, i].map(f64::from);
                    (ln_gamma(n + 1.0) - ln_gamma(i + 1.0) - ln_gamma(n - i + 1.0)
                        + i * p.ln()
                        + (n - i) * (1.0 - p).ln())
                    .exp()
                })
                .sum();
            let beta = incomplete_beta(f64::from(k), f64::from(n - k) + 1.0, p);
            assert!((beta - sum).abs() <= 1e-10 * sum, "{k}: {beta} {sum}");
        }
    }

    #[test]
    fn bounds_are_tight_for_millions_of_trials() {
        let (low, high) = (lower_bound(500_000, 2_000_000, 5e-7), upper_bound(500_000, 2_000_000, 5e-7));
        // About 4.9 standard deviations of √(p(1−p)/n) = 3.06e-4 on each side.
        assert!((0.25 - low - 1.497e-3).abs() < 2e-5, "{low}");
        assert!((high - 0.25 - 1.497e-3).abs() < 2e-5, "{high}");
    }

    #[test]
    fn an_event_with_equal_counts_gives_no_positive_epsilon() {
        assert!(epsilon_lower_bound(500, 500, 1000, 0.0, 1e-6) < 0.0);
        assert!(epsilon_lower_bound(900, 10, 1000, 0.0, 1e-6) > 2.0);
        assert_eq!(epsilon_lower_bound(10, 0, 1000, 0.5, 1e-6), f64::NEG_INFINITY);
    }
}
