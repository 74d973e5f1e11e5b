//! The cache: pulled packs and partial downloads.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::environment::Environment;
use crate::error::{Error, ErrorKind};
use crate::folder;
use crate::manifest::Manifest;
use crate::monitor::Monitor;
use crate::pack::Pack;
use crate::path::PackName;

/// The folder of pulled packs.
///
/// ```text
/// packs/NAME/         a complete pack
/// packs/.NAME.new     a pack that is being assembled
/// packs/.NAME.old     the pack that is being replaced
/// packs/.NAME.gone    a pack that is being removed
/// partial/NAME/       partial downloads, to resume
/// locks/NAME.lock     held by the process that pulls or removes the pack
/// embedded/CHECKSUM/  a pack that was unpacked from the program
/// ```
///
/// ```
/// use inkveil_pack::{Cache, Environment};
///
/// let cache = Cache::new(&Environment::fixed([("INKVEIL_CACHE", "/var/models")]))?;
/// assert_eq!(cache.folder(), std::path::Path::new("/var/models"));
/// # Ok::<(), inkveil_pack::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// The cache of an environment: `INKVEIL_CACHE`, or else the user's cache folder on this system.
    pub fn new(environment: &Environment) -> Result<Self, Error> {
        let usual = || {
            if cfg!(windows) {
                return environment.path("LOCALAPPDATA").map(|data| data.join("inkveil"));
            }
            let caches = environment.path("XDG_CACHE_HOME").filter(|path| path.is_absolute());
            let in_home = || {
                let folder = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
                environment.home().map(|home| home.join(folder))
            };
            caches.or_else(in_home).map(|caches| caches.join("inkveil"))
        };
        match environment.path("INKVEIL_CACHE").or_else(usual) {
            Some(root) => Ok(Self { root }),
            None => {
                let e = std::io::Error::from(std::io::ErrorKind::NotFound);
                Err(Error::io("find a home folder for the cache (set INKVEIL_CACHE)", &e))
            }
        }
    }

    /// A cache in a folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder of the cache.
    pub fn folder(&self) -> &Path {
        &self.root
    }

    /// The folder that contains the packs.
    pub fn packs_folder(&self) -> PathBuf {
        self.root.join("packs")
    }

    /// The folder of packs that were unpacked from the program.
    pub(crate) fn embedded_folder(&self) -> PathBuf {
        self.root.join("embedded")
    }

    /// The folder of a pack with this name. It need not exist.
    pub fn pack_folder(&self, name: &PackName) -> PathBuf {
        self.packs_folder().join(name.as_str())
    }

    /// The folder of partial downloads for a pack.
    pub(crate) fn partial_folder(&self, name: &PackName) -> PathBuf {
        self.root.join("partial").join(name.as_str())
    }

    /// Opens the pack with this name, if the cache has it.
    pub fn open(&self, name: &PackName) -> Result<Option<Pack>, Error> {
        let place = self.pack_folder(name);
        if place.is_dir() { Pack::open(place).map(Some) } else { Ok(None) }
    }

    /// Removes a pack and its partial downloads.
    pub fn remove(&self, name: &PackName, monitor: &mut Monitor<'_>) -> Result<(), Error> {
        let (place, old, partial) =
            (self.pack_folder(name), self.hidden(name, "old"), self.partial_folder(name));
        if [&place, &old, &partial].iter().all(|folder| !folder.is_dir()) {
            return Err(Error::from(ErrorKind::NotCached).of(name));
        }
        let _lock = self.lock(name, monitor)?;
        let gone = self.hidden(name, "gone");
        folder::remove(&gone)?;
        // Renames it first, so that no process opens a part of it.
        if place.is_dir() {
            folder::rename(&place, &gone)?;
        }
        [&gone, &old, &partial].into_iter().try_for_each(|folder| folder::remove(folder))
    }

    /// Starts a pack. Waits while another process works on one with the same name.
    pub(crate) fn begin(&self, name: &PackName, monitor: &mut Monitor<'_>) -> Result<Staging, Error> {
        let lock = self.lock(name, monitor)?;
        let folder = self.hidden(name, "new");
        // Removes the remains of a crashed process. The lock excludes a running one.
        folder::remove(&folder)?;
        folder::remove(&self.hidden(name, "gone"))?;
        self.settle(name)?;
        folder::create(&folder)?;
        Ok(Staging { folder, cache: self.clone(), name: name.clone(), _lock: lock })
    }

    /// Gives a finished pack its name and replaces an older one. If that fails, the older one remains. Needs the lock.
    fn give_name(&self, finished: &Path, name: &PackName) -> Result<PathBuf, Error> {
        let (place, old) = (self.pack_folder(name), self.hidden(name, "old"));
        if place.exists() {
            folder::rename(&place, &old)?;
        }
        let named = folder::rename(finished, &place);
        // If this fails too, the next pull of this name repairs it.
        let _ = self.settle(name);
        named.map(|()| place)
    }

    /// Completes an interrupted replacement: restores the old pack if the new one did not get its name, and removes it
    /// otherwise. Needs the lock.
    fn settle(&self, name: &PackName) -> Result<(), Error> {
        let (place, old) = (self.pack_folder(name), self.hidden(name, "old"));
        if old.is_dir() && !place.exists() { folder::rename(&old, &place) } else { folder::remove(&old) }
    }

    fn hidden(&self, name: &PackName, what: &str) -> PathBuf {
        self.packs_folder().join(format!(".{name}.{what}"))
    }

    fn lock(&self, name: &PackName, monitor: &mut Monitor<'_>) -> Result<File, Error> {
        let locks = self.root.join("locks");
        folder::create(&locks)?;
        let path = locks.join(format!("{name}.lock"));
        let failed = |e: &std::io::Error| Error::io("lock it", e).of(path.display());
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(|e| failed(&e))?;
        let mut reported = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(e)) => return Err(failed(&e)),
                Err(TryLockError::WouldBlock) => {
                    if !reported {
                        monitor.message(&format!("waiting for another process that works on {name}"));
                        reported = true;
                    }
                    monitor.sleep(Duration::from_millis(100))?;
                }
            }
        }
    }
}

