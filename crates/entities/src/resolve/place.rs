//! Mentions of places, and adjectives of countries.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use inkveil_detect::{Kind, Span};
use inkveil_surrogates::{CitySize, List, PlaceSort, is_language};

use super::{Entities, Mention, mention_text};
use crate::letters::{Case, plain};

/// A place.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum PlaceName {
    /// A country, by its index in the list.
    Country(usize),
    /// Another place, in plain letters, and its sort.
    Other(String, PlaceSort),
}

/// What the replacement of a place keeps of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptPlace {
    Country,
    /// That it is a country of which the text has the adjective alone, which is also a language: "speaks Turkish".
    Language,
    /// That it is in this list of parts of countries.
    Part(List),
    /// That it is another place, and of which size if the task needs it.
    City(Option<CitySize>),
    /// A short code, which is no entity.
    Code,
}

/// How a mention writes a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlaceForm {
    pub(crate) is_adjective: bool,
    pub(crate) case: Case,
    /// The place after a comma: "Moscow, Russia".
    pub(crate) within: Option<usize>,
}

/// A country and its adjective.
pub(crate) struct Country {
    pub(crate) name: &'static str,
    pub(crate) adjective: &'static str,
}

pub(crate) static COUNTRIES: LazyLock<Vec<Country>> = LazyLock::new(|| {
    let lines = include_str!("../../data/countries.txt").lines();
    lines
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, adjective)| Country { name, adjective })
        .collect()
});

impl Country {
    /// Returns whether its adjective is also a language.
    pub(crate) fn has_language(&self) -> bool {
        is_language(self.adjective)
    }
}

/// The countries by name and by adjective, and whether the text is the adjective.
static BY_TEXT: LazyLock<HashMap<String, (usize, bool)>> = LazyLock::new(|| {
    let mut by_text = HashMap::new();
    for (at, country) in COUNTRIES.iter().enumerate() {
        by_text.insert(plain(country.name), (at, false));
        by_text.insert(plain(country.adjective), (at, true));
    }
    by_text
});

pub(super) fn resolve(text: &str, spans: &[Span], entities: &mut Entities) {
    let mut named = BTreeSet::new();
    for (at, span) in spans.iter().enumerate() {
        let mention = mention_text(text, span);
        let (head, tail) = match mention.split_once(", ") {
            Some((head, tail)) if span.kind == Kind::Location => (head, Some(tail)),
            _ => (mention, None),
        };
        let Some((name, is_adjective)) = place(&span.kind, head) else { continue };
        let place_of = number(entities, name);
        let within = tail.and_then(|tail| place(&span.kind, tail)).map(|(name, _)| number(entities, name));
        if !is_adjective {
            named.insert(place_of);
        }
        named.extend(within);
        let form = PlaceForm { is_adjective, case: Case::of(mention), within };
        entities.set(at, Mention::Place { place: place_of, form });
    }
    let is_language = |place: &usize| match entities.places.get(*place) {
        Some(PlaceName::Country(at)) => COUNTRIES.get(*at).is_some_and(Country::has_language),
        _ => false,
    };
    entities.languages =
        (0..entities.places.len()).filter(|place| !named.contains(place) && is_language(place)).collect();
}

/// Returns the place that a text is, and whether the text is its adjective.
fn place(kind: &Kind, text: &str) -> Option<(PlaceName, bool)> {
    match (kind, BY_TEXT.get(&plain(text)).copied()) {
        (Kind::Location | Kind::Trait, Some((country, adjective))) => {
            Some((PlaceName::Country(country), adjective))
        }
        (Kind::Location, None) => {
            let name = plain(text);
            let sort = PlaceSort::of(&name);
            Some((PlaceName::Other(name, sort), false))
        }
        _ => None,
    }
}

fn number(entities: &mut Entities, name: PlaceName) -> usize {
    entities.places.iter().position(|known| *known == name).unwrap_or_else(|| {
        entities.places.push(name);
        entities.places.len() - 1
    })
}

impl PlaceName {
    pub(crate) fn canonical(&self) -> String {
        match self {
            PlaceName::Country(at) => {
                COUNTRIES.get(*at).map_or_else(String::new, |country| plain(country.name))
            }
            PlaceName::Other(name, _) => name.clone(),
        }
    }
}
