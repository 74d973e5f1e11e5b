//! Where results are written to. A file appears under its name whole, or not at all.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::digest::{Sha256Hasher, Sha256Sum};
use crate::error::{Error, ErrorKind};

/// Where results are written to: a file, standard output, or any writer.
///
/// A file is written under a hidden temporary name in the same folder. It gets its name when
/// [`Finished::commit`] is called. Until then an existing file is untouched. If the work fails, the temporary file is
/// removed. A new file gets the usual permissions of a new file; a file that is replaced keeps its permissions. A
/// [private file](Output::private_file) can be read by its owner alone, from its first byte on.
pub struct Output(Target);

enum Target {
    File(PendingFile),
    Stdout(io::Stdout),
    Writer(Box<dyn Write + Send>),
}

/// A file under its temporary name.
struct PendingFile {
    temporary: NamedTempFile,
    /// Resolved, for comparing and renaming.
    path: PathBuf,
    /// As given, for messages.
    name: String,
    overwrite: bool,
}

/// Who may read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Usual,
    OwnerOnly,
}

impl Output {
    /// A file. An existing one is refused unless `overwrite` is set.
    ///
    /// # Errors
    /// If the file exists and must not be overwritten, is not an ordinary file, or its folder cannot be written.
    pub fn file(path: impl AsRef<Path>, overwrite: bool) -> Result<Self, Error> {
        Self::pending(path.as_ref(), overwrite, Access::Usual)
    }

    /// A file that only its owner may read and write, whatever permissions an existing one has.
    ///
    /// # Errors
    /// Those of [`Output::file`].
    pub fn private_file(path: impl AsRef<Path>, overwrite: bool) -> Result<Self, Error> {
        Self::pending(path.as_ref(), overwrite, Access::OwnerOnly)
    }

    fn pending(path: &Path, overwrite: bool, access: Access) -> Result<Self, Error> {
        let file = PendingFile::create(path, overwrite, access).map_err(|e| e.in_file(path))?;
        Ok(Output(Target::File(file)))
    }

    /// Standard output. Bytes written there cannot be taken back.
    ///
    /// # Errors
    /// [`ErrorKind::StdoutClosed`] if it was closed when the process started: what is written would be lost.
    pub fn stdout() -> Result<Self, Error> {
        check_stdout()?;
        Ok(Output(Target::Stdout(io::stdout())))
    }

    /// Any writer. Bytes written there cannot be taken back.
    pub fn writer(writer: Box<dyn Write + Send>) -> Self {
        Output(Target::Writer(writer))
    }

    /// Writes all of a small result and commits it. An output that is opened before the work starts and written after it,
    /// such as a receipt, is known to be writable.
    ///
    /// # Errors
    /// If the bytes cannot be written.
    pub fn put(self, bytes: &[u8]) -> Result<(), Error> {
        let name = self.name();
        let mut sink = self.stream();
        sink.write_all(bytes).map_err(|e| Error::io("write it", &e).in_file(&name))?;
        sink.finish(0).commit()
    }

    /// Lets a library that opens files itself write the temporary file, then commits it.
    ///
    /// ```
    /// use inkveil_files::{Error, Output};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("a");
    /// Output::file(&path, false)?.fill_by_path(|temporary| {
    ///     std::fs::write(temporary, "abc")?;
    ///     Ok::<(), Box<dyn std::error::Error>>(())
    /// })?;
    /// assert_eq!(std::fs::read(&path)?, b"abc");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of `write` and of [`Finished::commit`], and [`ErrorKind::NotAFile`] if this output is not a file.
    pub fn fill_by_path<E: From<Error>>(self, write: impl FnOnce(&Path) -> Result<(), E>) -> Result<(), E> {
        let name = self.name();
        let Target::File(file) = self.0 else {
            return Err(Error::from(ErrorKind::NotAFile).in_file(name).into());
        };
        write(file.temporary.path())?;
        Ok(file.commit().map_err(|e| e.in_file(name))?)
    }

