//! The distribution of habits over many authors.

use serde::{Deserialize, Serialize};

use super::profile::Profile;
use super::table::features;

/// The 0th to the 100th percentile.
const QUANTILES: usize = 101;

/// The version of the file.
const VERSION: u32 = 1;

/// The distribution of each feature over the texts of many authors, as 101 quantiles.
///
/// Only texts with an occasion for a feature count for it. The JSON form has about 120 kB, with
/// numbers of 5 digits, and is checked when it is read.
///
/// ```
/// use inkveil_style::features::{Population, Profile, features};
///
/// let texts = ["No commas here.", "None here.", "None at all here.", "One, here.", "So, two, here."];
/// let profiles: Vec<Profile> = texts.iter().map(|text| Profile::of(text)).collect();
/// let population = Population::of(&profiles);
///
/// let comma = features().iter().position(|feature| feature.name == "comma").unwrap();
/// // Three of five write none: the middle of them is at 30 %.
/// assert!((population.percentile(comma, 0.0) - 30.0).abs() < 5.0);
/// assert_eq!(population.percentile(comma, 2000.0), 100.0);
///
/// let json = serde_json::to_string(&population)?;
/// assert_eq!(Population::from_json(&json).unwrap(), population);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "File", try_from = "File")]
pub struct Population {
    texts: u32,
    /// One for each feature.
    spreads: Vec<Spread>,
}

/// The values of one feature.
#[derive(Debug, Clone, PartialEq)]
struct Spread {
    /// The number of texts with a value.
    count: u32,
    /// 101 ascending values; none if no text has a value.
    quantiles: Vec<f32>,
}

/// Why a population cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PopulationError {
    /// It is not JSON of the right shape.
    #[error("line {line}, column {column}: not a population in JSON")]
    Malformed {
        /// The line, from 1; 0 if it is not known.
        line: usize,
        /// The column, from 1; 0 if it is not known.
        column: usize,
    },
    /// It was written by another version.
    #[error(
        "the population has version {found}, but this program reads version 1; build the population again"
    )]
    Version {
        /// The version that it has.
        found: u32,
    },
    /// It was built for other features.
    #[error("the population was built for other features; build it again")]
    Features,
    /// The quantiles of a feature are not 101 finite ascending numbers.
    #[error("the quantiles of {feature:?} are not 101 finite numbers in ascending order")]
    Quantiles {
        /// The name of the feature.
        feature: &'static str,
    },
}

impl Population {
    /// Builds a population from the profiles of many texts. There should be one or a few texts of
    /// each author, about as long as the texts that will be compared with it. All values are in
    /// memory until the end: about 1 kB per profile.
    pub fn of<'p>(profiles: impl IntoIterator<Item = &'p Profile>) -> Self {
        let mut columns: Vec<Vec<f32>> = vec![Vec::new(); features().len()];
        let mut texts = 0_u32;
        for profile in profiles {
            texts = texts.saturating_add(1);
            for (index, column) in columns.iter_mut().enumerate() {
                column.extend(profile.value(index));
            }
        }
        Self { texts, spreads: columns.into_iter().map(Spread::of).collect() }
    }

    /// Returns the number of texts it was built from.
    pub fn texts(&self) -> u32 {
        self.texts
    }

    /// Returns the number of texts with an occasion for a feature.
    pub fn count(&self, index: usize) -> u32 {
        self.spreads.get(index).map_or(0, |spread| spread.count)
    }

    /// Returns the median of a feature; none if no text has a value.
    pub fn median(&self, index: usize) -> Option<f32> {
        self.spreads.get(index)?.quantiles.get(QUANTILES / 2).copied()
    }

    /// Returns the percentage of texts with a smaller value, from 0 to 100. Half of the texts with
    /// the same value count as smaller: if 60 % write no semicolon, a text without one is at 30 %.
    /// The result is 50 if nothing is known.
    pub fn percentile(&self, index: usize, value: f32) -> f32 {
        let quantiles = self.spreads.get(index).map_or(&[][..], |spread| &spread.quantiles);
        if quantiles.is_empty() || value.is_nan() {
            return 50.0;
        }
        // Rounded like the quantiles, so that ties are recognised.
        let value = rounded(value);
        let below = quantiles.partition_point(|&quantile| quantile < value);
        let up_to = quantiles.partition_point(|&quantile| quantile <= value);
        if up_to > below {
            // The value equals the quantiles from `below` to before `up_to`.
            return (below + up_to - 1) as f32 / 2.0;
        }
        let (Some(low), Some(high)) = (below.checked_sub(1), quantiles.get(below)) else {
            return if below == 0 { 0.0 } else { 100.0 };
        };
        let (from, to) = (f64::from(quantiles[low]), f64::from(*high));
        low as f32 + ((f64::from(value) - from) / (to - from)) as f32
    }

    /// Reads the JSON form.
    pub fn from_json(json: &str) -> Result<Self, PopulationError> {
        let file: File = serde_json::from_str(json)
            .map_err(|error| PopulationError::Malformed { line: error.line(), column: error.column() })?;
        Self::try_from(file)
    }
}

