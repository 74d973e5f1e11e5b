//! The identity of a person.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use inkveil_surrogates::{List, Lists};

use super::{Cast, Listed, NameForms, PERSON, Source};
use crate::address::{Draw, Scope};
use crate::letters::{Case, ascii};
use crate::names::{Gender, all_of, gender_of};
use crate::person::{NameForm, Part, Person, Slot, TokenKind, particles};
use crate::resolve::{Handle, Piece};

/// The names of one identity.
pub(super) struct PersonIdentity {
    given: String,
    /// The given name for each other spelling of the original.
    also: Vec<String>,
    middles: Vec<String>,
    family: String,
    /// Digits for handles.
    digits: String,
}

/// Given names with short forms, by gender.
static WITH_SHORT_FORMS: LazyLock<HashMap<Gender, Vec<Vec<&'static str>>>> = LazyLock::new(|| {
    let mut lines: HashMap<Gender, Vec<Vec<&'static str>>> = HashMap::new();
    for line in include_str!("../../data/nicknames.txt").lines() {
        let names: Vec<&str> = line.split(' ').collect();
        if let Some(gender) = names.first().and_then(|name| gender_of(name)) {
            lines.entry(gender).or_default().push(names);
        }
    }
    lines
});

/// Lists of family names of other origins than [`List::FamilyUs`].
const OTHER_FAMILIES: [List; 12] = [
    List::FamilyGerman,
    List::FamilyFrench,
    List::FamilyItalian,
    List::FamilyPortuguese,
    List::FamilyDutch,
    List::FamilyNordic,
    List::FamilySlavic,
    List::FamilyEastern,
    List::FamilyTurkish,
    List::FamilyIndian,
    List::FamilyAfrican,
    List::FamilyHispanic,
];

impl Cast {
    pub(super) fn draw_person(&mut self, source: &Source<'_>, at: usize, person: &Person, ordinal: usize) {
        let address = Cast::address(source.scope, ordinal, person.canonical());
        let draw = |what: &str, attempt| Draw::at(source.key, source.scope, &[what, &address], attempt);
        let listed = Listed::of(person);
        let family = match &person.family {
            Some(family) => self.family_for(source, family, listed),
            None => {
                let mut draw = draw("family", 0);
                let family = match listed {
                    Some(listed) => listed.family(&mut draw),
                    None => family_name(&mut draw, source.lists),
                };
                self.taken.insert(family.clone());
                family
            }
        };
        let distinct = matches!(source.scope, Scope::Document(_));
        let gender = person.gender();
        let own = person.given.as_ref().or(person.single.as_ref()).map_or("", |part| part.text.as_str());
        let (given, also) = match person.also.is_empty() || listed.is_some() {
            true => {
                // Two people with the same initials could not be told apart in "M. Antonov" or "M.A.".
                let taken = if distinct { self.initials.clone() } else { HashSet::new() };
                let name = |attempt| {
                    let mut draw = draw("given", attempt);
                    let name = match listed {
                        Some(listed) => listed.given(&mut draw, person.single.is_some()),
                        None => given_name(&mut draw, gender),
                    };
                    if taken.contains(&initials_of(&name, &family)) { String::new() } else { name }
                };
                let given = self.free(source, own, name);
                let also = vec![given.clone(); person.also.len()];
                (given, also)
            }
            false => self.draw_with_short_forms(source, person, gender, &address),
        };
        self.initials.insert(initials_of(&given, &family));
        let middles = (0..person.middles.len())
            .map(|n| {
                let original = person.middles[n].text.clone();
                let draw = |attempt| {
                    let fields = ["middle", &address, &n.to_string()];
                    let mut draw = Draw::at(source.key, source.scope, &fields, attempt);
                    match listed {
                        Some(listed) => listed.middle(&mut draw),
                        None => given_name(&mut draw, gender),
                    }
                };
                self.free(source, &original, draw)
            })
            .collect();
        let mut digits = draw("digits", 0);
        let digits = (0..8).map(|_| char::from(b'0' + digits.below(10) as u8)).collect();
        self.people.insert(at, PersonIdentity { given, also, middles, family, digits });
    }

    /// Returns the family name that stands for an original one. Relatives share it.
    fn family_for(&mut self, source: &Source<'_>, original: &Part, listed: Option<Listed>) -> String {
        if let Some(known) = self.families.get(&original.plain) {
            return known.clone();
        }
        // "van der Berg" and "Berg" are one family.
        let last = original.plain.rsplit(' ').next().unwrap_or_default().to_owned();
        let draw = |attempt| {
            let mut draw = Draw::at(source.key, source.scope, &["family name", &last], attempt);
            match listed {
                Some(listed) => listed.family(&mut draw),
                None => family_name(&mut draw, source.lists),
            }
        };
        let drawn = self.free(source, &original.text, draw);
        self.families.insert(original.plain.clone(), drawn.clone());
        drawn
    }

