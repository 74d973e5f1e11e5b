//! The entries of lists.

use std::collections::HashMap;
use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::names::{Class, List};

/// An entry of a list, which is one line of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEntry {
    /// The entry itself.
    pub text: String,
    /// Further columns, which follow after tabs: for example a country's code or a currency's symbol.
    pub more: Vec<String>,
}

impl ListEntry {
    fn parse(line: &str) -> Self {
        let mut columns = line.split('\t').map(|column| column.trim().to_owned());
        let text = columns.next().unwrap_or_default();
        ListEntry { text, more: columns.collect() }
    }

    /// Returns the n-th further column, or an empty text.
    pub fn column(&self, n: usize) -> &str {
        self.more.get(n).map_or("", String::as_str)
    }
}

/// All lists, read into memory. The entries of a list are parsed at their first use.
///
/// ```
/// use std::path::Path;
///
/// use inkveil_surrogates::{List, Lists};
///
/// let lists = Lists::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/lists")))?;
/// let (train, held_out) = (lists.split(false), lists.split(true));
/// let all = lists.of(List::FamilyUs).len();
/// assert_eq!(train.of(List::FamilyUs).len() + held_out.of(List::FamilyUs).len(), all);
/// # Ok::<(), inkveil_surrogates::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Lists {
    /// In the order of [`List::ALL`].
    texts: Vec<ListText>,
    /// The indices of the cities of each country. Addresses need them often, and the list is long.
    cities: OnceLock<HashMap<String, Vec<usize>>>,
    /// The cities of each size, largest first.
    pub(super) sizes: OnceLock<[Vec<ListEntry>; 3]>,
}

/// The text of a list, and its entries once they are parsed.
#[derive(Debug, Clone, Default)]
pub(super) struct ListText {
    text: String,
    entries: OnceLock<Vec<ListEntry>>,
}

impl ListText {
    pub(super) fn new(text: String) -> Self {
        ListText { text, entries: OnceLock::new() }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

impl Lists {
    /// `texts` are in the order of [`List::ALL`].
    pub(super) fn of_texts(texts: Vec<ListText>) -> Lists {
        Lists { texts, cities: OnceLock::new(), sizes: OnceLock::new() }
    }

    /// Returns these lists with the texts that `replace` returns in place of their own.
    pub(crate) fn replaced(&self, replace: impl Fn(List) -> Option<String>) -> Lists {
        let texts = List::ALL.iter().zip(&self.texts);
        let texts = texts.map(|(list, own)| replace(*list).map_or_else(|| own.clone(), ListText::new));
        Lists::of_texts(texts.collect())
    }

    /// Returns the entries of one list. It is empty only for a list that surrogates do not need, if the
    /// lists were read from a bundle.
    pub fn of(&self, list: List) -> &[ListEntry] {
        let Some(list) = self.texts.get(list as usize) else { return &[] };
        let lines = || list.text.lines().filter(|line| !line.trim().is_empty());
        list.entries.get_or_init(|| lines().map(ListEntry::parse).collect())
    }

    /// Returns the indices of the cities of a country, given by its two-letter code.
    pub(crate) fn cities_of(&self, country: &str) -> &[usize] {
        let cities = self.cities.get_or_init(|| {
            let mut cities: HashMap<String, Vec<usize>> = HashMap::new();
            for (at, city) in self.of(List::Cities).iter().enumerate() {
                let country = city.column(0).split('-').next().unwrap_or_default();
                cities.entry(country.to_owned()).or_default().push(at);
            }
            cities
        });
        cities.get(country).map_or(&[], Vec::as_slice)
    }

    /// Returns the part of the lists for training, or the fifth that is held out. Closed lists, such as
    /// countries, are complete in both parts.
    pub fn split(&self, held_out: bool) -> Lists {
        let part = |list: &List| {
            let all = self.of(*list);
            let kept: Vec<ListEntry> = match list.class() {
                Class::Closed => all.to_vec(),
                Class::Open => {
                    all.iter().filter(|entry| is_held_out(&entry.text) == held_out).cloned().collect()
                }
            };
            // A list that is too short to split stays complete.
            let entries = if kept.is_empty() { all.to_vec() } else { kept };
            ListText { text: String::new(), entries: OnceLock::from(entries) }
        };
        Lists::of_texts(List::ALL.iter().map(part).collect())
    }
}

/// Returns whether an entry of an open list belongs to the fifth that is held out. The answer depends on
/// the entry alone and ignores case and diacritics, so that a name is on the same side in every list and
/// spelling.
///
/// ```
/// use inkveil_surrogates::is_held_out;
///
/// assert_eq!(is_held_out("Müller"), is_held_out("MULLER"));
/// ```
pub fn is_held_out(entry: &str) -> bool {
    // FNV-1a and a mixing step, because its low bits alone are too regular for short words.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in letters(entry).bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> 32).is_multiple_of(5)
}

/// Returns a name in lower case and without marks on letters.
pub(super) fn letters(name: &str) -> String {
    name.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use inkveil_detect::{EntryFlags, Gazetteer};

    use super::*;
    use crate::testing::our_lists;

    #[test]
    fn a_fifth_is_held_out_and_no_name_is_on_both_sides() {
        let (train, held_out) = (our_lists().split(false), our_lists().split(true));
        let (train, held_out) = (train.of(List::FamilyUs), held_out.of(List::FamilyUs));
        let share = held_out.len() as f64 / (train.len() + held_out.len()) as f64;
        assert!((0.19..0.21).contains(&share), "{share}");
        let train: std::collections::HashSet<&str> = train.iter().map(|entry| entry.text.as_str()).collect();
        assert!(held_out.iter().all(|entry| !train.contains(entry.text.as_str())));
    }

    /// The gazetteer of the default pack is made from these lists without the held-out part.
    #[test]
    fn the_gazetteer_of_the_default_pack_has_no_held_out_names() {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en/gazetteer.fst"));
        let gazetteer = Gazetteer::open(path).unwrap();
        let flags = [
            (List::GivenUs, EntryFlags::GIVEN),
            (List::GivenFrench, EntryFlags::GIVEN),
            (List::FamilyUs, EntryFlags::FAMILY),
            (List::Cities, EntryFlags::CITY),
        ];
        for (list, flag) in flags {
            for ListEntry { text, .. } in our_lists().of(list) {
                assert_eq!(gazetteer.flags(text).contains(flag), !is_held_out(text), "{text}");
            }
        }
        assert_eq!(gazetteer.longest("United Arab Emirates", 0), Some((20, EntryFlags::COUNTRY)));
        assert!(gazetteer.flags("Monday").contains(EntryFlags::CALENDAR));
        assert_eq!(gazetteer.flags("ibuprofen"), EntryFlags::DRUG);
    }
}
