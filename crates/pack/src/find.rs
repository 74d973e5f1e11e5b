//! Finding packs on this machine.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::cache::Cache;
use crate::embedded::{self, EmbeddedPack};
use crate::environment::Environment;
use crate::error::{Error, ErrorKind};
use crate::monitor::Monitor;
use crate::pack::Pack;
use crate::path::PackName;
use crate::registry;
use crate::source::ModelSource;

/// The name of the pack that is used if none is given.
pub const DEFAULT_PACK: &str = "en";

/// The packs in the source tree, for `cargo run` and `cargo install --path`. A program for other machines is built with
/// `INKVEIL_DISTRIBUTION` set and does not look there: on another machine, the path could belong to anyone.
const SOURCE_TREE: Option<&str> = match option_env!("INKVEIL_DISTRIBUTION") {
    Some(_) => None,
    None => Some(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models")),
};

/// The packs that travel with a library, which has no program of its own to lie beside.
static LIBRARY_FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Names the folder of the packs that travel with a library, for example inside a Python package. It is searched where
/// a program searches beside itself. Only the first call counts.
pub fn set_library_folder(folder: impl Into<PathBuf>) {
    // A second copy of the library in one process has the same packs.
    let _ = LIBRARY_FOLDER.set(folder.into());
}

/// Finds a pack by its name, its source or its folder. See [`PackFolders::find`].
///
/// # Errors
/// If there is no such pack, or it is damaged.
pub fn find_pack(pack: &str) -> Result<Pack, Error> {
    PackFolders::new(&Environment::of_process()).find(pack)
}

/// The folder that contains `file`: the given pack, or the default pack if it does not contain the file.
///
/// # Errors
/// If the default pack is needed but not found.
pub fn folder_with_file(pack: &Path, file: &str) -> Result<PathBuf, Error> {
    if pack.join(file).is_file() {
        return Ok(pack.to_owned());
    }
    Ok(find_pack(DEFAULT_PACK)?.folder().to_owned())
}

/// The places where packs are searched, in this order:
///
/// 1. the folder `INKVEIL_PACKS`;
/// 2. the cache;
/// 3. the folder that a library [named](set_library_folder), or the folders `../share/inkveil/models` and `models` beside the program;
/// 4. the pack inside the program, if it was built with the feature `embedded-pack`;
/// 5. the source tree, unless the program was built for other machines.
///
/// ```
/// use inkveil_pack::{Environment, PackFolders};
///
/// let home = tempfile::tempdir()?;
/// let variables = [("HOME", home.path().to_str().unwrap_or_default())];
/// let folders = PackFolders::new(&Environment::fixed(variables));
/// let error = folders.find("qwen-1.5b").unwrap_err();
/// assert!(error.to_string().contains("not on this machine"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct PackFolders {
    places: Vec<SearchPlace>,
}

#[derive(Debug, Clone)]
enum SearchPlace {
    /// A folder whose subfolders are packs.
    Folder(PackLocation, PathBuf),
    /// The pack inside the program. It is unpacked into the cache.
    Embedded(&'static EmbeddedPack<'static>, Option<Cache>),
}

impl SearchPlace {
    /// The folder of a pack with this name, if it is in this place.
    fn pack_folder(&self, name: &PackName) -> Result<Option<PathBuf>, Error> {
        match self {
            Self::Folder(_, folder) => Ok(Some(folder.join(name.as_str())).filter(|folder| folder.is_dir())),
            Self::Embedded(pack, cache) if pack.name == name.as_str() => {
                pack.unpack(cache.as_ref()).map(Some)
            }
            Self::Embedded(..) => Ok(None),
        }
    }

    fn location(&self) -> PackLocation {
        match self {
            Self::Folder(location, _) => *location,
            Self::Embedded(..) => PackLocation::Embedded,
        }
    }

    /// The names of the packs in this place. A missing folder has none.
    fn names(&self) -> Vec<PackName> {
        match self {
            Self::Folder(_, folder) => {
                let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
                let folders = entries.filter(|entry| entry.path().is_dir());
                let mut names: Vec<PackName> =
                    folders.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
                names.sort();
                names
            }
            Self::Embedded(pack, _) => pack.name.parse().into_iter().collect(),
        }
    }
}

/// The kind of place where a pack was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackLocation {
    /// The folder `INKVEIL_PACKS`.
    UserFolder,
    /// The cache.
    Cache,
    /// A folder beside the program.
    Program,
    /// Inside the program.
    Embedded,
    /// The source tree.
    SourceTree,
}