    /// Draws a given name that has short forms, because the original has some.
    fn draw_with_short_forms(
        &mut self,
        source: &Source<'_>,
        person: &Person,
        gender: Option<Gender>,
        address: &str,
    ) -> (String, Vec<String>) {
        let spellings: Vec<&Part> = person.given.iter().chain(&person.also).collect();
        // The longest spelling is the whole name.
        let whole = (0..spellings.len()).max_by_key(|at| spellings[*at].plain.len()).unwrap_or_default();
        let mut chosen: Vec<&'static str> = Vec::new();
        for attempt in 0..super::TRIES {
            let mut draw = Draw::at(source.key, source.scope, &["given", address], attempt);
            let gender = gender.unwrap_or_else(|| either(&mut draw));
            let lines = WITH_SHORT_FORMS.get(&gender).map_or(&[][..], Vec::as_slice);
            let enough: Vec<&Vec<&'static str>> =
                lines.iter().filter(|line| line.len() >= spellings.len()).collect();
            let Some(line) = draw.pick(&enough) else { break };
            chosen = line.iter().copied().take(spellings.len()).collect();
            let free = |name: &&str| {
                let name = capitalised(name);
                !self.taken.contains(&name)
                    && spellings.iter().all(|part| (source.is_free)(&name, &part.text))
            };
            if chosen.iter().all(free) {
                break;
            }
        }
        let mut short = chosen.iter().skip(1).map(|name| capitalised(name));
        let head = chosen.first().map_or_else(String::new, |name| capitalised(name));
        let names: Vec<String> = (0..spellings.len())
            .map(|at| {
                let drawn =
                    if at == whole { head.clone() } else { short.next().unwrap_or_else(|| head.clone()) };
                (source.known)(&spellings[at].text).unwrap_or(drawn)
            })
            .collect();
        self.taken.extend(names.iter().cloned());
        let mut names = names.into_iter();
        (names.next().unwrap_or_default(), names.collect())
    }
}

impl PersonIdentity {
    /// Writes a mention with the names of this identity.
    pub(super) fn write(
        &self,
        person: &Person,
        mention: &str,
        form: &NameForm,
        slots: &[(usize, Slot)],
        initials: bool,
    ) -> String {
        if initials {
            let letters = mention.chars().filter(|c| c.is_alphabetic()).count();
            let mut own = self.initials(letters > 2).into_iter();
            let next = |c: char| if c.is_alphabetic() { own.next().unwrap_or(c) } else { c };
            return mention.chars().map(next).collect();
        }
        let mut written = String::new();
        let mut end = 0;
        for (at, token) in form.tokens.iter().enumerate() {
            push_signs(&mut written, mention.get(end..token.range.start).unwrap_or_default());
            end = token.range.end;
            let original = mention.get(token.range.clone()).unwrap_or_default();
            let slot = slots.iter().find(|(of, _)| *of == at).map(|(_, slot)| *slot);
            match (token.kind, slot) {
                (TokenKind::Title | TokenKind::Suffix, _) => written.push_str(original),
                (kind, slot) => {
                    let name = self.name(person, slot.unwrap_or(Slot::Given), &token.plain);
                    match kind {
                        TokenKind::Initials => written.push_str(&as_initials(original, name)),
                        _ => {
                            written.push_str(particles(original));
                            written.push_str(&token.case.apply(name));
                        }
                    }
                }
            }
        }
        if form.is_plural {
            let is_sibilant = ["s", "x", "z", "ch", "sh"].iter().any(|end| written.ends_with(end));
            written.push_str(if is_sibilant { "es" } else { "s" });
            return written;
        }
        push_signs(&mut written, mention.get(end..).unwrap_or_default());
        written.trim().to_owned()
    }

    /// Returns the name for a slot, given the original in plain letters.
    fn name(&self, person: &Person, slot: Slot, plain: &str) -> &str {
        match slot {
            Slot::Family => &self.family,
            Slot::Middle(n) => self.middles.get(n).map_or(self.given.as_str(), String::as_str),
            Slot::Given | Slot::Single => {
                let other = person.also.iter().position(|part| part.plain == plain);
                other.and_then(|at| self.also.get(at)).unwrap_or(&self.given)
            }
        }
    }

    /// Writes a handle as the original is built.
    pub(super) fn handle(&self, handle: &Handle) -> String {
        let first = |name: &str| ascii(name).get(..1).unwrap_or("x").to_owned();
        let mut digits = self.digits.chars().cycle();
        let piece = |piece: &Piece| match piece {
            Piece::Given => cased(&self.given, handle.case),
            Piece::Family => cased(&self.family, handle.case),
            Piece::GivenInitial => handle.case.apply(&first(&self.given)),
            Piece::FamilyInitial => handle.case.apply(&first(&self.family)),
            Piece::MiddleInitial => self.middles.first().map_or_else(|| "m".to_owned(), |name| first(name)),
            Piece::Sign(sign) => sign.to_string(),
            Piece::Digits(count) => digits.by_ref().take(*count).collect(),
        };
        handle.pieces.iter().map(piece).collect()
    }

