//! Where results are written to. A file appears under its name whole, or not at all.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::error::{Error, ErrorKind};

/// Where results are written to: a file, standard output, or any writer.
///
/// A file is written under a hidden temporary name in the same folder. It gets its name when
/// [`Finished::commit`](crate::Finished::commit) is called; whatever happens before, an existing file is untouched and
/// the temporary file is removed. A new file gets the permissions any new file of the user gets; a file that is replaced
/// keeps its own.
pub struct Output(pub(crate) Target);

pub(crate) enum Target {
    File(PendingFile),
    Stdout(io::Stdout),
    Writer(Box<dyn Write + Send>),
}

/// A file under its temporary name.
pub(crate) struct PendingFile {
    temporary: NamedTempFile,
    /// Resolved, to compare and rename.
    path: PathBuf,
    /// As given, for people.
    name: String,
    overwrite: bool,
}

impl Output {
    /// A file. An existing one is refused unless `overwrite`.
    pub fn file(path: impl AsRef<Path>, overwrite: bool) -> Result<Self, Error> {
        let path = path.as_ref();
        PendingFile::create(path, overwrite)
            .map(|file| Output(Target::File(file)))
            .map_err(|e| e.in_file(&path.display().to_string()))
    }

    /// Standard output. What was written there cannot be taken back.
    pub fn stdout() -> Self {
        Output(Target::Stdout(io::stdout()))
    }

    /// Any writer. What was written there cannot be taken back.
    pub fn writer(writer: Box<dyn Write + Send>) -> Self {
        Output(Target::Writer(writer))
    }

    /// Writes all of a small result and commits it. A file that is opened early and written late, such as a receipt, is known
    /// to be writable before the work begins.
    pub fn put(self, bytes: &[u8]) -> Result<(), Error> {
        let name = self.name();
        let mut sink = self.stream();
        sink.write_all(bytes).map_err(|e| Error::io("write it", &e).in_file(&name))?;
        sink.finish(0).commit()
    }

    /// Begins a result that is written piece by piece.
    ///
    /// ```
    /// use std::io::Write;
    /// use inkveil_io::Output;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("report.txt");
    /// let mut sink = Output::file(&path, false)?.stream();
    /// sink.write_all(b"one line\n")?;
    /// assert!(!path.exists()); // not before it is whole
    /// sink.finish(0).commit()?;
    /// assert_eq!(std::fs::read(&path)?, b"one line\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stream(self) -> Sink {
        Sink { name: self.name(), target: self.0, hash: Sha256::new(), bytes: 0 }
    }

    /// What errors call this output.
    pub(crate) fn name(&self) -> String {
        match &self.0 {
            Target::File(file) => file.name.clone(),
            Target::Stdout(_) => "standard output".to_owned(),
            Target::Writer(_) => "output".to_owned(),
        }
    }

    /// Whether this output would replace the file at `path`, which has no symbolic links.
    pub fn replaces(&self, path: &Path) -> bool {
        matches!(&self.0, Target::File(file) if file.path == path)
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Output({})", self.name())
    }
}

impl PendingFile {
    fn create(path: &Path, overwrite: bool) -> Result<Self, Error> {
        let permissions = match fs::metadata(path) {
            // Renaming over a device or a folder would destroy or fail; over a file it is what was asked for.
            Ok(found) if !found.is_file() => return Err(ErrorKind::NotAFile.into()),
            Ok(_) if !overwrite => return Err(ErrorKind::Exists.into()),
            Ok(found) => Some(found.permissions()),
            Err(_) => None,
        };
        let name = path.display().to_string();
        let path = resolve(path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".inkveil-").suffix(".tmp");
        // What remains of this after the umask is what the user expects of a new file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temporary =
            builder.tempfile_in(folder).map_err(|e| Error::io("create a file in this folder", &e))?;
        if let Some(permissions) = permissions {
            temporary
                .as_file()
                .set_permissions(permissions)
                .map_err(|e| Error::io("set its permissions", &e))?;
        }
        Ok(PendingFile { temporary, path, name, overwrite })
    }

    /// Makes the file durable, then gives it its name.
    fn commit(self) -> Result<(), Error> {
        self.temporary.as_file().sync_all().map_err(|e| Error::io("flush it to disk", &e))?;
        let renamed = if self.overwrite {
            self.temporary.persist(&self.path)
        } else {
            // Fails if another program has taken the name since.
            self.temporary.persist_noclobber(&self.path)
        };
        renamed.map_err(|e| match e.error.kind() {
            io::ErrorKind::AlreadyExists => ErrorKind::Exists.into(),
            _ => Error::io("rename the finished file", &e.error),
        })?;
        sync_folder(&self.path)
    }
}

