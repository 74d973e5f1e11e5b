//! Budgets rounded down, so that the remaining budget is never overstated.

use inkveil_privacy::Epsilon;

/// Returns the remaining budget, rounded down: added to the spent budget it never exceeds the
/// limit.
pub(crate) fn left(limit: Epsilon, spent: Epsilon) -> Epsilon {
    if limit.is_infinite() {
        return Epsilon::INFINITE;
    }
    let mut left = (limit.get() - spent.get()).max(0.0);
    while left > 0.0 && Epsilon::new(left).and_then(|l| spent.checked_add(l)).is_ok_and(|sum| sum > limit) {
        left = left.next_down();
    }
    Epsilon::new(left).unwrap_or(Epsilon::ZERO)
}

/// Formats a budget with six digits, rounded down, so that the remaining budget is not overstated.
pub(crate) fn readable_down(epsilon: Epsilon) -> String {
    let value = epsilon.get();
    if epsilon.is_infinite() || (value == value.trunc() && value < 1e15) {
        return epsilon.to_string();
    }
    let exponent = value.log10().floor() as i32;
    if !(-4..15).contains(&exponent) {
        return format!("{:.5e}", value * (1.0 - 6e-6));
    }
    // Subtract one step of the last digit if the decimal came out above the value.
    let scale = 10f64.powi(5 - exponent);
    let steps = (value * scale).floor();
    let shown = steps / scale;
    format!("{}", if shown > value { (steps - 1.0) / scale } else { shown })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_remaining_budget_fits_the_limit(limit in 0.0..1e6f64, spent in 0.0..1e6f64) {
            let (limit, spent) = (Epsilon::new(limit).unwrap(), Epsilon::new(spent).unwrap());
            let left = left(limit, spent);
            prop_assert!(left.is_zero() || spent.checked_add(left).unwrap() <= limit);
        }

        #[test]
        fn formatted_numbers_are_rounded_down(exponent in -9.0..20.0f64) {
            let value = Epsilon::new(10f64.powf(exponent)).unwrap();
            let shown: f64 = readable_down(value).parse().unwrap();
            prop_assert!(shown <= value.get() && shown >= value.get() * (1.0 - 2e-5));
        }
    }

    #[test]
    fn nothing_remains_below_a_spent_budget() {
        let eps = |value| Epsilon::new(value).unwrap();
        assert_eq!(left(eps(10.0), Epsilon::INFINITE), Epsilon::ZERO);
        assert_eq!(left(Epsilon::INFINITE, Epsilon::INFINITE), Epsilon::INFINITE);
        assert_eq!(left(eps(10.0), eps(4.0)), eps(6.0));
        assert_eq!(readable_down(eps(0.1 + 0.2)), "0.3");
    }
}
