//! The lists that values are drawn from: names, places, jobs and so on, one text file each or all in one file.

mod bundle;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::Error;

/// Whether a list is an open class, split into a part to train on and a part held out, or a closed one such as
/// the countries, of which no unseen member can turn up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Open,
    Closed,
}

macro_rules! lists {
    ($($list:ident $name:literal $class:ident;)*) => {
        /// The lists there are.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum List {
            $(#[doc = concat!("`", $name, ".txt`")] $list,)*
        }

        impl List {
            /// Every list.
            pub const ALL: &'static [List] = &[$(List::$list),*];

            /// Its file, without the ending `.txt`.
            pub fn name(self) -> &'static str {
                match self { $(List::$list => $name,)* }
            }

            fn class(self) -> Class {
                match self { $(List::$list => Class::$class,)* }
            }
        }
    };
}

lists! {
    GivenUs "given-us" Open;
    GivenHispanic "given-hispanic" Open;
    GivenAsian "given-asian" Open;
    GivenGerman "given-german" Open;
    GivenFrench "given-french" Open;
    GivenItalian "given-italian" Open;
    GivenPortuguese "given-portuguese" Open;
    GivenDutch "given-dutch" Open;
    GivenNordic "given-nordic" Open;
    GivenSlavic "given-slavic" Open;
    GivenEastern "given-eastern" Open;
    GivenBaltic "given-baltic" Open;
    GivenHungarian "given-hungarian" Open;
    GivenMediterranean "given-mediterranean" Open;
    GivenTurkish "given-turkish" Open;
    GivenArabic "given-arabic" Open;
    GivenIndian "given-indian" Open;
    GivenChinese "given-chinese" Open;
    GivenJapanese "given-japanese" Open;
    GivenKorean "given-korean" Open;
    GivenVietnamese "given-vietnamese" Open;
    GivenSoutheast "given-southeast" Open;
    GivenAfrican "given-african" Open;
    FamilyUs "family-us" Open;
    FamilyHispanic "family-hispanic" Open;
    FamilyAsian "family-asian" Open;
    FamilyGerman "family-german" Open;
    FamilyFrench "family-french" Open;
    FamilyItalian "family-italian" Open;
    FamilyPortuguese "family-portuguese" Open;
    FamilyDutch "family-dutch" Open;
    FamilyNordic "family-nordic" Open;
    FamilySlavic "family-slavic" Open;
    FamilyEastern "family-eastern" Open;
    FamilyBaltic "family-baltic" Open;
    FamilyHungarian "family-hungarian" Open;
    FamilyMediterranean "family-mediterranean" Open;
    FamilyTurkish "family-turkish" Open;
    FamilyArabic "family-arabic" Open;
    FamilyIndian "family-indian" Open;
    FamilyChinese "family-chinese" Open;
    FamilyJapanese "family-japanese" Open;
    FamilyKorean "family-korean" Open;
    FamilyVietnamese "family-vietnamese" Open;
    FamilySoutheast "family-southeast" Open;
    FamilyAfrican "family-african" Open;
    Titles "titles" Closed;
    Genders "genders" Closed;
    EyeColours "eye-colours" Closed;
    Marital "marital" Closed;
    Religions "religions" Closed;
    Languages "languages" Closed;
    Nationalities "nationalities" Closed;
    Countries "countries" Closed;
    StatesUs "states-us" Closed;
    Regions "regions" Closed;
    CountiesUs "counties-us" Open;
    CountiesUk "counties-uk" Closed;
    Cities "cities" Open;
    Places "places" Open;
    Streets "streets" Open;
    StreetsForeign "streets-foreign" Closed;
    StreetTypes "street-types" Closed;
    Currencies "currencies" Closed;
    Jobs "jobs" Open;
    JobLevels "job-levels" Closed;
    JobAreas "job-areas" Open;
    CompanyWords "company-words" Open;
    CompanyFields "company-fields" Open;
    CompanySuffixes "company-suffixes" Closed;
    Saints "saints" Closed;
    HospitalKinds "hospital-kinds" Closed;
    SchoolKinds "school-kinds" Closed;
    Agencies "agencies" Open;
    CardIssuers "card-issuers" Closed;
    AccountNames "account-names" Closed;
    Diseases "diseases" Open;
    Drugs "drugs" Open;
    Ordinary "ordinary" Closed;
}

/// A line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The entry itself.
    pub text: String,
    /// What follows it after tabs: a country's code, a currency's symbol.
    pub more: Vec<String>,
}

impl Row {
    /// The n-th column after the entry, or nothing.
    pub fn column(&self, n: usize) -> &str {
        self.more.get(n).map_or("", String::as_str)
    }
}

/// All lists, read into memory. The rows of each are told apart when they are first asked for.
///
/// ```
/// use std::path::Path;
///
/// use inkveil_detect::fresh::{List, Lists};
///
/// let lists = Lists::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/train/lists")))?;
/// let (train, held_out) = (lists.split(false), lists.split(true));
/// let all = lists.of(List::FamilyUs).len();
/// assert_eq!(train.of(List::FamilyUs).len() + held_out.of(List::FamilyUs).len(), all);
/// # Ok::<(), inkveil_detect::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Lists {
    /// In the order of [`List::ALL`].
    parts: Vec<Part>,
    /// Where the cities of a country stand in their list: an address needs them often, and the list is long.
    cities: OnceLock<HashMap<String, Vec<usize>>>,
}

