//! Documents with known entities, made from templates that were written for this purpose.

use std::collections::HashMap;

use inkveil_detect::{FoundBy, Kind, Reason, Span};
use inkveil_privacy::{NoiseAddress, NoiseKey, Purpose};
use inkveil_surrogates::Lists;

use super::people::{Casting, Character, Employer};
use super::templates::{CLOSINGS, OPENINGS, SENTENCES};

/// The random stream of generated documents.
const DOCUMENTS: Purpose = Purpose::named("generated documents");
/// The first label of organisations, and of places. Labels of people start at 0.
pub(super) const ORGANISATIONS: usize = 1_000_000;
pub(super) const PLACES: usize = 2 * ORGANISATIONS;

/// A text with its mentions. Mentions of one entity have the same label.
pub(super) struct Document {
    pub(super) text: String,
    pub(super) spans: Vec<Span>,
    /// The entity of each span; none for titles, dates and amounts.
    pub(super) labels: Vec<Option<usize>>,
    pub(super) people: Vec<Character>,
}

/// Makes the document of a number. The same number gives the same document.
pub(super) fn document(lists: &Lists, seed: u64, number: u64, held_out: bool) -> Document {
    let address = NoiseAddress::record(number).position(u64::from(held_out)).purpose(DOCUMENTS);
    let stream = NoiseKey::insecure_from_seed(seed).stream(address, &());
    let mut casting = Casting { lists, held_out, stream };
    let people = people(&mut casting);
    let employers: Vec<Employer> = (0..1 + casting.below(2)).map(|_| casting.employer()).collect();
    let cities: Vec<String> = (0..2).map(|_| casting.city()).collect();
    let mut writer = Writer {
        casting,
        people,
        employers,
        cities,
        text: String::new(),
        spans: Vec::new(),
        labels: Vec::new(),
        mentioned: Vec::new(),
        introduced: Vec::new(),
        last_of_given: HashMap::new(),
        named: Vec::new(),
    };
    writer.mentioned = vec![false; writer.people.len()];
    writer.introduced = vec![false; writer.people.len()];
    writer.named = vec![false; writer.employers.len()];
    writer.write();
    Document { text: writer.text, spans: writer.spans, labels: writer.labels, people: writer.people }
}

/// Draws people. Some share a family name, and some a given name.
fn people(casting: &mut Casting<'_>) -> Vec<Character> {
    let mut people: Vec<Character> = Vec::new();
    for _ in 0..2 + casting.below(3) {
        let new = casting.character();
        let clashes = |other: &Character| {
            let names = |c: &Character| [Some(c.given.clone()), Some(c.family.clone()), c.nickname.clone()];
            names(other).into_iter().flatten().any(|name| names(&new).contains(&Some(name)))
        };
        if !people.iter().any(clashes) {
            people.push(new);
        }
    }
    if casting.chance(25) {
        let spouse = casting.character();
        let family = people[0].family.clone();
        if people.iter().all(|other| other.given != spouse.given) {
            people.push(casting.with_names(spouse.given, family, None, spouse.is_woman));
        }
    }
    if casting.chance(20) {
        let namesake = casting.character();
        let (given, woman) = (people[0].given.clone(), people[0].is_woman);
        if people.iter().all(|other| other.family != namesake.family && other.given != namesake.family) {
            people.push(casting.with_names(given, namesake.family, None, woman));
        }
    }
    people
}

struct Writer<'l> {
    casting: Casting<'l>,
    people: Vec<Character>,
    employers: Vec<Employer>,
    cities: Vec<String>,
    text: String,
    spans: Vec<Span>,
    labels: Vec<Option<usize>>,
    /// Which people the text has mentioned.
    mentioned: Vec<bool>,
    /// Which people the text has named in full, so that a reader can tell the parts of their names.
    introduced: Vec<bool>,
    /// The person that a given name last referred to.
    last_of_given: HashMap<String, usize>,
    /// Which organisations the text has named in full.
    named: Vec<bool>,
}

/// A form of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Full,
    Shouted,
    Register,
    Titled,
    TitledFull,
    Given,
    Family,
    Nickname,
    Initial,
}

