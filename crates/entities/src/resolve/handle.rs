//! User names and e-mail addresses that are built from names.

use std::collections::HashMap;

use inkveil_detect::{Kind, Span};

use super::{Email, Entities, Mention};
use crate::letters::{Case, ascii};
use crate::person::Person;

/// A piece of a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    Given,
    Family,
    GivenInitial,
    FamilyInitial,
    MiddleInitial,
    /// A sign between names.
    Sign(char),
    /// So many digits.
    Digits(usize),
}

/// How a handle is built from a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Handle {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) case: Case,
}

/// The orders of names in a run of letters.
const ORDERS: &[&[Piece]] = &[
    &[Piece::Given, Piece::Family],
    &[Piece::Family, Piece::Given],
    &[Piece::GivenInitial, Piece::MiddleInitial, Piece::Family],
    &[Piece::GivenInitial, Piece::Family],
    &[Piece::Family, Piece::GivenInitial],
    &[Piece::Given, Piece::FamilyInitial],
    &[Piece::Family],
    &[Piece::Given],
    &[Piece::GivenInitial, Piece::FamilyInitial],
    &[Piece::GivenInitial],
    &[Piece::MiddleInitial],
    &[Piece::FamilyInitial],
];

pub(super) fn resolve(text: &str, spans: &[Span], entities: &mut Entities) {
    // The same mailbox or user name has the same owner everywhere.
    let mut owners: HashMap<String, Option<(usize, Handle)>> = HashMap::new();
    for (at, span) in spans.iter().enumerate() {
        let mention = text.get(span.range()).unwrap_or_default();
        match &span.kind {
            Kind::Username => {
                let name = mention.trim_start_matches('@');
                let owner = owners.entry(name.to_lowercase());
                let mention =
                    match owner.or_insert_with(|| owner_of(name, span.start, &entities.people)).clone() {
                        Some((person, handle)) => Mention::Username { person, handle },
                        None => Mention::OtherUsername { address: entities.address(name) },
                    };
                entities.set(at, mention);
            }
            Kind::Email => {
                let Some((mailbox, domain)) = mention.split_once('@') else { continue };
                let owner = owners.entry(mailbox.to_lowercase());
                let person = owner.or_insert_with(|| owner_of(mailbox, span.start, &entities.people)).clone();
                if let Some((person, handle)) = &person {
                    take_family_name(mailbox, *person, handle, &mut entities.people);
                }
                let label = domain_label(domain);
                let organisation = entities.organisations.iter().position(|name| name.owns_domain(label));
                let address = person.is_none().then(|| entities.address(mention));
                entities.set(at, Mention::Email(Email { person, address, organisation }));
            }
            _ => {}
        }
    }
}

/// Returns the label of a domain that names its owner: "barlow" of mail.barlow.co.uk.
pub(crate) fn domain_label(domain: &str) -> &str {
    let labels: Vec<&str> = domain.split('.').collect();
    let second_level = ["co", "com", "org", "ac", "gov", "net", "edu"];
    match labels.as_slice() {
        [.., owner, second, _] if second_level.contains(second) => owner,
        [.., owner, _] => owner,
        _ => domain,
    }
}

/// Returns the person that a handle is built from: the one whose name explains most of it, then the one
/// mentioned nearest before it.
fn owner_of(name: &str, place: usize, people: &[Person]) -> Option<(usize, Handle)> {
    let best = people.iter().enumerate().filter_map(|(at, person)| {
        let handle = Handle::of(name, person)?;
        let whole =
            handle.pieces.iter().filter(|piece| matches!(piece, Piece::Given | Piece::Family)).count();
        let initials = handle.pieces.iter().filter(|piece| {
            matches!(piece, Piece::GivenInitial | Piece::FamilyInitial | Piece::MiddleInitial)
        });
        let before = person.places.iter().filter(|start| **start < place).max().copied();
        Some(((whole, initials.count(), before), at, handle))
    });
    best.max_by_key(|(closeness, ..)| *closeness).map(|(_, at, handle)| (at, handle))
}

/// Gives a person of whom the text has the given name alone the family name of a relative, if the person's address has
/// it: "Joy" with joy.marsh82@, beside Gregory Marsh.
fn take_family_name(mailbox: &str, person: usize, handle: &Handle, people: &mut [Person]) {
    let is_unknown = people.get(person).is_some_and(|person| person.family.is_none());
    if !is_unknown || !handle.pieces.contains(&Piece::Family) {
        return;
    }
    let runs: Vec<String> =
        mailbox.split(|c: char| !c.is_alphabetic()).map(ascii).filter(|run| run.len() > 2).collect();
    let families =
        people.iter().filter_map(|other| other.family.as_ref()).filter(|family| !family.is_initial);
    let shared = families.into_iter().find(|family| runs.contains(&ascii(&family.plain))).cloned();
    if let Some(person) = people.get_mut(person) {
        person.family = shared;
    }
}

impl Handle {
    /// Returns how a handle is built from a person's name; none if it is not.
    pub(crate) fn of(name: &str, person: &Person) -> Option<Self> {
        let name = name.split('+').next().unwrap_or(name);
        let names = Spelling::of(person);
        let mut pieces = Vec::new();
        let mut unknown = None;
        let mut rest = name;
        while let Some(first) = rest.chars().next() {
            let class = |c: char| match () {
                () if c.is_alphabetic() => 0,
                () if c.is_ascii_digit() => 1,
                () => 2,
            };
            let mut end = rest.find(|c| class(c) != class(first)).unwrap_or(rest.len());
            match class(first) {
                0 => match names.run_of_letters(&ascii(&rest[..end])) {
                    Some(known) => pieces.extend(known),
                    // One name may be known from the address alone.
                    None if unknown.is_none() => {
                        unknown = Some(names.unknown(&ascii(&rest[..end]))?);
                        pieces.extend(unknown);
                    }
                    None => return None,
                },
                1 => pieces.push(Piece::Digits(end)),
                _ => {
                    end = first.len_utf8();
                    matches!(first, '.' | '_' | '-').then(|| pieces.push(Piece::Sign(first)))?;
                }
            }
            rest = &rest[end..];
        }
        // Letters alone fit too many people.
        let whole = |piece: &Piece| matches!(piece, Piece::Given | Piece::Family) && Some(*piece) != unknown;
        pieces.iter().any(whole).then_some(Self { pieces, case: Case::of(name) })
    }
}

