//! One identity for each entity, from which every form of its mentions is made.

mod email;
mod forms;
mod listed;
mod organisation;
mod person;
mod place;

use std::collections::{HashMap, HashSet};
use std::fmt;

use inkveil_detect::{Kind, Span};
use inkveil_privacy::NoiseKey;
use inkveil_surrogates::Lists;

use crate::address::Scope;
use crate::letters::split_possessive;
use crate::resolve::{Entities, EntityId, Mention};

pub(crate) use email::{function_of, is_public_provider};
pub use forms::NameForms;
pub(crate) use listed::Listed;
use organisation::OrganisationIdentity;
pub(crate) use organisation::is_kept_word;
use person::PersonIdentity;
use place::PlaceIdentity;

/// How often an identity is drawn again because a form of it is not free.
const TRIES: u32 = 64;

/// Where identities are drawn from, and what they may be.
pub struct Source<'s> {
    /// The lists of names and places.
    pub lists: &'s Lists,
    /// The secret key.
    pub key: &'s NoiseKey,
    /// Where the same entity has the same identity.
    pub scope: Scope,
    /// Returns whether a form may replace an original form. A form that another original has, or that the
    /// text contains, could not be restored.
    pub is_free: &'s dyn Fn(&str, &str) -> bool,
    /// Returns the form that an earlier text of the scope gave to an original form, so that a conversation
    /// keeps its identities.
    pub known: &'s dyn Fn(&str) -> Option<String>,
}

/// The identities of the entities of a text. **Private** together with the text.
///
/// ```
/// # fn example(text: &str, spans: &[inkveil_detect::Span], lists: &inkveil_surrogates::Lists) -> Result<(), inkveil_privacy::Error> {
/// use inkveil_entities::{Identities, Resolver, Scope, Source};
///
/// let entities = Resolver::default().resolve(text, spans);
/// let key = inkveil_privacy::NoiseKey::fresh()?;
/// let source = Source { lists, key: &key, scope: Scope::Document(0), is_free: &|_, _| true, known: &|_| None };
/// let identities = Identities::draw(&source, text, spans, &entities);
/// let replaced: Vec<Option<String>> = (0..spans.len()).map(|span| identities.replacement(span)).collect();
/// # Ok(())
/// # }
/// ```
pub struct Identities {
    replacements: Vec<Option<String>>,
    forms: Vec<NameForms>,
}

impl Identities {
    /// Draws one identity for each entity and writes every mention with it.
    pub fn draw(source: &Source<'_>, text: &str, spans: &[Span], entities: &Entities) -> Self {
        let mut cast = Cast::default();
        cast.draw(source, entities);
        let mut identities = Self { replacements: vec![None; spans.len()], forms: Vec::new() };
        for (at, span) in spans.iter().enumerate() {
            let Some(mention) = entities.mentions.get(at).and_then(Option::as_ref) else { continue };
            let original = text.get(span.range()).unwrap_or_default();
            let (name, ending) = split_possessive(original);
            let written = match mention {
                Mention::Email(email) => cast.email(source, original, email),
                Mention::Username { person, handle } => {
                    let sign = if original.starts_with('@') { "@" } else { "" };
                    cast.people.get(person).map(|identity| format!("{sign}{}", identity.handle(handle)))
                }
                _ => cast.write(entities, mention, name).map(|written| format!("{written}{ending}")),
            };
            identities.replacements[at] = written.filter(|written| !written.trim().is_empty());
        }
        identities.forms = cast.forms(entities);
        identities
    }

    /// Returns the replacement of a span; none if it does not mention an entity.
    pub fn replacement(&self, span: usize) -> Option<String> {
        self.replacements.get(span).cloned().flatten()
    }

    /// Returns the forms of all names and what they stand for, also those that the text does not have, so
    /// that an answer can use any of them.
    pub fn forms(&self) -> &[NameForms] {
        &self.forms
    }
}