impl fmt::Display for PackLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UserFolder => "own folder",
            Self::Cache => "cached",
            Self::Program => "installed",
            Self::Embedded => "embedded",
            Self::SourceTree => "source tree",
        })
    }
}

/// A pack on this machine.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InstalledPack {
    /// The name of its folder.
    pub name: String,
    /// Where it was found.
    pub location: PackLocation,
    /// Its folder.
    pub folder: PathBuf,
}

impl PackFolders {
    /// The search places of an environment.
    pub fn new(environment: &Environment) -> Self {
        let cache = Cache::new(environment).ok();
        let folder = |location| move |path| SearchPlace::Folder(location, path);
        let mut places = Vec::new();
        places.extend(environment.path("INKVEIL_PACKS").map(folder(PackLocation::UserFolder)));
        places.extend(cache.as_ref().map(Cache::packs_folder).map(folder(PackLocation::Cache)));
        places.extend(program_folders().into_iter().map(folder(PackLocation::Program)));
        places.extend(embedded::pack().map(|pack| SearchPlace::Embedded(pack, cache)));
        places.extend(SOURCE_TREE.map(PathBuf::from).map(folder(PackLocation::SourceTree)));
        Self { places }
    }

    /// Finds a pack. `pack` is one of
    ///
    /// - a name, for example `en`;
    /// - a folder: a path with a separator or with a dot at the start, or `path:FOLDER`;
    /// - the source of a pack that was pulled, for example `hf:OWNER/NAME`.
    ///
    /// # Errors
    /// If there is no such pack, or it is damaged.
    pub fn find(&self, pack: &str) -> Result<Pack, Error> {
        let name: PackName = match classify(pack) {
            Given::Folder => return Pack::open_folder(pack),
            Given::Name => pack.parse()?,
            Given::Source => match pack.parse()? {
                ModelSource::Folder(folder) => return Pack::open_folder(folder),
                source => source.default_name()?,
            },
        };
        for place in &self.places {
            // A damaged pack is an error: a pack of the same name elsewhere may be another model.
            if let Some(folder) = place.pack_folder(&name)? {
                return Pack::open_folder(without_dots(&folder));
            }
        }
        let can_be_pulled = classify(pack) == Given::Source || registry::find(pack).is_some();
        Err(Error::from(ErrorKind::NotFound { name: pack.to_owned(), can_be_pulled }).of(pack))
    }

    /// Finds a pack, reads every file of it and compares the checksums. Returns false if the manifest itself has no
    /// checksum. The manifest of the default pack is compared with the one that this program was built with, unless the
    /// pack comes from the user's folder or from the cache.
    ///
    /// # Errors
    /// If there is no such pack, or it is damaged.
    pub fn verify(&self, pack: &str, monitor: &mut Monitor<'_>) -> Result<(Pack, bool), Error> {
        let found = self.find(pack)?;
        let place = |name: PackName| {
            self.places.iter().find(move |place| matches!(place.pack_folder(&name), Ok(Some(_))))
        };
        let came_along =
            |place: &SearchPlace| !matches!(place.location(), PackLocation::UserFolder | PackLocation::Cache);
        let ours = pack == DEFAULT_PACK && pack.parse().ok().and_then(place).is_some_and(came_along);
        let has_sum = found.verify_with(ours, monitor)?;
        Ok((found, has_sum))
    }

