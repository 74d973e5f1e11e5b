//! User names and e-mail addresses that are built from names.

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
    for (at, span) in spans.iter().enumerate() {
        let mention = text.get(span.range()).unwrap_or_default();
        match &span.kind {
            Kind::Username => {
                let name = mention.trim_start_matches('@');
                if let Some((person, handle)) = owner(name, span.start, &entities.people) {
                    entities.set(at, Mention::Username { person, handle });
                }
            }
            Kind::Email => {
                let Some((mailbox, domain)) = mention.split_once('@') else { continue };
                let person = owner(mailbox, span.start, &entities.people);
                let label = domain_label(domain);
                let organisation = entities.organisations.iter().position(|name| name.owns_domain(label));
                entities.set(at, Mention::Email(Email { person, organisation }));
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
fn owner(name: &str, place: usize, people: &[Person]) -> Option<(usize, Handle)> {
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

impl Handle {
    /// Returns how a handle is built from a person's name; none if it is not.
    pub(crate) fn of(name: &str, person: &Person) -> Option<Self> {
        let name = name.split('+').next().unwrap_or(name);
        let mut pieces = Vec::new();
        let mut rest = name;
        while let Some(first) = rest.chars().next() {
            let class = |c: char| match () {
                () if c.is_alphabetic() => 0,
                () if c.is_ascii_digit() => 1,
                () => 2,
            };
            let mut end = rest.find(|c| class(c) != class(first)).unwrap_or(rest.len());
            match class(first) {
                0 => pieces.extend(run_of_letters(&rest[..end], person)?),
                1 => pieces.push(Piece::Digits(end)),
                _ => {
                    end = first.len_utf8();
                    matches!(first, '.' | '_' | '-').then(|| pieces.push(Piece::Sign(first)))?;
                }
            }
            rest = &rest[end..];
        }
        // Letters alone fit too many people.
        let whole = |piece: &Piece| matches!(piece, Piece::Given | Piece::Family);
        pieces.iter().any(whole).then_some(Self { pieces, case: Case::of(name) })
    }
}

fn run_of_letters(run: &str, person: &Person) -> Option<&'static [Piece]> {
    let run = ascii(run);
    let givens: Vec<String> = person
        .given
        .iter()
        .chain(&person.also)
        .chain(&person.single)
        .filter(|part| !part.is_initial)
        .map(|part| ascii(&part.plain))
        .collect();
    let family = person.family.as_ref().map(|part| ascii(&part.plain)).unwrap_or_default();
    let middle = person.middles.first().map(|part| ascii(&part.plain)).unwrap_or_default();
    let initial_of_given = person.given.as_ref().map(|part| ascii(&part.plain)).unwrap_or_default();
    let fits = |given: &str, order: &&&[Piece]| {
        let mut left = run.as_str();
        for piece in order.iter() {
            let text = match piece {
                Piece::Given => given,
                Piece::Family => family.as_str(),
                Piece::GivenInitial => initial_of_given.get(..1).unwrap_or_default(),
                Piece::FamilyInitial => family.get(..1).unwrap_or_default(),
                Piece::MiddleInitial => middle.get(..1).unwrap_or_default(),
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
    };
    let givens = if givens.is_empty() { vec![String::new()] } else { givens };
    givens.iter().find_map(|given| ORDERS.iter().find(|order| fits(given, order))).copied()
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
        assert_eq!(Handle::of("jose.nunez", &person("José Núñez")).map(|h| h.pieces.len()), Some(3));
    }

    #[test]
    fn labels_of_domains() {
        assert_eq!(domain_label("barlow.org"), "barlow");
        assert_eq!(domain_label("mail.barlow.co.uk"), "barlow");
        assert_eq!(domain_label("localhost"), "localhost");
    }
}