    fn initials(&self, with_middle: bool) -> Vec<char> {
        let first = |name: &str| name.chars().next();
        let mut letters: Vec<char> = first(&self.given).into_iter().collect();
        if with_middle {
            letters.extend(self.middles.iter().filter_map(|name| first(name)));
        }
        letters.extend(first(&self.family));
        letters
    }

    /// Returns the forms that an answer may use.
    pub(super) fn forms(&self, person: &Person) -> NameForms {
        let mut forms = NameForms::new(PERSON);
        let whole = |part: &&Part| !part.is_initial;
        let given = person.given.as_ref().filter(whole);
        let family = person.family.as_ref().filter(whole);
        if let (Some(given), Some(family)) = (given, family) {
            let mut spellings = vec![(self.given.as_str(), given.text.as_str())];
            spellings.extend(
                self.also.iter().map(String::as_str).zip(person.also.iter().map(|p| p.text.as_str())),
            );
            // The initial of the whole name, if the initials of its short forms are others.
            spellings.sort_by_key(|(own, _)| std::cmp::Reverse(own.len()));
            for (n, (own, original)) in spellings.into_iter().enumerate() {
                forms.add(format!("{own} {}", self.family), format!("{original} {}", family.text));
                forms.add(format!("{}, {own}", self.family), format!("{}, {original}", family.text));
                if let (0, Some(a), Some(b)) = (n, own.chars().next(), original.chars().next()) {
                    forms.add(format!("{a}. {}", self.family), format!("{b}. {}", family.text));
                    forms.add(format!("{a} {}", self.family), format!("{b} {}", family.text));
                }
            }
            let letters = |names: [&str; 2]| names.map(|name| name.chars().next().unwrap_or('x'));
            let ([a, b], [c, d]) =
                (letters([&self.given, &self.family]), letters([&given.text, &family.text]));
            forms.add(format!("{a}.{b}."), format!("{c}.{d}."));
            forms.add(format!("{a}. {b}."), format!("{c}. {d}."));
        }
        if let Some(family) = person.family.as_ref().filter(whole) {
            forms.add(format!("{}{}", particles(&family.text), self.family), family.text.as_str());
            forms.add(self.family.as_str(), family.text.trim_start_matches(particles(&family.text)));
        }
        let mut alone = |own: &str, part: Option<&Part>| {
            if let Some(part) = part.filter(|part| !part.is_initial) {
                forms.add(own, part.text.as_str());
            }
        };
        alone(&self.given, person.given.as_ref());
        self.also.iter().zip(&person.also).for_each(|(own, part)| alone(own, Some(part)));
        alone(&self.given, person.single.as_ref());
        forms
    }
}

/// Adds the spaces and signs between names. A word or number that is not a part of the name is left out.
fn push_signs(written: &mut String, between: &str) {
    written.extend(between.chars().filter(|c| !c.is_alphanumeric()));
}

/// Writes initials in the notation of the original: "A." becomes "M.".
fn as_initials(original: &str, name: &str) -> String {
    let mut letters = name.chars().filter(|c| c.is_alphabetic());
    let next = |c: char| match c.is_alphabetic() {
        true => letters.next().map_or(c, |letter| letter.to_uppercase().next().unwrap_or(letter)),
        false => c,
    };
    original.chars().map(next).collect()
}

fn cased(name: &str, case: Case) -> String {
    // A name in another script has no letters for an address.
    let ascii = Some(ascii(name)).filter(|ascii| !ascii.is_empty()).unwrap_or_else(|| "user".to_owned());
    match case {
        Case::Name => capitalised(&ascii),
        Case::Lower | Case::Upper => case.apply(&ascii),
    }
}

fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Returns the initials of a name.
fn initials_of(given: &str, family: &str) -> String {
    [given, family].into_iter().filter_map(|name| name.chars().next()).collect()
}

fn either(draw: &mut Draw) -> Gender {
    if draw.below(2) == 0 { Gender::Female } else { Gender::Male }
}

fn given_name(draw: &mut Draw, gender: Option<Gender>) -> String {
    let gender = gender.unwrap_or_else(|| either(draw));
    draw.pick_common(all_of(gender)).map_or_else(String::new, |name| (*name).to_owned())
}

/// Draws a family name of one word.
pub(super) fn family_name(draw: &mut Draw, lists: &Lists) -> String {
    for _ in 0..16 {
        let entry = match draw.below(10) {
            0..6 => draw.pick_common(lists.of(List::FamilyUs)),
            _ => {
                let list = draw.pick(&OTHER_FAMILIES).copied().unwrap_or(List::FamilyUs);
                draw.pick(lists.of(list))
            }
        };
        if let Some(entry) = entry.filter(|entry| !entry.text.contains([' ', '-', '\''])) {
            return entry.text.clone();
        }
    }
    String::new()
}
