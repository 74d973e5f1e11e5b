//! Keys of maps: a key file or a passphrase.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::OnceLock;

use argon2::{Algorithm, Argon2, Params, Version};
use inkveil_error::Cause;
use inkveil_files::hex;
use inkveil_privacy::Secret;
use zeroize::Zeroizing;

use crate::header::{Cost, Header, NONCE_START, Origin, SALT};
use crate::{Error, ErrorKind};

/// The first line of a key file.
const TITLE: &str = "inkveil-key 1";
/// The shortest passphrase of a new map, in characters.
const SHORTEST_PASSPHRASE: usize = 8;
/// The longest key file. A wrong file is not read into memory.
const LONGEST: u64 = 4096;

/// The key of a map: the 32 bytes of a key file, or a passphrase. It is never printed and is
/// overwritten when dropped.
///
/// ```
/// use inkveil_restore::{ReplacementMap, MapKey};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("map.key");
/// let key = MapKey::create_file(&path)?; // 32 random bytes, readable only by the owner
/// assert!(MapKey::create_file(&path).is_err()); // a key is never overwritten
///
/// let mut sealed = Vec::new();
/// ReplacementMap::default().seal(&key, &mut sealed)?;
/// assert!(ReplacementMap::unseal(&sealed[..], &MapKey::from_file(&path)?)?.is_empty());
/// assert_eq!(format!("{key:?}"), "MapKey(key file, redacted)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MapKey(Source);

enum Source {
    File(Secret<[u8; 32]>),
    Passphrase { passphrase: Secret<String>, cost: Cost, derived: OnceLock<Derived> },
}

/// A key that was derived from the passphrase. Deriving is slow on purpose, so a job that seals many
/// parts derives once and keeps the salt. Each sealed file draws its own nonces.
struct Derived {
    cost: Cost,
    salt: [u8; SALT],
    key: Secret<[u8; 32]>,
}

impl MapKey {
    /// Reads a key from a file that [`create_file`](Self::create_file) wrote.
    ///
    /// # Errors
    /// If the file cannot be read or is not a key file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let read = || -> Result<Self, Error> {
            let mut text = Zeroizing::new(String::with_capacity(LONGEST as usize + 1));
            let file = File::open(path).map_err(|e| Error::io("open it", &e))?;
            file.take(LONGEST + 1).read_to_string(&mut text).map_err(|e| match e.kind() {
                std::io::ErrorKind::InvalidData => ErrorKind::NotAKey.into(),
                _ => Error::io("read it", &e),
            })?;
            parse(&text).map(|bytes| Self(Source::File(bytes))).ok_or_else(|| ErrorKind::NotAKey.into())
        };
        read().map_err(|e| e.in_file(path))
    }

    /// Draws a key and writes it to a new file that only the owner may read.
    ///
    /// # Errors
    /// If the file exists or cannot be written, or the system has no randomness.
    pub fn create_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let mut bytes = Secret::new([0; 32]);
        fill(bytes.expose_mut())?;
        let digits = Zeroizing::new(hex::encode(bytes.expose()));
        let text = Zeroizing::new(format!("{TITLE}\n{}\n", *digits));
        inkveil_files::write_private(path, text.as_bytes(), false)?;
        Ok(Self(Source::File(bytes)))
    }

    /// Creates a key from a passphrase. Encrypting and decrypting take a moment each, since
    /// Argon2id makes guessing slow.
    ///
    /// # Errors
    /// If the passphrase is empty.
    pub fn from_passphrase(passphrase: Secret<String>) -> Result<Self, Error> {
        Self::with_cost(passphrase, Cost::USUAL)
    }

    /// Creates a key for a new map from a passphrase that was chosen for it.
    ///
    /// # Errors
    /// If the passphrase is shorter than 8 characters. A few characters are guessed in no time.
    pub fn from_new_passphrase(passphrase: Secret<String>) -> Result<Self, Error> {
        match passphrase.expose().chars().nth(SHORTEST_PASSPHRASE - 1) {
            Some(_) => Self::from_passphrase(passphrase),
            None => Err(ErrorKind::ShortPassphrase { shortest: SHORTEST_PASSPHRASE }.into()),
        }
    }

    fn with_cost(passphrase: Secret<String>, cost: Cost) -> Result<Self, Error> {
        if passphrase.expose().is_empty() {
            return Err(ErrorKind::EmptyPassphrase.into());
        }
        Ok(Self(Source::Passphrase { passphrase, cost, derived: OnceLock::new() }))
    }

    /// Creates a key with a low cost, for fast tests.
    #[cfg(test)]
    pub(crate) fn quick(passphrase: &str) -> Self {
        let cost = Cost { memory: 32, passes: 1, lanes: 1 };
        Self::with_cost(passphrase.to_owned().into(), cost).unwrap()
    }

    /// Creates the header of a new map.
    pub(crate) fn new_header(&self) -> Result<Header, Error> {
        let mut nonce_start = [0; NONCE_START];
        fill(&mut nonce_start)?;
        let origin = match &self.0 {
            Source::File(_) => Origin::KeyFile,
            Source::Passphrase { cost, derived, .. } => match derived.get() {
                Some(known) => Origin::Passphrase { cost: known.cost, salt: known.salt },
                None => {
                    let mut salt = [0; SALT];
                    fill(&mut salt)?;
                    Origin::Passphrase { cost: *cost, salt }
                }
            },
        };
        Ok(Header { origin, nonce_start })
    }

    /// Returns the encryption key of a map with this header.
    pub(crate) fn for_header(&self, header: &Header) -> Result<Secret<[u8; 32]>, Error> {
        match (&self.0, header.origin) {
            (Source::File(bytes), Origin::KeyFile) => Ok(bytes.clone()),
            (Source::Passphrase { passphrase, derived, .. }, Origin::Passphrase { cost, salt }) => {
                match derived.get().filter(|known| (known.cost, known.salt) == (cost, salt)) {
                    Some(known) => Ok(known.key.clone()),
                    None => {
                        let key = derive_key(passphrase, cost, &salt)?;
                        // The first one is kept: a resumed job then uses the salt of its first run.
                        let _ = derived.set(Derived { cost, salt, key: key.clone() });
                        Ok(key)
                    }
                }
            }
            (Source::Passphrase { .. }, Origin::KeyFile) => Err(ErrorKind::NeedsKeyFile.into()),
            (Source::File(_), Origin::Passphrase { .. }) => Err(ErrorKind::NeedsPassphrase.into()),
        }
    }
}