impl fmt::Debug for Identities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = self.replacements.iter().flatten().count();
        write!(f, "Identities({written} replacements)")
    }
}

/// The identities by the index of their entity.
#[derive(Default)]
struct Cast {
    people: HashMap<usize, PersonIdentity>,
    organisations: HashMap<usize, OrganisationIdentity>,
    places: HashMap<usize, PlaceIdentity>,
    /// The family names by the original family name, so that relatives share one.
    families: HashMap<String, String>,
    /// Names that an identity of this text has.
    taken: HashSet<String>,
    /// Initials that an identity of this text has.
    initials: HashSet<String>,
}

impl Cast {
    fn draw(&mut self, source: &Source<'_>, entities: &Entities) {
        for (ordinal, id) in entities.ids().iter().enumerate() {
            match id {
                EntityId::Person(at) => self.draw_person(source, *at, &entities.people[*at], ordinal),
                EntityId::Organisation(at) => {
                    self.draw_organisation(source, *at, &entities.organisations[*at], ordinal);
                }
                EntityId::Place(at) => self.draw_place(source, entities, *at, ordinal),
                // An address is drawn by its text.
                EntityId::Address(_) => {}
            }
        }
    }

    /// Returns the address of an entity: its number within a document, its name within a job.
    fn address(scope: Scope, ordinal: usize, canonical: String) -> String {
        match scope {
            Scope::Document(_) => ordinal.to_string(),
            Scope::Job => canonical,
        }
    }

    /// Returns the first draw that is free, and takes it. After many tries the last draw is used.
    fn free(&mut self, source: &Source<'_>, original: &str, mut draw: impl FnMut(u32) -> String) -> String {
        if let Some(known) = (source.known)(original) {
            self.taken.insert(known.clone());
            return known;
        }
        // Within a job, a draw must not depend on the other names of a text.
        let distinct = matches!(source.scope, Scope::Document(_));
        let mut drawn = String::new();
        for attempt in 0..TRIES {
            let new = draw(attempt);
            if new.is_empty() {
                continue;
            }
            drawn = new;
            if !(distinct && self.taken.contains(&drawn)) && (source.is_free)(&drawn, original) {
                break;
            }
        }
        self.taken.insert(drawn.clone());
        drawn
    }

    fn write(&self, entities: &Entities, mention: &Mention, name: &str) -> Option<String> {
        match mention {
            Mention::Title => Some(name.to_owned()),
            Mention::Person { person, form, slots, initials } => {
                let identity = self.people.get(person)?;
                Some(identity.write(&entities.people[*person], name, form, slots, *initials))
            }
            Mention::Organisation { organisation, form } => {
                Some(self.organisations.get(organisation)?.write(name, form))
            }
            Mention::Place { place, form } => {
                let name = self.places.get(place)?.write(*form)?;
                let Some(within) = form.within else { return Some(name) };
                Some(format!("{name}, {}", self.places.get(&within)?.write(*form)?))
            }
            Mention::Email(_) | Mention::Username { .. } | Mention::OtherUsername { .. } => None,
        }
    }

    fn forms(&self, entities: &Entities) -> Vec<NameForms> {
        let mut forms = Vec::new();
        for id in entities.ids() {
            match id {
                EntityId::Person(at) => {
                    let identity = self.people.get(at);
                    forms.extend(identity.map(|identity| identity.forms(&entities.people[*at])));
                }
                EntityId::Organisation(at) => {
                    let identity = self.organisations.get(at);
                    forms.extend(identity.map(|identity| identity.forms(&entities.organisations[*at])));
                }
                EntityId::Place(at) => {
                    let identity = self.places.get(at);
                    forms.extend(identity.and_then(|identity| identity.forms(&entities.places[*at])));
                }
                EntityId::Address(_) => {}
            }
        }
        forms
    }
}

/// The name of the kind that the forms of people have in a map.
const PERSON: Kind = Kind::Person;
