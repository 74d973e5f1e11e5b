//! Aligns the words of a text with its release.

use std::ops::Range;

use inkveil_lexicon::{Lexicon, TextUnit};

use super::space::TokenSpace;
use crate::Error;

/// A word of a text, and its released form. It has positions and numbers, no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairedWord {
    /// Its range of bytes in the original.
    pub range: Range<usize>,
    /// Its number, if the lexicon has it.
    pub original: Option<usize>,
    /// The number of its released form, if the lexicon has it.
    pub released: Option<usize>,
    /// The range of bytes of its released form; empty if it was left out.
    pub released_range: Range<usize>,
}

/// Finds the released form of each word by the cheapest edits that turn the text into its release:
/// words can be kept, replaced, left out or added. It works for releases of any tool.
///
/// ```
/// use std::sync::Arc;
/// use inkveil_eval::attack::{TokenSpace, pair_words};
/// use inkveil_lexicon::Lexicon;
///
/// let words = ["we", "drink", "tea", "coffee"].map(String::from).to_vec();
/// let lexicon = Arc::new(Lexicon::words_from_table(words, &[1.0, 0.0, 0.8, 0.6, 0.0, -1.0, 0.1, -0.9], 2)?);
/// let space = TokenSpace::new(&lexicon);
/// let pairs = pair_words(&lexicon, &space, "We drink tea", "We coffee")?;
/// assert_eq!(pairs.iter().map(|pair| pair.released).collect::<Vec<_>>(), [Some(0), None, Some(3)]);
/// let masked = pair_words(&lexicon, &space, "We drink tea", "We drink [coffee]")?;
/// assert_eq!(masked[2].released, None); // a placeholder is not a word
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a text cannot be split into words.
pub fn pair_words(
    lexicon: &Lexicon,
    space: &TokenSpace,
    original: &str,
    released: &str,
) -> Result<Vec<PairedWord>, Error> {
    let (before, after) = (lexicon.align(original)?, lexicon.align(released)?);
    let number = |unit: &TextUnit| unit.id().and_then(|id| space.number(id));
    let text = |unit: &TextUnit, of: &str| of.get(unit.range()).unwrap_or_default().to_lowercase();
    let left: Vec<(String, &TextUnit)> =
        before.units().iter().map(|unit| (text(unit, original), unit)).collect();
    let right: Vec<(String, &TextUnit)> =
        after.units().iter().map(|unit| (text(unit, released), unit)).collect();
    // A placeholder such as `[person]` is not a released form.
    let placeholders = placeholders(released);
    let is_placeholder = |unit: &TextUnit| {
        placeholders.iter().any(|range| range.start < unit.range().end && unit.range().start < range.end)
    };
    let partners = align(left.len(), right.len(), |a, b| {
        let ((left, left_unit), (right, right_unit)) = (&left[a], &right[b]);
        match (left == right, number(left_unit).is_some() == number(right_unit).is_some()) {
            (true, _) => 0,
            (false, true) => CHANGE,
            // Punctuation rarely replaces a word.
            (false, false) => CHANGE + 1,
        }
    });
    let paired = |((_, unit), partner): (&(String, &TextUnit), Option<usize>)| {
        let partner = partner.map(|partner| right[partner].1);
        PairedWord {
            range: unit.range(),
            original: number(unit),
            released: partner.filter(|unit| !is_placeholder(unit)).and_then(number),
            released_range: partner.map_or(0..0, TextUnit::range),
        }
    };
    Ok(left.iter().zip(partners).map(paired).collect())
}

/// The placeholders of a text, in square brackets.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    const LONGEST: usize = 40;
    let mut found = Vec::new();
    for (start, _) in text.match_indices('[') {
        let inside = text[start + 1..].split(']').next().unwrap_or_default();
        let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-');
        let end = start + 1 + inside.len();
        if end < text.len() && inside.len() <= LONGEST && !inside.is_empty() && inside.chars().all(plain) {
            found.push(start..end + 1);
        }
    }
    found
}

/// The cost of replacing a word, and of leaving one out or adding one. Three replacements cost as
/// much as four words that are left out or added.
const CHANGE: u32 = 4;
const GAP: u32 = 3;

/// The width of the band around the diagonal in which long texts are compared.
const REACH: usize = 400;

/// For each item on the left its partner on the right, if it has one, with the least sum of costs.
fn align(left: usize, right: usize, cost: impl Fn(usize, usize) -> u32) -> Vec<Option<usize>> {
    let reach = REACH.max(left.abs_diff(right) + 1);
    let from = |row: usize| (row * right.max(1) / left.max(1)).saturating_sub(reach);
    let width = 2 * reach + 2;
    // The costs of a band of columns in each row.
    let far = u32::MAX / 4;
    let mut costs = vec![far; (left + 1) * width];
    let at = |row: usize, column: usize| {
        let place = column.checked_sub(from(row))?;
        (place < width && column <= right).then_some(row * width + place)
    };
    for row in 0..=left {
        for column in from(row)..=(from(row) + width - 1).min(right) {
            let Some(here) = at(row, column) else { continue };
            if row == 0 && column == 0 {
                costs[here] = 0;
                continue;
            }
            let of = |place: Option<usize>| place.map_or(far, |place| costs[place]);
            let mut least = far;
            if row > 0 && column > 0 {
                least = least.min(of(at(row - 1, column - 1)).saturating_add(cost(row - 1, column - 1)));
            }
            if row > 0 {
                least = least.min(of(at(row - 1, column)).saturating_add(GAP));
            }
            if column > 0 {
                least = least.min(of(at(row, column - 1)).saturating_add(GAP));
            }
            costs[here] = least;
        }
    }
    let mut partners = vec![None; left];
    let (mut row, mut column) = (left, right);
    while row > 0 {
        let of = |row, column| at(row, column).map_or(far, |place| costs[place]);
        let here = of(row, column);
        if column > 0 && of(row - 1, column - 1).saturating_add(cost(row - 1, column - 1)) == here {
            (row, column) = (row - 1, column - 1);
            partners[row] = Some(column);
        } else if column > 0 && of(row, column - 1).saturating_add(GAP) == here {
            column -= 1;
        } else {
            row -= 1;
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partners(left: &str, right: &str) -> Vec<Option<usize>> {
        let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
        align(left.len(), right.len(), |a, b| if left[a] == right[b] { 0 } else { CHANGE })
    }

    #[test]
    fn kept_words_are_aligned() {
        assert_eq!(partners("abc", "abc"), [Some(0), Some(1), Some(2)]);
        assert_eq!(partners("abc", "axc"), [Some(0), Some(1), Some(2)]);
        assert_eq!(partners("abc", "ac"), [Some(0), None, Some(1)]);
        assert_eq!(partners("ac", "abc"), [Some(0), Some(2)]);
        assert_eq!(partners("abc", ""), [None, None, None]);
        assert_eq!(partners("", "abc"), []);
    }

    #[test]
    fn long_texts_are_aligned_near_the_diagonal() {
        let left: String = (0..3_000).map(|i| char::from(b'a' + (i * 7 % 26) as u8)).collect();
        let right: String = left.chars().skip(5).collect();
        let found = partners(&left, &right);
        assert!(found.iter().skip(10).zip(5_usize..).all(|(partner, place)| *partner == Some(place)));
    }
}
