//! The gazetteer: names, places and words with flags, as one automaton in one file.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::ops::{BitOr, BitOrAssign};
use std::path::Path;

use fst::Map;
use fst::raw::{Fst, Output};
use inkveil_files::catch_quietly;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::error::Error;

/// The size from which on a file is refused.
const LARGEST: u64 = 64 << 20;

macro_rules! entries {
    ($($bit:literal $constant:ident $name:literal $about:literal;)*) => {
        impl EntryFlags {
            $(#[doc = $about] pub const $constant: EntryFlags = EntryFlags(1 << $bit);)*

            /// All flags by name.
            pub const NAMED: &'static [(&'static str, EntryFlags)] = &[$(($name, EntryFlags::$constant)),*];
        }
    };
}

/// The flags of a word or name: what it may be. Empty for an unknown word.
///
/// ```
/// use inkveil_detect::EntryFlags;
///
/// let may = EntryFlags::GIVEN | EntryFlags::ORDINARY; // "will"
/// assert!(may.contains(EntryFlags::GIVEN) && !may.contains(EntryFlags::CITY));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct EntryFlags(u32);

// The file format and the trained taggers depend on these bits. Do not renumber them.
entries! {
    0 GIVEN "given name" "A given name.";
    1 FAMILY "family name" "A family name.";
    2 CITY "city" "A city.";
    3 REGION "region" "A state, province, county or other region, or another place.";
    4 COUNTRY "country" "A country.";
    5 NATIONALITY "nationality" "A nationality, language or religion.";
    6 CURRENCY "currency" "A currency, its code or its symbol.";
    7 ORGANISATION "organisation" "A word in names of organisations: hospital, university, gmbh.";
    8 STREET "street" "A word in names of streets, or a street.";
    9 JOB "job" "An occupation, or a word in names of occupations.";
    10 DISEASE "disease" "A disease or symptom.";
    11 DRUG "drug" "A drug.";
    12 TITLE "title" "A form of address.";
    13 CALENDAR "calendar" "A month or a day of the week.";
    14 ORDINARY "ordinary" "A common English word.";
}

impl EntryFlags {
    const ALL: u32 = (1 << EntryFlags::NAMED.len()) - 1;

    /// Returns the flags as a number.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Returns whether no flag is set: the word is unknown.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether all of these flags are set.
    pub fn contains(self, flags: EntryFlags) -> bool {
        self.0 & flags.0 == flags.0
    }
}

impl BitOr for EntryFlags {
    type Output = EntryFlags;

    fn bitor(self, other: EntryFlags) -> EntryFlags {
        EntryFlags(self.0 | other.0)
    }
}

impl BitOrAssign for EntryFlags {
    fn bitor_assign(&mut self, other: EntryFlags) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for EntryFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = EntryFlags::NAMED.iter().filter(|(_, flag)| self.contains(*flag)).map(|(name, _)| name);
        f.debug_set().entries(named).finish()
    }
}

/// Many names and words with their flags, in any case.
///
/// ```
/// use inkveil_detect::{EntryFlags, Gazetteer};
///
/// let entries =
///     [("New York", EntryFlags::CITY), ("Will", EntryFlags::GIVEN), ("will", EntryFlags::ORDINARY)];
/// let gazetteer = Gazetteer::build(entries)?;
/// assert_eq!(gazetteer.flags("WILL"), EntryFlags::GIVEN | EntryFlags::ORDINARY);
/// assert_eq!(gazetteer.longest("in new  york.", 3), Some((12, EntryFlags::CITY)));
/// assert!(gazetteer.flags("Wilma").is_empty());
/// # Ok::<(), inkveil_detect::Error>(())
/// ```
pub struct Gazetteer {
    map: Map<Vec<u8>>,
}

impl Gazetteer {
    /// The name of its file in a pack.
    pub const FILE: &'static str = "gazetteer.fst";

