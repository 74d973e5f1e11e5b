//! The privacy loss of Gaussian noise, in closed form.

/// Returns the δ of Gaussian noise of standard deviation `sigma` for inputs 1 apart, at any real ε:
/// Φ(1/2σ − εσ) − e^ε Φ(−1/2σ − εσ), plus a bound on the rounding error. The two terms nearly
/// cancel where ε and δ are small.
pub(crate) fn excess(sigma: f64, epsilon: f64) -> f64 {
    let (a, b) = (0.5 / sigma - epsilon * sigma, -0.5 / sigma - epsilon * sigma);
    let (gained, lost) = (log_phi(a), epsilon + log_phi(b));
    let rounding = 16.0
        * f64::EPSILON
        * (gained.exp() * (1.0 + gained.abs()) + lost.exp() * (1.0 + epsilon.abs() + lost.abs()));
    gained.exp() - lost.exp() + rounding
}

/// Returns log Φ(x) to a few units in the last place of Φ, without underflow. (Library functions
/// are off by up to 10⁻¹¹ of it, which is more than the margin of a bound.)
fn log_phi(x: f64) -> f64 {
    let log_density = -0.5 * x * x - 0.5 * (2.0 * std::f64::consts::PI).ln();
    if x > 5.0 {
        return (-log_phi(-x).exp()).ln_1p();
    }
    if x > -2.0 {
        // Φ(x) = ½ + φ(x)·(x + x³/3 + x⁵/15 + …).
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term.abs() > 1e-18 * sum.abs() {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return (0.5 + log_density.exp() * sum).ln();
    }
    // Φ(x) = φ(x)/(−x + 1/(−x + 2/(−x + …))), a continued fraction that converges fast in the tail.
    let t = -x;
    let tail = (1..=80).rev().fold(t, |rest, k| t + f64::from(k) / rest);
    log_density - tail.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values computed with 40 digits (mpmath).
    #[test]
    fn log_phi_is_exact_in_every_range() {
        for (x, exact) in EXACT {
            let found = log_phi(x);
            assert!((found - exact).abs() <= 4e-15 * (1.0 + exact.abs()), "{x}: {found} for {exact}");
        }
    }

    const EXACT: [(f64, f64); 12] = [
        (-300.0, -45006.62273211866),
        (-38.5, -745.695270290411),
        (-10.0, -53.23128515051247),
        (-3.1, -6.940688458421228),
        (-2.0, -3.783184333682032),
        (-1.9999, -3.7829470165573444),
        (-0.7, -1.4189677615315315),
        (0.0, -std::f64::consts::LN_2),
        (0.3, -0.4814101615884812),
        (2.5, -0.006229025485860002),
        (4.999, -2.881420556593318e-07),
        (7.5, -3.190891672910947e-14),
    ];
}