/// The names of a person as addresses spell them.
struct Spelling {
    givens: Vec<String>,
    middle: String,
    family: String,
    /// The first letter of the given name; none if the given name is not known.
    initial: Option<String>,
}

impl Spelling {
    fn of(person: &Person) -> Self {
        let whole =
            person.given.iter().chain(&person.also).chain(&person.single).filter(|part| !part.is_initial);
        let first = |name: String| name.get(..1).unwrap_or_default().to_owned();
        let given = person.given.as_ref().or(person.single.as_ref());
        Self {
            givens: whole.map(|part| ascii(&part.plain)).collect(),
            middle: person.middles.first().map(|part| first(ascii(&part.plain))).unwrap_or_default(),
            family: person.family.as_ref().map(|part| ascii(&part.plain)).unwrap_or_default(),
            initial: given.map(|part| first(ascii(&part.plain))),
        }
    }

    /// Returns the name that is not known.
    fn unknown(&self, run: &str) -> Option<Piece> {
        match (&self.initial, self.family.is_empty()) {
            (None, false) => Some(Piece::Given),
            // Only the first letter of the given name is known.
            (Some(initial), false) if self.givens.is_empty() && run.starts_with(initial.as_str()) => {
                Some(Piece::Given)
            }
            (Some(_), true) => Some(Piece::Family),
            _ => None,
        }
    }

    fn run_of_letters(&self, run: &str) -> Option<&'static [Piece]> {
        let none = [String::new()];
        let givens = if self.givens.is_empty() { &none[..] } else { &self.givens };
        givens.iter().find_map(|given| ORDERS.iter().find(|order| self.fits(run, given, order))).copied()
    }

    fn fits(&self, run: &str, given: &str, order: &[Piece]) -> bool {
        let mut left = run;
        for piece in order {
            let text = match piece {
                Piece::Given => given,
                Piece::Family => &self.family,
                // Any letter may be that of an unknown name.
                Piece::GivenInitial => match &self.initial {
                    Some(initial) => initial,
                    None => left.get(..1).unwrap_or_default(),
                },
                Piece::FamilyInitial => self.family.get(..1).unwrap_or_default(),
                Piece::MiddleInitial => &self.middle,
                Piece::Sign(_) | Piece::Digits(_) => "",
            };
            // A very short name would fit by chance.
            let long_enough = !matches!(piece, Piece::Given | Piece::Family) || text.len() > 1;
            match left.strip_prefix(text) {
                Some(rest) if !text.is_empty() && long_enough => left = rest,
                _ => return false,
            }
        }
        left.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::person::NameForm;

    fn person(name: &str) -> Person {
        let form = NameForm::of(name);
        let mut person = Person::default();
        person.add(&form, name, &form.slots(), 0);
        person
    }

    #[test]
    fn handles_are_built_from_names() {
        use Piece::{Digits, Family, FamilyInitial, Given, GivenInitial, MiddleInitial, Sign};
        let ana = person("Ana Novak");
        let pieces = |name: &str| Handle::of(name, &ana).map(|handle| handle.pieces);
        assert_eq!(pieces("a.novak"), Some(vec![GivenInitial, Sign('.'), Family]));
        assert_eq!(pieces("ana_novak85"), Some(vec![Given, Sign('_'), Family, Digits(2)]));
        assert_eq!(pieces("anovak"), Some(vec![GivenInitial, Family]));
        assert_eq!(pieces("AnaN"), Some(vec![Given, FamilyInitial]));
        assert_eq!(pieces("novak.ana+news"), Some(vec![Family, Sign('.'), Given]));
        for other in ["an", "bnovak", "info", "ana.horak", "river_fox92", ""] {
            assert_eq!(pieces(other), None, "{other}");
        }
        let with_middle = Handle::of("ammnovak", &person("Ana M. Novak"));
        assert!(with_middle.is_none());
        let handle = Handle::of("amnovak", &person("Ana M. Novak")).unwrap();
        assert_eq!(handle.pieces, [GivenInitial, MiddleInitial, Family]);
        let titled = {
            let form = NameForm::of("Novak");
            let mut person = Person::default();
            person.add(&form, "Novak", &[(0, crate::person::Slot::Family)], 0);
            person
        };
        let pieces = |name: &str| Handle::of(name, &titled).map(|handle| handle.pieces);
        assert_eq!(pieces("novak.lynn"), Some(vec![Family, Sign('.'), Given]));
        assert_eq!(pieces("lnovak"), Some(vec![GivenInitial, Family]));
        assert_eq!(pieces("lynn.horak"), None);
        assert_eq!(pieces("lynn.may.novak"), None);
        assert_eq!(Handle::of("jose.nunez", &person("José Núñez")).map(|h| h.pieces.len()), Some(3));
    }

    #[test]
    fn labels_of_domains() {
        assert_eq!(domain_label("barlow.org"), "barlow");
        assert_eq!(domain_label("mail.barlow.co.uk"), "barlow");
        assert_eq!(domain_label("localhost"), "localhost");
    }
}