impl Spread {
    fn of(mut values: Vec<f32>) -> Self {
        values.sort_unstable_by(f32::total_cmp);
        // Quantiles are values of texts and not between them, so that ties stay ties.
        let quantile = |k: usize| {
            let at = (k as f64 / 100.0 * values.len().saturating_sub(1) as f64).round() as usize;
            values.get(at).copied().map(rounded)
        };
        let quantiles = (0..QUANTILES).filter_map(quantile).collect();
        Self { count: u32::try_from(values.len()).unwrap_or(u32::MAX), quantiles }
    }

    fn is_valid(&self) -> bool {
        let grows = self.quantiles.is_sorted() && self.quantiles.iter().all(|value| value.is_finite());
        let whole = self.quantiles.len() == if self.count == 0 { 0 } else { QUANTILES };
        grows && whole
    }
}

/// Rounds to 5 digits, so that files are small. Keeps the order.
fn rounded(value: f32) -> f32 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let value = f64::from(value);
    let scale = 10_f64.powi(4 - value.abs().log10().floor() as i32);
    ((value * scale).round() / scale) as f32
}

/// The content of the file. It has the names of features, so that a file for other features is
/// recognised.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    texts: u32,
    features: Vec<FileFeature>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileFeature {
    name: String,
    count: u32,
    quantiles: Vec<f32>,
}

impl From<Population> for File {
    fn from(population: Population) -> Self {
        let named = features().iter().zip(population.spreads);
        let features = named.map(|(feature, Spread { count, quantiles })| FileFeature {
            name: feature.name.to_owned(),
            count,
            quantiles,
        });
        Self { version: VERSION, texts: population.texts, features: features.collect() }
    }
}

impl TryFrom<File> for Population {
    type Error = PopulationError;

