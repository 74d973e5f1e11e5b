//! Suggestions for unknown names.

use std::fmt;

/// An unknown name, with the name that was probably meant.
///
/// ```
/// use inkveil_settings::UnknownName;
///
/// let error = UnknownName::new("unit", "wrods", ["letters", "words"]);
/// assert_eq!(error.to_string(), "there is no unit \"wrods\"; did you mean \"words\"?");
///
/// let error = UnknownName::new("unit", "miles", ["letters", "words"]);
/// assert_eq!(error.to_string(), "there is no unit \"miles\"; use one of letters, words");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    what: &'static str,
    given: String,
    advice: String,
}

impl UnknownName {
    /// Creates the error for a name `given` that is not in `names`. `what` is what they are names
    /// of.
    pub fn new<'a>(what: &'static str, given: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        /// Longer names are shortened, so that messages stay readable.
        const SHOWN: usize = 40;
        let mut shown: String = given.chars().take(SHOWN).collect();
        if shown.len() < given.len() {
            shown.push('…');
        }
        Self { what, given: shown, advice: advice(given, names) }
    }

    /// The problem, without the advice.
    pub(crate) fn wrong(&self) -> String {
        format!("there is no {} {:?}", self.what, self.given)
    }

    /// The advice.
    pub(crate) fn advice(&self) -> &str {
        &self.advice
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.wrong(), self.advice)
    }
}

impl std::error::Error for UnknownName {}

/// Suggests the nearest name, or lists all names.
fn advice<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    /// The largest number of listed names.
    const SHOWN: usize = 60;
    let names: Vec<&str> = names.into_iter().collect();
    match nearest(given, &names) {
        Some(name) => format!("did you mean {name:?}?"),
        None if names.is_empty() => "remove it".to_owned(),
        None if names.len() > SHOWN => format!("use one of {}, …", names[..SHOWN].join(", ")),
        None => format!("use one of {}", names.join(", ")),
    }
}

/// Returns the name with few typing errors, if there is one.
fn nearest<'a>(given: &str, names: &[&'a str]) -> Option<&'a str> {
    /// The longest name. The distance takes time and memory in the square of the length.
    const LONGEST: usize = 64;
    let given: Vec<char> = given.chars().map(|c| if c == '_' { '-' } else { c }).collect();
    if given.len() > LONGEST {
        return None;
    }
    let typos = |name: &&'a str| typos(&given, &name.chars().collect::<Vec<char>>());
    let found = names.iter().copied().map(|name| (typos(&name), name)).min()?;
    (found.0 <= (given.len() / 3).max(1)).then_some(found.1)
}

/// Returns the number of omitted, added, replaced or swapped letters (the optimal string alignment
/// distance), ignoring case.
fn typos(a: &[char], b: &[char]) -> usize {
    let same = |x: char, y: char| x.to_lowercase().eq(y.to_lowercase());
    // The rows of the distance table: the one before the last, the last, and the current one.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut cost = (last[j] + usize::from(!same(x, y))).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && same(x, b[j - 1]) && same(a[i - 1], y) {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &str, b: &str) -> usize {
        typos(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
    }

    #[test]
    fn typing_errors_are_counted() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("email", "email", 0),
            ("EMAIL", "email", 0),
            ("emial", "email", 1),
            ("mail", "email", 1),
            ("emails", "email", 1),
            ("émail", "email", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!((distance(a, b), distance(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn suggests_the_nearest_name_or_lists_all() {
        let names = ["email", "phone", "credit-card"];
        assert_eq!(nearest("credit_card", &names), Some("credit-card"));
        assert_eq!(nearest("Phone", &names), Some("phone"));
        assert_eq!(nearest("weather", &names), None);
        assert_eq!(nearest("", &names), None);
        assert_eq!(nearest(&"x".repeat(100_000), &names), None);
        assert_eq!(
            UnknownName::new("kind", "weather", names).to_string(),
            "there is no kind \"weather\"; use one of email, phone, credit-card"
        );
    }
}
