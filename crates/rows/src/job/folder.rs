//! The folder of a job: what a job must keep so that it can be resumed.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use inkveil_files::{Sha256Sum, lock_private, write_private};
use inkveil_privacy::Secret;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};

/// The folder of a job, held by one process at a time.
///
/// It keeps the identity of the job's settings, a secret such as the key of its noise, and the state of each file. A
/// caller may keep more in it, such as finished parts of a file. Only its owner can read the folder. The secret has a file
/// of its own, which is written once and overwritten before it is removed.
///
/// A file is released in three steps, so that a process that is killed at any point can be resumed:
/// [`about_to_release`](Self::about_to_release) stores the checksum, then the caller gives the file its name, then
/// [`mark_done`](Self::mark_done) stores that it is complete. After a restart [`is_released`](Self::is_released)
/// recognises a file that has its name but is not marked.
///
/// ```
/// use inkveil_rows::JobFolder;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("job");
/// let output = folder.path().join("out.npy");
/// let files = vec![(folder.path().join("in.npy"), output.clone())];
/// let mut job = JobFolder::start(&path, "epsilon 1", vec![7; 32].into(), &files, false)?;
///
/// std::fs::write(&output, b"noise")?;
/// job.about_to_release(0, 5, 0, &inkveil_files::Sha256Sum::of(b"noise").to_string())?;
/// drop(job); // the process is killed
///
/// let mut job = JobFolder::resume(&path, "epsilon 1", &files)?;
/// assert_eq!(job.secret().expose(), &[7; 32]);
/// assert!(job.is_released(0) && !job.files()[0].done);
/// job.mark_done(0)?;
/// job.remove()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct JobFolder {
    path: PathBuf,
    /// Held until the process ends.
    _lock: File,
    identity: String,
    secret: Secret<Vec<u8>>,
    files: Vec<FileState>,
    /// Whether everything was released and an earlier process was stopped while it removed the folder.
    complete: bool,
}

/// The state of one file of a job.
#[derive(Serialize, Deserialize, Default, Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileState {
    /// The path of the input.
    pub input: String,
    /// The path of the output.
    pub output: String,
    /// The SHA-256 of the output, from just before it gets its name.
    pub sha256: Option<String>,
    /// Whether the output has its name and everything after that has happened.
    pub done: bool,
    /// The number of rows in the output.
    pub rows: u64,
    /// The number of rows that were rejected.
    pub rejected: u64,
}

/// The content of `job.json`.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    settings: String,
    files: Vec<FileState>,
}

const VERSION: u32 = 3;
const STATE: &str = "job.json";
/// The state of a job that is complete, while its folder is removed.
const COMPLETE: &str = "complete.json";
const LOCK: &str = "lock";
const KEY: &str = "key";
/// The longest secret. A wrong file is not read into memory.
const LONGEST_KEY: u64 = 4096;

