//! The privacy budget ε.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::rounding::{add_up, mul_up};
use crate::{Error, ErrorKind};

/// A privacy budget: 0, a positive number, or ∞.
///
/// At 0 the output does not depend on the input. At ∞ the input is released unchanged. Both are
/// ordinary values. NaN and negative numbers cannot be constructed, so budgets are totally ordered.
///
/// An ε has no meaning alone: a [`Guarantee`](crate::Guarantee) adds the metric and the unit.
///
/// ```
/// use inkveil_privacy::Epsilon;
///
/// let a: Epsilon = "0.5".parse()?;
/// let b: Epsilon = "inf".parse()?;
/// assert!(Epsilon::ZERO < a && a < b);
/// assert_eq!(a.checked_add(a)?, Epsilon::new(1.0)?);
/// assert_eq!(b.to_string(), "inf");
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct Epsilon(f64);

impl Epsilon {
    /// The output does not depend on the input.
    pub const ZERO: Self = Self(0.0);
    /// The input is released unchanged.
    pub const INFINITE: Self = Self(f64::INFINITY);

    /// Creates a budget.
    ///
    /// # Errors
    /// If `value` is NaN or negative.
    pub fn new(value: f64) -> Result<Self, Error> {
        if value.is_nan() || value < 0.0 {
            return Err(Error::parameter("epsilon", "0, a positive number or inf", value));
        }
        // `-0.0 < 0.0` is false. Adding zero turns -0.0 into +0.0, so that equal budgets print the
        // same.
        Ok(Self(value + 0.0))
    }

    /// Returns the budget as a number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Whether the output does not depend on the input.
    pub fn is_zero(self) -> bool {
        self.0 == 0.0
    }

    /// Whether the input is released unchanged.
    pub fn is_infinite(self) -> bool {
        self.0.is_infinite()
    }

    /// Adds the budgets of two releases about the same unit. The sum is rounded up, so that the
    /// printed budget is never smaller than the budget spent.
    ///
    /// # Errors
    /// If two finite budgets add up to more than the largest number.
    pub fn checked_add(self, other: Self) -> Result<Self, Error> {
        if self.is_infinite() || other.is_infinite() {
            return Ok(Self::INFINITE);
        }
        Self::finite(add_up(self.0, other.0))
    }

    /// Multiplies the budget by a non-negative factor and rounds up. Zero times infinity is zero: a
    /// release that never happens, or inputs that cannot differ, cost nothing.
    ///
    /// # Errors
    /// If `factor` is NaN or negative, or the product of finite numbers overflows.
    pub fn checked_mul(self, factor: f64) -> Result<Self, Error> {
        if factor.is_nan() || factor < 0.0 {
            return Err(Error::parameter("a factor of epsilon", "0 or positive", factor));
        }
        if self.is_zero() || factor == 0.0 {
            return Ok(Self::ZERO);
        }
        if self.is_infinite() || factor.is_infinite() {
            return Ok(Self::INFINITE);
        }
        Self::finite(mul_up(self.0, factor))
    }

    /// Formats the budget with six digits, rounded up so that the guarantee is never overstated.
    /// JSON keeps all digits.
    pub fn readable(self) -> String {
        let value = self.0;
        if self.is_infinite() || (value == value.trunc() && value < 1e15) {
            return self.to_string();
        }
        let exponent = value.log10().floor() as i32;
        if !(-4..15).contains(&exponent) {
            // One more unit in the sixth digit covers rounding in either direction.
            return format!("{:.5e}", value * (1.0 + 5e-6));
        }
        let scale = 10f64.powi(5 - exponent);
        format!("{}", (value * scale).ceil() / scale)
    }

    fn finite(value: f64) -> Result<Self, Error> {
        if value.is_finite() { Ok(Self(value)) } else { Err(ErrorKind::BudgetOverflow.into()) }
    }
}

impl Eq for Epsilon {}

