//! One measured quantity: its values, and how far their mean can be trusted.

use serde::{Deserialize, Deserializer, Serialize};

/// A quantity measured once per seed.
///
/// JSON cannot express a number that is not finite. Such a number is written as `null` and read
/// back as NaN.
///
/// ```
/// use inkveil_eval::results::Measurement;
///
/// let leakage = Measurement::of(&[0.25, 0.75]);
/// assert_eq!(leakage.mean, 0.5);
/// assert!(leakage.sd.is_some_and(|sd| (sd - 0.125f64.sqrt()).abs() < 1e-12));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// One value per seed.
    #[serde(deserialize_with = "values_or_nan")]
    pub values: Vec<f64>,
    /// Their mean.
    #[serde(deserialize_with = "value_or_nan")]
    pub mean: f64,
    /// Their standard deviation (n − 1), if there is more than one value.
    #[serde(default)]
    pub sd: Option<f64>,
    /// The lower end of the 95 % interval over examples, if it is known.
    #[serde(default)]
    pub low: Option<f64>,
    /// The upper end of that interval.
    #[serde(default)]
    pub high: Option<f64>,
}

impl Measurement {
    /// The measurement with these values. Without values, or with one that is not finite, the mean
    /// is NaN.
    ///
    /// ```
    /// use inkveil_eval::results::Measurement;
    ///
    /// assert_eq!(Measurement::of(&[0.5]).sd, None);
    /// assert!(Measurement::of(&[]).mean.is_nan());
    /// ```
    pub fn of(values: &[f64]) -> Self {
        let mean = mean(values);
        Self { values: values.to_vec(), mean, sd: deviation(values, mean), low: None, high: None }
    }

    /// Sets the 95 % interval over examples.
    ///
    /// ```
    /// use inkveil_eval::results::Measurement;
    ///
    /// let accuracy = Measurement::of(&[0.5]).within(0.4, 0.6);
    /// assert_eq!((accuracy.low, accuracy.high), (Some(0.4), Some(0.6)));
    /// ```
    pub fn within(mut self, low: f64, high: f64) -> Self {
        (self.low, self.high) = (Some(low), Some(high));
        self
    }

    /// The interval over examples, if both ends are finite.
    pub(super) fn interval(&self) -> Option<(f64, f64)> {
        let finite = |end: Option<f64>| end.filter(|end| end.is_finite());
        Some((finite(self.low)?, finite(self.high)?))
    }

    /// The standard deviation, if it is finite.
    pub(super) fn spread(&self) -> Option<f64> {
        self.sd.filter(|sd| sd.is_finite())
    }
}

fn mean(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let sum: f64 = values.iter().sum();
    if sum.is_finite() || values.iter().any(|value| !value.is_finite()) {
        let mean = sum / count;
        return if mean.is_finite() { mean } else { f64::NAN };
    }
    // The sum overflows, the mean does not.
    values.iter().map(|value| value / count).sum()
}

fn deviation(values: &[f64], mean: f64) -> Option<f64> {
    if values.len() < 2 || !mean.is_finite() {
        return None;
    }
    // Squares of the largest numbers overflow, so distances are divided by the largest one first.
    let far = values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
    if far == 0.0 {
        return Some(0.0);
    }
    let squares: f64 = values.iter().map(|value| ((value - mean) / far).powi(2)).sum();
    Some(far * (squares / (values.len() - 1) as f64).sqrt()).filter(|sd| sd.is_finite())
}

fn value_or_nan<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Option::<f64>::deserialize(from).map(|value| value.unwrap_or(f64::NAN))
}

fn values_or_nan<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    let values = Vec::<Option<f64>>::deserialize(from)?;
    Ok(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_values_have_a_mean() {
        let measure = Measurement::of(&[1e308, 1.5e308]);
        assert!((measure.mean / 1.25e308 - 1.0).abs() < 1e-12);
        assert!(measure.sd.is_some_and(f64::is_finite));
    }

    #[test]
    fn values_that_are_not_finite_have_no_mean_and_survive_a_file() {
        let measure = Measurement::of(&[1.0, f64::INFINITY]);
        assert!(measure.mean.is_nan() && measure.sd.is_none());
        let text = serde_json::to_string(&measure).unwrap();
        let back: Measurement = serde_json::from_str(&text).unwrap();
        assert!(back.mean.is_nan() && back.values[1].is_nan());
        assert_eq!(back.values[0], 1.0);
    }
}
