//! Files that must not be the same.

use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};

/// Fails if two arguments name the same file, because writing one would destroy the other. Each argument has a name for
/// the message, and a path if it is given.
///
/// ```
/// use std::path::Path;
/// use inkveil_files::refuse_same_file;
///
/// let (input, output) = (Path::new("a.csv"), Path::new("./a.csv"));
/// assert!(refuse_same_file(&[("the input", Some(input)), ("the receipt", None)]).is_ok());
/// let error = refuse_same_file(&[("the input", Some(input)), ("the output", Some(output))]).unwrap_err();
/// assert_eq!(error.to_string(), "the input and the output are the same file; choose another name");
/// ```
///
/// # Errors
/// If two paths lead to the same file.
pub fn refuse_same_file(files: &[(&str, Option<&Path>)]) -> Result<(), Error> {
    let known: Vec<(&str, PathBuf)> =
        files.iter().filter_map(|(name, path)| Some((*name, resolved((*path)?)?))).collect();
    for (index, (name, path)) in known.iter().enumerate() {
        if let Some((first, _)) = known[..index].iter().find(|(_, earlier)| earlier == path) {
            let (first, second) = ((*first).to_owned(), (*name).to_owned());
            return Err(ErrorKind::SameFile { first, second }.into());
        }
    }
    Ok(())
}

/// A file that does not exist yet is identified by its folder and its name.
fn resolved(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    })
}
