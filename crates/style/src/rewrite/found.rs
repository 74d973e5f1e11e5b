//! How often attackers find the writer of a text among other authors.

use std::fmt;

/// The quantile of the normal distribution for intervals of 95 %.
const QUANTILE: f64 = 1.96;

/// The share of other writers whom an attacker takes before the writer of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearer {
    /// The share.
    pub share: f64,
    /// The number of writers, or of their prototypes, that it was counted among.
    pub of: u64,
}

/// A probability with an interval of 95 %. The interval covers the draw of the other authors and nothing else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// The estimate.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Nearer {
    /// Returns the chance that an attacker who takes the nearest finds the writer among this many authors, the writer
    /// included. The others are drawn from the population.
    ///
    /// ```
    /// use inkveil_style::Nearer;
    ///
    /// // Half of all others are nearer.
    /// let chance = Nearer { share: 0.5, of: 1000 }.chance(3);
    /// assert_eq!(chance.estimate, 0.25);
    /// assert!(chance.low < 0.25 && chance.high > 0.25);
    /// ```
    pub fn chance(&self, authors: u32) -> Chance {
        // Wilson's interval, which is sound for shares near 0.
        let (share, count) = (self.share, self.of.max(1) as f64);
        let square = QUANTILE * QUANTILE;
        let middle = (share + square / (2.0 * count)) / (1.0 + square / count);
        let spread = share * (1.0 - share) / count + square / (4.0 * count * count);
        let half = QUANTILE / (1.0 + square / count) * spread.sqrt();
        Chance {
            estimate: chance(share, authors),
            low: chance(middle + half, authors),
            high: chance(middle - half, authors),
        }
    }
}

impl Chance {
    /// Returns the mean over cases that are equally likely.
    pub(super) fn mean(cases: &[Self]) -> Self {
        let mean = |of: fn(&Self) -> f64| cases.iter().map(of).sum::<f64>() / cases.len().max(1) as f64;
        Self {
            estimate: mean(|case| case.estimate),
            low: mean(|case| case.low),
            high: mean(|case| case.high),
        }
    }
}

/// The chance that none of the other authors is nearer.
fn chance(nearer: f64, authors: u32) -> f64 {
    (1.0 - nearer).clamp(0.0, 1.0).powf(f64::from(authors) - 1.0)
}

impl fmt::Display for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { estimate, low, high } = self;
        write!(f, "{:.0} % ({:.0} to {:.0} %)", 100.0 * estimate, 100.0 * low, 100.0 * high)
    }
}

/// How a text can be found, by attacker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// By an attacker with style vectors.
    pub style: Chance,
    /// By an attacker with n-grams of characters and words; none without earlier texts of the writer.
    pub ngrams: Option<Chance>,
}

impl Found {
    /// Returns the chance of the strongest attacker.
    pub fn strongest(&self) -> Chance {
        self.ngrams.filter(|ngrams| ngrams.high > self.style.high).unwrap_or(self.style)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_author_of_many_is_found_if_no_other_is_nearer() {
        let chance = |share, authors| Nearer { share, of: 4000 }.chance(authors);
        let nobody = chance(0.0, 50);
        assert_eq!((nobody.estimate, nobody.high), (1.0, 1.0));
        assert!((0.94..1.0).contains(&nobody.low), "{nobody:?}");
        assert_eq!(chance(1.0, 50).estimate, 0.0);
        assert_eq!(chance(0.3, 1).estimate, 1.0);
        // On average over all ranks it is guessing: 1/N.
        let mean = (0..10_000).map(|rank| chance(f64::from(rank) / 1e4, 50).estimate).sum::<f64>() / 1e4;
        assert!((mean - 0.02).abs() < 1e-4, "{mean}");
        let few = Nearer { share: 0.05, of: 40 }.chance(50);
        let many = chance(0.05, 50);
        assert!(few.high > many.high && few.low < many.low && few.estimate == many.estimate);
    }

    #[test]
    fn the_strongest_attacker_counts() {
        let of = |share| Nearer { share, of: 1000 }.chance(50);
        let both = Found { style: of(0.2), ngrams: Some(of(0.01)) };
        assert_eq!(both.strongest(), of(0.01));
        assert_eq!(Found { ngrams: None, ..both }.strongest(), of(0.2));
        assert_eq!(of(0.01).to_string(), "61 % (40 to 77 %)");
        assert_eq!(Chance::mean(&[of(0.0), of(1.0)]).estimate, 0.5);
    }
}
