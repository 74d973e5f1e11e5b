//! Reads settings files.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::{Problem, SettingsError};

/// The longest settings file, or file that it names. A wrong file is not read into memory.
const LONGEST: u64 = 64 << 20;

/// Reads the text of the settings file at `path`.
///
/// ```
/// let error = inkveil_settings::read_file("no-such-folder/veil.toml").unwrap_err();
/// assert!(error.to_string().starts_with("no-such-folder/veil.toml: cannot read it: "));
/// ```
pub fn read_file(path: impl AsRef<Path>) -> Result<String, SettingsError> {
    let path = path.as_ref();
    text_of(path).map_err(|what| SettingsError::new(path, vec![Problem::unplaced(what)]))
}

/// Reads the text of a file, or describes the problem.
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
    fn unreadable_files_are_refused_with_their_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("veil.toml");
        let message = read_file(&path).unwrap_err().to_string();
        assert!(message.contains("veil.toml: cannot read it: "), "{message}");
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
        // A sparse file of zeros.
        file.as_file().set_len(LONGEST + 1).unwrap();
        let error = read_file(file.path()).unwrap_err();
        assert!(error.problems()[0].what().starts_with("it is longer than 64 MB"), "{error}");
    }
}
