//! Named sessions: conversations whose map and noise key are kept between runs.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use inkveil_files::{entries_of, remove_if_there};
use inkveil_pack::Environment;
use inkveil_privacy::Secret;
use inkveil_restore::{ErrorKind as MapError, KeySource, MapKey, ReplacementMap};

use super::map::{MapKeyChoice, MapSettings};
use crate::error::{Error, ErrorKind};

/// The folder of all sessions of a user.
///
/// ```
/// use inkveil::release::Sessions;
///
/// let folder = tempfile::tempdir()?;
/// let sessions = Sessions::in_folder(folder.path());
/// assert!(sessions.list()?.is_empty());
/// assert!(sessions.settings("letter to Ana", None).is_err()); // a name has no spaces
/// let map = sessions.settings("letter-7", None)?; // for `KeepPairs::Session`
/// assert_eq!(map.path, folder.path().join("letter-7.map"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sessions {
    folder: PathBuf,
}

/// A session that exists.
#[derive(Debug, Clone)]
pub struct Session {
    /// Its name.
    pub name: String,
    /// When its map was last written.
    pub changed: Option<SystemTime>,
    /// What its map is encrypted with.
    pub key: Option<KeySource>,
}

const MAP: &str = "map";
const KEY: &str = "key";
const LOCK: &str = "lock";
const LONGEST_NAME: usize = 64;

impl Sessions {
    /// Returns the sessions of an environment: `INKVEIL_SESSIONS`, or else the user's data folder.
    ///
    /// # Errors
    /// If there is no home folder.
    pub fn of(environment: &Environment) -> Result<Self, Error> {
        let usual = || {
            let data = environment.path("XDG_DATA_HOME").filter(|path| path.is_absolute());
            let in_home = || {
                let folder = match (cfg!(windows), cfg!(target_os = "macos")) {
                    (true, _) => "AppData/Local",
                    (_, true) => "Library/Application Support",
                    _ => ".local/share",
                };
                environment.home().map(|home| home.join(folder))
            };
            data.or_else(in_home).map(|data| data.join("inkveil").join("sessions"))
        };
        let folder = environment.path("INKVEIL_SESSIONS").or_else(usual);
        folder.map(|folder| Self { folder }).ok_or_else(|| ErrorKind::NoSessionFolder.into())
    }

    /// Returns the sessions in a folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns where the map of a session is and what it is sealed with. A new session is sealed with
    /// the passphrase, or with a key file beside it if there is none.
    ///
    /// # Errors
    /// If the name cannot be that of a session, or its map cannot be read.
    pub fn settings(&self, name: &str, passphrase: Option<Secret<String>>) -> Result<MapSettings, Error> {
        let path = self.file(name, MAP)?;
        let by_file = match path.exists() {
            true => ReplacementMap::key_source(&path)? == KeySource::KeyFile,
            false => passphrase.is_none(),
        };
        let key = match (by_file, passphrase) {
            (true, _) => MapKeyChoice::File(self.file(name, KEY)?),
            (false, Some(passphrase)) => MapKeyChoice::Passphrase(passphrase),
            (false, None) => return Err(ErrorKind::Map(MapError::NeedsPassphrase.into()).into()),
        };
        Ok(MapSettings { path, key })
    }

    /// Opens the map of a session, to restore answers with.
    ///
    /// # Errors
    /// If there is no such session, or it cannot be decrypted.
    pub fn open(&self, name: &str, passphrase: Option<Secret<String>>) -> Result<ReplacementMap, Error> {
        let settings = self.settings(name, passphrase)?;
        if !settings.path.exists() {
            return Err(ErrorKind::NoSession { name: name.to_owned() }.into());
        }
        let key = match settings.key {
            MapKeyChoice::File(file) => MapKey::from_file(file)?,
            MapKeyChoice::Passphrase(passphrase) => MapKey::from_passphrase(passphrase)?,
        };
        Ok(ReplacementMap::open(&settings.path, &key)?)
    }

    /// Returns all sessions, by name.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn list(&self) -> Result<Vec<Session>, Error> {
        let mut sessions: Vec<Session> = entries_of(&self.folder)?
            .into_iter()
            .filter_map(|path| {
                let name = path.file_stem()?.to_str().filter(|name| is_name(name))?.to_owned();
                let is_map = path.extension().is_some_and(|extension| extension == MAP);
                let changed = path.metadata().and_then(|found| found.modified()).ok();
                is_map.then(|| Session { name, changed, key: ReplacementMap::key_source(&path).ok() })
            })
            .collect();
        sessions.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(sessions)
    }

    /// Deletes a session: its map and its key. Its answers cannot be restored any more.
    ///
    /// # Errors
    /// If there is no such session, or it cannot be deleted.
    pub fn delete(&self, name: &str) -> Result<(), Error> {
        if !self.file(name, MAP)?.exists() {
            return Err(ErrorKind::NoSession { name: name.to_owned() }.into());
        }
        // The key first: without it, the map is worthless.
        for kind in [KEY, MAP, LOCK] {
            remove_if_there(&self.file(name, kind)?)?;
        }
        Ok(())
    }

    fn file(&self, name: &str, kind: &str) -> Result<PathBuf, Error> {
        match is_name(name) {
            true => Ok(self.folder.join(format!("{name}.{kind}"))),
            false => Err(ErrorKind::SessionName.into()),
        }
    }
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=LONGEST_NAME).contains(&name.len())
        && name.chars().all(plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_folder() {
        let sessions = Sessions::in_folder("/s");
        for bad in ["", "..", ".hidden", "a/b", "a b", "é", &"x".repeat(65)] {
            assert!(sessions.file(bad, MAP).is_err(), "{bad}");
        }
        assert_eq!(sessions.file("a.b-7", MAP).unwrap(), Path::new("/s/a.b-7.map"));
    }

    #[test]
    fn the_folder_comes_from_the_environment() {
        let folder = |variables: &[(&str, &str)]| {
            let environment = Environment::fixed(variables.iter().copied());
            Sessions::of(&environment).ok().map(|sessions| sessions.folder)
        };
        assert_eq!(folder(&[("INKVEIL_SESSIONS", "/s"), ("HOME", "/h")]), Some("/s".into()));
        assert_eq!(folder(&[]), None);
        #[cfg(target_os = "linux")]
        {
            assert_eq!(folder(&[("HOME", "/h")]), Some("/h/.local/share/inkveil/sessions".into()));
            let set = [("HOME", "/h"), ("XDG_DATA_HOME", "/x")];
            assert_eq!(folder(&set), Some("/x/inkveil/sessions".into()));
        }
    }
}