impl JobFolder {
    /// Starts a job: creates its folder and stores its state. With `replace`, an interrupted job is removed first.
    ///
    /// # Errors
    /// If an interrupted job is there and must not be replaced, another process works on it, or the folder cannot be
    /// written.
    pub fn start(
        path: &Path,
        identity: &str,
        secret: Secret<Vec<u8>>,
        files: &[(PathBuf, PathBuf)],
        replace: bool,
    ) -> Result<Self, Error> {
        Self::check_startable(path, replace)?;
        if path.exists() {
            // A running job must not lose its folder.
            drop(lock(path)?);
            erase(path)?;
        }
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path).map_err(|e| Error::io("create it", &e).in_file(path))?;
        let folder = Self {
            path: path.to_owned(),
            _lock: lock(path)?,
            identity: identity.to_owned(),
            secret,
            files: new_states(files),
            complete: false,
        };
        // The key comes first: a state without its key could not be resumed.
        write_key(&path.join(KEY), &folder.secret)?;
        folder.save()?;
        Ok(folder)
    }

    /// Fails if an interrupted job is there, unless it may be replaced.
    ///
    /// # Errors
    /// [`ErrorKind::InterruptedJob`].
    pub fn check_startable(path: &Path, replace: bool) -> Result<(), Error> {
        // Without a state there is nothing to resume: the process ended while it created the folder.
        match path.join(STATE).exists() && !replace {
            true => Err(ErrorKind::InterruptedJob { folder: path.to_owned() }.into()),
            false => Ok(()),
        }
    }

    /// Opens the folder of an interrupted job.
    ///
    /// # Errors
    /// If there is no such job, another process works on it, its state is damaged, or it was started with another
    /// identity or other files.
    pub fn resume(path: &Path, identity: &str, files: &[(PathBuf, PathBuf)]) -> Result<Self, Error> {
        if !path.is_dir() {
            return Err(ErrorKind::NothingToResume { folder: path.to_owned() }.into());
        }
        let held = lock(path)?;
        let complete = !path.join(STATE).exists();
        let Stored { settings, files: states, .. } = match complete {
            false => load(&path.join(STATE))?,
            true if path.join(COMPLETE).exists() => load(&path.join(COMPLETE))?,
            true => nearly_removed(path, identity, files)?,
        };
        let names = |states: &[FileState]| -> Vec<(String, String)> {
            states.iter().map(|file| (file.input.clone(), file.output.clone())).collect()
        };
        if settings != identity {
            return Err(Error::cannot_resume("the interrupted job was started with other settings"));
        }
        if names(&states) != names(&new_states(files)) {
            return Err(Error::cannot_resume("the interrupted job was started with other files"));
        }
        // The key of a complete job is gone. Nothing is computed any more.
        let secret = if complete { Secret::new(Vec::new()) } else { read_key(&path.join(KEY))? };
        Ok(Self { path: path.to_owned(), _lock: held, identity: settings, secret, files: states, complete })
    }

    /// Returns whether an earlier process released and recorded everything, and was stopped while it removed the folder.
    /// Then only [`remove`](Self::remove) is left to do, and there is no secret any more.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the secret that the caller has stored. **Private.**
    pub fn secret(&self) -> &Secret<Vec<u8>> {
        &self.secret
    }

    /// Returns the state of each file.
    pub fn files(&self) -> &[FileState] {
        &self.files
    }

    /// Stores the checksum and the row counts of a complete file, just before it gets its name.
    ///
    /// # Errors
    /// If the state cannot be written.
    pub fn about_to_release(
        &mut self,
        index: usize,
        rows: u64,
        rejected: u64,
        sha256: &str,
    ) -> Result<(), Error> {
        if let Some(file) = self.files.get_mut(index) {
            (file.rows, file.rejected, file.sha256) = (rows, rejected, Some(sha256.to_owned()));
        }
        self.save()
    }

    /// Returns whether the file at the output's path has the checksum that was stored before the release.
    pub fn is_released(&self, index: usize) -> bool {
        let Some(FileState { output, sha256: Some(expected), .. }) = self.files.get(index) else {
            return false;
        };
        Sha256Sum::of_file(Path::new(output)).is_ok_and(|found| found.to_string() == *expected)
    }

    /// Stores that a file is released and complete.
    ///
    /// # Errors
    /// If the state cannot be written.
    pub fn mark_done(&mut self, index: usize) -> Result<(), Error> {
        if let Some(file) = self.files.get_mut(index) {
            file.done = true;
        }
        self.save()
    }

    /// Overwrites the secret and removes the folder, when everything is released and recorded. A process that is killed
    /// in between leaves a job that [`is_complete`](Self::is_complete).
    ///
    /// # Errors
    /// If the folder cannot be removed.
    pub fn remove(self) -> Result<(), Error> {
        let failed = |error: std::io::Error| Error::io("remove it", &error).in_file(&self.path);
        match fs::rename(self.path.join(STATE), self.path.join(COMPLETE)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        overwrite_key(&self.path)?;
        // The state goes last: as long as anything is left, it says that the job is complete.
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_name() != COMPLETE {
                remove_any(&entry.path()).map_err(failed)?;
            }
        }
        remove_any(&self.path.join(COMPLETE)).map_err(failed)?;
        fs::remove_dir(&self.path).map_err(failed)
    }

    /// Removes the folder of a job that has nothing to resume. If it stays, the next run reports it.
    pub(super) fn discard(&self) {
        let _ = erase(&self.path);
    }

    fn save(&self) -> Result<(), Error> {
        let stored = Stored { version: VERSION, settings: self.identity.clone(), files: self.files.clone() };
        // A struct of strings and numbers always serialises.
        let bytes = serde_json::to_vec(&stored).unwrap_or_default();
        Ok(write_private(&self.path.join(STATE), &bytes, true)?)
    }
}

