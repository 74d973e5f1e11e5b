//! A goal for rewrites: how rarely attackers may find the writer.

use std::fmt;
use std::str::FromStr;

use super::found::{Chance, Found};
use super::settings::{Fallback, RewriteSettings};
use super::strength::{RewriteOverrides, Strength};
use crate::Error;

/// The largest number of authors. A memory has fewer styles, so more would say nothing.
const MOST_AUTHORS: u32 = 100_000;

/// The largest chance with which an attacker may find the writer among authors of the memory.
///
/// ```
/// use inkveil_style::Goal;
///
/// let goal: Goal = "0.1".parse()?;
/// assert_eq!((goal.chance(), goal.authors()), (0.1, 50));
/// assert_eq!("0.1,200".parse::<Goal>()?.to_string(), "at most 0.1 among 200 authors");
/// assert!("1.5".parse::<Goal>().is_err() && "0.001".parse::<Goal>().is_err());
/// # Ok::<(), inkveil_style::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    chance: f64,
    authors: u32,
}

impl Goal {
    /// The number of authors if none is named.
    pub const AUTHORS: u32 = 50;

    /// Returns the goal that an attacker finds the writer among this many authors with this chance at most.
    ///
    /// # Errors
    /// If there are fewer than two authors, or the chance is not between that of a guess and 1.
    pub fn new(chance: f64, authors: u32) -> Result<Self, Error> {
        if !(2..=MOST_AUTHORS).contains(&authors) {
            return Err(Error::setting(format!(
                "the number of authors of a goal is from 2 to {MOST_AUTHORS}; the writer is one of them"
            )));
        }
        if !(chance > 0.0 && chance < 1.0) {
            return Err(Error::setting(
                "the chance of a goal is a number above 0 and below 1; for example, 0.1 for one in ten",
            ));
        }
        let guess = 1.0 / f64::from(authors);
        if chance < guess {
            return Err(Error::setting(format!(
                "an attacker who guesses among {authors} authors is right with a chance of {guess:.3}; ask for that or more, or name more authors"
            )));
        }
        Ok(Self { chance, authors })
    }

    /// Returns the largest chance.
    pub fn chance(&self) -> f64 {
        self.chance
    }

    /// Returns the number of authors, the writer included.
    pub fn authors(&self) -> u32 {
        self.authors
    }

    /// Returns whether the upper end of the estimate for the strongest attacker is within the goal.
    pub fn is_reached(&self, found: &Found) -> bool {
        found.strongest().high <= self.chance
    }
}

/// Reads "0.1" or "0.1,200": the chance and, if it is not 50, the number of authors.
impl FromStr for Goal {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (chance, authors) = match text.split_once(',') {
            Some((chance, authors)) => (chance, Some(authors)),
            None => (text, None),
        };
        let wrong = || {
            Error::setting(
                "a goal is a chance, such as 0.1, or a chance and a whole number of authors, such as 0.1,200",
            )
        };
        let chance = chance.trim().parse().map_err(|_| wrong())?;
        let authors =
            authors.map_or(Ok(Self::AUTHORS), |authors| authors.trim().parse().map_err(|_| wrong()))?;
        Self::new(chance, authors)
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {} among {} authors", self.chance, self.authors)
    }
}

/// A goal, and the strengths that are tried until it is reached, from the weakest to the strongest.
#[derive(Debug, Clone, PartialEq)]
pub struct GoalSearch {
    /// The goal.
    pub goal: Goal,
    pub(crate) tries: [(Strength, RewriteSettings); 4],
}

impl GoalSearch {
    /// Tries all strengths, each with what a user sets besides it.
    pub fn new(goal: Goal, overrides: &RewriteOverrides) -> Self {
        Self { goal, tries: Strength::ALL.map(|strength| (strength, strength.settings_with(overrides))) }
    }

    /// Avoids no words of the original, for models that cannot.
    #[must_use]
    pub fn without_avoiding(mut self) -> Self {
        self.tries.iter_mut().for_each(|(_, settings)| settings.draft.avoid = 0.0);
        self
    }

