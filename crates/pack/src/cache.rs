//! The cache: packs that were pulled, and downloads on their way.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::environment::Environment;
use crate::error::{Error, ErrorKind};
use crate::folder;
use crate::job::Job;
use crate::manifest::Manifest;
use crate::pack::Pack;
use crate::path::PackName;

/// The folder that pulled packs lie in.
///
/// ```text
/// packs/NAME/      a pack, whole: it gets this name when it is complete
/// packs/.NAME.new  a pack that is being put together
/// packs/.NAME.old  the pack that it replaces, until it has the name
/// packs/.NAME.gone a pack that is being removed
/// partial/NAME/    downloads on their way, to go on with
/// locks/NAME.lock  held by the process that pulls or removes the pack
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
    /// The cache of an environment: `INKVEIL_CACHE`, or else the usual place for caches on this system.
    pub fn new(environment: &Environment) -> Result<Self, Error> {
        let usual = || {
            if cfg!(windows) {
                return environment.path("LOCALAPPDATA").map(|data| data.join("inkveil"));
            }
            let caches = environment.path("XDG_CACHE_HOME").filter(|path| path.is_absolute());
            let of_home = || {
                let folder = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
                environment.home().map(|home| home.join(folder))
            };
            caches.or_else(of_home).map(|caches| caches.join("inkveil"))
        };
        match environment.path("INKVEIL_CACHE").or_else(usual) {
            Some(root) => Ok(Self { root }),
            None => {
                let e = std::io::Error::from(std::io::ErrorKind::NotFound);
                Err(Error::io("find a home folder for the cache; set INKVEIL_CACHE", &e))
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

    /// The folder that holds the packs.
    pub fn packs_folder(&self) -> PathBuf {
        self.root.join("packs")
    }

    /// Where a pack of this name lies or would lie.
    pub fn place(&self, name: &PackName) -> PathBuf {
        self.packs_folder().join(name.as_str())
    }

    /// Where downloads for a pack are kept until it is complete.
    pub(crate) fn partial_folder(&self, name: &PackName) -> PathBuf {
        self.root.join("partial").join(name.as_str())
    }

    /// The pack of this name, if it is there.
    pub fn open(&self, name: &PackName) -> Result<Option<Pack>, Error> {
        let place = self.place(name);
        if place.is_dir() { Pack::open(place).map(Some) } else { Ok(None) }
    }

    /// Removes a pack and what is left of its downloads.
    pub fn remove(&self, name: &PackName, job: &mut Job<'_>) -> Result<(), Error> {
        let (place, old, partial) = (self.place(name), self.hidden(name, "old"), self.partial_folder(name));
        if [&place, &old, &partial].iter().all(|folder| !folder.is_dir()) {
            return Err(Error::from(ErrorKind::NotCached).of(name));
        }
        let _lock = self.lock(name, job)?;
        let gone = self.hidden(name, "gone");
        folder::remove(&gone)?;
        // First out of sight, so that nobody opens half of it.
        if place.is_dir() {
            folder::rename(&place, &gone)?;
        }
        [&gone, &old, &partial].into_iter().try_for_each(|folder| folder::remove(folder))
    }

    /// Begins a pack. Waits while another process works on one of the same name.
    pub(crate) fn begin(&self, name: &PackName, job: &mut Job<'_>) -> Result<Staging, Error> {
        let lock = self.lock(name, job)?;
        let folder = self.hidden(name, "new");
        // What a process that died has left behind; the lock says that none is at it.
        folder::remove(&folder)?;
        folder::remove(&self.hidden(name, "gone"))?;
        self.settle(name)?;
        folder::create(&folder)?;
        Ok(Staging { folder, cache: self.clone(), name: name.clone(), _lock: lock })
    }

    /// Gives a finished pack its name; one that was there before is replaced, or stays if that fails. The lock must be held.
    fn give_name(&self, finished: &Path, name: &PackName) -> Result<PathBuf, Error> {
        let (place, old) = (self.place(name), self.hidden(name, "old"));
        if place.exists() {
            folder::rename(&place, &old)?;
        }
        let named = folder::rename(finished, &place);
        // If this fails too, the next pull of this name settles it.
        let _ = self.settle(name);
        named.map(|()| place)
    }

    /// Ends a replacement that was begun: the old pack gets its name back if the new one has not got it, and is litter otherwise.
    /// The lock must be held.
    fn settle(&self, name: &PackName) -> Result<(), Error> {
        let (place, old) = (self.place(name), self.hidden(name, "old"));
        if old.is_dir() && !place.exists() { folder::rename(&old, &place) } else { folder::remove(&old) }
    }

    fn hidden(&self, name: &PackName, what: &str) -> PathBuf {
        self.packs_folder().join(format!(".{name}.{what}"))
    }

    fn lock(&self, name: &PackName, job: &mut Job<'_>) -> Result<File, Error> {
        let locks = self.root.join("locks");
        folder::create(&locks)?;
        let path = locks.join(format!("{name}.lock"));
        let failed = |e: &std::io::Error| Error::io("lock it", e).of(path.display());
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(|e| failed(&e))?;
        let mut told = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(e)) => return Err(failed(&e)),
                Err(TryLockError::WouldBlock) => {
                    if !told {
                        job.note(&format!("waiting for another inkveil that works on {name}"));
                        told = true;
                    }
                    job.sleep(Duration::from_millis(100))?;
                }
            }
        }
    }
}