/// A pack that is being assembled. [`commit`](Self::commit) gives it its name; dropping it removes the folder.
pub(crate) struct Staging {
    folder: PathBuf,
    cache: Cache,
    name: PackName,
    _lock: File,
}

impl Staging {
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the manifest and gives the pack its name. Replaces an older pack.
    pub(crate) fn commit(self, manifest: &Manifest) -> Result<Pack, Error> {
        manifest.write(&self.folder)?;
        Pack::open(&self.folder)?;
        let place = self.cache.give_name(&self.folder, &self.name)?;
        // No longer needed. The next pull of this name removes what remains.
        let _ = folder::remove(&self.cache.partial_folder(&self.name));
        sync(&self.cache.packs_folder());
        Pack::open(place)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // If it cannot be removed now, the next pull removes it.
        let _ = folder::remove(&self.folder);
    }
}

/// Makes the new name survive a crash, if the system supports it.
pub(crate) fn sync(folder: &Path) {
    #[cfg(unix)]
    let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = folder;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provenance;

    fn staged(cache: &Cache, name: &PackName, text: &str) -> (Staging, Manifest) {
        let staging = cache.begin(name, &mut Monitor::silent()).unwrap();
        fs::write(staging.folder().join("words.txt"), text).unwrap();
        let provenance = Provenance::new("CC0-1.0", "here", "a test");
        let manifest = Manifest::describe(staging.folder(), name.clone(), provenance).unwrap();
        (staging, manifest)
    }

    #[test]
    fn a_pack_appears_complete_or_not_at_all() {
        let home = tempfile::tempdir().unwrap();
        let (cache, name) = (Cache::at(home.path()), "a".parse().unwrap());
        let (staging, manifest) = staged(&cache, &name, "one");
        assert!(cache.open(&name).unwrap().is_none());
        drop(staging);
        let names = || {
            let found = fs::read_dir(cache.packs_folder()).unwrap();
            found.map(|e| e.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
        };
        assert!(names().is_empty());
        let (staging, _) = staged(&cache, &name, "one");
        staging.commit(&manifest).unwrap();
        let (staging, other) = staged(&cache, &name, "two");
        staging.commit(&other).unwrap();
        assert_eq!(names(), ["a"]);
        let pack = cache.open(&name).unwrap().unwrap();
        assert_eq!(fs::read_to_string(pack.file("words.txt").unwrap()).unwrap(), "two");
        cache.remove(&name, &mut Monitor::silent()).unwrap();
        assert!(names().is_empty());
        assert_eq!(cache.remove(&name, &mut Monitor::silent()).unwrap_err().kind(), &ErrorKind::NotCached);
    }

    #[test]
    fn a_failed_replacement_keeps_the_old_pack() {
        let home = tempfile::tempdir().unwrap();
        let (cache, name): (_, PackName) = (Cache::at(home.path()), "a".parse().unwrap());
        let words = || {
            let pack = cache.open(&name).unwrap().unwrap();
            fs::read_to_string(pack.file("words.txt").unwrap()).unwrap()
        };
        let (staging, manifest) = staged(&cache, &name, "one");
        staging.commit(&manifest).unwrap();
        // The new pack cannot be renamed.
        let absent = cache.packs_folder().join("absent");
        cache.give_name(&absent, &name).unwrap_err();
        assert_eq!(words(), "one");
        // The process crashed between the two renames.
        fs::rename(cache.pack_folder(&name), cache.hidden(&name, "old")).unwrap();
        drop(cache.begin(&name, &mut Monitor::silent()).unwrap());
        assert_eq!(words(), "one");
        // It crashed after them.
        fs::create_dir(cache.hidden(&name, "old")).unwrap();
        drop(cache.begin(&name, &mut Monitor::silent()).unwrap());
        assert_eq!(words(), "one");
        assert!(!cache.hidden(&name, "old").exists());
    }

    #[test]
    fn a_removed_pack_does_not_return() {
        let home = tempfile::tempdir().unwrap();
        let (cache, name): (_, PackName) = (Cache::at(home.path()), "a".parse().unwrap());
        let (staging, manifest) = staged(&cache, &name, "one");
        staging.commit(&manifest).unwrap();
        // A process that replaced it crashed, then one that removed it.
        fs::rename(cache.pack_folder(&name), cache.hidden(&name, "old")).unwrap();
        cache.remove(&name, &mut Monitor::silent()).unwrap();
        fs::create_dir(cache.hidden(&name, "gone")).unwrap();
        drop(cache.begin(&name, &mut Monitor::silent()).unwrap());
        assert!(cache.open(&name).unwrap().is_none());
        assert_eq!(fs::read_dir(cache.packs_folder()).unwrap().count(), 0);
    }

    #[test]
    fn concurrent_processes_take_turns() {
        let home = tempfile::tempdir().unwrap();
        let (cache, name): (_, PackName) = (Cache::at(home.path()), "a".parse().unwrap());
        let (staging, manifest) = staged(&cache, &name, "one");
        let other = std::thread::spawn({
            let (cache, name) = (cache.clone(), name.clone());
            move || {
                let mut waited = false;
                let never = std::sync::atomic::AtomicBool::new(false);
                let mut listener = |event: crate::ProgressEvent<'_>| {
                    waited |= matches!(event, crate::ProgressEvent::Message { .. })
                };
                let staging = cache.begin(&name, &mut Monitor::new(&mut listener, &never)).unwrap();
                drop(staging);
                waited
            }
        });
        std::thread::sleep(Duration::from_millis(250));
        assert!(
            staging.folder().join("words.txt").is_file(),
            "the second must not touch the files of the first"
        );
        staging.commit(&manifest).unwrap();
        assert!(other.join().unwrap());
        assert!(cache.open(&name).unwrap().is_some());
    }

    #[test]
    fn waiting_can_be_cancelled() {
        let home = tempfile::tempdir().unwrap();
        let (cache, name): (_, PackName) = (Cache::at(home.path()), "a".parse().unwrap());
        let _held = cache.begin(&name, &mut Monitor::silent()).unwrap();
        let raised = std::sync::atomic::AtomicBool::new(true);
        let mut silent = |_: crate::ProgressEvent<'_>| {};
        let error = cache.begin(&name, &mut Monitor::new(&mut silent, &raised)).err().unwrap();
        assert_eq!(error.kind(), &ErrorKind::Cancelled);
    }

    #[test]
    fn finds_the_cache_folder() {
        let folder = |variables: &[(&str, &str)]| {
            Cache::new(&Environment::fixed(variables.iter().copied())).map(|c| c.folder().to_owned()).ok()
        };
        if cfg!(target_os = "linux") {
            assert_eq!(folder(&[("HOME", "/h")]), Some("/h/.cache/inkveil".into()));
            assert_eq!(folder(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")]), Some("/x/inkveil".into()));
            assert_eq!(
                folder(&[("HOME", "/h"), ("XDG_CACHE_HOME", "relative")]),
                Some("/h/.cache/inkveil".into())
            );
        }
        assert_eq!(folder(&[("INKVEIL_CACHE", "/c"), ("HOME", "/h")]), Some("/c".into()));
        assert_eq!(folder(&[]), None);
    }
}
