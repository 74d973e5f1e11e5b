//! Makes a pack from another pack.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::folder;
use crate::manifest::{MANIFEST, Manifest, Provenance};
use crate::pack::Pack;
use crate::path::PackName;

/// The file with the text of a pack's licence.
pub const LICENCE_FILE: &str = "LICENSE";

/// A pack that is made from another pack and keeps its licence and origin.
///
/// It takes over all files of the source except the weights. The caller writes the new weights and
/// everything that is computed from them.
///
/// ```
/// use inkveil_pack::{DerivedPack, Error, Manifest, Pack, Provenance};
///
/// # let (large, small) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// # let (large, small) = (large.path(), small.path().join("small"));
/// std::fs::write(large.join("config.json"), "{}")?;
/// std::fs::write(large.join("LICENSE"), "…")?;
/// let provenance = Provenance::new("MIT", "our own texts", "a script");
/// Manifest::describe(large, "large".parse()?, provenance)?.write(large)?;
///
/// let pack = DerivedPack {
///     name: "small".parse()?,
///     source: &Pack::open(large)?,
///     licence_text: None,
///     made_by: "another script",
///     about: &[("model.safetensors", "weights")],
/// };
/// let manifest = pack.make(&small, |folder| {
///     std::fs::write(folder.join("model.safetensors"), "…")?;
///     Ok::<(), Box<dyn std::error::Error>>(())
/// })?;
/// assert_eq!(manifest.provenance().licence, "MIT");
/// assert!(small.join("config.json").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DerivedPack<'a> {
    /// Its name.
    pub name: PackName,
    /// The pack it is made from, which needs a manifest.
    pub source: &'a Pack,
    /// A file with the text of the licence; without it, the source's [`LICENCE_FILE`] is used.
    pub licence_text: Option<&'a Path>,
    /// The command that makes it.
    pub made_by: &'a str,
    /// Descriptions of the files that the caller writes.
    pub about: &'a [(&'a str, &'a str)],
}

impl DerivedPack<'_> {
    /// Makes the pack in the folder `to` and returns its manifest.
    ///
    /// `write` writes the files of the new pack to the folder it receives. The folder gets its name
    /// when it is complete. A previous pack at `to` is replaced, but files that were added to it
    /// with a provenance of their own are kept.
    ///
    /// # Errors
    /// Fails if `write` fails, the source has no manifest, there is no text of the licence, or a
    /// file cannot be read or written. Then a previous pack at `to` is not changed.
    pub fn make<E: From<Error>>(
        &self,
        to: &Path,
        write: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<Manifest, E> {
        let Some(source) = self.source.manifest() else {
            return Err(Error::from(ErrorKind::NoManifest).of(self.source.folder().display()).into());
        };
        // In the same folder as `to`, so that the last step is a rename.
        let parent = to.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder::create(parent)?;
        let new = tempfile::Builder::new()
            .prefix(".inkveil-make-")
            .tempdir_in(parent)
            .map_err(|e| Error::io("create a folder here", &e).of(parent.display()))?;
        self.copy_companions(source, new.path())?;
        write(new.path())?;
        let manifest = self.describe(source, new.path(), to)?;
        manifest.write(new.path())?;
        replace(new.keep(), to)?;
        Ok(manifest)
    }

    /// Copies everything except the weights.
    fn copy_companions(&self, source: &Manifest, to: &Path) -> Result<(), Error> {
        let is_weights = |path: &str| path.ends_with(".safetensors") || path.ends_with(".gguf");
        for file in source.files().iter().filter(|file| !is_weights(&file.path)) {
            copy(&self.source.file(&file.path)?, &to.join(&file.path))?;
        }
        match self.licence_text {
            Some(licence) => copy(licence, &to.join(LICENCE_FILE)),
            None if to.join(LICENCE_FILE).exists() => Ok(()),
            None => {
                let file = self.source.folder().join(LICENCE_FILE);
                Err(Error::from(ErrorKind::MissingFile).of(file.display()))
            }
        }
    }

    fn describe(&self, source: &Manifest, folder: &Path, old: &Path) -> Result<Manifest, Error> {
        let Provenance { licence, origin, .. } = source.provenance().clone();
        let provenance = Provenance::new(licence, origin, self.made_by);
        let mut manifest = Manifest::describe(folder, self.name.clone(), provenance)?
            .with_about(LICENCE_FILE, "the licence")?;
        for (file, about) in self.about {
            manifest = manifest.with_about(file, *about)?;
        }
        keep_added_files(old, folder, manifest)
    }
}

