//! The entities of a text.

use std::collections::BTreeSet;
use std::fmt;

use inkveil_detect::Span;
use inkveil_surrogates::PlaceSort;

use super::handle::Handle;
use super::organisation::{OrganisationForm, OrganisationName};
use super::place::{KeptPlace, PlaceForm, PlaceName};
use crate::person::{NameForm, Person, Slot};

/// An entity of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntityId {
    /// The n-th person.
    Person(usize),
    /// The n-th organisation.
    Organisation(usize),
    /// The n-th place.
    Place(usize),
    /// The n-th address or user name whose owner the text does not name.
    Address(usize),
}

/// A span that mentions an entity.
pub(crate) enum Mention {
    Person {
        person: usize,
        form: NameForm,
        slots: Vec<(usize, Slot)>,
        initials: bool,
    },
    /// A title before or after a name, which is kept.
    Title,
    /// A user name that is built from a person's name.
    Username {
        person: usize,
        handle: Handle,
    },
    Email(Email),
    /// A user name that is built from no name of the text.
    OtherUsername {
        address: usize,
    },
    Organisation {
        organisation: usize,
        form: OrganisationForm,
    },
    Place {
        place: usize,
        form: PlaceForm,
    },
}

/// An e-mail address, and what it belongs to.
pub(crate) struct Email {
    pub(crate) person: Option<(usize, Handle)>,
    /// The address itself, if its owner is not known.
    pub(crate) address: Option<usize>,
    pub(crate) organisation: Option<usize>,
}

/// The entities of a text: which spans mention the same person, organisation or place. **Private**: it
/// holds names. Its `Debug` output does not show them.
pub struct Entities {
    pub(crate) mentions: Vec<Option<Mention>>,
    pub(crate) people: Vec<Person>,
    pub(crate) organisations: Vec<OrganisationName>,
    pub(crate) places: Vec<PlaceName>,
    /// The places whose replacement has a similar size.
    pub(crate) sized: BTreeSet<usize>,
    /// The countries of which the text has only an adjective that is also a language.
    pub(crate) languages: BTreeSet<usize>,
    /// Addresses and user names without a known owner, in lower case.
    pub(crate) addresses: Vec<String>,
    /// All entities in the order of their first mention.
    pub(crate) order: Vec<EntityId>,
}

impl Entities {
    pub(crate) fn new(spans: usize) -> Self {
        Self {
            mentions: (0..spans).map(|_| None).collect(),
            people: Vec::new(),
            organisations: Vec::new(),
            places: Vec::new(),
            sized: BTreeSet::new(),
            languages: BTreeSet::new(),
            addresses: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Returns the entity that a span mentions. An e-mail address mentions its owner.
    pub fn of(&self, span: usize) -> Option<EntityId> {
        match self.mentions.get(span)?.as_ref()? {
            Mention::Person { person, .. } | Mention::Username { person, .. } => {
                Some(EntityId::Person(*person))
            }
            Mention::Email(email) => {
                let owner = email.person.as_ref().map(|(person, _)| EntityId::Person(*person));
                owner.or(email.address.map(EntityId::Address))
            }
            Mention::OtherUsername { address } => Some(EntityId::Address(*address)),
            Mention::Organisation { organisation, .. } => Some(EntityId::Organisation(*organisation)),
            Mention::Place { place, .. } => Some(EntityId::Place(*place)),
            Mention::Title => None,
        }
    }

    /// Returns the name of the person, organisation or place that a span names, in plain letters. It is
    /// the same for all mentions of one entity. An address has no name.
    pub fn name_of(&self, span: usize) -> Option<String> {
        match self.mentions.get(span)?.as_ref()? {
            Mention::Person { person, .. } => self.people.get(*person).map(Person::canonical),
            Mention::Organisation { organisation, .. } => {
                self.organisations.get(*organisation).map(OrganisationName::canonical)
            }
            Mention::Place { place, .. } => self.places.get(*place).map(PlaceName::canonical),
            Mention::Title | Mention::Username { .. } | Mention::OtherUsername { .. } | Mention::Email(_) => {
                None
            }
        }
    }

    /// Makes the city that a span names become a city of a similar size. Other places stay as they are.
    pub fn keep_size_of(&mut self, span: usize) {
        if let Some(Some(Mention::Place { place, form })) = self.mentions.get(span) {
            self.sized.insert(*place);
            self.sized.extend(form.within);
        }
    }

    /// Returns what the replacement of a place keeps of it.
    pub(crate) fn kept_of(&self, place: usize) -> Option<KeptPlace> {
        Some(match self.places.get(place)? {
            PlaceName::Country(_) if self.languages.contains(&place) => KeptPlace::Language,
            PlaceName::Country(_) => KeptPlace::Country,
            PlaceName::Other(name, _) if name.chars().count() < 3 => KeptPlace::Code,
            PlaceName::Other(_, PlaceSort::Part(list)) => KeptPlace::Part(*list),
            PlaceName::Other(_, PlaceSort::City(size)) => {
                KeptPlace::City(self.sized.contains(&place).then_some(*size))
            }
        })
    }

    /// Returns all entities in the order of their first mention.
    pub fn ids(&self) -> &[EntityId] {
        &self.order
    }

    pub(crate) fn set(&mut self, span: usize, mention: Mention) {
        if let Some(slot) = self.mentions.get_mut(span) {
            *slot = Some(mention);
        }
    }

    /// Returns the number of an address or user name without a known owner.
    pub(crate) fn address(&mut self, text: &str) -> usize {
        let lower = text.to_lowercase();
        self.addresses.iter().position(|known| *known == lower).unwrap_or_else(|| {
            self.addresses.push(lower);
            self.addresses.len() - 1
        })
    }

    pub(crate) fn order_by_first_mention(&mut self, spans: &[Span]) {
        let mut order = Vec::new();
        for span in 0..spans.len() {
            if let Some(id) = self.of(span)
                && !order.contains(&id)
            {
                order.push(id);
            }
            // "Moscow, Russia" also mentions the country.
            if let Some(Some(Mention::Place { form, .. })) = self.mentions.get(span)
                && let Some(within) = form.within.map(EntityId::Place)
                && !order.contains(&within)
            {
                order.push(within);
            }
        }
        self.order = order;
    }
}

impl fmt::Debug for Entities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (people, organisations) = (self.people.len(), self.organisations.len());
        write!(f, "Entities({people} people, {organisations} organisations, {} places)", self.places.len())
    }
}
