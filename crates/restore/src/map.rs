//! Replacements and what they stand for.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{BufReader, Read, Write};
use std::path::Path;

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::header::{Header, KeySource};
use crate::{Error, ErrorKind, MapKey, case, content, header, seal};

/// A replacement and what it stands for. **Private**: never printed, and overwritten when dropped.
///
/// ```
/// use inkveil_restore::Map;
///
/// let mut pairs = Map::builder();
/// pairs.add("[person 1]", "Ana Novak", "person")?;
/// let map = pairs.build();
/// let pair = map.pairs().next().unwrap();
/// assert_eq!((pair.replacement(), pair.original(), pair.kind()), ("[person 1]", "Ana Novak", "person"));
/// assert_eq!(format!("{pair:?}"), "Pair(redacted)");
/// # Ok::<(), inkveil_restore::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Zeroize, ZeroizeOnDrop)]
pub struct Pair {
    replacement: String,
    original: String,
    kind: String,
}

impl Pair {
    /// What stands in the veiled text.
    pub fn replacement(&self) -> &str {
        &self.replacement
    }

    /// What stood there before.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// What it is: `person`, `email` …
    pub fn kind(&self) -> &str {
        &self.kind
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pair(redacted)")
    }
}

/// The longest replacement: restoring holds back as many bytes.
pub(crate) const LONGEST_REPLACEMENT: usize = 64 << 10;
/// The longest original.
pub(crate) const LONGEST_ORIGINAL: usize = 16 << 20;
/// The longest name of a kind.
pub(crate) const LONGEST_KIND: usize = 1 << 10;

/// Pairs as they are collected, in order. A pair that is there already is not taken twice.
///
/// ```
/// use inkveil_restore::Map;
///
/// let mut pairs = Map::builder();
/// pairs.add("[person 1]", "Ana Novak", "person")?;
/// pairs.add("[person 1]", "Ana Novak", "person")?;
/// assert_eq!(pairs.build().len(), 1);
/// # Ok::<(), inkveil_restore::Error>(())
/// ```
#[derive(Default)]
pub struct MapBuilder {
    pairs: Vec<Pair>,
    /// Where pairs with a hash are.
    places: HashMap<u64, Vec<usize>>,
    hasher: RandomState,
}

impl MapBuilder {
    /// Takes a pair. An empty replacement stands nowhere and is left out.
    ///
    /// # Errors
    /// If one of them is longer than any honest one, or the replacement begins or ends with white space.
    pub fn add(&mut self, replacement: &str, original: &str, kind: &str) -> Result<(), Error> {
        for (what, text, longest) in [
            ("replacement", replacement, LONGEST_REPLACEMENT),
            ("text that was replaced", original, LONGEST_ORIGINAL),
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
        self.push(Pair {
            replacement: replacement.to_owned(),
            original: original.to_owned(),
            kind: kind.to_owned(),
        });
        Ok(())
    }

    fn push(&mut self, pair: Pair) {
        let places = self.places.entry(self.hasher.hash_one(&pair)).or_default();
        if !places.iter().any(|&place| self.pairs[place] == pair) {
            places.push(self.pairs.len());
            self.pairs.push(pair);
        }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The map.
    pub fn build(self) -> Map {
        Map { pairs: self.pairs }
    }
}

impl fmt::Debug for MapBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MapBuilder({} pairs)", self.pairs.len())
    }
}

/// The map from replacements to originals. **Private**: as private as the texts that it comes from.
///
/// On disk it is sealed: a header of 64 bytes, then chunks of 64 KiB under XChaCha20-Poly1305. The nonce of a chunk is 19 random bytes of
/// the header, the chunk's number and whether it is the last; the header is authenticated with each. So a chunk that is
/// changed, missing, added or in another place does not open, and what does not open is an error, never a wrong text.
///
/// ```
/// use inkveil_restore::{Map, MapKey};
///
/// let folder = tempfile::tempdir()?;
/// let key = MapKey::create_file(folder.path().join("map.key"))?;
/// let mut pairs = Map::builder();
/// pairs.add("Made Antonov", "Ana Novak", "person")?;
/// let path = folder.path().join("letters.map");
/// pairs.build().save(&path, &key, false)?;
///
/// let map = Map::open(&path, &key)?;
/// assert_eq!(format!("{map:?}"), "Map(1 pairs)");
/// let mut more = map.into_builder(); // a later part of the job
/// more.add("Iva Petrova", "Eva Horak", "person")?;
/// more.build().save(&path, &key, true)?;
/// assert_eq!(Map::open(&path, &key)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Map {
    pairs: Vec<Pair>,
}

impl Map {
    /// Begins a map.
    pub fn builder() -> MapBuilder {
        MapBuilder::default()
    }

    /// Goes on with this map.
    pub fn into_builder(self) -> MapBuilder {
        let mut builder = MapBuilder::default();
        self.pairs.into_iter().for_each(|pair| builder.push(pair));
        builder
    }

    /// The pairs, in the order in which they were added.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = &Pair> {
        self.pairs.iter()
    }

    pub(crate) fn pair(&self, index: usize) -> Option<&Pair> {
        self.pairs.get(index)
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Seals the map.
    ///
    /// # Errors
    /// If there is no randomness, or the writer fails.
    pub fn seal(&self, key: &MapKey, writer: impl Write) -> Result<(), Error> {
        let header = key.new_header()?;
        let mut sealer = seal::Sealer::begin(&header, &key.for_header(&header)?, writer)?;
        content::write(&self.pairs, &mut sealer)?;
        sealer.end()
    }

    /// Opens a sealed map.
    ///
    /// # Errors
    /// If it is no map, the key is another, or a byte was changed.
    pub fn unseal(mut reader: impl Read, key: &MapKey) -> Result<Self, Error> {
        let header = read_header(&mut reader)?;
        let plain = seal::unseal(&header, &key.for_header(&header)?, reader)?;
        let mut builder = MapBuilder::default();
        content::read(&plain, |replacement, original, kind| builder.add(replacement, original, kind))?;
        Ok(builder.build())
    }

    /// Seals the map into a file, whole or not at all, which only its owner may read.
    ///
    /// # Errors
    /// If the file exists and is not to be overwritten, or cannot be written.
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

    /// What a file is sealed with, to know what to ask for.
    ///
    /// # Errors
    /// If the file cannot be read or is no map.
    pub fn key_source(path: impl AsRef<Path>) -> Result<KeySource, Error> {
        let path = path.as_ref();
        let header = open(path).and_then(|mut file| read_header(&mut file));
        header.map(|header| header.source()).map_err(|e| e.in_file(path))
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Map({} pairs)", self.pairs.len())
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