/// The absolute path with symbolic links resolved; the last component need not exist.
fn resolve(path: &Path) -> Result<PathBuf, Error> {
    if let Ok(found) = path.canonicalize() {
        return Ok(found);
    }
    let name = path.file_name().ok_or(ErrorKind::NotAFile)?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = folder.canonicalize().map_err(|e| Error::io("find its folder", &e))?;
    Ok(folder.join(name))
}

/// Without this a crash may undo the renaming.
#[cfg(unix)]
fn sync_folder(path: &Path) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(|e| Error::io("flush its folder", &e))
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> Result<(), Error> {
    Ok(())
}

/// A result that is being written: counts and hashes its bytes. Dropping it removes a file.
pub struct Sink {
    name: String,
    target: Target,
    hash: Sha256,
    bytes: u64,
}

impl Sink {
    /// Says that all is written; `rows` is how many rows that was, where there are rows.
    pub fn finish(self, rows: u64) -> Finished {
        let sha256 = self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Finished { rows, bytes: self.bytes, sha256, name: self.name, target: self.target }
    }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sink({}, {} bytes)", self.name, self.bytes)
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.target {
            Target::File(file) => file.temporary.write(bytes),
            Target::Stdout(stdout) => stdout.write(bytes),
            Target::Writer(writer) => writer.write(bytes),
        }?;
        // A writer that claims more than it was given must not make this panic.
        self.hash.update(bytes.get(..written).unwrap_or(bytes));
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::File(file) => file.temporary.flush(),
            Target::Stdout(stdout) => stdout.flush(),
            Target::Writer(writer) => writer.flush(),
        }
    }
}

/// A result that is complete, but has not got its name yet.
///
/// Dropping it removes the file. [`commit`](Finished::commit) keeps it: the file is flushed to disk, renamed, and its
/// folder flushed too.
#[must_use = "the file gets its name only when it is committed"]
pub struct Finished {
    rows: u64,
    bytes: u64,
    sha256: String,
    name: String,
    target: Target,
}

impl Finished {
    /// The vectors written.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The bytes written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The SHA-256 of the bytes written, in lowercase hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Gives a file its name; flushes anything else.
    pub fn commit(self) -> Result<(), Error> {
        match self.target {
            Target::File(file) => file.commit(),
            Target::Stdout(mut stdout) => stdout.flush().map_err(|e| Error::io("write it", &e)),
            Target::Writer(mut writer) => writer.flush().map_err(|e| Error::io("write it", &e)),
        }
        .map_err(|e| e.in_file(&self.name))
    }
}

impl fmt::Debug for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finished")
            .field("name", &self.name)
            .field("rows", &self.rows)
            .field("bytes", &self.bytes)
            .field("sha256", &self.sha256)
            .finish()
    }
}

/// Writes a small file whole or not at all, for example a receipt.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("receipt.json");
/// inkveil_io::write_atomically(&path, b"{}", false)?;
/// assert!(inkveil_io::write_atomically(&path, b"[]", false).is_err()); // it exists
/// assert_eq!(std::fs::read(&path)?, b"{}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_atomically(path: &Path, bytes: &[u8], overwrite: bool) -> Result<(), Error> {
    Output::file(path, overwrite)?.put(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_gets_its_name_only_when_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut sink = Output::file(&path, false).unwrap().stream();
        sink.write_all(b"abc").unwrap();
        assert!(names(folder.path()).iter().all(|name| name.starts_with(".inkveil-")));
        let finished = sink.finish(1);
        // The SHA-256 of "abc", from FIPS 180-2.
        assert_eq!(finished.sha256(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!((finished.rows(), finished.bytes()), (1, 3));
        assert!(!path.exists());
        finished.commit().unwrap();
        assert_eq!(names(folder.path()), ["a"]);
        assert_eq!(fs::read(&path).unwrap(), b"abc");
    }

    #[test]
    fn dropping_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"old").unwrap();
        let mut sink = Output::file(&path, true).unwrap().stream();
        sink.write_all(b"new").unwrap();
        drop(sink.finish(1));
        assert_eq!(names(folder.path()), ["a"]);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn a_name_taken_meanwhile_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let finished = Output::file(&path, false).unwrap().stream().finish(0);
        fs::write(&path, b"other").unwrap();
        assert_eq!(finished.commit().unwrap_err().kind(), &ErrorKind::Exists);
        assert_eq!(names(folder.path()), ["a"]);
        assert_eq!(fs::read(&path).unwrap(), b"other");
    }

    #[test]
    fn folders_and_missing_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Output::file(folder.path(), true).unwrap_err().kind(), &ErrorKind::NotAFile);
        let error = Output::file(folder.path().join("no/a"), true).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Io { .. }) && error.to_string().contains("no/a"),
            "{error}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_the_usual_or_kept() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_atomically(&path, b"1", false).unwrap();
        let usual = folder.path().join("usual");
        fs::write(&usual, b"1").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), mode(&usual));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write_atomically(&path, b"2", true).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        // A link is written through, not replaced.
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_atomically(&link, b"3", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"3");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
