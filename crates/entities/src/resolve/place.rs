//! Mentions of places, and adjectives of countries.

use std::collections::HashMap;
use std::sync::LazyLock;

use inkveil_detect::{Kind, Span};

use super::{Entities, Mention, mention_text};
use crate::letters::{Case, plain};

/// A place.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum PlaceName {
    /// A country, by its index in the list.
    Country(usize),
    /// A state of the United States, in plain letters.
    State(String),
    /// Another place, in plain letters.
    Other(String),
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

/// The states of the United States that are not countries.
const STATES: &[&str] = &[
    "alabama",
    "alaska",
    "arizona",
    "arkansas",
    "california",
    "colorado",
    "connecticut",
    "delaware",
    "district of columbia",
    "florida",
    "hawaii",
    "idaho",
    "illinois",
    "indiana",
    "iowa",
    "kansas",
    "kentucky",
    "louisiana",
    "maine",
    "maryland",
    "massachusetts",
    "michigan",
    "minnesota",
    "mississippi",
    "missouri",
    "montana",
    "nebraska",
    "nevada",
    "new hampshire",
    "new jersey",
    "new mexico",
    "new york",
    "north carolina",
    "north dakota",
    "ohio",
    "oklahoma",
    "oregon",
    "pennsylvania",
    "rhode island",
    "south carolina",
    "south dakota",
    "tennessee",
    "texas",
    "utah",
    "vermont",
    "virginia",
    "washington",
    "west virginia",
    "wisconsin",
    "wyoming",
];

pub(crate) static COUNTRIES: LazyLock<Vec<Country>> = LazyLock::new(|| {
    let lines = include_str!("../../data/countries.txt").lines();
    lines
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, adjective)| Country { name, adjective })
        .collect()
});

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
    for (at, span) in spans.iter().enumerate() {
        let mention = mention_text(text, span);
        let (head, tail) = match mention.split_once(", ") {
            Some((head, tail)) if span.kind == Kind::Location => (head, Some(tail)),
            _ => (mention, None),
        };
        let Some((name, is_adjective)) = place(&span.kind, head) else { continue };
        let place_of = number(entities, name);
        let within = tail.and_then(|tail| place(&span.kind, tail)).map(|(name, _)| number(entities, name));
        let form = PlaceForm { is_adjective, case: Case::of(mention), within };
        entities.set(at, Mention::Place { place: place_of, form });
    }
}

/// Returns the place that a text is, and whether the text is its adjective.
fn place(kind: &Kind, text: &str) -> Option<(PlaceName, bool)> {
    match (kind, BY_TEXT.get(&plain(text)).copied()) {
        (Kind::Location | Kind::Trait, Some((country, adjective))) => {
            Some((PlaceName::Country(country), adjective))
        }
        (Kind::Location, None) => {
            let name = plain(text);
            let is_state = STATES.contains(&name.as_str());
            Some((if is_state { PlaceName::State(name) } else { PlaceName::Other(name) }, false))
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
            PlaceName::State(name) | PlaceName::Other(name) => name.clone(),
        }
    }
}
