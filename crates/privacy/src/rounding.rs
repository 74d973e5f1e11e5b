//! Arithmetic on non-negative numbers that rounds up, so that a stated loss is never too small.
//!
//! Each function returns the exact result if it is a double, and otherwise the next larger double.
//! Overflow gives ∞.

/// Returns a + b, rounded up.
pub(crate) fn add_up(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if sum.is_infinite() {
        return sum;
    }
    // TwoSum gives the exact rounding error of the addition.
    let carried = sum - a;
    let error = (a - (sum - carried)) + (b - carried);
    if error > 0.0 { sum.next_up() } else { sum }
}

/// Returns a·b, rounded up.
pub(crate) fn mul_up(a: f64, b: f64) -> f64 {
    let product = a * b;
    if product.is_infinite() || a == 0.0 || b == 0.0 {
        return product;
    }
    // Near the smallest numbers the rounding error itself may underflow to zero.
    if a.mul_add(b, -product) > 0.0 || product < 1e-280 { product.next_up() } else { product }
}

/// Returns a/b for b > 0, rounded up.
pub(crate) fn div_up(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    if quotient.is_infinite() || a == 0.0 {
        return quotient;
    }
    let small = quotient < 1e-280 || a < 1e-280;
    if quotient.mul_add(-b, a) > 0.0 || small { quotient.next_up() } else { quotient }
}

/// Returns a count as a number, rounded up.
pub(crate) fn count_up(count: u64) -> f64 {
    // Counts below 2⁵³ are exact.
    if count >> 53 == 0 { count as f64 } else { (count as f64).next_up() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number m·2^e with a mantissa of 6 bits, against exact arithmetic on integers. The operands
    /// are scaled so that the rounding of doubles itself takes part: 2⁻⁵³ of one meets the other.
    #[test]
    fn sums_products_and_quotients_are_never_too_small() {
        let mut rounded = 0u32;
        for m in 1..64u128 {
            for n in 1..64u128 {
                for shift in [0u32, 30, 47, 50, 52, 53, 54, 58] {
                    let (a, b) = ((m << shift) as f64, n as f64);
                    let exact = (m << shift) + n;
                    let sum = add_up(a, b);
                    assert!(sum as u128 >= exact);
                    assert!(sum as u128 == exact || (sum.next_down() as u128) < exact);
                    rounded += u32::from(sum as u128 != exact);
                    // (2^shift + m)·(2^shift + n) needs up to 117 bits.
                    let (x, y) = ((1u128 << shift.min(50)) + m, (1u128 << shift.min(50)) + n);
                    let product = mul_up(x as f64, y as f64);
                    assert!(product as u128 >= x * y);
                    assert!(product as u128 == x * y || (product.next_down() as u128) < x * y);
                    // q ≥ x/n means q·n ≥ x. A quotient of 53 bits is an integer over a power of two.
                    let quotient = div_up(x as f64, b);
                    let scaled = |q: f64| (q * 2f64.powi(60)) as u128;
                    assert!(scaled(quotient) * n >= x << 60);
                    assert!(
                        scaled(quotient) * n == x << 60 || scaled(quotient.next_down()) * n < x << 60,
                        "{x}/{n}"
                    );
                }
            }
        }
        assert!(rounded > 1000, "the test must reach sums that are rounded");
    }
}
