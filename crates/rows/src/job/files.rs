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

/// The files that names stand for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expanded {
    /// The files to read.
    pub files: Vec<JobFile>,
    /// What was found in folders and by patterns and is not read.
    pub skipped: Vec<Skipped>,
}

/// Something in a folder that is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its path.
    pub path: PathBuf,
    /// Why it is not read.
    pub why: SkipReason,
}

/// Why something in a folder is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    /// Its name does not tell a format of rows.
    UnknownFormat,
    /// It is a symbolic link, which may lead out of the folder.
    Link,
    /// Its name begins with a dot.
    Hidden,
    /// It is neither a file nor a folder.
    NotAFile,
}

impl SkipReason {
    /// Returns the reason for a message.
    pub fn words(self) -> &'static str {
        match self {
            Self::UnknownFormat => "unknown format",
            Self::Link => "a link",
            Self::Hidden => "hidden",
            Self::NotAFile => "not a file",
        }
    }
}

/// Returns the files that these names stand for: files, folders with everything below them, and patterns such as
/// `data/*.parquet`. Files of a folder or pattern are sorted by name. Links in folders are read only if `links` is true; a
/// link that is named itself always is.
///
/// # Errors
/// If there is no file, or a named file has an unknown format. In folders, files of unknown formats are skipped.
pub fn expand(names: &[PathBuf], from: Option<RecordFormat>, links: bool) -> Result<Expanded, Error> {
    let mut found = Expanded::default();
    for name in names {
        let shown = name.display().to_string();
        if name.is_dir() {
            let before = found.files.len();
            let mut walk = Walk { root: name, from, links, above: Vec::new(), found: &mut found };
            walk.folder(name).map_err(|error| error.in_file(&shown))?;
            if found.files.len() == before {
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
            let before = found.files.len();
            for path in matches {
                match !links && path.is_symlink() {
                    true => found.skipped.push(Skipped { path, why: SkipReason::Link }),
                    false => found.files.push(JobFile::new(path, from)?),
                }
            }
            if found.files.len() == before {
                return Err(Error::from(ErrorKind::NoMatch).in_file(&shown));
            }
        } else {
            // A text typed in place of a file name must not appear in an error.
            if !name.exists() && shown.contains(char::is_whitespace) {
                return Err(ErrorKind::NoMatch.into());
            }
            found.files.push(JobFile::new(name.clone(), from)?);
        }
    }
    Ok(found)
}

/// A walk through a folder.
struct Walk<'a> {
    root: &'a Path,
    from: Option<RecordFormat>,
    links: bool,
    /// The folders above, with links resolved: a link must not lead back to one of them.
    above: Vec<PathBuf>,
    found: &'a mut Expanded,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path) -> Result<(), Error> {
        let failed = |error: std::io::Error| Error::io("read this folder", &error);
        let place = folder.canonicalize().map_err(failed)?;
        if self.above.contains(&place) {
            self.skip(folder.to_owned(), SkipReason::Link);
            return Ok(());
        }
        let mut entries: Vec<PathBuf> = fs::read_dir(folder)
            .map_err(failed)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        entries.sort();
        self.above.push(place);
        for path in entries {
            self.entry(path)?;
        }
        self.above.pop();
        Ok(())
    }

    fn entry(&mut self, path: PathBuf) -> Result<(), Error> {
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden {
            self.skip(path, SkipReason::Hidden);
        } else if !self.links && path.is_symlink() {
            self.skip(path, SkipReason::Link);
        } else if path.is_dir() {
            self.folder(&path)?;
        } else if !path.is_file() {
            self.skip(path, SkipReason::NotAFile);
        } else if RecordFormat::of(&path).is_none() {
            self.skip(path, SkipReason::UnknownFormat);
        } else {
            let mut file = JobFile::new(path.clone(), self.from)?;
            file.below = path.strip_prefix(self.root).map(Path::to_owned).unwrap_or(file.below);
            self.found.files.push(file);
        }
        Ok(())
    }

    fn skip(&mut self, path: PathBuf, why: SkipReason) {
        self.found.skipped.push(Skipped { path, why });
    }
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
        let expand = |name: PathBuf, from| expand(&[name], from, false);
        let Expanded { files, skipped } = expand(root.to_owned(), None).unwrap();
        assert_eq!(below(&files), ["a.csv.gz", "b.jsonl", "sub/c.txt"]);
        let skipped: Vec<SkipReason> = skipped.iter().map(|skipped| skipped.why).collect();
        assert_eq!(skipped, [SkipReason::Hidden, SkipReason::UnknownFormat]);
        assert_eq!(below(&expand(root.join("*.jsonl"), None).unwrap().files), ["b.jsonl"]);
        assert!(expand(root.join("*.xyz"), None).is_err());
        assert!(expand(root.join("d.png"), None).is_err());
        assert_eq!(expand(root.join("d.png"), Some(RecordFormat::Lines)).unwrap().files.len(), 1);
        let renamed = files[0].renamed(RecordFormat::Parquet, Packing::None);
        assert_eq!(renamed, PathBuf::from("a.parquet"));
        assert_eq!(files[1].renamed(RecordFormat::Jsonl, Packing::Zstd), PathBuf::from("b.jsonl.zst"));
        let typed = expand("my secret words".into(), None).unwrap_err();
        assert!(!typed.to_string().contains("secret"));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_read_only_if_asked_for_and_never_in_a_circle() {
        use std::os::unix::fs::symlink;
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = folder.path();
        fs::write(root.join("a.txt"), "x").unwrap();
        fs::write(outside.path().join("secret.txt"), "x").unwrap();
        symlink(outside.path().join("secret.txt"), root.join("file.txt")).unwrap();
        symlink(outside.path(), root.join("folder")).unwrap();
        symlink(root, root.join("circle")).unwrap();
        let counts = |links| {
            let found = expand(&[root.to_owned()], None, links).unwrap();
            (found.files.len(), found.skipped.len())
        };
        assert_eq!((counts(false), counts(true)), ((1, 3), (3, 1)));
        assert_eq!(expand(&[root.join("file.txt")], None, false).unwrap().files.len(), 1);
        assert_eq!(expand(&[root.join("*.txt")], None, false).unwrap().skipped.len(), 1);
    }
}