    fn try_from(file: File) -> Result<Self, PopulationError> {
        if file.version != VERSION {
            return Err(PopulationError::Version { found: file.version });
        }
        let names = file.features.iter().map(|feature| feature.name.as_str());
        if !names.eq(features().iter().map(|feature| feature.name)) {
            return Err(PopulationError::Features);
        }
        let mut spreads = Vec::with_capacity(file.features.len());
        for (feature, FileFeature { count, quantiles, .. }) in features().iter().zip(file.features) {
            let spread = Spread { count, quantiles };
            if !spread.is_valid() {
                return Err(PopulationError::Quantiles { feature: feature.name });
            }
            spreads.push(spread);
        }
        Ok(Self { texts: file.texts, spreads })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(values: &[f32]) -> Population {
        let mut spreads = vec![Spread::of(Vec::new()); features().len()];
        spreads[0] = Spread::of(values.to_vec());
        Population { texts: values.len() as u32, spreads }
    }

    #[test]
    fn tied_values_have_the_middle_percentile() {
        let mut values = vec![0.0; 60];
        values.extend((1..=40).map(|n| n as f32));
        let population = one(&values);
        assert!((population.percentile(0, 0.0) - 30.0).abs() <= 1.0);
        assert!((population.percentile(0, 0.5) - 60.0).abs() <= 1.0);
        assert!((population.percentile(0, 20.0) - 80.0).abs() <= 1.5);
        assert_eq!(population.percentile(0, 99.0), 100.0);
        assert_eq!(population.percentile(0, -1.0), 0.0);
        assert_eq!(population.median(0), Some(0.0));
        assert_eq!(population.percentile(0, f32::INFINITY), 100.0);
        assert_eq!(population.percentile(0, f32::NEG_INFINITY), 0.0);
        // Also for a value with more digits than are kept.
        assert_eq!(one(&[1.0 / 3.0; 9]).percentile(0, 1.0 / 3.0), 50.0);
    }

    #[test]
    fn an_empty_population_gives_percentile_50() {
        let population = one(&[1.0]);
        assert_eq!(population.percentile(1, 5.0), 50.0);
        assert_eq!(population.percentile(usize::MAX, 5.0), 50.0);
        assert_eq!(population.percentile(0, f32::NAN), 50.0);
        assert_eq!((population.count(0), population.count(1), population.median(1)), (1, 0, None));
    }

    #[test]
    fn files_are_small_and_can_be_read() {
        // The worst case: every value of every feature has all digits.
        let spread = Spread::of((0..5000).map(|n| (n as f32).sqrt() * 1.234_567_8).collect());
        let population = Population { texts: 5000, spreads: vec![spread; features().len()] };
        let json = serde_json::to_string(&population).unwrap();
        assert!(json.len() <= 175_000, "{}", json.len());
        assert_eq!(Population::from_json(&json), Ok(population));
    }

    #[test]
    fn invalid_files_are_refused() {
        let good = serde_json::to_string(&one(&[1.0, 2.0])).unwrap();
        assert!(Population::from_json(&good).is_ok());
        let first = features()[0].name;
        for (from, to, error) in [
            ("{", "[", PopulationError::Malformed { line: 1, column: 1 }),
            ("\"version\":1", "\"version\":7", PopulationError::Version { found: 7 }),
            (first, "other", PopulationError::Features),
            ("[1.0,", "[9.0,", PopulationError::Quantiles { feature: first }),
            ("[1.0,", "[", PopulationError::Quantiles { feature: first }),
        ] {
            let bad = good.replacen(from, to, 1);
            let found = Population::from_json(&bad).unwrap_err();
            match error {
                PopulationError::Malformed { .. } => {
                    assert!(matches!(found, PopulationError::Malformed { .. }))
                }
                _ => assert_eq!(found, error),
            }
        }
        assert!(Population::from_json(&good.replacen("[1.0,", "[-1e99,", 1)).is_err());
        assert!(serde_json::from_str::<Population>("{}").is_err());
    }

    #[test]
    fn rounding_keeps_five_digits() {
        assert_eq!(rounded(123.456_79), 123.46);
        assert_eq!(rounded(0.001_234_567), 0.001_234_6);
        assert_eq!(rounded(-9.999_999), -10.0);
        assert!(rounded(f32::MIN_POSITIVE).is_finite() && rounded(f32::MAX).is_finite());
    }

    proptest! {
        #[test]
        fn percentiles_grow_with_the_value(
            values in prop::collection::vec(prop_oneof![Just(0.0_f32), -50.0..50.0_f32, Just(7.0)], 1..300),
            a in -60.0..60.0_f32,
            b in prop_oneof![Just(0.0_f32), Just(7.0), -60.0..60.0_f32],
        ) {
            let population = one(&values);
            let (low, high) = (population.percentile(0, a.min(b)), population.percentile(0, a.max(b)));
            prop_assert!(0.0 <= low && low <= high && high <= 100.0, "{low} {high}");
        }

        #[test]
        fn reading_never_panics(json in ".{0,200}") {
            let _ = Population::from_json(&json);
        }
    }
}