impl Writer<'_> {
    fn write(&mut self) {
        let opening = *self.casting.pick(OPENINGS);
        self.template(opening);
        let count = 5 + self.casting.below(9);
        for n in 0..count {
            let sentence = *self.casting.pick(SENTENCES);
            self.template(sentence);
            self.text.push_str(if n % 4 == 3 { "\n\n" } else { " " });
        }
        let closing = *self.casting.pick(CLOSINGS);
        self.template(closing);
    }

    /// Writes a template. `<A>` and `<B>` are two people, `<O>` is an organisation, `<L>` a place.
    fn template(&mut self, template: &str) {
        let a = self.casting.below(self.people.len());
        let b = (a + 1 + self.casting.below(self.people.len() - 1)) % self.people.len();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('<') {
            self.text.push_str(before);
            let Some((slot, after)) = after.split_once('>') else { break };
            let (who, form) = slot.split_once(' ').unwrap_or((slot, ""));
            let person = if who == "B" { b } else { a };
            match (who, form) {
                ("A" | "B", "") => self.person(person, None, ""),
                ("A" | "B", "'s") => {
                    let ending = if self.casting.below(3) == 0 { "’s" } else { "'s" };
                    self.person(person, None, ending);
                }
                ("A" | "B", "first") => self.person(person, Some(Form::Given), ""),
                ("A" | "B", "full") => self.person(person, Some(Form::Full), ""),
                ("A" | "B", "mail") => self.mail(person),
                ("A" | "B", "handle") => {
                    let handle = self.people[person].handle.clone();
                    self.mention(&handle, Kind::Username, Some(person));
                }
                ("A" | "B", "she") => {
                    self.text.push_str(if self.people[person].is_woman { "she" } else { "he" })
                }
                ("A" | "B", "her") => {
                    self.text.push_str(if self.people[person].is_woman { "her" } else { "his" })
                }
                ("O", _) => self.employer(form),
                ("L", _) => {
                    let at = self.casting.below(self.cities.len());
                    let city = self.cities[at].clone();
                    self.mention(&city, Kind::Location, Some(PLACES + at));
                }
                ("date", _) => {
                    let months = ["January", "March", "May", "July", "August", "October", "November"];
                    let (day, month) = (1 + self.casting.below(28), *self.casting.pick(&months));
                    let year = 2015 + self.casting.below(10);
                    self.mention(&format!("{day} {month} {year}"), Kind::Date, None);
                }
                ("money", _) => {
                    let (thousands, rest) = (1 + self.casting.below(99), self.casting.below(1000));
                    self.mention(&format!("£{thousands},{rest:03}"), Kind::Money, None);
                }
                _ => {}
            }
            rest = after;
        }
        self.text.push_str(rest);
    }

    fn mention(&mut self, text: &str, kind: Kind, label: Option<usize>) {
        let start = self.text.len();
        self.text.push_str(text);
        let reason = Reason {
            found_by: FoundBy::Tagger,
            name: "known".into(),
            context: None,
            validator: None,
            also: Vec::new(),
        };
        self.spans.push(Span { start, end: self.text.len(), kind, score: 1.0, reason });
        self.labels.push(label);
    }

    fn mail(&mut self, person: usize) {
        let mailbox = self.people[person].mailbox.clone();
        let domain = match self.casting.chance(60) {
            true => self.employers[0].domain.clone(),
            false => "gmail.com".to_owned(),
        };
        self.mention(&format!("{mailbox}@{domain}"), Kind::Email, Some(person));
    }

    fn employer(&mut self, form: &str) {
        let at = self.casting.below(self.employers.len());
        let employer = self.employers[at].clone();
        let first = !std::mem::replace(&mut self.named[at], true);
        let name = match (first, self.casting.below(10), employer.acronym) {
            (true, ..) | (_, 0..2, _) => employer.full,
            (false, 2..5, Some(acronym)) => acronym,
            _ => employer.short,
        };
        let ending = if form == "'s" { "'s" } else { "" };
        self.mention(&format!("{name}{ending}"), Kind::Organisation, Some(ORGANISATIONS + at));
    }

    /// Writes a mention in a form from which a reader can tell who is meant.
    fn person(&mut self, person: usize, wanted: Option<Form>, ending: &str) {
        let form = match wanted.filter(|form| self.is_clear(person, *form)) {
            Some(form) => form,
            None => self.clear_form(person),
        };
        self.mentioned[person] = true;
        self.introduced[person] |=
            matches!(form, Form::Full | Form::TitledFull | Form::Shouted | Form::Register);
        let Character { given, family, nickname, .. } = self.people[person].clone();
        let title = self.people[person].title();
        let name = match form {
            Form::Full | Form::TitledFull => format!("{given} {family}"),
            Form::Shouted => format!("{given} {family}").to_uppercase(),
            Form::Register => format!("{family}, {given}"),
            Form::Titled | Form::Family => family,
            Form::Given => given.clone(),
            Form::Nickname => nickname.clone().unwrap_or_else(|| given.clone()),
            Form::Initial => format!("{}. {family}", given.chars().next().unwrap_or('x')),
        };
        for name in [Some(given), nickname].into_iter().flatten() {
            self.last_of_given.insert(name, person);
        }
        if !matches!(form, Form::Titled | Form::TitledFull) {
            self.mention(&format!("{name}{ending}"), Kind::Person, Some(person));
            return;
        }
        let dot = if self.casting.chance(25) { "." } else { "" };
        // Detectors find a title within the name, apart from it, or not at all.
        match self.casting.below(3) {
            0 => self.mention(&format!("{title}{dot} {name}{ending}"), Kind::Person, Some(person)),
            1 => {
                self.mention(&format!("{title}{dot}"), Kind::Title, None);
                self.text.push(' ');
                self.mention(&format!("{name}{ending}"), Kind::Person, Some(person));
            }
            _ => {
                self.text.push_str(&format!("{title}{dot} "));
                self.mention(&format!("{name}{ending}"), Kind::Person, Some(person));
            }
        }
    }

    fn clear_form(&mut self, person: usize) -> Form {
        for _ in 0..20 {
            let form = match (self.mentioned[person], self.casting.below(100)) {
                (false, 0..80) => Form::Full,
                (false, 80..88) => Form::Titled,
                (false, 88..94) => Form::TitledFull,
                (false, _) => Form::Given,
                (true, 0..34) => Form::Given,
                (true, 34..58) => Form::Titled,
                (true, 58..70) => Form::Full,
                (true, 70..80) => Form::Family,
                (true, 80..90) => Form::Nickname,
                (true, 90..95) => Form::Initial,
                (true, 95..97) => Form::Shouted,
                (true, 97..98) => Form::TitledFull,
                (true, _) => Form::Register,
            };
            if self.is_clear(person, form) {
                return form;
            }
        }
        Form::Full
    }

    /// Returns whether a reader can tell who is meant.
    fn is_clear(&self, person: usize, form: Form) -> bool {
        let own = &self.people[person];
        let others =
            || self.people.iter().enumerate().filter(|(at, _)| *at != person).map(|(_, other)| other);
        let relatives = || others().filter(|other| other.family == own.family);
        let last = self.last_of_given.get(&own.given);
        let names_all = matches!(form, Form::Full | Form::TitledFull | Form::Shouted | Form::Register);
        if self.mentioned[person] && !self.introduced[person] && !names_all {
            return false;
        }
        match form {
            Form::Full | Form::TitledFull | Form::Shouted | Form::Register => true,
            Form::Given => match self.mentioned[person] {
                true => last == Some(&person),
                false => others().all(|other| other.given != own.given),
            },
            Form::Nickname => own.nickname.is_some() && last == Some(&person),
            Form::Family => relatives().next().is_none(),
            Form::Titled => relatives().all(|other| {
                let genders = [own, other].map(|person| inkveil_entities::gender_of(&person.given));
                genders[0].is_some()
                    && genders[1].is_some()
                    && genders[0] != genders[1]
                    && !own.doctor
                    && !other.doctor
            }),
            Form::Initial => relatives().all(|other| other.given.chars().next() != own.given.chars().next()),
        }
    }
}