/// Writes the secret to a new file that only its owner can read. The bytes go from the secret to the system without a
/// copy.
fn write_key(path: &Path, secret: &Secret<Vec<u8>>) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let write = || {
        let mut file = options.open(path)?;
        file.write_all(secret.expose())?;
        file.sync_all()
    };
    write().map_err(|e| Error::io("write it", &e).in_file(path.display().to_string()))
}

fn read_key(path: &Path) -> Result<Secret<Vec<u8>>, Error> {
    // The buffer is large enough from the start, because a growing one leaves copies in memory.
    let mut secret = Secret::new(Vec::with_capacity(LONGEST_KEY as usize + 1));
    let read = File::open(path).and_then(|file| file.take(LONGEST_KEY).read_to_end(secret.expose_mut()));
    match read {
        Ok(_) => Ok(secret),
        Err(_) => Err(damaged(path)),
    }
}

/// Overwrites the secret of a job and removes its folder. Disks that write in other places keep the old bytes, so the
/// folder belongs on an encrypted disk.
///
/// The state goes first: a process that is killed in between leaves a folder without a state, which is no job any more.
fn erase(folder: &Path) -> Result<(), Error> {
    let removed = |error: std::io::Error| Error::io("remove it", &error).in_file(folder);
    match fs::remove_file(folder.join(STATE)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(removed(error)),
        _ => {}
    }
    overwrite_key(folder)?;
    fs::remove_dir_all(folder).map_err(removed)
}

fn overwrite_key(folder: &Path) -> Result<(), Error> {
    let key = folder.join(KEY);
    let overwrite = || {
        let mut file = OpenOptions::new().write(true).open(&key)?;
        let length = file.metadata()?.len().min(LONGEST_KEY);
        file.write_all(&vec![0; length as usize])?;
        file.sync_all()
    };
    match overwrite() {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("overwrite the key", &error).in_file(key.display().to_string()))
        }
        _ => Ok(()),
    }
}

/// Removes a file or a folder, if it is there.
fn remove_any(path: &Path) -> std::io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The state of a job of which only an empty folder is left. If all outputs are there, only the folder itself was not
/// removed yet.
fn nearly_removed(path: &Path, identity: &str, files: &[(PathBuf, PathBuf)]) -> Result<Stored, Error> {
    let is_empty = fs::read_dir(path).is_ok_and(|entries| {
        entries.into_iter().all(|entry| entry.is_ok_and(|entry| entry.file_name() == LOCK))
    });
    let released = !files.is_empty() && files.iter().all(|(_, output)| output.is_file());
    match is_empty && released {
        true => Ok(Stored { version: VERSION, settings: identity.to_owned(), files: new_states(files) }),
        false => Err(damaged(&path.join(STATE))),
    }
}

impl fmt::Debug for JobFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JobFolder({}, {} files)", self.path.display(), self.files.len())
    }
}

fn new_states(files: &[(PathBuf, PathBuf)]) -> Vec<FileState> {
    let name = |path: &Path| path.display().to_string();
    files
        .iter()
        .map(|(input, output)| FileState { input: name(input), output: name(output), ..FileState::default() })
        .collect()
}

fn lock(path: &Path) -> Result<File, Error> {
    let lock = lock_private(&path.join(LOCK))?;
    lock.ok_or_else(|| ErrorKind::JobBusy { folder: path.to_owned() }.into())
}

fn load(path: &Path) -> Result<Stored, Error> {
    let bytes = fs::read(path).map_err(|_| damaged(path))?;
    let stored: Stored = serde_json::from_slice(&bytes).map_err(|_| damaged(path))?;
    match stored.version {
        VERSION => Ok(stored),
        _ => Err(Error::cannot_resume(format!("{} was written by another version", path.display()))),
    }
}