    /// Reads and verifies a gazetteer.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is damaged.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let read = || {
            // Checked before reading, so that a wrong file does not fill the memory.
            if fs::metadata(path)?.len() > LARGEST {
                return Ok(Vec::new());
            }
            fs::read(path)
        };
        let bytes = read().map_err(|error| Error::io("read the gazetteer", error).in_file(path))?;
        Self::from_bytes(bytes).map_err(|error| error.in_file(path))
    }

    /// Reads a gazetteer from lines of an entry, a tab and its flags, sorted by bytes and without repetitions.
    pub(crate) fn open_lines(path: &Path) -> Result<Self, Error> {
        let text =
            fs::read_to_string(path).map_err(|error| Error::io("read the gazetteer", error).in_file(path))?;
        let damaged = || damaged_file().in_file(path);
        let lines = text.lines().map(|line| {
            let (key, flags) = line.split_once('\t')?;
            Some((key, flags.parse::<u64>().ok()?))
        });
        let entries: Vec<(&str, u64)> = lines.collect::<Option<_>>().ok_or_else(damaged)?;
        let map = Map::from_iter(entries).map_err(|_| damaged())?;
        Ok(Gazetteer { map })
    }

    /// Verifies a gazetteer in memory.
    ///
    /// # Errors
    /// Fails if the bytes are not a gazetteer or are damaged.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Error> {
        let damaged = |_| damaged_file();
        let map = Map::new(bytes).map_err(damaged)?;
        // The checksum detects accidental damage only. The library trusts the rest of the file and panics if it is wrong.
        map.as_fst().verify().map_err(damaged)?;
        match catch_quietly(|| is_sound(map.as_fst())) {
            Some(true) => Ok(Gazetteer { map }),
            Some(false) | None => Err(damaged_file()),
        }
    }

    /// Builds a gazetteer from entries in any order. Repeated entries have the flags of all. Entries with
    /// diacritics are also added without them. The same entries give the same bytes.
    ///
    /// # Errors
    /// Fails if there are too many entries.
    pub fn build<'a>(entries: impl IntoIterator<Item = (&'a str, EntryFlags)>) -> Result<Self, Error> {
        let mut keys: BTreeMap<String, EntryFlags> = BTreeMap::new();
        for (text, flags) in entries {
            let key = key(text);
            let unmarked: String = key.nfd().filter(|c| !is_combining_mark(*c)).collect();
            for key in [unmarked, key] {
                if !key.is_empty() {
                    *keys.entry(key).or_default() |= flags;
                }
            }
        }
        let failed = |_| Error::damaged("the entries do not fit into one gazetteer; use fewer");
        let map =
            Map::from_iter(keys.iter().map(|(key, flags)| (key, u64::from(flags.0)))).map_err(failed)?;
        Self::from_bytes(map.into_fst().into_inner())
    }

    /// Returns the bytes of its file.
    pub fn as_bytes(&self) -> &[u8] {
        self.map.as_fst().as_bytes()
    }

    /// Returns the number of entries, including those without diacritics.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Returns whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Returns the flags of a word, ignoring case.
    pub fn flags(&self, word: &str) -> EntryFlags {
        self.map.get(key(word)).map_or(EntryFlags::default(), entry)
    }

    /// Returns the end and the flags of the longest entry that starts at a byte of the text and ends at the
    /// end of a word. The space in an entry matches one or two white space characters. Returns `None` if
    /// there is none, or if `start` is not on a character boundary.
    pub fn longest(&self, text: &str, start: usize) -> Option<(usize, EntryFlags)> {
        let rest = text.get(start..)?;
        let automaton = self.map.as_fst();
        let mut node = automaton.root();
        let mut output = Output::zero();
        let mut longest = None;
        let mut chars = rest.char_indices().peekable();
        while let Some((_, c)) = chars.next() {
            let blank = c.is_whitespace();
            if blank && chars.peek().is_some_and(|(_, next)| next.is_whitespace()) {
                chars.next();
            }
            let folded = if blank { Folded::Space } else { Folded::Char(c) };
            let mut buffer = [0; 4];
            for folded in folded.chars() {
                for byte in folded.encode_utf8(&mut buffer).bytes() {
                    let Some(at) = node.find_input(byte) else { return longest };
                    let transition = node.transition(at);
                    output = output.cat(transition.out);
                    node = automaton.node(transition.addr);
                }
            }
            let next = chars.peek();
            if node.is_final() && !next.is_some_and(|(_, next)| next.is_alphanumeric()) {
                let end = start + next.map_or(rest.len(), |(at, _)| *at);
                longest = Some((end, entry(output.cat(node.final_output()).value())));
            }
        }
        longest
    }
}