/// Copies the files that were added to an old pack, which have their own provenance.
fn keep_added_files(old: &Path, new: &Path, mut manifest: Manifest) -> Result<Manifest, Error> {
    if !old.join(MANIFEST).exists() {
        return Ok(manifest);
    }
    for file in Manifest::read(old)?.files() {
        if let (Some(licence), Some(origin), Some(made_by)) = (&file.licence, &file.origin, &file.made_by) {
            copy(&old.join(&file.path), &new.join(&file.path))?;
            let provenance = Provenance::new(licence, origin, made_by);
            manifest = manifest.with_file(new, &file.path, &file.about, provenance)?;
        }
    }
    Ok(manifest)
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    folder::create(to.parent().unwrap_or(Path::new(".")))?;
    fs::copy(from, to).map_err(|e| Error::io("copy this file", &e).of(from.display()))?;
    Ok(())
}

/// Replaces an old folder by a new one.
fn replace(new: PathBuf, to: &Path) -> Result<(), Error> {
    let old = new.with_extension("old");
    if to.exists() {
        folder::rename(to, &old)?;
    }
    if let Err(error) = folder::rename(&new, to) {
        // The old pack gets its name back. If that fails too, the first error is more useful.
        let _ = fs::rename(&old, to);
        return Err(error);
    }
    folder::remove(&old)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a pack with a licence, a config and weights.
    fn source(folder: &Path) -> Pack {
        for (name, content) in [("LICENSE", "terms"), ("config.json", "{}"), ("model.safetensors", "large")] {
            fs::write(folder.join(name), content).unwrap();
        }
        let provenance = Provenance::new("MIT", "our own texts", "a script");
        Manifest::describe(folder, "large".parse().unwrap(), provenance).unwrap().write(folder).unwrap();
        Pack::open(folder).unwrap()
    }

    fn derive(source: &Pack, to: &Path, weights: &str) -> Result<Manifest, Error> {
        let name = "small".parse().unwrap();
        let about = &[("model.safetensors", "small weights")];
        DerivedPack { name, source, licence_text: None, made_by: "a test", about }.make(to, |folder| {
            fs::write(folder.join("model.safetensors"), weights).unwrap();
            Ok(())
        })
    }

    #[test]
    fn companions_are_copied_and_weights_are_new() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let to = to.path().join("small");
        let manifest = derive(&source(from.path()), &to, "small").unwrap();
        assert_eq!(Pack::open(&to).unwrap().manifest(), Some(&manifest));
        assert_eq!(fs::read_to_string(to.join("model.safetensors")).unwrap(), "small");
        assert_eq!(fs::read_to_string(to.join("LICENSE")).unwrap(), "terms");
        let provenance = manifest.provenance();
        assert_eq!((provenance.licence.as_str(), provenance.made_by.as_str()), ("MIT", "a test"));
        assert!(manifest.files().iter().any(|file| file.about == "small weights"));
        assert_eq!(fs::read_dir(to.parent().unwrap()).unwrap().count(), 1, "no temporary folder remains");
    }

    #[test]
    fn added_files_are_kept() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (source, to) = (source(from.path()), to.path().join("small"));
        derive(&source, &to, "first").unwrap();
        fs::write(to.join("head.bin"), "head").unwrap();
        let added = Provenance::new("CC0-1.0", "a corpus", "training");
        Manifest::read(&to).unwrap().with_file(&to, "head.bin", "a head", added).unwrap().write(&to).unwrap();
        let manifest = derive(&source, &to, "second").unwrap();
        assert_eq!(fs::read_to_string(to.join("model.safetensors")).unwrap(), "second");
        assert_eq!(fs::read_to_string(to.join("head.bin")).unwrap(), "head");
        let head = manifest.files().iter().find(|file| file.path == "head.bin").unwrap();
        assert_eq!(head.licence.as_deref(), Some("CC0-1.0"));
    }

    #[test]
    fn a_failure_leaves_the_old_pack() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (source, to) = (source(from.path()), to.path().join("small"));
        derive(&source, &to, "first").unwrap();
        let name = "small".parse().unwrap();
        let pack = DerivedPack { name, source: &source, licence_text: None, made_by: "a test", about: &[] };
        let failed: Result<Manifest, Error> = pack.make(&to, |_| Err(ErrorKind::Cancelled.into()));
        assert_eq!(failed.unwrap_err().kind(), &ErrorKind::Cancelled);
        assert_eq!(fs::read_to_string(to.join("model.safetensors")).unwrap(), "first");
        assert_eq!(fs::read_dir(to.parent().unwrap()).unwrap().count(), 1, "no temporary folder remains");
    }

    #[test]
    fn a_licence_text_is_needed() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        source(from.path());
        fs::remove_file(from.path().join("LICENSE")).unwrap();
        let provenance = Provenance::new("MIT", "our own texts", "a script");
        let manifest = Manifest::describe(from.path(), "large".parse().unwrap(), provenance).unwrap();
        manifest.write(from.path()).unwrap();
        let error = derive(&Pack::open(from.path()).unwrap(), &to.path().join("small"), "x").unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::MissingFile);
    }
}
