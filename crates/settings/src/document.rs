//! Parses the text of a settings file.

use std::path::Path;

use toml::de::DeTable;

use crate::{Problem, Reader, SettingsError, Table};

/// Reads the text of a settings file with `read`. `file` is its name for messages.
///
/// If the reader noted a problem, the result of `read` is dropped, so `read` may continue with any
/// value in place of an invalid one.
///
/// ```
/// use inkveil_settings::parse;
///
/// let shout = |text| {
///     parse(text, "shout.toml", |reader, table| {
///         table.get("loud").and_then(|value| reader.boolean(value)).unwrap_or(false)
///     })
/// };
/// assert_eq!(shout("loud = true"), Ok(true));
/// assert_eq!(shout(""), Ok(false));
/// assert_eq!(shout("loud = 11").unwrap_err().problems()[0].what(), "this is a number");
/// ```
pub fn parse<T>(
    text: &str,
    file: impl AsRef<Path>,
    read: impl FnOnce(&mut Reader, Table<'_>) -> T,
) -> Result<T, SettingsError> {
    let file = file.as_ref();
    let (document, faults) = DeTable::parse_recoverable(text);
    if !faults.is_empty() {
        // The values of a file with syntax errors are not reliable.
        let problem = |fault: &toml::de::Error| match fault.span() {
            Some(range) => Problem::new(text, range, format!("this is not TOML: {}", fault.message())),
            None => Problem::unplaced(format!("this is not TOML: {}", fault.message())),
        };
        return Err(SettingsError::new(file, faults.iter().map(problem).collect()));
    }
    let mut reader = Reader::new();
    let value = read(&mut reader, Table::new(&document.span(), document.get_ref()));
    let problems = reader.problems(text);
    if problems.is_empty() { Ok(value) } else { Err(SettingsError::new(file, problems)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax_errors_are_reported_with_their_line() {
        let text = "a = 1\nb = [\"x\"\nc = = 1\n";
        let error = parse(text, "veil.toml", |_, _| unreachable!()).unwrap_err();
        assert_eq!(error.file(), "veil.toml");
        assert!(!error.problems().is_empty());
        for problem in error.problems() {
            assert!(problem.line() >= Some(2) && problem.what().starts_with("this is not TOML: "), "{error}");
        }
        let error = parse("a = 1\na = 2\n", "veil.toml", |_, _| ()).unwrap_err();
        assert_eq!((error.problems()[0].line(), error.problems()[0].column()), (Some(2), Some(1)));
    }

    #[test]
    fn problems_are_sorted_by_line() {
        let error = parse("a = 1\nb = 2\n", "veil.toml", |reader, table| {
            for key in ["b", "a"] {
                reader.boolean(table.get(key).unwrap());
            }
        })
        .unwrap_err();
        let lines: Vec<_> = error.problems().iter().map(Problem::line).collect();
        assert_eq!(lines, [Some(1), Some(2)]);
    }
}