fn damaged(path: &Path) -> Error {
    Error::cannot_resume(format!("{} is damaged", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Vec<(PathBuf, PathBuf)> {
        vec![("a.csv".into(), "b.csv".into())]
    }

    #[test]
    fn a_job_is_resumed_with_the_same_settings_and_files_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job");
        let missing = JobFolder::resume(&path, "one", &files()).unwrap_err();
        assert!(matches!(missing.kind(), ErrorKind::NothingToResume { .. }));
        let job = JobFolder::start(&path, "one", b"secret".to_vec().into(), &files(), false).unwrap();
        assert!(!format!("{job:?}").contains("secret"));
        let busy = JobFolder::resume(&path, "one", &files()).unwrap_err();
        assert!(matches!(busy.kind(), ErrorKind::JobBusy { .. }));
        drop(job);
        let again = JobFolder::start(&path, "one", Vec::new().into(), &files(), false).unwrap_err();
        assert!(matches!(again.kind(), ErrorKind::InterruptedJob { .. }));
        for (identity, files) in [("two", files()), ("one", Vec::new())] {
            let error = JobFolder::resume(&path, identity, &files).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::CannotResume { .. }), "{error}");
        }
        let job = JobFolder::resume(&path, "one", &files()).unwrap();
        assert_eq!(job.secret().expose(), b"secret");
        drop(job);
        let job = JobFolder::start(&path, "two", Vec::new().into(), &files(), true).unwrap();
        job.remove().unwrap();
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_state() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job");
        let _job = JobFolder::start(&path, "", vec![1, 2].into(), &[], false).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&path.join(STATE)), mode(&path.join(KEY))), (0o700, 0o600, 0o600));
    }

    /// Every state that a kill can leave while the folder is removed.
    #[test]
    fn a_complete_job_is_known_until_its_folder_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let (path, output) = (folder.path().join("job"), folder.path().join("b.csv"));
        let files = vec![(PathBuf::from("a.csv"), output.clone())];
        type Step = fn(&Path);
        let steps: [Step; 5] = [
            |_| {},
            |path| fs::write(path.join(KEY), [0; 4]).unwrap(),
            |path| fs::remove_file(path.join(KEY)).unwrap(),
            |path| fs::remove_file(path.join(LOCK)).unwrap(),
            |path| fs::remove_file(path.join(COMPLETE)).unwrap(),
        ];
        for killed_after in 1..=steps.len() {
            fs::write(&output, b"rows").unwrap();
            let mut job = JobFolder::start(&path, "one", vec![1, 2].into(), &files, false).unwrap();
            job.about_to_release(0, 7, 0, &Sha256Sum::of(b"rows").to_string()).unwrap();
            job.mark_done(0).unwrap();
            drop(job);
            fs::rename(path.join(STATE), path.join(COMPLETE)).unwrap();
            steps[..killed_after].iter().for_each(|step| step(&path));
            let job = JobFolder::resume(&path, "one", &files).unwrap();
            assert!(job.is_complete() && job.secret().expose().is_empty(), "{killed_after}");
            job.remove().unwrap();
            assert!(!path.exists() && output.exists());
        }
        // A folder without an output is no complete job.
        fs::remove_file(&output).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(JobFolder::resume(&path, "one", &files).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_secret_is_written_once_and_overwritten_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job");
        let secret = b"an unmistakable key".to_vec();
        let mut job = JobFolder::start(&path, "", secret.clone().into(), &files(), false).unwrap();
        job.about_to_release(0, 1, 0, "ab").unwrap();
        job.mark_done(0).unwrap();
        let state = fs::read(path.join(STATE)).unwrap();
        let digits = inkveil_files::hex::encode(&secret);
        assert!(!state.windows(digits.len()).any(|window| window == digits.as_bytes()));
        // A second name of the same file shows what is left of it after its removal.
        let witness = folder.path().join("witness");
        fs::hard_link(path.join(KEY), &witness).unwrap();
        assert_eq!(fs::read(&witness).unwrap(), secret);
        job.remove().unwrap();
        assert_eq!(fs::read(&witness).unwrap(), vec![0; secret.len()]);
        // The same for an interrupted job that is replaced.
        drop(JobFolder::start(&path, "", secret.clone().into(), &files(), false).unwrap());
        fs::remove_file(&witness).unwrap();
        fs::hard_link(path.join(KEY), &witness).unwrap();
        JobFolder::start(&path, "", Vec::new().into(), &files(), true).unwrap();
        assert_eq!(fs::read(&witness).unwrap(), vec![0; secret.len()]);
    }

    #[test]
    fn a_damaged_state_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job");
        drop(JobFolder::start(&path, "", vec![1].into(), &[], false).unwrap());
        let good = fs::read_to_string(path.join(STATE)).unwrap();
        for bad in ["", "{}", &good.replace("\"version\":3", "\"version\":1")] {
            fs::write(path.join(STATE), bad).unwrap();
            let error = JobFolder::resume(&path, "", &[]).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::CannotResume { .. }), "{error}");
        }
        fs::write(path.join(STATE), good).unwrap();
        fs::remove_file(path.join(KEY)).unwrap();
        let error = JobFolder::resume(&path, "", &[]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::CannotResume { .. }), "{error}");
    }
}