/// One list: its text, and its rows once they were asked for.
#[derive(Debug, Clone, Default)]
struct Part {
    text: String,
    rows: OnceLock<Vec<Row>>,
}

impl Lists {
    /// Reads every list from a folder, or those of surrogates from the one file that [`Lists::bundle`] makes.
    ///
    /// # Errors
    /// A list that cannot be read, is missing or has no entries.
    pub fn open(path: &Path) -> Result<Lists, Error> {
        if path.is_dir() { Lists::open_folder(path) } else { Lists::open_bundle(path) }
    }

    fn open_folder(folder: &Path) -> Result<Lists, Error> {
        let read = |list: &List| {
            let path = folder.join(format!("{}.txt", list.name()));
            let text = fs::read_to_string(&path)
                .map_err(|error| Error::io("read the list", error).in_file(&path))?;
            match text.trim().is_empty() {
                true => {
                    Err(Error::damaged("there are no entries in it; fetch the lists again").in_file(&path))
                }
                false => Ok(Part { text, rows: OnceLock::new() }),
            }
        };
        List::ALL.iter().map(read).collect::<Result<_, _>>().map(Lists::of_parts)
    }

    fn of_parts(parts: Vec<Part>) -> Lists {
        Lists { parts, cities: OnceLock::new() }
    }

    /// The entries of one list; empty only for a list that surrogates do not need, in lists from one file.
    pub fn of(&self, list: List) -> &[Row] {
        let Some(part) = self.parts.get(list as usize) else { return &[] };
        let rows = || part.text.lines().filter(|line| !line.trim().is_empty()).map(row).collect();
        part.rows.get_or_init(rows)
    }

    /// Where the cities of a country stand in their list, by its two-letter code.
    pub(super) fn cities_of(&self, country: &str) -> &[usize] {
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

    /// The part of the lists to train on, or the fifth that is held out. Closed classes are in both parts whole.
    pub fn split(&self, held_out: bool) -> Lists {
        let part = |list: &List| {
            let all = self.of(*list);
            let kept: Vec<Row> = match list.class() {
                Class::Closed => all.to_vec(),
                Class::Open => all.iter().filter(|row| is_held_out(&row.text) == held_out).cloned().collect(),
            };
            // A list too short to be split is better whole than empty.
            let rows = if kept.is_empty() { all.to_vec() } else { kept };
            Part { text: String::new(), rows: OnceLock::from(rows) }
        };
        Lists::of_parts(List::ALL.iter().map(part).collect())
    }
}

fn row(line: &str) -> Row {
    let mut columns = line.split('\t').map(|column| column.trim().to_owned());
    let text = columns.next().unwrap_or_default();
    Row { text, more: columns.collect() }
}

/// Whether an entry of an open list belongs to the fifth that is held out. It depends on the entry alone, without
/// its casing and the marks on its letters, so that a name is on the same side in every list and every spelling.
///
/// ```
/// use inkveil_detect::fresh::is_held_out;
///
/// assert_eq!(is_held_out("Müller"), is_held_out("MULLER"));
/// ```
pub fn is_held_out(entry: &str) -> bool {
    // FNV-1a, then a mixing step: its low bits alone are too regular for short words.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let letters: String =
        entry.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    for byte in letters.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> 32).is_multiple_of(5)
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::{Arc, LazyLock};

    use super::*;

    /// The lists of the repository, read once.
    pub(crate) fn ours() -> Arc<Lists> {
        static LISTS: LazyLock<Arc<Lists>> = LazyLock::new(|| {
            Arc::new(Lists::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/train/lists"))).unwrap())
        });
        LISTS.clone()
    }

    #[test]
    fn every_file_is_a_list_and_every_entry_is_clean() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/train/lists"));
        let mut files: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".txt").map(str::to_owned))
            .collect();
        let mut names: Vec<String> = List::ALL.iter().map(|list| list.name().to_owned()).collect();
        files.sort();
        names.sort();
        assert_eq!(files, names);
        for list in List::ALL {
            for row in ours().of(*list) {
                assert!(!row.text.is_empty() && row.text == row.text.trim(), "{}", list.name());
            }
        }
    }

    #[test]
    fn a_fifth_is_held_out_and_no_name_is_on_both_sides() {
        let (train, held_out) = (ours().split(false), ours().split(true));
        let (train, held_out) = (train.of(List::FamilyUs), held_out.of(List::FamilyUs));
        let share = held_out.len() as f64 / (train.len() + held_out.len()) as f64;
        assert!((0.19..0.21).contains(&share), "{share}");
        let train: std::collections::HashSet<&str> = train.iter().map(|row| row.text.as_str()).collect();
        assert!(held_out.iter().all(|row| !train.contains(row.text.as_str())));
    }

    #[test]
    fn a_folder_without_lists_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = Lists::open(folder.path()).unwrap_err();
        assert!(error.to_string().contains("given-us.txt"), "{error}");
        fs::write(folder.path().join("given-us.txt"), "\n").unwrap();
        let error = Lists::open(folder.path()).unwrap_err();
        assert!(error.to_string().contains("no entries"), "{error}");
    }
}
