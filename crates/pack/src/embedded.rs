//! The pack inside the program, for a program that is a single file.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use inkveil_files::Sha256Sum;

use crate::cache::{Cache, sync};
use crate::error::{Error, ErrorKind};
use crate::folder;
use crate::manifest::{MANIFEST, Manifest};
use crate::pack::Pack;
use crate::path;
use crate::sum::expect_sum;

#[cfg(feature = "embedded-pack")]
static EMBEDDED: EmbeddedPack<'static> = include!(concat!(env!("OUT_DIR"), "/embedded_pack.rs"));

/// The pack inside this program, if it was built with one.
#[cfg(feature = "embedded-pack")]
pub(crate) fn pack() -> Option<&'static EmbeddedPack<'static>> {
    Some(&EMBEDDED)
}

#[cfg(not(feature = "embedded-pack"))]
pub(crate) fn pack() -> Option<&'static EmbeddedPack<'static>> {
    None
}

/// The files of a pack in memory.
pub(crate) struct EmbeddedPack<'a> {
    pub(crate) name: &'a str,
    /// Paths and contents, with the manifest.
    pub(crate) files: &'a [(&'a str, &'a [u8])],
}

impl EmbeddedPack<'_> {
    /// The folder of the unpacked pack. Unpacks it on first use: into the cache, or into a private temporary folder if the
    /// cache cannot be written.
    pub(crate) fn unpack(&self, cache: Option<&Cache>) -> Result<PathBuf, Error> {
        match cache.map(|cache| self.unpack_into(&cache.embedded_folder())) {
            Some(Ok(folder)) => Ok(folder),
            Some(Err(error)) => self.unpack_into(&temporary_folder()?).map_err(|_| error),
            None => self.unpack_into(&temporary_folder()?),
        }
    }

    /// Unpacks into `PARENT/CHECKSUM/NAME`, where the checksum is the manifest's.
    fn unpack_into(&self, parent: &Path) -> Result<PathBuf, Error> {
        let manifest = self.file(MANIFEST)?;
        let target = parent.join(Sha256Sum::of(manifest).to_string()).join(self.name);
        let is_complete = || {
            let same_manifest = fs::read(target.join(MANIFEST)).is_ok_and(|found| found == manifest);
            same_manifest && Pack::open(&target).is_ok()
        };
        if is_complete() {
            return Ok(target);
        }
        folder::create(parent)?;
        // Only one process unpacks. The lock ends when the file is closed.
        let lock = File::create(parent.join("lock")).and_then(|file| file.lock().map(|()| file));
        let _lock = lock.map_err(|e| Error::io("lock this folder", &e).of(parent.display()))?;
        if is_complete() {
            return Ok(target);
        }
        let staging = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(parent)
            .map_err(|e| Error::io("create a folder", &e).of(parent.display()))?;
        let unpacked = staging.path().join(self.name);
        self.write_files(&unpacked, manifest)?;
        target.parent().map_or(Ok(()), folder::create)?;
        folder::remove(&target)?;
        folder::rename(&unpacked, &target)?;
        sync(parent);
        Ok(target)
    }

    /// Writes all files of the manifest and checks their checksums.
    fn write_files(&self, folder: &Path, manifest: &[u8]) -> Result<(), Error> {
        let listed = Manifest::parse(manifest).map_err(|e| e.of(MANIFEST))?;
        folder::create(folder)?;
        folder::check_free_space(folder, listed.bytes())?;
        for file in listed.files() {
            let contents = self.file(&file.path)?;
            expect_sum(Sha256Sum::of(contents), file.sha256).map_err(|e| e.of(&file.path))?;
            write(&path::join(folder, &file.path)?, contents)?;
        }
        // The manifest comes last: a folder without it is never taken for a complete pack.
        write(&folder.join(MANIFEST), manifest)
    }

    fn file(&self, path: &str) -> Result<&[u8], Error> {
        let found = self.files.iter().find(|(known, _)| *known == path);
        found.map(|(_, contents)| *contents).ok_or_else(|| Error::from(ErrorKind::MissingFile).of(path))
    }
}

impl std::fmt::Debug for EmbeddedPack<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddedPack").field("name", &self.name).finish_non_exhaustive()
    }
}

fn write(path: &Path, contents: &[u8]) -> Result<(), Error> {
    path.parent().map_or(Ok(()), folder::create)?;
    let written = File::create_new(path).and_then(|mut file| {
        file.write_all(contents)?;
        file.sync_all()
    });
    written.map_err(|e| Error::io("write it", &e).of(path.display()))
}

