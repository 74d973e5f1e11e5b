//! A list of names, places and words that says what a word may be: one automaton, read from one file.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::ops::{BitOr, BitOrAssign};
use std::path::Path;

use fst::Map;
use fst::raw::Output;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::Error;

/// A larger file is not one of ours.
const LARGEST: u64 = 64 << 20;

macro_rules! entries {
    ($($bit:literal $constant:ident $name:literal $about:literal;)*) => {
        impl Entry {
            $(#[doc = $about] pub const $constant: Entry = Entry(1 << $bit);)*

            /// Everything that a word can be, by name.
            pub const NAMED: &'static [(&'static str, Entry)] = &[$(($name, Entry::$constant)),*];
        }
    };
}

/// What a word or name may be: a set of flags, empty for one that is not known.
///
/// ```
/// use inkveil_detect::Entry;
///
/// let may = Entry::GIVEN | Entry::ORDINARY; // "will"
/// assert!(may.contains(Entry::GIVEN) && !may.contains(Entry::CITY));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Entry(u32);

// The bits are part of the file's format, and of what taggers have learnt: never renumber them.
entries! {
    0 GIVEN "given name" "A given name.";
    1 FAMILY "family name" "A family name.";
    2 CITY "city" "A city.";
    3 REGION "region" "A state, province, county or other region, or a place of another sort.";
    4 COUNTRY "country" "A country.";
    5 NATIONALITY "nationality" "Where people come from, what they speak or believe.";
    6 CURRENCY "currency" "A currency, its code or its symbol.";
    7 ORGANISATION "organisation" "A word that organisations have in their names: hospital, university, gmbh.";
    8 STREET "street" "A word that streets have in their names, or a street.";
    9 JOB "job" "An occupation, or a word that occupations have in their names.";
    10 DISEASE "disease" "A disease or symptom.";
    11 DRUG "drug" "A drug.";
    12 TITLE "title" "A form of address.";
    13 CALENDAR "calendar" "A month or a day of the week.";
    14 ORDINARY "ordinary" "A common English word.";
}

impl Entry {
    const ALL: u32 = (1 << Entry::NAMED.len()) - 1;

    /// The flags as a number.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Whether no flag is set: the word is not known.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all of these flags are set.
    pub fn contains(self, flags: Entry) -> bool {
        self.0 & flags.0 == flags.0
    }
}

impl BitOr for Entry {
    type Output = Entry;

    fn bitor(self, other: Entry) -> Entry {
        Entry(self.0 | other.0)
    }
}

impl BitOrAssign for Entry {
    fn bitor_assign(&mut self, other: Entry) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Entry::NAMED.iter().filter(|(_, flag)| self.contains(*flag)).map(|(name, _)| name);
        f.debug_set().entries(named).finish()
    }
}

/// Knows many names and words, in any casing.
///
/// ```
/// use inkveil_detect::{Entry, Gazetteer};
///
/// let gazetteer = Gazetteer::build([("New York", Entry::CITY), ("Will", Entry::GIVEN), ("will", Entry::ORDINARY)])?;
/// assert_eq!(gazetteer.flags("WILL"), Entry::GIVEN | Entry::ORDINARY);
/// assert_eq!(gazetteer.longest("in new  york.", 3), Some((12, Entry::CITY)));
/// assert!(gazetteer.flags("Wilma").is_empty());
/// # Ok::<(), inkveil_detect::Error>(())
/// ```
pub struct Gazetteer {
    map: Map<Vec<u8>>,
}

impl Gazetteer {
    /// Its file in a pack.
    pub const FILE: &'static str = "gazetteer.fst";

