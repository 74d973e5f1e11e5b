//! Where packs lie on this machine.

use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::environment::Environment;
use crate::error::{Error, ErrorKind};
use crate::pack::Pack;
use crate::path::PackName;
use crate::source::Source;

/// The folder `models/` of the source tree, for `cargo run` and `cargo install --path`.
const SOURCE_TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");

/// The folders that packs are looked for in, in order.
///
/// 1. the folder `INKVEIL_MODELS`;
/// 2. what came with the program: `models/` beside it or `../share/inkveil/models`, or the source tree's `models/`;
/// 3. the cache.
///
/// ```
/// use inkveil_pack::{Environment, ModelFolders};
///
/// let home = tempfile::tempdir()?;
/// let variables = [("HOME", home.path().to_str().unwrap_or_default())];
/// let folders = ModelFolders::new(&Environment::fixed(variables))?;
/// let error = folders.find("qwen-1.5b").unwrap_err();
/// assert!(error.to_string().contains("inkveil pull qwen-1.5b"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ModelFolders {
    folders: Vec<(Place, PathBuf)>,
}

/// How a pack came to this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// It lies in a folder that the user named.
    Own,
    /// It came with the program.
    Shipped,
    /// It was pulled.
    Cached,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Own => "own",
            Self::Shipped => "shipped",
            Self::Cached => "cached",
        })
    }
}

/// A pack that was found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Found {
    /// The name of its folder.
    pub name: String,
    /// Where it was found.
    pub place: Place,
    /// Its folder.
    pub folder: PathBuf,
}

impl ModelFolders {
    /// The folders of an environment.
    pub fn new(environment: &Environment) -> Result<Self, Error> {
        let mut folders = Vec::new();
        folders.extend(environment.path("INKVEIL_MODELS").map(|folder| (Place::Own, folder)));
        if let Some(beside) = std::env::current_exe().ok().as_deref().and_then(Path::parent) {
            folders.push((Place::Shipped, beside.join("models")));
            folders.push((Place::Shipped, beside.join("../share/inkveil/models")));
        }
        folders.push((Place::Shipped, PathBuf::from(SOURCE_TREE)));
        folders.push((Place::Cached, Cache::new(environment)?.packs_folder()));
        Ok(Self { folders })
    }

    /// The pack of a name or source. `path:FOLDER` is opened where it lies; anything else must have been shipped or pulled.
    pub fn find(&self, text: &str) -> Result<Pack, Error> {
        let name: PackName = match text.contains(':') {
            false => text.parse()?,
            true => match text.parse()? {
                Source::Path(folder) => return Pack::open_folder(folder),
                source => source.default_name()?,
            },
        };
        let places = self.folders.iter().map(|(_, folder)| folder.join(name.as_str()));
        match places.into_iter().find(|place| place.is_dir()) {
            // One that is there but broken is an error: another of the same name may be another model.
            Some(place) => Pack::open_folder(tidy(&place)),
            None => {
                let name = if text.contains(':') { text.to_owned() } else { name.to_string() };
                Err(Error::from(ErrorKind::NotFound { name: name.clone() }).of(name))
            }
        }
    }

    /// All packs there are, in the order they are found. A name that occurs twice is listed once, as it would be found.
    pub fn list(&self) -> Vec<Found> {
        let mut all: Vec<Found> = Vec::new();
        for (place, folder) in &self.folders {
            // A folder that is not there has no packs.
            let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
            let mut names: Vec<String> =
                entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.sort();
            for name in names {
                let path = folder.join(&name);
                let is_pack = name.parse::<PackName>().is_ok() && path.is_dir();
                if is_pack && !all.iter().any(|found| found.name == name) {
                    all.push(Found { name, place: *place, folder: tidy(&path) });
                }
            }
        }
        all
    }
}

/// Without `..`, for people.
fn tidy(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_folders_come_first_and_broken_packs_are_errors() {
        let home = tempfile::tempdir().unwrap();
        let (own, cache) = (home.path().join("own"), home.path().join("cache"));
        let variables =
            [("INKVEIL_MODELS", own.to_str().unwrap()), ("INKVEIL_CACHE", cache.to_str().unwrap())];
        let folders = ModelFolders::new(&Environment::fixed(variables)).unwrap();
        let cached = cache.join("packs/tiny");
        std::fs::create_dir_all(&cached).unwrap();
        std::fs::create_dir_all(cache.join("packs/.tiny.new")).unwrap();
        let found = folders.find("tiny").unwrap();
        assert_eq!(found.folder(), cached.canonicalize().unwrap());
        let listed = |place| {
            folders.list().into_iter().filter(|f| f.place == place).map(|f| f.name).collect::<Vec<_>>()
        };
        assert_eq!(listed(Place::Cached), ["tiny"]);
        let first = own.join("tiny");
        std::fs::create_dir_all(&first).unwrap();
        assert_eq!(folders.find("tiny").unwrap().folder(), first.canonicalize().unwrap());
        assert_eq!((listed(Place::Own), listed(Place::Cached)), (vec!["tiny".to_owned()], vec![]));
        std::fs::write(first.join(crate::MANIFEST), "broken").unwrap();
        assert!(matches!(folders.find("tiny").unwrap_err().kind(), ErrorKind::BadManifest { .. }));
        assert_eq!(folders.find(&format!("path:{}", cached.display())).unwrap().folder(), cached);
        assert!(folders.find("hf:a/b").unwrap_err().to_string().starts_with("hf:a/b: there is no such pack"));
        assert!(folders.find("../own").is_err());
    }
}
