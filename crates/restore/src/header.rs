//! The header of an encrypted map: 64 bytes that state how its key is derived. Every chunk
//! authenticates the whole header.
//!
//! ```text
//!  0..11  inkveil-map            28..44  salt of the passphrase (zero for a key file)
//! 11      version, 1             44..63  random prefix of every nonce
//! 12      1 key file,            63      zero
//!         2 passphrase
//! 13..16  zero
//! 16..28  Argon2id: KiB of memory, passes, lanes, as little-endian 32-bit numbers (zero for a key file)
//! ```

use crate::{Error, ErrorKind};

pub(crate) const LENGTH: usize = 64;
pub(crate) const SALT: usize = 16;
pub(crate) const NONCE_START: usize = 19;

const MAGIC: &[u8; 11] = b"inkveil-map";
const VERSION: u8 = 1;
const KEY_FILE: u8 = 1;
const PASSPHRASE: u8 = 2;

/// What a map is encrypted with.
///
/// ```
/// use inkveil_restore::{KeySource, ReplacementMap, MapKey};
///
/// let folder = tempfile::tempdir()?;
/// let key = MapKey::create_file(folder.path().join("key"))?;
/// let path = folder.path().join("names.map");
/// ReplacementMap::default().save(&path, &key, false)?;
/// assert_eq!(ReplacementMap::key_source(&path)?, KeySource::KeyFile);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySource {
    /// A key file.
    KeyFile,
    /// A passphrase.
    Passphrase,
}

/// The cost of deriving a key from a passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    /// In KiB.
    pub(crate) memory: u32,
    pub(crate) passes: u32,
    pub(crate) lanes: u32,
}

impl Cost {
    /// The second recommendation of RFC 9106: 64 MiB, 3 passes, 4 lanes.
    pub(crate) const USUAL: Self = Self { memory: 64 << 10, passes: 3, lanes: 4 };

    /// A header is read before it is authenticated, so it must not be able to demand all memory or
    /// hours of work.
    fn is_acceptable(self) -> bool {
        let Self { memory, passes, lanes } = self;
        (1..=16).contains(&lanes) && (1..=16).contains(&passes) && (8 * lanes..=1 << 20).contains(&memory)
    }
}

/// The source of the key, with the parameters for deriving it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    KeyFile,
    Passphrase { cost: Cost, salt: [u8; SALT] },
}

/// The header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) origin: Origin,
    pub(crate) nonce_start: [u8; NONCE_START],
}

impl Header {
    pub(crate) fn source(&self) -> KeySource {
        match self.origin {
            Origin::KeyFile => KeySource::KeyFile,
            Origin::Passphrase { .. } => KeySource::Passphrase,
        }
    }

    pub(crate) fn to_bytes(self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..11].copy_from_slice(MAGIC);
        bytes[11] = VERSION;
        bytes[12] = KEY_FILE;
        if let Origin::Passphrase { cost, salt } = self.origin {
            bytes[12] = PASSPHRASE;
            bytes[16..20].copy_from_slice(&cost.memory.to_le_bytes());
            bytes[20..24].copy_from_slice(&cost.passes.to_le_bytes());
            bytes[24..28].copy_from_slice(&cost.lanes.to_le_bytes());
            bytes[28..44].copy_from_slice(&salt);
        }
        bytes[44..63].copy_from_slice(&self.nonce_start);
        bytes
    }

    /// Parses a header from untrusted bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        if !bytes.starts_with(MAGIC) {
            return Err(ErrorKind::NotAMap.into());
        }
        if let Some(&found) = bytes.get(11).filter(|version| **version != VERSION) {
            return Err(ErrorKind::Version { found }.into());
        }
        let Ok(bytes) = <&[u8; LENGTH]>::try_from(bytes) else {
            return Err(ErrorKind::Header { what: "it ends too early" }.into());
        };
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let mut salt = [0; SALT];
        salt.copy_from_slice(&bytes[28..44]);
        let mut nonce_start = [0; NONCE_START];
        nonce_start.copy_from_slice(&bytes[44..63]);
        let origin = match bytes[12] {
            KEY_FILE => Origin::KeyFile,
            PASSPHRASE => {
                let cost = Cost { memory: number(16), passes: number(20), lanes: number(24) };
                if !cost.is_acceptable() {
                    let what = "its key derivation needs more than 1 GiB of memory, 16 passes or 16 lanes";
                    return Err(ErrorKind::Header { what }.into());
                }
                Origin::Passphrase { cost, salt }
            }
            _ => return Err(ErrorKind::Header { what: "its source of the key is unknown" }.into()),
        };
        let header = Self { origin, nonce_start };
        // Unused bytes must be zero, so that each header has exactly one encoding.
        if header.to_bytes() != *bytes {
            return Err(ErrorKind::Header { what: "bytes that must be zero are not" }.into());
        }
        Ok(header)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GOLDEN: Header = Header {
        origin: Origin::Passphrase { cost: Cost::USUAL, salt: [0xaa; SALT] },
        nonce_start: [0xbb; NONCE_START],
    };

    /// Existing files must stay readable.
    #[test]
    fn the_header_format_is_stable() {
        let hex: String = GOLDEN.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            hex,
            "696e6b7665696c2d6d6170010200000000000100030000000400000\
             0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb00"
        );
        assert_eq!(Header::from_bytes(&GOLDEN.to_bytes()).unwrap(), GOLDEN);
        let by_file = Header { origin: Origin::KeyFile, ..GOLDEN };
        assert_eq!(Header::from_bytes(&by_file.to_bytes()).unwrap(), by_file);
        assert_eq!(&by_file.to_bytes()[12..44], &[&[1][..], &[0; 31]].concat());
    }

    #[test]
    fn headers_with_excessive_costs_are_refused() {
        for (memory, passes, lanes) in [
            (u32::MAX, 3, 4),
            ((1 << 20) + 1, 3, 4),
            (65536, 17, 4),
            (65536, 0, 4),
            (65536, 3, 17),
            (7, 3, 1),
        ] {
            let cost = Cost { memory, passes, lanes };
            let header = Header { origin: Origin::Passphrase { cost, salt: [0; SALT] }, ..GOLDEN };
            let error = Header::from_bytes(&header.to_bytes()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Header { .. }), "{error}");
        }
    }

    #[test]
    fn invalid_headers_are_refused_with_a_reason() {
        let kind = |bytes: &[u8]| format!("{:?}", Header::from_bytes(bytes).unwrap_err().kind());
        assert_eq!(kind(b""), "NotAMap");
        assert_eq!(kind(b"inkveil-mao"), "NotAMap");
        assert_eq!(kind(b"inkveil-map\x02"), "Version { found: 2 }");
        assert!(kind(&GOLDEN.to_bytes()[..63]).contains("too early"));
        let mut bytes = GOLDEN.to_bytes();
        bytes[12] = 3;
        assert!(kind(&bytes).contains("source"));
        bytes[12] = 1;
        assert!(kind(&bytes).contains("zero"));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_parsed_or_refused(mut bytes in proptest::collection::vec(any::<u8>(), 0..80), begin: bool) {
            if begin {
                bytes.splice(0..0, *b"inkveil-map\x01");
                bytes.truncate(LENGTH);
            }
            if let Ok(header) = Header::from_bytes(&bytes) {
                prop_assert_eq!(header.to_bytes().to_vec(), bytes);
            }
        }
    }
}