    /// Reads a gazetteer, checking all of it.
    ///
    /// # Errors
    /// A file that cannot be read, or is damaged.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let read = || {
            // Asked before reading, so that a wrong file does not fill the memory.
            if fs::metadata(path)?.len() > LARGEST {
                return Ok(Vec::new());
            }
            fs::read(path)
        };
        let bytes = read().map_err(|error| Error::io("read the gazetteer", error).in_file(path))?;
        Self::from_bytes(bytes).map_err(|error| error.in_file(path))
    }

    /// Takes a gazetteer from memory, checking all of it.
    ///
    /// # Errors
    /// Bytes that are not a gazetteer, or a damaged one.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Error> {
        let damaged = |_| Error::damaged("the gazetteer is damaged; fetch or build it again");
        let map = Map::new(bytes).map_err(damaged)?;
        // The checksum shows accidents. A file that someone made to deceive it is not told from ours: packs are trusted
        // as far as the hashes of their manifest.
        map.as_fst().verify().map_err(damaged)?;
        Ok(Gazetteer { map })
    }

    /// Makes a gazetteer of entries in any order; an entry that comes twice has the flags of both. Letters with marks
    /// are known without them, too. The same entries give the same bytes.
    ///
    /// # Errors
    /// More than an automaton can hold.
    pub fn build<'a>(entries: impl IntoIterator<Item = (&'a str, Entry)>) -> Result<Self, Error> {
        let mut keys: BTreeMap<String, Entry> = BTreeMap::new();
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

    /// The bytes to write into a file.
    pub fn as_bytes(&self) -> &[u8] {
        self.map.as_fst().as_bytes()
    }

    /// How many entries it holds, those without marks counted separately.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether it holds no entry.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// What a word may be, whatever its casing.
    pub fn flags(&self, word: &str) -> Entry {
        self.map.get(key(word)).map_or(Entry::default(), entry)
    }

    /// The longest entry that begins at a byte of the text and ends where a word does: its end and its flags. One or two
    /// blanks of any sort stand for the space in an entry. `None` also when `start` is not at a character.
    pub fn longest(&self, text: &str, start: usize) -> Option<(usize, Entry)> {
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

fn entry(value: u64) -> Entry {
    // Bits that a newer version may have set are not ours to show.
    Entry(u32::try_from(value & u64::from(Entry::ALL)).unwrap_or(0))
}

/// A text as entries are kept: small letters, single spaces, plain apostrophes, no dots at the end ("Mr." is "mr").
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

/// A character as entries are kept.
enum Folded {
    Char(char),
    Space,
}

impl Folded {
    fn chars(self) -> impl Iterator<Item = char> {
        // Letter by letter, unlike `str::to_lowercase`, so that a text can be followed without copying it.
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
    use crate::fresh::{List, Lists, is_held_out};

    fn small() -> Gazetteer {
        Gazetteer::build([
            ("New York", Entry::CITY),
            ("New York City", Entry::CITY),
            ("York", Entry::FAMILY),
            ("New", Entry::ORDINARY),
            ("São Paulo", Entry::CITY),
            ("O'Brien", Entry::FAMILY),
            ("Mr.", Entry::TITLE),
            ("İzmir", Entry::CITY),
        ])
        .unwrap()
    }

    #[test]
    fn words_are_found_in_any_casing() {
        let gazetteer = small();
        assert_eq!(gazetteer.flags("NEW YORK"), Entry::CITY);
        assert_eq!(gazetteer.flags("mr."), Entry::TITLE);
        assert_eq!(gazetteer.flags("Mr"), Entry::TITLE);
        assert_eq!(gazetteer.flags("O’BRIEN"), Entry::FAMILY);
        assert_eq!(gazetteer.flags("sao paulo"), Entry::CITY);
        assert_eq!(gazetteer.flags("izmir"), Entry::CITY);
        assert_eq!(gazetteer.flags("newer"), Entry::default());
        assert_eq!(gazetteer.flags(""), Entry::default());
    }

    #[test]
    fn the_longest_entry_wins_and_ends_where_a_word_does() {
        let gazetteer = small();
        assert_eq!(gazetteer.longest("New York City is", 0), Some((13, Entry::CITY)));
        assert_eq!(gazetteer.longest("New York Cityscape", 0), Some((8, Entry::CITY)));
        assert_eq!(gazetteer.longest("to new\n york!", 3), Some((12, Entry::CITY)));
        assert_eq!(gazetteer.longest("new   york", 0), Some((3, Entry::ORDINARY)));
        assert_eq!(gazetteer.longest("newyork", 0), None);
        assert_eq!(gazetteer.longest("in SÃO PAULO", 3), Some((13, Entry::CITY)));
        assert_eq!(gazetteer.longest("a New York", 2), Some((10, Entry::CITY)));
        assert_eq!(gazetteer.longest("é", 1), None);
        assert_eq!(gazetteer.longest("York", 9), None);
    }

    #[test]
    fn the_same_entries_in_another_order_give_the_same_bytes() {
        let entries = [("b", Entry::CITY), ("a", Entry::GIVEN), ("a", Entry::FAMILY)];
        let forward = Gazetteer::build(entries).unwrap();
        let backward = Gazetteer::build(entries.into_iter().rev()).unwrap();
        assert_eq!(forward.as_bytes(), backward.as_bytes());
        assert_eq!(forward.flags("a"), Entry::GIVEN | Entry::FAMILY);
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
    fn errors_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gazetteer.fst");
        assert!(Gazetteer::open(&path).unwrap_err().to_string().contains("gazetteer.fst"));
        fs::write(&path, b"nothing of the sort").unwrap();
        let error = Gazetteer::open(&path).unwrap_err().to_string();
        assert!(error.contains("gazetteer.fst") && error.contains("damaged"), "{error}");
    }

    #[test]
    fn the_default_pack_knows_names_but_none_that_are_held_out() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let gazetteer = Gazetteer::open(&here.join("../../models/en/gazetteer.fst")).unwrap();
        let lists = Lists::open(&here.join("train/lists")).unwrap();
        let flags = [
            (List::GivenUs, Entry::GIVEN),
            (List::GivenFrench, Entry::GIVEN),
            (List::FamilyUs, Entry::FAMILY),
            (List::Cities, Entry::CITY),
        ];
        for (list, flag) in flags {
            for row in lists.of(list) {
                assert_eq!(
                    gazetteer.flags(&row.text).contains(flag),
                    !is_held_out(&row.text),
                    "{}",
                    row.text
                );
            }
        }
        assert_eq!(gazetteer.longest("United Arab Emirates", 0), Some((20, Entry::COUNTRY)));
        assert!(gazetteer.flags("Monday").contains(Entry::CALENDAR));
        assert_eq!(gazetteer.flags("ibuprofen"), Entry::DRUG);
    }

    proptest! {
        #[test]
        fn any_text_and_start_are_fine(text in ".{0,40}", start in 0_usize..50) {
            let gazetteer = small();
            gazetteer.flags(&text);
            if let Some((end, flags)) = gazetteer.longest(&text, start) {
                prop_assert!(end > start && text.is_char_boundary(end) && !flags.is_empty());
            }
        }
    }
}