/// A pack that is being put together. Dropping it removes the folder; [`commit`](Self::commit) gives it its name.
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

    /// Writes the manifest and gives the pack its name; one that was there before is replaced.
    pub(crate) fn commit(self, manifest: &Manifest) -> Result<Pack, Error> {
        manifest.write(&self.folder)?;
        Pack::open(&self.folder)?;
        let place = self.cache.give_name(&self.folder, &self.name)?;
        // Only litter now; the next pull of this name removes what stays.
        let _ = folder::remove(&self.cache.partial_folder(&self.name));
        sync(&self.cache.packs_folder());
        Pack::open(place)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // If it cannot be removed now, the next pull does it before it begins.
        let _ = folder::remove(&self.folder);
    }
}

/// Makes the new name outlive a crash, where the system can.
fn sync(folder: &Path) {
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
        let staging = cache.begin(name, &mut Job::silent()).unwrap();
        fs::write(staging.folder().join("words.txt"), text).unwrap();
        let provenance = Provenance::new("CC0-1.0", "here", "a test");
        let manifest = Manifest::describe(staging.folder(), name.clone(), provenance).unwrap();
        (staging, manifest)
    }

    #[test]
    fn a_pack_appears_whole_or_not_at_all() {
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
        cache.remove(&name, &mut Job::silent()).unwrap();
        assert!(names().is_empty());
        assert_eq!(cache.remove(&name, &mut Job::silent()).unwrap_err().kind(), &ErrorKind::NotCached);
    }

    #[test]
    fn a_replacement_that_fails_leaves_the_old_pack() {
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
        // The process died between the two renames.
        fs::rename(cache.place(&name), cache.hidden(&name, "old")).unwrap();
        drop(cache.begin(&name, &mut Job::silent()).unwrap());
        assert_eq!(words(), "one");
        // It died after them.
        fs::create_dir(cache.hidden(&name, "old")).unwrap();
        drop(cache.begin(&name, &mut Job::silent()).unwrap());
        assert_eq!(words(), "one");
        assert!(!cache.hidden(&name, "old").exists());
    }

    #[test]
    fn a_pack_that_is_removed_does_not_come_back() {
        let home = tempfile::tempdir().unwrap();
        let (cache, name): (_, PackName) = (Cache::at(home.path()), "a".parse().unwrap());
        let (staging, manifest) = staged(&cache, &name, "one");
        staging.commit(&manifest).unwrap();
        // A process that was replacing it died, then one that was removing it.
        fs::rename(cache.place(&name), cache.hidden(&name, "old")).unwrap();
        cache.remove(&name, &mut Job::silent()).unwrap();
        fs::create_dir(cache.hidden(&name, "gone")).unwrap();
        drop(cache.begin(&name, &mut Job::silent()).unwrap());
        assert!(cache.open(&name).unwrap().is_none());
        assert_eq!(fs::read_dir(cache.packs_folder()).unwrap().count(), 0);
    }

    #[test]
    fn two_at_once_take_turns() {
        let home = tempfile::tempdir().unwrap();
        let (cache, name): (_, PackName) = (Cache::at(home.path()), "a".parse().unwrap());
        let (staging, manifest) = staged(&cache, &name, "one");
        let other = std::thread::spawn({
            let (cache, name) = (cache.clone(), name.clone());
            move || {
                let mut waited = false;
                let never = std::sync::atomic::AtomicBool::new(false);
                let mut listener =
                    |event: crate::Event<'_>| waited |= matches!(event, crate::Event::Note { .. });
                let staging = cache.begin(&name, &mut Job::new(&mut listener, &never)).unwrap();
                drop(staging);
                waited
            }
        });
        std::thread::sleep(Duration::from_millis(250));
        assert!(staging.folder().join("words.txt").is_file(), "the second must not touch the first's work");
        staging.commit(&manifest).unwrap();
        assert!(other.join().unwrap());
        assert!(cache.open(&name).unwrap().is_some());
    }

    #[test]
    fn waiting_can_be_cancelled() {
        let home = tempfile::tempdir().unwrap();
        let (cache, name): (_, PackName) = (Cache::at(home.path()), "a".parse().unwrap());
        let _held = cache.begin(&name, &mut Job::silent()).unwrap();
        let raised = std::sync::atomic::AtomicBool::new(true);
        let mut silent = |_: crate::Event<'_>| {};
        let error = cache.begin(&name, &mut Job::new(&mut silent, &raised)).err().unwrap();
        assert_eq!(error.kind(), &ErrorKind::Cancelled);
    }

    #[test]
    fn the_usual_places() {
        let place = |variables: &[(&str, &str)]| {
            Cache::new(&Environment::fixed(variables.iter().copied())).map(|c| c.folder().to_owned()).ok()
        };
        if cfg!(target_os = "linux") {
            assert_eq!(place(&[("HOME", "/h")]), Some("/h/.cache/inkveil".into()));
            assert_eq!(place(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")]), Some("/x/inkveil".into()));
            assert_eq!(
                place(&[("HOME", "/h"), ("XDG_CACHE_HOME", "relative")]),
                Some("/h/.cache/inkveil".into())
            );
        }
        assert_eq!(place(&[("INKVEIL_CACHE", "/c"), ("HOME", "/h")]), Some("/c".into()));
        assert_eq!(place(&[]), None);
    }
}
