//! Texts and their release.

use std::fmt;

use crate::Error;

/// Texts and their release, in the same order. `Debug` shows their number only.
///
/// ```
/// use inkveil_eval::attack::ReleasedTexts;
///
/// assert!(ReleasedTexts::new(&["Ana", "Bob"], &["[name]", "[name]"]).is_ok());
/// assert!(ReleasedTexts::new(&["Ana", "Bob"], &["[name]"]).is_err());
/// ```
#[derive(Clone, Copy)]
pub struct ReleasedTexts<'a> {
    originals: &'a [&'a str],
    released: &'a [&'a str],
}

impl<'a> ReleasedTexts<'a> {
    /// Pairs originals with their release.
    ///
    /// # Errors
    /// If the numbers of texts differ, or there are fewer than two texts.
    pub fn new(originals: &'a [&'a str], released: &'a [&'a str]) -> Result<Self, Error> {
        if originals.len() != released.len() {
            return Err(Error::argument(format!(
                "there are {} originals and {} released texts; give the same texts in the same order",
                originals.len(),
                released.len()
            )));
        }
        if originals.len() < 2 {
            return Err(Error::argument(
                "an attack needs two texts or more: the attacker knows some and attacks the others",
            ));
        }
        Ok(Self { originals, released })
    }

    /// The originals.
    pub fn originals(&self) -> &'a [&'a str] {
        self.originals
    }

    /// The released texts.
    pub fn released(&self) -> &'a [&'a str] {
        self.released
    }

    /// The number of texts, at least 2.
    pub fn count(&self) -> usize {
        self.originals.len()
    }
}

impl fmt::Debug for ReleasedTexts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReleasedTexts({})", self.count())
    }
}
