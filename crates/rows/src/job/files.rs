//! The files of a job, found by names, folders and patterns.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::records::{Packing, RecordFormat};

/// A file of a job.
///
/// ```
/// use inkveil_rows::{JobFile, Packing, RecordFormat};
///
/// let file = JobFile::new("reviews.csv.gz".into(), None)?;
/// assert_eq!((file.format, file.packing), (RecordFormat::Csv, Packing::Gzip));
/// # Ok::<(), inkveil_rows::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFile {
    /// The input.
    pub input: PathBuf,
    /// The format of the input.
    pub format: RecordFormat,
    /// The compression of the input.
    pub packing: Packing,
    /// The path below the folder in which it was found; its file name if it was named itself.
    pub below: PathBuf,
}

impl JobFile {
    /// Returns the file of this path. The format follows from the name if it is not given.
    ///
    /// # Errors
    /// If the format is neither given nor known from the name.
    pub fn new(input: PathBuf, from: Option<RecordFormat>) -> Result<Self, Error> {
        let known = RecordFormat::of(&input);
        let packing = known.map(|(_, packing)| packing).unwrap_or_default();
        let format = from
            .or(known.map(|(format, _)| format))
            .ok_or_else(|| Error::from(ErrorKind::UnknownExtension).in_file(input.display().to_string()))?;
        let below = input.file_name().map(PathBuf::from).unwrap_or_default();
        Ok(Self { input, format, packing, below })
    }

    /// Returns its name in another format.
    pub fn renamed(&self, to: RecordFormat, packing: Packing) -> PathBuf {
        let same = to == self.format && packing == self.packing;
        if same {
            return self.below.clone();
        }
        let mut stem = self.below.clone();
        if self.packing != Packing::None {
            stem.set_extension("");
        }
        stem.set_extension(format!("{}{}", to.extension(), packing.extension()));
        stem
    }
}

/// Returns the files that these names stand for: files, folders with everything below them, and patterns such as
/// `data/*.parquet`. Files of a folder or pattern are sorted by name.
///
/// # Errors
/// If there is no file, or a named file has an unknown format. In folders, files of unknown formats are skipped.
pub fn expand(names: &[PathBuf], from: Option<RecordFormat>) -> Result<Vec<JobFile>, Error> {
    let mut files = Vec::new();
    for name in names {
        let shown = name.display().to_string();
        if name.is_dir() {
            let before = files.len();
            walk(name, name, from, &mut files).map_err(|error| error.in_file(&shown))?;
            if files.len() == before {
                return Err(Error::from(ErrorKind::NoMatch).in_file(&shown));
            }
        } else if !name.exists() && shown.contains(['*', '?', '[']) {
            let mut matches: Vec<PathBuf> = glob::glob(&shown)
                .map_err(|_| Error::from(ErrorKind::NoMatch).in_file(&shown))?
                .filter_map(Result::ok)
                .filter(|path| path.is_file())
                .collect();
            matches.sort();
            if matches.is_empty() {
                return Err(Error::from(ErrorKind::NoMatch).in_file(&shown));
            }
            for path in matches {
                files.push(JobFile::new(path, from)?);
            }
        } else {
            // A text typed in place of a file name must not appear in an error.
            if !name.exists() && shown.contains(char::is_whitespace) {
                return Err(ErrorKind::NoMatch.into());
            }
            files.push(JobFile::new(name.clone(), from)?);
        }
    }
    Ok(files)
}

fn walk(
    root: &Path,
    folder: &Path,
    from: Option<RecordFormat>,
    into: &mut Vec<JobFile>,
) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::io("read this folder", &error);
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    entries.sort();
    for path in entries {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, from, into)?;
        } else if let Ok(mut file) = JobFile::new(path.clone(), from)
            && path.is_file()
            && (from.is_none() || RecordFormat::of(&path).is_some())
        {
            file.below = path.strip_prefix(root).map(Path::to_owned).unwrap_or(file.below);
            into.push(file);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_patterns_become_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("sub")).unwrap();
        for name in ["b.jsonl", "a.csv.gz", "sub/c.txt", "d.png", ".hidden.txt"] {
            fs::write(root.join(name), "x").unwrap();
        }
        let below = |files: &[JobFile]| -> Vec<String> {
            files.iter().map(|file| file.below.display().to_string()).collect()
        };
        let files = expand(&[root.to_owned()], None).unwrap();
        assert_eq!(below(&files), ["a.csv.gz", "b.jsonl", "sub/c.txt"]);
        assert_eq!(below(&expand(&[root.join("*.jsonl")], None).unwrap()), ["b.jsonl"]);
        assert!(expand(&[root.join("*.xyz")], None).is_err());
        assert!(expand(&[root.join("d.png")], None).is_err());
        assert_eq!(expand(&[root.join("d.png")], Some(RecordFormat::Lines)).unwrap().len(), 1);
        let renamed = files[0].renamed(RecordFormat::Parquet, Packing::None);
        assert_eq!(renamed, PathBuf::from("a.parquet"));
        assert_eq!(files[1].renamed(RecordFormat::Jsonl, Packing::Zstd), PathBuf::from("b.jsonl.zst"));
        let typed = expand(&["my secret words".into()], None).unwrap_err();
        assert!(!typed.to_string().contains("secret"));
    }
}
