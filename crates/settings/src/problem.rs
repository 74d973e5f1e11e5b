//! Problems of a settings file.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use crate::excerpt::Excerpt;

/// All problems of a settings file.
///
/// Settings are not private, so messages show the lines they refer to.
///
/// ```
/// use inkveil_settings::parse;
///
/// let error = parse("tier = \"fast\"\nthreshhold = 0.7\n", "veil.toml", |reader, table| {
///     reader.only_keys(table, "setting", &["tier", "threshold"]);
/// })
/// .unwrap_err();
/// assert_eq!(error.problems()[0].line(), Some(2));
/// assert_eq!(
///     error.to_string(),
///     r#"veil.toml:2:1: there is no setting "threshhold"
///   |
/// 2 | threshhold = 0.7
///   | ^^^^^^^^^^
///   = did you mean "threshold"?"#
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    file: String,
    problems: Vec<Problem>,
}

impl SettingsError {
    /// Creates an error with the problems sorted by line.
    pub(crate) fn new(file: &Path, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| (problem.line(), problem.column()));
        Self(Box::new(Inner { file: file.display().to_string(), problems }))
    }

    /// The problems, sorted by line.
    pub fn problems(&self) -> &[Problem] {
        &self.0.problems
    }

    /// The name of the file.
    pub fn file(&self) -> &str {
        &self.0.file
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { file, problems } = &*self.0;
        for (index, problem) in problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            match &problem.place {
                Some(place) => {
                    write!(f, "{file}:{}:{}: {}\n{place}", place.line, place.column, problem.what)?
                }
                None => write!(f, "{file}: {}", problem.what)?,
            }
            if let Some(advice) = &problem.advice {
                let margin = problem.line().map_or(0, |line| line.to_string().len());
                write!(f, "\n{:margin$} = {advice}", "")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for SettingsError {}

/// One problem of a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    place: Option<Excerpt>,
    what: String,
    advice: Option<String>,
}

impl Problem {
    /// Creates a problem at `range`, in bytes of `text`.
    pub(crate) fn new(text: &str, range: Range<usize>, what: impl Into<String>) -> Self {
        Self { place: Some(Excerpt::new(text, range)), what: what.into(), advice: None }
    }

    /// Creates a problem of the whole file.
    pub(crate) fn unplaced(what: impl Into<String>) -> Self {
        Self { place: None, what: what.into(), advice: None }
    }

    /// What to do about it.
    pub(crate) fn advice_is(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// The line, from 1, or none for a problem of the whole file.
    pub fn line(&self) -> Option<usize> {
        self.place.as_ref().map(|place| place.line)
    }

    /// The first character in the line, from 1.
    pub fn column(&self) -> Option<usize> {
        self.place.as_ref().map(|place| place.column)
    }

    /// The description of the problem.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<&str> {
        self.advice.as_deref()
    }
}