    /// All packs, in the order of the search. If a name occurs twice, only the pack that [`find`](Self::find) returns is
    /// listed.
    pub fn list(&self) -> Vec<InstalledPack> {
        let mut all: Vec<InstalledPack> = Vec::new();
        for place in &self.places {
            for name in place.names() {
                if all.iter().any(|found| found.name == name.as_str()) {
                    continue;
                }
                if let Ok(Some(folder)) = place.pack_folder(&name) {
                    let (name, folder) = (name.to_string(), without_dots(&folder));
                    all.push(InstalledPack { name, location: place.location(), folder });
                }
            }
        }
        all
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    Name,
    Folder,
    Source,
}

/// Names contain no separators, and sources have a prefix.
fn classify(pack: &str) -> Given {
    if ["path:", "hf:", "pypi:"].iter().any(|prefix| pack.starts_with(prefix)) {
        Given::Source
    } else if pack.contains(std::path::is_separator) || pack.starts_with('.') {
        Given::Folder
    } else {
        Given::Name
    }
}

/// The folders beside the program or in the library that may contain packs.
fn program_folders() -> Vec<PathBuf> {
    // Beside the program of a library, for example Python, lies nothing of ours.
    if let Some(folder) = LIBRARY_FOLDER.get() {
        return vec![folder.clone()];
    }
    match program().as_deref().and_then(Path::parent) {
        Some(folder) => vec![folder.join("../share/inkveil/models"), folder.join("models")],
        None => Vec::new(),
    }
}

/// The path of this program. Linux does not know it without `/proc`; then it is derived from the command line.
fn program() -> Option<PathBuf> {
    std::env::current_exe().ok().or_else(|| {
        let command = PathBuf::from(std::env::args_os().next()?);
        if command.components().count() > 1 {
            return command.canonicalize().ok();
        }
        let folders = std::env::var_os("PATH")?;
        let found = std::env::split_paths(&folders).map(|folder| folder.join(&command));
        found.into_iter().find(|path| path.is_file())?.canonicalize().ok()
    })
}

/// The path without `..`, for display.
fn without_dots(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_folder_comes_first_and_a_damaged_pack_is_an_error() {
        let home = tempfile::tempdir().unwrap();
        let (own, cache) = (home.path().join("own"), home.path().join("cache"));
        let variables =
            [("INKVEIL_PACKS", own.to_str().unwrap()), ("INKVEIL_CACHE", cache.to_str().unwrap())];
        let folders = PackFolders::new(&Environment::fixed(variables));
        let cached = cache.join("packs/tiny");
        std::fs::create_dir_all(&cached).unwrap();
        std::fs::create_dir_all(cache.join("packs/.tiny.new")).unwrap();
        let found = folders.find("tiny").unwrap();
        assert_eq!(found.folder(), cached.canonicalize().unwrap());
        let listed = |location| {
            let packs = folders.list().into_iter().filter(|pack| pack.location == location);
            packs.map(|pack| pack.name).collect::<Vec<_>>()
        };
        assert_eq!(listed(PackLocation::Cache), ["tiny"]);
        let first = own.join("tiny");
        std::fs::create_dir_all(&first).unwrap();
        assert_eq!(folders.find("tiny").unwrap().folder(), first.canonicalize().unwrap());
        assert_eq!(listed(PackLocation::UserFolder), ["tiny"]);
        assert!(listed(PackLocation::Cache).is_empty());
        std::fs::write(first.join(crate::MANIFEST), "broken").unwrap();
        assert!(matches!(folders.find("tiny").unwrap_err().kind(), ErrorKind::BadManifest { .. }));
    }

    #[test]
    fn a_path_is_a_folder() {
        let home = tempfile::tempdir().unwrap();
        let folders = PackFolders::new(&Environment::fixed([("HOME", home.path().to_str().unwrap())]));
        let path = home.path().display().to_string();
        assert_eq!(folders.find(&path).unwrap().folder(), home.path());
        assert_eq!(folders.find(&format!("path:{path}")).unwrap().folder(), home.path());
        for missing in ["./absent", "../absent/folder"] {
            let error = folders.find(missing).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Io { .. }), "{error}");
        }
    }

    #[test]
    fn distinguishes_names_folders_and_sources() {
        for (given, expected) in [
            ("en", Given::Name),
            ("./en", Given::Folder),
            ("/models/en", Given::Folder),
            ("models/", Given::Folder),
            ("path:models/en", Given::Source),
            ("hf:owner/name", Given::Source),
            ("pypi:name", Given::Source),
        ] {
            assert_eq!(classify(given), expected, "{given}");
        }
    }

    #[test]
    fn a_missing_pack_is_explained() {
        let home = tempfile::tempdir().unwrap();
        let empty = PackFolders::new(&Environment::fixed([("HOME", home.path().to_str().unwrap())]));
        let message = |pack: &str| empty.find(pack).unwrap_err().to_string();
        assert!(message("minilm").contains("pull it"));
        assert!(message("hf:a/b").starts_with("hf:a/b: ") && message("hf:a/b").contains("pull it"));
        assert!(!message("absent").contains("pull it"));
        let nowhere = PackFolders { places: Vec::new() };
        let error = nowhere.find(DEFAULT_PACK).unwrap_err().to_string();
        assert!(error.contains("share/inkveil/models") && error.contains("INKVEIL_PACKS"), "{error}");
        assert!(!error.contains("pull"), "the default pack cannot be pulled: {error}");
    }

    #[test]
    fn no_home_folder_is_needed() {
        let folders = PackFolders::new(&Environment::fixed([("NOTHING", "set")]));
        assert!(folders.find("absent").is_err());
        assert_eq!(folders.find(DEFAULT_PACK).unwrap().manifest().unwrap().name().as_str(), DEFAULT_PACK);
    }
}
