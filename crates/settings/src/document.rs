//! From a file to its values, or to all that is wrong with it.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use toml::de::DeTable;

use crate::{Problem, Reader, SettingsError, Table};

/// No settings file is longer, and none that it names; a wrong file is not read into memory.
const LONGEST: u64 = 64 << 20;

/// Reads a settings file's text with `read`; `file` is its name, for messages.
///
/// What `read` returns is dropped if its reader noted a problem, so it may go on with any value in place of a wrong one.
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
        // What a broken file seems to say beyond its faults is guesswork.
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

/// The text of the settings file at `path`.
///
/// ```
/// let error = inkveil_settings::read_file("no-such-folder/veil.toml").unwrap_err();
/// assert!(error.to_string().starts_with("no-such-folder/veil.toml: cannot read it: "));
/// ```
pub fn read_file(path: impl AsRef<Path>) -> Result<String, SettingsError> {
    let path = path.as_ref();
    text_of(path).map_err(|what| SettingsError::new(path, vec![Problem::unplaced(what)]))
}

/// The text of a file, or what is wrong with it.
pub(crate) fn text_of(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("cannot read it: {error}"))?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("it is longer than {} MB; check that this is the right file", LONGEST >> 20));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("byte {at} is not UTF-8; convert the file, for example with iconv")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_toml_is_told_with_its_line() {
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
    fn problems_come_in_the_order_of_lines() {
        let error = parse("a = 1\nb = 2\n", "veil.toml", |reader, table| {
            for key in ["b", "a"] {
                reader.boolean(table.get(key).unwrap());
            }
        })
        .unwrap_err();
        let lines: Vec<_> = error.problems().iter().map(Problem::line).collect();
        assert_eq!(lines, [Some(1), Some(2)]);
    }

    #[test]
    fn a_file_is_read_or_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("veil.toml");
        let said = read_file(&path).unwrap_err().to_string();
        assert!(said.contains("veil.toml: cannot read it: "), "{said}");
        std::fs::write(&path, b"tier = \"\xff\"").unwrap();
        let error = read_file(&path).unwrap_err();
        assert_eq!(
            error.problems()[0].what(),
            "byte 8 is not UTF-8; convert the file, for example with iconv"
        );
        assert_eq!(error.problems()[0].line(), None);
        std::fs::write(&path, "é = 1").unwrap();
        assert_eq!(read_file(&path).as_deref(), Ok("é = 1"));
    }

    #[test]
    fn a_file_that_is_too_long_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // A file of zeros that takes no room.
        file.as_file().set_len(LONGEST + 1).unwrap();
        let error = read_file(file.path()).unwrap_err();
        assert!(error.problems()[0].what().starts_with("it is longer than 64 MB"), "{error}");
    }
}