impl fmt::Debug for MapKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Source::File(_) => "MapKey(key file, redacted)",
            Source::Passphrase { .. } => "MapKey(passphrase, redacted)",
        })
    }
}

/// Derives a key from a passphrase with Argon2id.
fn derive_key(passphrase: &Secret<String>, cost: Cost, salt: &[u8; SALT]) -> Result<Secret<[u8; 32]>, Error> {
    let refused = ErrorKind::Header { what: "its parameters for Argon2id are not valid" };
    let Ok(params) = Params::new(cost.memory, cost.passes, cost.lanes, Some(32)) else {
        return Err(refused.into());
    };
    let mut bytes = Secret::new([0; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.expose().as_bytes(), salt, bytes.expose_mut())
        .map_err(|error| match error {
            argon2::Error::OutOfMemory => ErrorKind::OutOfMemory { memory: cost.memory.div_ceil(1024) },
            _ => refused,
        })?;
    Ok(bytes)
}

fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|e| ErrorKind::NoEntropy { cause: Cause::new(e) }.into())
}

fn parse(text: &str) -> Option<Secret<[u8; 32]>> {
    hex::decode_array(text.strip_prefix(TITLE)?.trim()).map(Secret::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_is_private_and_can_be_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let made = MapKey::create_file(&path).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("inkveil-key 1\n") && text.len() == 14 + 65);
        let header = made.new_header().unwrap();
        let read = MapKey::from_file(&path).unwrap();
        assert_eq!(made.for_header(&header).unwrap().expose(), read.for_header(&header).unwrap().expose());
        let error = MapKey::create_file(&path).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::File(file) if *file.kind() == inkveil_files::ErrorKind::Exists)
                && error.to_string().contains("key"),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn other_files_are_not_keys() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let digits = "0123456789abcdefABCDEF0123456789abcdef0123456789abcdef0123456789";
        std::fs::write(&path, format!("inkveil-key 1\r\n{digits}\r\n")).unwrap();
        MapKey::from_file(&path).unwrap();
        let wrong =
            ["", "inkveil-key 1\n", "inkveil-key 2\n0", digits, "inkveil-key 1\nxyz", "inkveil-key 1\né"];
        for text in wrong.map(String::from).into_iter().chain([
            format!("inkveil-key 1\n{digits}0"),
            format!("inkveil-key 1\n{}\n", digits.replace('0', "g")),
        ]) {
            std::fs::write(&path, text).unwrap();
            let error = MapKey::from_file(&path).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::NotAKey), "{error}");
            assert!(!error.to_string().contains("0123"));
        }
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(matches!(MapKey::from_file(&path).unwrap_err().kind(), ErrorKind::NotAKey));
        let absent = MapKey::from_file(folder.path().join("absent")).unwrap_err();
        assert!(matches!(absent.kind(), ErrorKind::Io { .. }));
    }

    #[test]
    fn an_empty_passphrase_is_refused_and_passphrases_are_not_printed() {
        let error = MapKey::from_passphrase(String::new().into()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::EmptyPassphrase));
        assert_eq!(format!("{:?}", MapKey::quick("open sesame")), "MapKey(passphrase, redacted)");
    }

    #[test]
    fn a_passphrase_is_derived_once_and_seals_with_new_nonces() {
        let key = MapKey::quick("open sesame");
        let first = key.new_header().unwrap();
        let derived = key.for_header(&first).unwrap();
        let second = key.new_header().unwrap();
        assert_eq!(first.origin, second.origin, "the same salt, so the same derived key");
        assert_ne!(first.nonce_start, second.nonce_start);
        assert_eq!(key.for_header(&second).unwrap().expose(), derived.expose());
        // A map of another run has another salt, and its key is derived from that.
        let other = MapKey::quick("open sesame").new_header().unwrap();
        assert_ne!(other.origin, first.origin);
        assert_ne!(key.for_header(&other).unwrap().expose(), derived.expose());
        assert_eq!(key.new_header().unwrap().origin, first.origin);
    }

    /// A passphrase gives the same key on every machine and in every version. The expected value
    /// comes from the reference implementation in C.
    #[test]
    fn argon2id_matches_the_reference_implementation() {
        let cost = Cost { memory: 32, passes: 3, lanes: 4 };
        let key = derive_key(&"password".to_owned().into(), cost, &[2; 16]).unwrap();
        assert_eq!(
            hex::encode(key.expose()),
            "4626bbbb6f6a794d2e2eeae6dd7ccdd25c76f273cffc5ba5732b187339e4c1b6"
        );
    }
}