    /// Starts a result that is written in pieces.
    ///
    /// ```
    /// use std::io::Write;
    /// use inkveil_files::Output;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("report.txt");
    /// let mut sink = Output::file(&path, false)?.stream();
    /// sink.write_all(b"one line\n")?;
    /// assert!(!path.exists()); // it is not complete
    /// sink.finish(0).commit()?;
    /// assert_eq!(std::fs::read(&path)?, b"one line\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stream(self) -> Sink {
        Sink { name: self.name(), target: self.0, hasher: Sha256Hasher::new() }
    }

    /// Returns the name of this output for messages.
    pub fn name(&self) -> String {
        match &self.0 {
            Target::File(file) => file.name.clone(),
            Target::Stdout(_) => "standard output".to_owned(),
            Target::Writer(_) => "output".to_owned(),
        }
    }

    /// Returns whether this output would replace the file at `path`, which has no symbolic links.
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
    fn create(path: &Path, overwrite: bool, access: Access) -> Result<Self, Error> {
        let permissions = match fs::metadata(path) {
            // Renaming over a device would destroy it.
            Ok(found) if !found.is_file() => return Err(ErrorKind::NotAFile.into()),
            Ok(_) if !overwrite => return Err(ErrorKind::Exists.into()),
            Ok(found) if access == Access::Usual => Some(found.permissions()),
            Ok(_) => None,
            // A link to nowhere: writing through it would create a file that the user did not name.
            Err(_) if !overwrite && fs::symlink_metadata(path).is_ok() => {
                return Err(ErrorKind::Exists.into());
            }
            Err(_) => None,
        };
        let name = path.display().to_string();
        let path = resolve(path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let prefix = temporary_prefix(&path);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(match access {
            // The umask of the user reduces this to the usual permissions.
            Access::Usual => 0o666,
            Access::OwnerOnly => 0o600,
        }));
        let temporary = locked(|| builder.tempfile_in(folder))
            .map_err(|e| Error::io("create a file in this folder", &e))?;
        if let Some(permissions) = permissions {
            temporary
                .as_file()
                .set_permissions(permissions)
                .map_err(|e| Error::io("set its permissions", &e))?;
        }
        Ok(PendingFile { temporary, path, name, overwrite })
    }

    /// Flushes the file to disk and renames it.
    fn commit(self) -> Result<(), Error> {
        self.temporary.as_file().sync_all().map_err(|e| Error::io("flush it to disk", &e))?;
        let renamed = if self.overwrite {
            self.temporary.persist(&self.path)
        } else {
            // Fails if another program has created a file of this name since.
            self.temporary.persist_noclobber(&self.path)
        };
        renamed.map_err(|e| match e.error.kind() {
            io::ErrorKind::AlreadyExists => ErrorKind::Exists.into(),
            _ => Error::io("rename the finished file", &e.error),
        })?;
        sync_folder(&self.path)
    }
}

const SUFFIX: &str = ".tmp";

/// What SQLite keeps beside a file.
const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// Creates a temporary file and locks it. The lock ends with the process. It tells a file in work from one that a killed
/// process left behind.
fn locked(create: impl Fn() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    /// Another process may take a new file for a leftover before it is locked, but hardly twice.
    const TRIES: usize = 10;
    let mut temporary = create()?;
    for _ in 0..TRIES {
        // A file system without locks has no leftovers that could be recognised.
        if temporary.as_file().lock().is_err() || temporary.path().exists() {
            break;
        }
        temporary = create()?;
    }
    Ok(temporary)
}

/// The beginning of the temporary names of a file. It depends on the file's name, so that leftovers can be found.
fn temporary_prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let sum = Sha256Sum::of(name).to_string();
    format!(".inkveil-{}-", &sum[..16])
}

