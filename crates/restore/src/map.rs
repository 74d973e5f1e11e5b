//! Maps from replacements to originals.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;

use inkveil_privacy::NoiseKey;
use zeroize::Zeroizing;

use crate::header::{Header, KeySource};
use crate::pair::{LONGEST_KIND, LONGEST_ORIGINAL, LONGEST_REPLACEMENT, ReplacementPair};
use crate::{Error, ErrorKind, MapKey, case, content, header, seal};

/// Collects pairs in order. A repeated pair is stored once.
///
/// ```
/// use inkveil_restore::ReplacementMap;
///
/// let mut pairs = ReplacementMap::builder();
/// pairs.add("[person 1]", "Ana Novak", "person")?;
/// pairs.add("[person 1]", "Ana Novak", "person")?;
/// assert_eq!(pairs.build().len(), 1);
/// # Ok::<(), inkveil_restore::Error>(())
/// ```
#[derive(Default)]
pub struct MapBuilder {
    pairs: Vec<ReplacementPair>,
    /// The indices of the pairs with each hash.
    indices: HashMap<u64, Vec<usize>>,
    hasher: RandomState,
    noise_key: Option<NoiseKey>,
}

impl MapBuilder {
    /// Adds a pair. An empty replacement cannot be found in a text and is skipped.
    ///
    /// # Errors
    /// If a text is too long, or the replacement starts or ends with white space.
    pub fn add(&mut self, replacement: &str, original: &str, kind: &str) -> Result<(), Error> {
        for (what, text, longest) in [
            ("replacement", replacement, LONGEST_REPLACEMENT),
            ("replaced text", original, LONGEST_ORIGINAL),
            ("kind's name", kind, LONGEST_KIND),
        ] {
            if text.len() > longest {
                return Err(ErrorKind::TooLong { what, longest }.into());
            }
        }
        if replacement.is_empty() {
            return Ok(());
        }
        let space = |c: char| case::is_space(c.into());
        if replacement.starts_with(space) || replacement.ends_with(space) {
            return Err(ErrorKind::Padded.into());
        }
        self.push(ReplacementPair {
            replacement: replacement.to_owned(),
            original: original.to_owned(),
            kind: kind.to_owned(),
        });
        Ok(())
    }

    fn push(&mut self, pair: ReplacementPair) {
        let indices = self.indices.entry(self.hasher.hash_one(&pair)).or_default();
        if !indices.iter().any(|&index| self.pairs[index] == pair) {
            indices.push(self.pairs.len());
            self.pairs.push(pair);
        }
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the map.
    pub fn build(self) -> ReplacementMap {
        ReplacementMap { pairs: Arc::new(self.pairs), noise_key: self.noise_key }
    }
}

impl fmt::Debug for MapBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MapBuilder({} pairs)", self.pairs.len())
    }
}

/// A map from replacements to originals. **Private**: as private as the texts it comes from.
///
/// On disk it is encrypted: a header of 64 bytes, then chunks of 64 KiB under XChaCha20-Poly1305.
/// The nonce of a chunk consists of 19 random bytes of the header, the number of the chunk, and
/// whether it is the last one. Each chunk authenticates the header. A changed, missing, added or
/// moved chunk therefore cannot be decrypted, and the result is an error, never a wrong text.
///
/// ```
/// use inkveil_restore::{ReplacementMap, MapKey};
///
/// let folder = tempfile::tempdir()?;
/// let key = MapKey::create_file(folder.path().join("map.key"))?;
/// let mut pairs = ReplacementMap::builder();
/// pairs.add("Made Antonov", "Ana Novak", "person")?;
/// let path = folder.path().join("letters.map");
/// pairs.build().save(&path, &key, false)?;
///
/// let map = ReplacementMap::open(&path, &key)?;
/// assert_eq!(format!("{map:?}"), "ReplacementMap(1 pairs)");
/// let mut more = map.into_builder(); // a later part of the job
/// more.add("Iva Petrova", "Eva Horak", "person")?;
/// more.build().save(&path, &key, true)?;
/// assert_eq!(ReplacementMap::open(&path, &key)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct ReplacementMap {
    /// A restorer of this map shares them.
    pairs: Arc<Vec<ReplacementPair>>,
    noise_key: Option<NoiseKey>,
}

