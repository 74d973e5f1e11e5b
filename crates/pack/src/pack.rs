//! A pack on disk: a folder with a manifest.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::manifest::{MANIFEST, Manifest};
use crate::monitor::Monitor;
use crate::path;
use crate::sum::{expect_sum, sum_of_file};

/// A folder of model files.
///
/// Opening checks the manifest and the size of every file, which takes microseconds. [`verify`](Self::verify) reads all
/// files and checks their checksums.
///
/// ```
/// use inkveil_pack::{Manifest, Monitor, Pack, Provenance};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("words.txt"), "a\nb\n")?;
/// Manifest::describe(folder.path(), "words".parse()?, Provenance::new("CC0-1.0", "here", "by hand"))?
///     .write(folder.path())?;
///
/// let pack = Pack::open(folder.path())?;
/// assert_eq!(std::fs::read_to_string(pack.file("words.txt")?)?, "a\nb\n");
/// pack.verify(&mut Monitor::silent())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pack {
    folder: PathBuf,
    manifest: Option<Manifest>,
}

impl Pack {
    /// Opens a folder that has a manifest.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, Error> {
        let folder = folder.as_ref();
        let manifest = Manifest::read(folder)?;
        let pack = Self { folder: folder.to_owned(), manifest: Some(manifest) };
        pack.check_sizes()?;
        Ok(pack)
    }

    /// Opens a folder that may have no manifest, for example one that another program downloaded.
    pub fn open_folder(folder: impl AsRef<Path>) -> Result<Self, Error> {
        let folder = folder.as_ref();
        // An invalid manifest is an error. Otherwise it would disable the checks.
        if fs::symlink_metadata(folder.join(MANIFEST)).is_ok() {
            return Self::open(folder);
        }
        let found =
            fs::metadata(folder).map_err(|e| Error::io("open this folder", &e).of(folder.display()))?;
        if !found.is_dir() {
            let e = std::io::Error::from(std::io::ErrorKind::NotADirectory);
            return Err(Error::io("open this folder", &e).of(folder.display()));
        }
        Ok(Self { folder: folder.to_owned(), manifest: None })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The manifest, if the folder has one.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// The location of a file, given its path in the pack.
    pub fn file(&self, name: &str) -> Result<PathBuf, Error> {
        let place = path::join(&self.folder, name)?;
        let present = match &self.manifest {
            Some(manifest) if manifest.files().iter().any(|file| file.path == name) => return Ok(place),
            None if place.is_file() => return Ok(place),
            Some(manifest) => manifest.files().iter().map(|file| file.path.clone()).collect(),
            None => crate::folder::files(&self.folder)?,
        };
        Err(Error::from(ErrorKind::NoSuchFile { present }).of(place.display()))
    }

    /// Whether the pack has this file.
    pub fn has(&self, name: &str) -> bool {
        self.file(name).is_ok()
    }

    /// Reads every file and compares its checksum with the manifest, and the manifest with its own checksum. Returns false
    /// if the manifest has none.
    pub fn verify(&self, monitor: &mut Monitor<'_>) -> Result<bool, Error> {
        self.verify_with(false, monitor)
    }

    /// `ours` says whether this is the default pack that came with the program.
    pub(crate) fn verify_with(&self, ours: bool, monitor: &mut Monitor<'_>) -> Result<bool, Error> {
        let Some(manifest) = &self.manifest else {
            return Err(Error::from(ErrorKind::NoManifest).of(self.folder.display()));
        };
        let has_sum = Manifest::verify_file(&self.folder, ours)?;
        self.check_sizes()?;
        monitor.start("checking", Some(manifest.bytes()));
        for file in manifest.files() {
            let place = path::join(&self.folder, &file.path)?;
            let (found, _) = sum_of_file(&place, &mut |more| monitor.advance(more))?;
            expect_sum(found, file.sha256).map_err(|e| e.of(place.display()))?;
        }
        Ok(has_sum)
    }

    /// Checks that every file exists inside the folder and has the size in the manifest.
    fn check_sizes(&self) -> Result<(), Error> {
        let home = fs::canonicalize(&self.folder)
            .map_err(|e| Error::io("find this folder", &e).of(self.folder.display()))?;
        for file in self.manifest.iter().flat_map(Manifest::files) {
            let place = path::join(&self.folder, &file.path)?;
            let missing = || Error::from(ErrorKind::MissingFile).of(place.display());
            // Links inside the pack are allowed. A link out of it is not what the manifest described.
            let real = fs::canonicalize(&place).map_err(|_| missing())?;
            if !real.starts_with(&home) {
                return Err(
                    Error::from(ErrorKind::UnsafePath { path: file.path.clone() }).of(place.display())
                );
            }
            let found = fs::metadata(&real).map_err(|_| missing())?;
            if !found.is_file() {
                return Err(missing());
            }
            if found.len() != file.bytes {
                let kind = ErrorKind::WrongSize { expected: file.bytes, found: found.len() };
                return Err(Error::from(kind).of(place.display()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provenance;

    fn pack() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config.json"), "{}").unwrap();
        fs::write(folder.path().join("model.safetensors"), "weights").unwrap();
        let provenance = Provenance::new("MIT", "here", "a test");
        Manifest::describe(folder.path(), "a".parse().unwrap(), provenance)
            .unwrap()
            .write(folder.path())
            .unwrap();
        folder
    }

    #[test]
    fn detects_damage() {
        let folder = pack();
        let place = folder.path().join("model.safetensors");
        let opened = Pack::open(folder.path()).unwrap();
        opened.verify(&mut Monitor::silent()).unwrap();

        fs::write(&place, "WEIGHTS").unwrap();
        let pack = Pack::open(folder.path()).unwrap();
        assert!(matches!(
            pack.verify(&mut Monitor::silent()).unwrap_err().kind(),
            ErrorKind::WrongHash { .. }
        ));

        fs::write(&place, "weight").unwrap();
        let error = Pack::open(folder.path()).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::WrongSize { expected: 7, found: 6 });
        assert!(opened.verify(&mut Monitor::silent()).is_err());

        fs::remove_file(&place).unwrap();
        assert_eq!(Pack::open(folder.path()).unwrap_err().kind(), &ErrorKind::MissingFile);
        fs::create_dir(&place).unwrap();
        assert_eq!(Pack::open(folder.path()).unwrap_err().kind(), &ErrorKind::MissingFile);
    }

    #[test]
    fn every_changed_byte_of_a_manifest_is_noticed() {
        let folder = pack();
        let path = folder.path().join(MANIFEST);
        let good = fs::read(&path).unwrap();
        assert!(Pack::open(folder.path()).unwrap().verify(&mut Monitor::silent()).unwrap());
        for index in 0..good.len() {
            let mut bad = good.clone();
            bad[index] ^= 1;
            fs::write(&path, &bad).unwrap();
            let verified = Pack::open(folder.path()).and_then(|pack| pack.verify(&mut Monitor::silent()));
            assert!(verified.is_err(), "byte {index}");
        }
        fs::write(&path, &good).unwrap();
        fs::remove_file(folder.path().join(crate::manifest::MANIFEST_SUM)).unwrap();
        assert!(!Pack::open(folder.path()).unwrap().verify(&mut Monitor::silent()).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn refuses_a_link_out_of_the_pack() {
        let (folder, other) = (pack(), tempfile::tempdir().unwrap());
        let (place, outside) = (folder.path().join("config.json"), other.path().join("config.json"));
        fs::write(&outside, "{}").unwrap();
        fs::remove_file(&place).unwrap();
        std::os::unix::fs::symlink(&outside, &place).unwrap();
        assert!(matches!(Pack::open(folder.path()).unwrap_err().kind(), ErrorKind::UnsafePath { .. }));
    }

    #[test]
    fn a_pack_has_the_files_of_its_manifest() {
        let folder = pack();
        fs::write(folder.path().join("extra"), "x").unwrap();
        let pack = Pack::open(folder.path()).unwrap();
        assert!(pack.has("config.json") && !pack.has("extra") && !pack.has("../config.json"));
        assert!(
            pack.file("extra").unwrap_err().to_string().contains("it has config.json, model.safetensors")
        );
    }

    #[test]
    fn a_folder_without_manifest_has_all_its_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config.json"), "{}").unwrap();
        assert_eq!(Pack::open(folder.path()).unwrap_err().kind(), &ErrorKind::NoManifest);
        let pack = Pack::open_folder(folder.path()).unwrap();
        assert!(pack.has("config.json") && !pack.has("model.safetensors"));
        assert_eq!(pack.verify(&mut Monitor::silent()).unwrap_err().kind(), &ErrorKind::NoManifest);
        fs::write(folder.path().join(MANIFEST), "broken").unwrap();
        assert!(Pack::open_folder(folder.path()).is_err());
        assert!(Pack::open_folder(folder.path().join("absent")).is_err());
    }

    #[test]
    fn verifying_can_be_cancelled() {
        let folder = pack();
        let flag = std::sync::atomic::AtomicBool::new(true);
        let mut silent = |_: crate::ProgressEvent<'_>| {};
        let mut monitor = Monitor::new(&mut silent, &flag);
        let error = Pack::open(folder.path()).unwrap().verify(&mut monitor).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Cancelled);
    }
}