/// Removes what killed processes left of this output under temporary names. A file that another process writes now is
/// kept. A file that cannot be removed stays.
pub fn remove_leftovers(path: &Path) {
    let Ok(path) = resolve(path) else { return };
    let (prefix, folder) = (temporary_prefix(&path), path.parent().unwrap_or(Path::new(".")));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_str().filter(|name| name.starts_with(&prefix)).unwrap_or_default();
        // What SQLite kept beside a file that is gone.
        let base = BESIDE.iter().find_map(|ending| name.strip_suffix(ending));
        if base.is_some_and(|base| base.ends_with(SUFFIX) && !is_taken(&folder.join(base))) {
            let _ = fs::remove_file(entry.path());
        }
        let is_ours = name.ends_with(SUFFIX);
        let is_file = || entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_ours || !is_file() {
            continue;
        }
        let Ok(file) = fs::File::open(entry.path()) else { continue };
        // The lock is held until the file is gone.
        if file.try_lock().is_ok() {
            for ending in BESIDE {
                let mut beside = entry.path().into_os_string();
                beside.push(ending);
                let _ = fs::remove_file(beside);
            }
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns whether something has this name: a file, a folder, or a link, also one that leads nowhere. A check with
/// `Path::exists` overlooks such a link, and the output is then refused after all the work.
pub fn is_taken(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Creates a file that only its owner may read and write, or empties an existing one.
///
/// # Errors
/// If the file cannot be created.
pub fn create_private(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Fails if standard output was closed when the process started.
///
/// # Errors
/// [`ErrorKind::StdoutClosed`]: what is written would be lost.
pub fn check_stdout() -> Result<(), Error> {
    match stdout_is_closed() {
        true => Err(ErrorKind::StdoutClosed.into()),
        false => Ok(()),
    }
}

/// Returns whether standard output was closed when the process started.
///
/// The runtime of Rust opens `/dev/null` for reading and writing in place of a closed descriptor. A shell opens it for
/// writing only.
#[cfg(target_os = "linux")]
fn stdout_is_closed() -> bool {
    const READ_AND_WRITE: u32 = 2;
    let is_null = fs::read_link("/proc/self/fd/1").is_ok_and(|path| path == Path::new("/dev/null"));
    let flags = || {
        let info = fs::read_to_string("/proc/self/fdinfo/1").ok()?;
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
        u32::from_str_radix(flags.trim(), 8).ok()
    };
    is_null && flags().is_some_and(|flags| flags & 3 == READ_AND_WRITE)
}

#[cfg(not(target_os = "linux"))]
fn stdout_is_closed() -> bool {
    false
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

/// Without this a crash may undo the rename.
#[cfg(unix)]
fn sync_folder(path: &Path) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(|e| Error::io("flush its folder", &e))
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> Result<(), Error> {
    Ok(())
}

/// A result that is being written. It counts its bytes and computes their checksum. Dropping it removes the file.
pub struct Sink {
    name: String,
    target: Target,
    hasher: Sha256Hasher,
}

impl Sink {
    /// Ends the result. `rows` is the number of rows written, if there are rows.
    pub fn finish(self, rows: u64) -> Finished {
        let (bytes, sha256) = (self.hasher.bytes(), self.hasher.sum().to_string());
        Finished { rows, bytes, sha256, name: self.name, target: self.target }
    }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sink({}, {} bytes)", self.name, self.hasher.bytes())
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
        self.hasher.update(bytes.get(..written).unwrap_or(bytes));
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

/// A complete result under its temporary name.
///
/// Dropping it removes the file. [`commit`](Finished::commit) flushes the file to disk, renames it and flushes its
/// folder.
#[must_use = "the file gets its name only when it is committed"]
pub struct Finished {
    rows: u64,
    bytes: u64,
    sha256: String,
    name: String,
    target: Target,
}

impl Finished {
    /// Returns the number of rows written.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the number of bytes written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the SHA-256 of the bytes written, in lowercase hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Gives a file its name, and flushes any other output.
    ///
    /// # Errors
    /// If a file of this name was created meanwhile and must not be overwritten, or the bytes cannot be flushed.
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
/// # Errors
/// Those of [`Output::file`] and [`Output::put`].
pub fn write_atomically(path: &Path, bytes: &[u8], overwrite: bool) -> Result<(), Error> {
    Output::file(path, overwrite)?.put(bytes)
}

/// Writes a small file whole or not at all. Only its owner may read it.
///
/// # Errors
/// Those of [`Output::private_file`] and [`Output::put`].
pub fn write_private(path: &Path, bytes: &[u8], overwrite: bool) -> Result<(), Error> {
    Output::private_file(path, overwrite)?.put(bytes)
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

    #[test]
    fn leftovers_of_killed_processes_are_removed_and_files_in_work_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        let leave = |path: &Path| {
            let prefix = temporary_prefix(&resolve(path).unwrap());
            let left = folder.path().join(format!("{prefix}left{SUFFIX}"));
            fs::write(&left, b"half").unwrap();
            left
        };
        let (left, of_other) = (leave(&path), leave(&other));
        let journal = folder.path().join(format!("{}gone{SUFFIX}-journal", temporary_prefix(&path)));
        fs::write(&journal, b"half").unwrap();
        let in_work = Output::file(&path, false).unwrap();
        remove_leftovers(&path);
        assert!(!left.exists() && !journal.exists() && of_other.exists());
        in_work.put(b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nowhere_takes_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
        assert!(is_taken(&link) && !link.exists() && !is_taken(&folder.path().join("nowhere")));
    }

    #[cfg(unix)]
    #[test]
    fn private_files_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        write_private(&path, b"1", false).unwrap();
        assert_eq!(mode(), 0o600);
        assert_eq!(write_private(&path, b"2", false).unwrap_err().kind(), &ErrorKind::Exists);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write_private(&path, b"3", true).unwrap();
        assert_eq!((mode(), fs::read(&path).unwrap()), (0o600, b"3".to_vec()));
        assert_eq!(names(folder.path()), ["a"]);
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
