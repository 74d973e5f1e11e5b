//! The facts about an original that its replacement depends on.

use std::collections::{BTreeSet, HashSet};

use crate::identity::{Listed, function_of, is_kept_word, is_public_provider};
use crate::person::{NameForm, Person, Slot, TokenKind, particles};
use crate::resolve::{Entities, EntityId, Handle, KeptPlace, Mention, domain_label};
use crate::reveals::Reveal;

impl Entities {
    /// Returns what the replacements of all mentions reveal.
    pub fn reveals(&self) -> BTreeSet<Reveal> {
        let mut reveals = BTreeSet::new();
        let mut seen: HashSet<EntityId> = HashSet::new();
        for (span, mention) in self.mentions.iter().enumerate() {
            let Some(mention) = mention else { continue };
            reveals.extend(self.revealed_by(mention));
            if self.of(span).is_some_and(|id| !seen.insert(id)) {
                reveals.insert(Reveal::Repetitions);
            }
        }
        reveals
    }

    fn revealed_by(&self, mention: &Mention) -> Vec<Reveal> {
        match mention {
            Mention::Title => vec![Reveal::Titles],
            Mention::Person { person, .. } => {
                let mut reveals = vec![Reveal::NameForm];
                let Some(person) = self.people.get(*person) else { return reveals };
                let listed = Listed::of(person);
                if person.gender().is_some() || listed.is_some_and(Listed::shows_gender) {
                    reveals.push(Reveal::Gender);
                }
                if listed.is_some() {
                    reveals.push(Reveal::Script);
                }
                let family = |person: &Person| person.family.as_ref().map(|part| part.plain.clone());
                let own = family(person);
                if own.is_some() && self.people.iter().filter(|other| family(other) == own).count() > 1 {
                    reveals.push(Reveal::SharedFamilyName);
                }
                reveals
            }
            Mention::Username { .. } => vec![Reveal::HandleOwner],
            Mention::OtherUsername { .. } => Vec::new(),
            Mention::Email(email) => {
                let owner = email.person.as_ref().map(|_| Reveal::HandleOwner);
                owner.into_iter().chain(email.organisation.map(|_| Reveal::DomainOwner)).collect()
            }
            Mention::Organisation { .. } => vec![Reveal::OrganisationForm],
            Mention::Place { place, form } => {
                let sized = |at: &usize| matches!(self.kept_of(*at), Some(KeptPlace::City(Some(_))));
                let size =
                    [Some(*place), form.within].iter().flatten().any(sized).then_some(Reveal::CitySize);
                std::iter::once(Reveal::PlaceKind).chain(size).collect()
            }
        }
    }

    /// Returns all facts that the replacement of a span depends on, apart from the key. Texts whose
    /// mentions have the same facts have the same distribution of replacements. `original` is the text of
    /// the span. None if the span mentions no entity.
    pub fn facts(&self, span: usize, original: &str) -> Option<String> {
        let number = |id: EntityId| self.order.iter().position(|other| *other == id);
        let entity = self.of(span).map(number);
        let facts = match self.mentions.get(span)?.as_ref()? {
            Mention::Title => format!("title {original}"),
            Mention::Person { person, form, slots, initials } => {
                let person = self.people.get(*person)?;
                let names = self.names_of(person);
                match initials {
                    true => format!("person {names} {}", letters(original)),
                    false => format!("person {names} {}", tokens(person, form, slots, original)),
                }
            }
            Mention::Username { person, handle } => {
                let sign = original.starts_with('@');
                format!("username {} {} {sign}", self.names_of(self.people.get(*person)?), pieces(handle))
            }
            Mention::OtherUsername { .. } => return None,
            Mention::Email(email) => {
                let (mailbox, domain) = original.split_once('@')?;
                let owner = match &email.person {
                    Some((person, handle)) => {
                        format!("{} {}", self.names_of(self.people.get(*person)?), pieces(handle))
                    }
                    None => function_of(mailbox).unwrap_or_default().to_owned(),
                };
                let organisation = email.organisation.map(|at| number(EntityId::Organisation(at)));
                let provider = is_public_provider(domain_label(&domain.to_lowercase()));
                format!("email {owner} {organisation:?} {provider}")
            }
            Mention::Organisation { organisation, form } => {
                let name = self.organisations.get(*organisation)?;
                let words: Vec<&str> =
                    name.words.iter().map(|word| if is_kept_word(word) { word } else { "" }).collect();
                let core = original.get(form.core.clone()).unwrap_or_default();
                let around = [original.get(..form.core.start), original.get(form.core.end..)];
                let letters =
                    if name.is_acronym { core.chars().filter(|c| c.is_alphabetic()).count() } else { 0 };
                let dots = core.contains('.');
                format!(
                    "organisation {words:?} {letters} {dots} {} {} {:?} {around:?}",
                    form.words, form.is_acronym, form.case
                )
            }
            Mention::Place { place, form } => {
                let within = form.within.map(|at| (number(EntityId::Place(at)), self.kept_of(at)));
                let kept = self.kept_of(*place);
                format!("place {kept:?} {within:?} {} {:?}", form.is_adjective, form.case)
            }
        };
        Some(format!("{entity:?} {facts}"))
    }

    fn names_of(&self, person: &Person) -> String {
        // Relatives share a family name, so which people share one is a fact.
        let last = |person: &Person| {
            person.family.as_ref().map(|part| part.plain.rsplit(' ').next().map(str::to_owned))
        };
        let family =
            last(person).map(|own| self.people.iter().position(|other| last(other).as_ref() == Some(&own)));
        let longest =
            person.given.iter().chain(&person.also).map(|part| part.plain.len()).collect::<Vec<_>>();
        let whole = (0..longest.len()).max_by_key(|at| longest[*at]).filter(|_| !person.also.is_empty());
        // Names in another script than Latin are drawn from lists of their own.
        let listed = Listed::of(person).map(|listed| format!(" {listed:?}")).unwrap_or_default();
        let (middles, also) = (person.middles.len(), person.also.len());
        format!("{:?} {middles} {also} {whole:?} {family:?}{listed}", person.gender())
    }
}

fn tokens(person: &Person, form: &NameForm, slots: &[(usize, Slot)], original: &str) -> String {
    let mut facts = String::new();
    let mut end = 0;
    for (at, token) in form.tokens.iter().enumerate() {
        let signs = original.get(end..token.range.start).unwrap_or_default();
        facts.extend(signs.chars().filter(|c| !c.is_alphanumeric()));
        end = token.range.end;
        let slot = slots.iter().find(|(of, _)| *of == at).map(|(_, slot)| *slot);
        let text = original.get(token.range.clone()).unwrap_or_default();
        match token.kind {
            TokenKind::Title | TokenKind::Suffix => facts.push_str(text),
            TokenKind::Initials => {
                facts.push_str(&format!("{slot:?} {}", letters(text)));
            }
            TokenKind::Name => {
                let spelling = person.also.iter().position(|part| part.plain == token.plain);
                facts.push_str(&format!("{slot:?} {spelling:?} {:?} {}", token.case, particles(text)));
            }
        }
    }
    let rest = original.get(end..).unwrap_or_default();
    if form.is_plural {
        facts.push_str(" plural");
    }
    facts.extend(rest.chars().filter(|c| !c.is_alphanumeric()));
    facts
}

/// Returns a text with every letter replaced by the same one.
fn letters(text: &str) -> String {
    text.chars().map(|c| if c.is_alphabetic() { 'A' } else { c }).collect()
}

fn pieces(handle: &Handle) -> String {
    format!("{:?} {:?}", handle.pieces, handle.case)
}