impl fmt::Debug for Gazetteer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gazetteer({} entries)", self.len())
    }
}

fn damaged_file() -> Error {
    Error::damaged("the gazetteer is damaged; fetch or build it again")
}

/// Returns whether every lookup ends without trouble. Panics if the library cannot read a part.
fn is_sound(automaton: &Fst<Vec<u8>>) -> bool {
    let mut seen = vec![0_u64; automaton.as_bytes().len() / 64 + 1];
    let mut open = vec![automaton.root().addr()];
    // Sums of small outputs do not overflow.
    let is_small = |output: Output| output.value() <= u64::from(u32::MAX);
    while let Some(address) = open.pop() {
        let node = automaton.node(address);
        // Nodes with many transitions have a table that leads to them.
        let has_table = node.len() > 32;
        if !is_small(node.final_output())
            || has_table && (0..=u8::MAX).any(|byte| node.find_input(byte).is_some_and(|at| at >= node.len()))
        {
            return false;
        }
        for transition in node.transitions() {
            // The nodes of a sound file lie before those that lead to them, so there are no circles.
            if transition.addr >= address || !is_small(transition.out) {
                return false;
            }
            let (word, bit) = (transition.addr / 64, 1 << (transition.addr % 64));
            if seen[word] & bit == 0 {
                seen[word] |= bit;
                open.push(transition.addr);
            }
        }
    }
    true
}

fn entry(value: u64) -> EntryFlags {
    // Bits of a newer version are ignored.
    EntryFlags(u32::try_from(value & u64::from(EntryFlags::ALL)).unwrap_or(0))
}

/// Normalises a text as in entries: lower case, single spaces, plain apostrophes, no dots at the end
/// ("Mr." becomes "mr").
fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for c in text.trim().trim_end_matches('.').chars() {
        if !c.is_whitespace() {
            key.extend(Folded::Char(c).chars());
        } else if !key.ends_with(' ') {
            key.push(' ');
        }
    }
    key
}

/// A normalised character.
enum Folded {
    Char(char),
    Space,
}