impl ReplacementMap {
    /// Starts a map.
    pub fn builder() -> MapBuilder {
        MapBuilder::default()
    }

    /// Returns a builder that adds to this map.
    pub fn into_builder(self) -> MapBuilder {
        let mut builder = MapBuilder { noise_key: self.noise_key, ..MapBuilder::default() };
        Arc::unwrap_or_clone(self.pairs).into_iter().for_each(|pair| builder.push(pair));
        builder
    }

    /// Returns the noise key of the session that the map belongs to. A session draws the replacements
    /// of all its texts with one key.
    pub fn noise_key(&self) -> Option<&NoiseKey> {
        self.noise_key.as_ref()
    }

    /// Makes it the map of a session with this noise key.
    pub fn with_noise_key(mut self, key: NoiseKey) -> Self {
        self.noise_key = Some(key);
        self
    }

    /// Returns the pairs in the order in which they were added.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = &ReplacementPair> {
        self.pairs.iter()
    }

    pub(crate) fn pair(&self, index: usize) -> Option<&ReplacementPair> {
        self.pairs.get(index)
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Encrypts the map.
    ///
    /// # Errors
    /// If the system has no randomness, or the writer fails.
    pub fn seal(&self, key: &MapKey, writer: impl Write) -> Result<(), Error> {
        let header = key.new_header()?;
        let mut sealer = seal::Sealer::begin(&header, &key.for_header(&header)?, writer)?;
        content::write(&self.pairs, self.noise_key.as_ref(), &mut sealer)?;
        sealer.end()
    }

    /// Decrypts a map.
    ///
    /// # Errors
    /// If the bytes are not a map, the key is wrong, or a byte was changed.
    pub fn unseal(mut reader: impl Read, key: &MapKey) -> Result<Self, Error> {
        let header = read_header(&mut reader)?;
        let plain = seal::unseal(&header, &key.for_header(&header)?, reader)?;
        let mut builder = MapBuilder::default();
        builder.noise_key =
            content::read(&plain, |replacement, original, kind| builder.add(replacement, original, kind))?;
        Ok(builder.build())
    }

    /// Encrypts the map into a file that only its owner may read. The file is written completely or
    /// not at all.
    ///
    /// # Errors
    /// If the file exists and `overwrite` is false, or if it cannot be written.
    pub fn save(&self, path: impl AsRef<Path>, key: &MapKey, overwrite: bool) -> Result<(), Error> {
        let path = path.as_ref();
        let mut sealed = Vec::new();
        self.seal(key, &mut sealed)
            .and_then(|()| Ok(inkveil_files::write_private(path, &sealed, overwrite)?))
            .map_err(|e| e.in_file(path))
    }

    /// Opens a file that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// As [`unseal`](Self::unseal), or if the file cannot be read.
    pub fn open(path: impl AsRef<Path>, key: &MapKey) -> Result<Self, Error> {
        let path = path.as_ref();
        open(path).and_then(|file| Self::unseal(file, key)).map_err(|e| e.in_file(path))
    }

    /// Returns what a file is encrypted with, so that the caller knows what to ask for.
    ///
    /// # Errors
    /// If the file cannot be read or is not a map.
    pub fn key_source(path: impl AsRef<Path>) -> Result<KeySource, Error> {
        let path = path.as_ref();
        let header = open(path).and_then(|mut file| read_header(&mut file));
        header.map(|header| header.source()).map_err(|e| e.in_file(path))
    }
}

/// Two maps are equal if their pairs are. A noise key is not compared.
impl PartialEq for ReplacementMap {
    fn eq(&self, other: &Self) -> bool {
        self.pairs == other.pairs
    }
}

impl Eq for ReplacementMap {}

impl fmt::Debug for ReplacementMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplacementMap({} pairs)", self.pairs.len())
    }
}

fn open(path: &Path) -> Result<BufReader<File>, Error> {
    File::open(path).map(BufReader::new).map_err(|e| Error::io("open it", &e))
}

fn read_header(reader: &mut impl Read) -> Result<Header, Error> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(header::LENGTH));
    let mut reader = reader.take(header::LENGTH as u64);
    reader.read_to_end(&mut bytes).map_err(|e| Error::io("read it", &e))?;
    Header::from_bytes(&bytes)
}
