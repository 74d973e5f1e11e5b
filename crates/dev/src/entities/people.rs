//! People and organisations of generated documents, with all forms of their names.

use inkveil_privacy::NoiseStream;
use inkveil_surrogates::{List, Lists, is_held_out};

/// A person of a document.
#[derive(Clone)]
pub(super) struct Character {
    pub(super) given: String,
    pub(super) family: String,
    pub(super) nickname: Option<String>,
    pub(super) is_woman: bool,
    /// "Dr" if they have this title.
    pub(super) doctor: bool,
    pub(super) mailbox: String,
    pub(super) handle: String,
}

/// An organisation of a document.
#[derive(Clone)]
pub(super) struct Employer {
    pub(super) full: String,
    pub(super) short: String,
    pub(super) acronym: Option<String>,
    pub(super) domain: String,
}

const GIVEN: [List; 8] = [
    List::GivenUs,
    List::GivenUs,
    List::GivenUs,
    List::GivenGerman,
    List::GivenFrench,
    List::GivenSlavic,
    List::GivenIndian,
    List::GivenNordic,
];
const FAMILY: [List; 8] = [
    List::FamilyUs,
    List::FamilyUs,
    List::FamilyUs,
    List::FamilyGerman,
    List::FamilyFrench,
    List::FamilySlavic,
    List::FamilyIndian,
    List::FamilyNordic,
];
/// Given names with short forms: the name, a short form, and whether women have it.
const NICKNAMES: &[(&str, &str, bool)] = &[
    ("Katherine", "Kate", true),
    ("Elizabeth", "Liz", true),
    ("Margaret", "Maggie", true),
    ("Jennifer", "Jen", true),
    ("Rebecca", "Becky", true),
    ("Susan", "Sue", true),
    ("Patricia", "Trish", true),
    ("Victoria", "Vicky", true),
    ("Deborah", "Debbie", true),
    ("Pamela", "Pam", true),
    ("Robert", "Bob", false),
    ("William", "Bill", false),
    ("Michael", "Mike", false),
    ("Thomas", "Tom", false),
    ("Edward", "Ted", false),
    ("Richard", "Rick", false),
    ("Nicholas", "Nick", false),
    ("Daniel", "Dan", false),
    ("Timothy", "Tim", false),
    ("Joseph", "Joe", false),
    ("Stephen", "Steve", false),
    ("Anthony", "Tony", false),
];
const SORTS: [&str; 8] =
    ["Bank", "Logistics", "Hospital", "Consulting", "Software", "Insurance", "Foods", "Engineering"];
const LEGAL: [&str; 6] = ["Ltd", "plc", "Inc.", "GmbH", "LLP", "Limited"];

/// Draws characters and organisations from one half of the lists.
pub(super) struct Casting<'l> {
    pub(super) lists: &'l Lists,
    pub(super) held_out: bool,
    pub(super) stream: NoiseStream,
}

impl Casting<'_> {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.stream.below(end.max(1) as u64).map_or(0, |number| number as usize)
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }

    /// Draws a name of one word from the half of the list.
    fn name(&mut self, list: List) -> String {
        loop {
            let entries = self.lists.of(list);
            let reach = self.below(entries.len().min(4000)) + 1;
            let entry = &entries[self.below(reach)].text;
            if is_held_out(entry) == self.held_out
                && !entry.contains([' ', '-', '\'', '.'])
                && entry.len() > 2
            {
                return entry.clone();
            }
        }
    }

    pub(super) fn character(&mut self) -> Character {
        let origin = self.below(GIVEN.len());
        let family = self.name(FAMILY[origin]);
        let (given, nickname, is_woman) = match self.chance(12) {
            true => {
                let (given, short, woman) = *self.pick(NICKNAMES);
                (given.to_owned(), Some(short.to_owned()), woman)
            }
            false => {
                let given = self.name(GIVEN[origin]);
                let woman = match inkveil_entities::gender_of(&given) {
                    Some(gender) => gender == inkveil_entities::Gender::Female,
                    None => self.chance(50),
                };
                (given, None, woman)
            }
        };
        self.with_names(given, family, nickname, is_woman)
    }

    pub(super) fn with_names(
        &mut self,
        given: String,
        family: String,
        nickname: Option<String>,
        is_woman: bool,
    ) -> Character {
        let (g, f) = (spelled(&given), spelled(&family));
        let first = g.get(..1).unwrap_or("x").to_owned();
        let number = self.below(90) + 10;
        let mailbox = match self.below(6) {
            0 | 1 => format!("{g}.{f}"),
            2 => format!("{first}.{f}"),
            3 => format!("{first}{f}"),
            4 => format!("{g}_{f}"),
            _ => format!("{f}.{g}"),
        };
        let handle = match self.below(4) {
            0 => format!("@{g}_{f}"),
            1 => format!("@{g}{f}{number}"),
            2 => format!("@{first}{f}{number}"),
            _ => format!("@{f}_{g}{number}"),
        };
        let doctor = self.chance(12);
        Character { given, family, nickname, is_woman, doctor, mailbox, handle }
    }

    pub(super) fn employer(&mut self) -> Employer {
        let one = self.name(List::FamilyUs);
        let sort = *self.pick(&SORTS);
        let legal = *self.pick(&LEGAL);
        let (full, short, acronym) = match self.below(4) {
            0 => (format!("{one} {legal}"), one.clone(), None),
            1 => {
                let words = ["Regional", "Joint", "Northern", "Advisory"];
                let third = *self.pick(&words);
                let acronym = format!(
                    "{}{}{}",
                    &third[..1],
                    &one[..one.chars().next().map_or(0, char::len_utf8)],
                    &sort[..1]
                );
                (format!("{third} {one} {sort} {legal}"), format!("{third} {one} {sort}"), Some(acronym))
            }
            _ => (format!("{one} {sort} {legal}"), one.clone(), None),
        };
        let label = spelled(&one);
        let domain = match self.chance(70) {
            true => format!("{label}.{}", self.pick(&["com", "org", "co.uk", "de"])),
            false => format!("{label}{}.com", sort.to_lowercase()),
        };
        Employer { full, short, acronym, domain }
    }

    pub(super) fn city(&mut self) -> String {
        self.name(List::Cities)
    }
}

/// Spells a name in the letters of addresses.
fn spelled(name: &str) -> String {
    const MARKED: &[(&str, &str)] = &[
        ("áàâäãåāăą", "a"),
        ("çćčĉ", "c"),
        ("ďđð", "d"),
        ("éèêëēęěė", "e"),
        ("ğģ", "g"),
        ("íìîïīįı", "i"),
        ("ľłļĺ", "l"),
        ("ñńňņ", "n"),
        ("óòôöõőøō", "o"),
        ("řŕ", "r"),
        ("śšşș", "s"),
        ("ťțţ", "t"),
        ("úùûüűůūų", "u"),
        ("ýÿ", "y"),
        ("źżž", "z"),
    ];
    let plain = |c: char| {
        MARKED
            .iter()
            .find(|(marked, _)| marked.contains(c))
            .map_or(c, |(_, plain)| plain.chars().next().unwrap_or(c))
    };
    name.to_lowercase().replace('æ', "ae").chars().map(plain).filter(char::is_ascii_alphabetic).collect()
}

impl Character {
    pub(super) fn full(&self) -> String {
        format!("{} {}", self.given, self.family)
    }

    pub(super) fn title(&self) -> &'static str {
        match (self.doctor, self.is_woman) {
            (true, _) => "Dr",
            (false, true) => "Ms",
            (false, false) => "Mr",
        }
    }
}