    /// The settings of the strongest try. What a user set is the same in all of them.
    pub(crate) fn strongest(&self) -> &RewriteSettings {
        let [.., (_, settings)] = &self.tries;
        settings
    }

    /// Whether a text that misses the goal is released nevertheless.
    pub(crate) fn releases_closest(&self) -> bool {
        self.strongest().fallback == Fallback::Closest
    }
}

/// How a rewrite meets a goal.
#[derive(Debug, Clone, PartialEq)]
pub struct GoalReport {
    /// The goal.
    pub goal: Goal,
    /// The strength of this rewrite.
    pub strength: Strength,
    /// How its writer can be found; none if no candidate was good enough.
    pub found: Option<Found>,
    /// The passages that tell most about the writer, counted from 0, if the goal is missed: at most three, and the most
    /// telling first.
    pub reasons: Vec<usize>,
}

impl GoalReport {
    /// Returns whether the goal is reached.
    pub fn is_reached(&self) -> bool {
        self.found.as_ref().is_some_and(|found| self.goal.is_reached(found))
    }

    /// Returns the chance of the strongest attacker.
    pub fn chance(&self) -> Option<Chance> {
        self.found.map(|found| found.strongest())
    }

    /// Returns the estimates in words, by attacker.
    pub fn in_words(&self) -> String {
        let authors = self.goal.authors;
        let Some(found) = &self.found else {
            return format!("strength {}: no candidate is good enough", self.strength);
        };
        let ngrams =
            found.ngrams.map_or_else(String::new, |ngrams| format!(", one with n-grams with {ngrams}"));
        format!(
            "strength {}: an attacker with style vectors finds the writer among {authors} authors with a chance of {}{ngrams}",
            self.strength, found.style
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::found::Nearer;
    use super::*;

    #[test]
    fn bad_goals_are_refused_with_advice() {
        for bad in [
            "0",
            "1",
            "1.5",
            "NaN",
            "-1",
            "inf",
            "",
            "x",
            "0.1,",
            "0.1,1",
            "0.1,2.5",
            "0.1,-3",
            "0.1,1000000",
        ] {
            assert!(bad.parse::<Goal>().is_err(), "{bad}");
        }
        let error = "0.01".parse::<Goal>().unwrap_err().to_string();
        assert!(error.contains("guesses among 50 authors") && error.contains("0.020"), "{error}");
        assert!("0.02".parse::<Goal>().is_ok(), "the chance of a guess may be asked for");
        assert!("NaN".parse::<Goal>().unwrap_err().to_string().contains("above 0 and below 1"));
    }

    #[test]
    fn a_goal_is_reached_by_the_upper_end_of_the_strongest_attacker() {
        let goal = Goal::new(0.1, 50).unwrap();
        let of = |share| Nearer { share, of: 4000 }.chance(50);
        let found = |style, ngrams: Option<f64>| Found { style: of(style), ngrams: ngrams.map(of) };
        assert!(goal.is_reached(&found(0.06, None)) && goal.is_reached(&found(0.06, Some(0.2))));
        assert!(!goal.is_reached(&found(0.06, Some(0.01))) && !goal.is_reached(&found(0.01, None)));
        // The estimate is within the goal, but not its upper end.
        let close = found(0.0465, None);
        assert!(close.strongest().estimate < 0.1 && !goal.is_reached(&close));
    }

    #[test]
    fn tries_go_from_light_to_max_with_the_users_settings() {
        let overrides = RewriteOverrides { fallback: Some(Fallback::Closest), ..RewriteOverrides::default() };
        let search = GoalSearch::new(Goal::new(0.1, 50).unwrap(), &overrides);
        assert_eq!(search.tries.map(|(strength, _)| strength), Strength::ALL);
        assert!(search.releases_closest() && search.strongest().draft.avoid > 0.0);
        assert_eq!(search.without_avoiding().strongest().draft.avoid, 0.0);
    }
}