impl Ord for Epsilon {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Epsilon {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromStr for Epsilon {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.trim() {
            "∞" => Ok(Self::INFINITE),
            // `f64` accepts "inf" and "infinity" in any case. A decimal number that overflows is
            // not infinity.
            word => match word.parse::<f64>() {
                Ok(value) if value.is_infinite() && word.bytes().any(|b| b.is_ascii_digit()) => {
                    Err(Error::parameter("epsilon", "at most 1.79e308, or inf", "larger"))
                }
                Ok(value) => Self::new(value),
                // The given text may be private and is not repeated.
                Err(_) => Err(Error::parameter("epsilon", "0, a positive number or inf", "something else")),
            },
        }
    }
}

impl fmt::Debug for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Epsilon({self})")
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Serialises as a JSON number, or as the string `"inf"`, since JSON has no infinity.
impl Serialize for Epsilon {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_infinite() { serializer.serialize_str("inf") } else { serializer.serialize_f64(self.0) }
    }
}

impl<'de> Deserialize<'de> for Epsilon {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Epsilon;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("0, a positive number or \"inf\"")
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Epsilon, E> {
                Epsilon::new(value).map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Epsilon, E> {
                self.visit_f64(value as f64)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Epsilon, E> {
                self.visit_f64(value as f64)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Epsilon, E> {
                match text {
                    "inf" => Ok(Epsilon::INFINITE),
                    _ => Err(E::invalid_value(de::Unexpected::Other("a string"), &self)),
                }
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn invalid_budgets_are_refused() {
        for bad in [f64::NAN, -1e-300, f64::NEG_INFINITY] {
            assert!(Epsilon::new(bad).is_err());
        }
        assert_eq!(Epsilon::new(-0.0).unwrap().to_string(), "0");
    }

    #[test]
    fn parses_the_spellings_of_infinity_and_refuses_overflow() {
        for text in ["inf", "Inf", "∞", "infinity", " inf "] {
            assert_eq!(text.parse::<Epsilon>().unwrap(), Epsilon::INFINITE);
        }
        for text in ["", "-1", "nan", "1e999", "ten", "-inf"] {
            assert!(text.parse::<Epsilon>().is_err(), "{text}");
        }
    }

    #[test]
    fn sums_are_rounded_up() {
        let third = Epsilon::new(1.0 / 3.0).unwrap();
        let big = Epsilon::new(1e16).unwrap();
        assert!(big.checked_add(third).unwrap() > big);
        let huge = Epsilon::new(f64::MAX).unwrap();
        assert_eq!(huge.checked_add(huge).unwrap_err().kind(), &ErrorKind::BudgetOverflow);
        assert_eq!(huge.checked_add(Epsilon::INFINITE).unwrap(), Epsilon::INFINITE);
    }

    #[test]
    fn readable_numbers_are_rounded_up() {
        for (value, text) in [
            (0.0, "0"),
            (100.0, "100"),
            (2.5, "2.5"),
            (14.142135623730953, "14.1422"),
            (0.1 + 0.2, "0.300001"),
        ] {
            assert_eq!(Epsilon::new(value).unwrap().readable(), text);
        }
        assert_eq!(Epsilon::INFINITE.readable(), "inf");
        for value in [1.23456789e-9, 9.999999e20, 7.0000001] {
            assert!(Epsilon::new(value).unwrap().readable().parse::<f64>().unwrap() >= value);
        }
    }

    #[test]
    fn zero_times_infinity_costs_nothing() {
        assert_eq!(Epsilon::INFINITE.checked_mul(0.0).unwrap(), Epsilon::ZERO);
        assert_eq!(Epsilon::ZERO.checked_mul(f64::INFINITY).unwrap(), Epsilon::ZERO);
        let tiny = Epsilon::new(1e-200).unwrap();
        assert!(tiny.checked_mul(1e-200).unwrap() > Epsilon::ZERO, "a positive budget must not round to 0");
    }

    proptest! {
        #[test]
        fn json_round_trips(value in prop_oneof![Just(0.0), Just(f64::INFINITY), 0.0..1e300f64]) {
            let epsilon = Epsilon::new(value).unwrap();
            let json = serde_json::to_string(&epsilon).unwrap();
            prop_assert_eq!(serde_json::from_str::<Epsilon>(&json).unwrap(), epsilon);
            prop_assert_eq!(epsilon.to_string().parse::<Epsilon>().unwrap(), epsilon);
        }

        #[test]
        fn order_is_total(a in 0.0..1e9f64, b in 0.0..1e9f64) {
            let (x, y) = (Epsilon::new(a).unwrap(), Epsilon::new(b).unwrap());
            prop_assert_eq!(x.cmp(&y), a.total_cmp(&b));
            prop_assert!(x.checked_add(y).unwrap() >= x.max(y));
        }
    }
}
