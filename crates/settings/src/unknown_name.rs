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
    let given = given.replace('_', "-");
    let length = given.chars().count();
    if length > LONGEST {
        return None;
    }
    let (typos, name) = names.iter().map(|name| (typos(&given, name), *name)).min()?;
    (typos <= (length / 3).max(1)).then_some(name)
}

/// Returns the number of omitted, added, replaced or swapped letters, ignoring case.
fn typos(a: &str, b: &str) -> usize {
    strsim::osa_distance(&a.to_lowercase(), &b.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!((typos(a, b), typos(b, a)), (expected, expected), "{a} {b}");
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