/// A temporary folder that only this user can read and write. Its name is fixed, so that the pack is unpacked once.
#[cfg(unix)]
fn temporary_folder() -> Result<PathBuf, Error> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};

    let temporary = std::env::temp_dir();
    let user = tempfile::tempfile_in(&temporary)
        .and_then(|own| Ok(own.metadata()?.uid()))
        .map_err(|e| Error::io("create a temporary file", &e).of(temporary.display()))?;
    let folder = temporary.join(format!("inkveil-{user}"));
    let failed = |e: &std::io::Error| Error::io("use this temporary folder", e).of(folder.display());
    match fs::DirBuilder::new().mode(0o700).create(&folder) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => return Err(failed(&e)),
        _ => {}
    }
    // Another user may have created the folder, or a link of this name.
    let found = fs::symlink_metadata(&folder).map_err(|e| failed(&e))?;
    if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
        return Ok(folder);
    }
    Err(failed(&std::io::ErrorKind::PermissionDenied.into()))
}

/// On other systems, the temporary folder belongs to the user.
#[cfg(not(unix))]
fn temporary_folder() -> Result<PathBuf, Error> {
    let folder = std::env::temp_dir().join("inkveil");
    folder::create(&folder)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Monitor, PackFile, Provenance};

    /// Calls `check` with a pack of two files.
    fn with_pack(check: impl FnOnce(&EmbeddedPack<'_>)) {
        let contents: [(&str, &[u8]); 2] =
            [("1_Pooling/config.json", b"{}"), ("model.safetensors", b"weights")];
        let files = contents
            .iter()
            .map(|(path, bytes)| PackFile::new(*path, bytes.len() as u64, Sha256Sum::of(bytes), "a file"));
        let provenance = Provenance::new("MIT", "here", "a test");
        let manifest = Manifest::new("tiny".parse().unwrap(), provenance, files.collect()).unwrap();
        let json = manifest.to_json().unwrap();
        let mut all: Vec<(&str, &[u8])> = contents.to_vec();
        all.push((MANIFEST, json.as_bytes()));
        check(&EmbeddedPack { name: "tiny", files: &all });
    }

    #[test]
    fn unpacks_once_and_repairs_damage() {
        with_pack(|embedded| {
            let home = tempfile::tempdir().unwrap();
            let cache = Cache::at(home.path());
            let folder = embedded.unpack(Some(&cache)).unwrap();
            assert!(folder.starts_with(cache.embedded_folder()) && folder.ends_with("tiny"));
            Pack::open(&folder).unwrap().verify(&mut Monitor::silent()).unwrap();
            let changed = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
            let first = changed(&folder.join("model.safetensors"));
            assert_eq!(embedded.unpack(Some(&cache)).unwrap(), folder);
            assert_eq!(changed(&folder.join("model.safetensors")), first, "it is not written again");
            fs::remove_file(folder.join("model.safetensors")).unwrap();
            embedded.unpack(Some(&cache)).unwrap();
            Pack::open(&folder).unwrap().verify(&mut Monitor::silent()).unwrap();
            let left = fs::read_dir(cache.embedded_folder()).unwrap().count();
            assert_eq!(left, 2, "the pack and the lock, but no temporary folder");
        });
    }

    #[test]
    fn two_threads_unpack_the_same_pack() {
        with_pack(|embedded| {
            let home = tempfile::tempdir().unwrap();
            std::thread::scope(|scope| {
                let threads: Vec<_> =
                    (0..4).map(|_| scope.spawn(|| embedded.unpack_into(home.path()))).collect();
                for thread in threads {
                    Pack::open(thread.join().unwrap().unwrap()).unwrap();
                }
            });
        });
    }

    #[test]
    fn a_damaged_program_is_noticed() {
        with_pack(|embedded| {
            let home = tempfile::tempdir().unwrap();
            let mut files = embedded.files.to_vec();
            files[1].1 = b"WEIGHTS";
            let damaged = EmbeddedPack { name: "tiny", files: &files };
            let error = damaged.unpack_into(home.path()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::WrongHash { .. }), "{error}");
            assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "only the lock remains");
        });
    }

    #[cfg(unix)]
    #[test]
    fn without_a_cache_a_private_folder_is_used() {
        use std::os::unix::fs::PermissionsExt as _;
        with_pack(|embedded| {
            // A file where the cache should be: nothing can be written there, even as root.
            let blocked = tempfile::NamedTempFile::new().unwrap();
            let folder = embedded.unpack(Some(&Cache::at(blocked.path()))).unwrap();
            Pack::open(&folder).unwrap();
            let private = folder.parent().and_then(Path::parent).unwrap();
            assert_eq!(fs::metadata(private).unwrap().permissions().mode() & 0o077, 0);
            fs::remove_dir_all(folder.parent().unwrap()).unwrap();
        });
    }

    #[cfg(feature = "embedded-pack")]
    #[test]
    fn the_pack_of_this_program_is_complete() {
        let home = tempfile::tempdir().unwrap();
        let folder = EMBEDDED.unpack_into(home.path()).unwrap();
        Pack::open(folder).unwrap().verify(&mut Monitor::silent()).unwrap();
    }
}