impl Folded {
    fn chars(self) -> impl Iterator<Item = char> {
        // Letter by letter, unlike `str::to_lowercase`, so that the text is not copied.
        match self {
            Folded::Space => ' '.to_lowercase(),
            Folded::Char('\u{2019}') => '\''.to_lowercase(),
            Folded::Char(c) => c.to_lowercase(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn small() -> Gazetteer {
        Gazetteer::build([
            ("New York", EntryFlags::CITY),
            ("New York City", EntryFlags::CITY),
            ("York", EntryFlags::FAMILY),
            ("New", EntryFlags::ORDINARY),
            ("São Paulo", EntryFlags::CITY),
            ("O'Brien", EntryFlags::FAMILY),
            ("Mr.", EntryFlags::TITLE),
            ("İzmir", EntryFlags::CITY),
        ])
        .unwrap()
    }

    #[test]
    fn words_are_found_in_any_case() {
        let gazetteer = small();
        assert_eq!(gazetteer.flags("NEW YORK"), EntryFlags::CITY);
        assert_eq!(gazetteer.flags("mr."), EntryFlags::TITLE);
        assert_eq!(gazetteer.flags("Mr"), EntryFlags::TITLE);
        assert_eq!(gazetteer.flags("O’BRIEN"), EntryFlags::FAMILY);
        assert_eq!(gazetteer.flags("sao paulo"), EntryFlags::CITY);
        assert_eq!(gazetteer.flags("izmir"), EntryFlags::CITY);
        assert_eq!(gazetteer.flags("newer"), EntryFlags::default());
        assert_eq!(gazetteer.flags(""), EntryFlags::default());
    }

    #[test]
    fn the_longest_entry_that_ends_with_a_word_is_found() {
        let gazetteer = small();
        assert_eq!(gazetteer.longest("New York City is", 0), Some((13, EntryFlags::CITY)));
        assert_eq!(gazetteer.longest("New York Cityscape", 0), Some((8, EntryFlags::CITY)));
        assert_eq!(gazetteer.longest("to new\n york!", 3), Some((12, EntryFlags::CITY)));
        assert_eq!(gazetteer.longest("new   york", 0), Some((3, EntryFlags::ORDINARY)));
        assert_eq!(gazetteer.longest("newyork", 0), None);
        assert_eq!(gazetteer.longest("in SÃO PAULO", 3), Some((13, EntryFlags::CITY)));
        assert_eq!(gazetteer.longest("a New York", 2), Some((10, EntryFlags::CITY)));
        assert_eq!(gazetteer.longest("é", 1), None);
        assert_eq!(gazetteer.longest("York", 9), None);
    }

    #[test]
    fn the_order_of_entries_does_not_change_the_bytes() {
        let entries = [("b", EntryFlags::CITY), ("a", EntryFlags::GIVEN), ("a", EntryFlags::FAMILY)];
        let forward = Gazetteer::build(entries).unwrap();
        let backward = Gazetteer::build(entries.into_iter().rev()).unwrap();
        assert_eq!(forward.as_bytes(), backward.as_bytes());
        assert_eq!(forward.flags("a"), EntryFlags::GIVEN | EntryFlags::FAMILY);
        assert_eq!(forward.len(), 2);
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        let good = small().as_bytes().to_vec();
        assert!(Gazetteer::from_bytes(good.clone()).is_ok());
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            assert!(Gazetteer::from_bytes(bad).is_err(), "byte {at}");
            assert!(Gazetteer::from_bytes(good[..at].to_vec()).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn a_forged_file_is_an_error() {
        let good = small().as_bytes().to_vec();
        let mut refused = 0;
        for at in 0..good.len() - 4 {
            for bits in [0x01, 0x80, 0xff] {
                let mut forged = good[..good.len() - 4].to_vec();
                forged[at] ^= bits;
                forged.extend(masked_crc(&forged).to_le_bytes());
                match Gazetteer::from_bytes(forged) {
                    Ok(gazetteer) => {
                        gazetteer.flags("new york city");
                        gazetteer.longest("new york city", 0);
                    }
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(refused > good.len(), "{refused}");
    }

    /// The checksum of the library: CRC-32C, turned.
    fn masked_crc(bytes: &[u8]) -> u32 {
        let step = |crc: u32, _| (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg());
        let crc = !bytes.iter().fold(!0_u32, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step));
        crc.rotate_right(15).wrapping_add(0xa282_ead8)
    }

    #[test]
    fn sorted_lines_are_a_gazetteer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names.txt");
        fs::write(&path, "anna\t1\nbad homburg\t4\nmüller\t2\n").unwrap();
        let gazetteer = Gazetteer::open_lines(&path).unwrap();
        assert_eq!(gazetteer.flags("Müller"), EntryFlags::FAMILY);
        assert_eq!(gazetteer.longest("in Bad Homburg", 3), Some((14, EntryFlags::CITY)));
        for damaged in ["b\t1\na\t1\n", "anna\n", "anna\tx\n"] {
            fs::write(&path, damaged).unwrap();
            assert!(Gazetteer::open_lines(&path).is_err(), "{damaged}");
        }
    }

    #[test]
    fn errors_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gazetteer.fst");
        assert!(Gazetteer::open(&path).unwrap_err().to_string().contains("gazetteer.fst"));
        fs::write(&path, b"nothing of the sort").unwrap();
        let error = Gazetteer::open(&path).unwrap_err().to_string();
        assert!(error.contains("gazetteer.fst") && error.contains("damaged"), "{error}");
    }

    proptest! {
        #[test]
        fn any_text_and_start_are_accepted(text in ".{0,40}", start in 0_usize..50) {
            let gazetteer = small();
            gazetteer.flags(&text);
            if let Some((end, flags)) = gazetteer.longest(&text, start) {
                prop_assert!(end > start && text.is_char_boundary(end) && !flags.is_empty());
            }
        }
    }
}
