//! The identity of a place.

use inkveil_detect::Kind;
use inkveil_surrogates::List;

use super::{Cast, NameForms, Source};
use crate::address::Draw;
use crate::resolve::{COUNTRIES, PlaceForm, PlaceName};

pub(super) enum PlaceIdentity {
    Country(usize),
    City(String),
    /// A place of a sort that the lists do not have, for example the code of a state.
    Unknown,
}

impl Cast {
    pub(super) fn draw_place(&mut self, source: &Source<'_>, at: usize, place: &PlaceName, ordinal: usize) {
        let address = Cast::address(source.scope, ordinal, place.canonical());
        let draw = |attempt| Draw::at(source.key, source.scope, &["place", &address], attempt);
        let identity = match place {
            PlaceName::Country(country) => {
                let original = COUNTRIES.get(*country).map_or("", |country| country.name);
                let drawn = self.free(source, original, |attempt| {
                    let chosen = draw(attempt).below(COUNTRIES.len());
                    COUNTRIES.get(chosen).map_or_else(String::new, |country| country.name.to_owned())
                });
                // An earlier text may have given it a name of another sort.
                match COUNTRIES.iter().position(|country| country.name == drawn) {
                    Some(chosen) => PlaceIdentity::Country(chosen),
                    None => PlaceIdentity::City(drawn),
                }
            }
            PlaceName::Other(name) if name.chars().count() < 3 => PlaceIdentity::Unknown,
            PlaceName::State(name) | PlaceName::Other(name) => {
                let is_state = matches!(place, PlaceName::State(_));
                let list = if is_state { List::StatesUs } else { List::Cities };
                let city = self.free(source, name, |attempt| {
                    draw(attempt)
                        .pick_common(source.lists.of(list))
                        .map_or_else(String::new, |entry| entry.text.clone())
                });
                PlaceIdentity::City(city)
            }
        };
        self.places.insert(at, identity);
    }
}

impl PlaceIdentity {
    pub(super) fn write(&self, form: PlaceForm) -> Option<String> {
        let name = match self {
            PlaceIdentity::Country(at) => {
                let country = COUNTRIES.get(*at)?;
                if form.is_adjective { country.adjective } else { country.name }
            }
            PlaceIdentity::City(name) => name,
            PlaceIdentity::Unknown => return None,
        };
        Some(form.case.apply(name))
    }

    pub(super) fn forms(&self, place: &PlaceName) -> Option<NameForms> {
        let mut forms = NameForms::new(Kind::Location);
        match (self, place) {
            (PlaceIdentity::Country(own), PlaceName::Country(original)) => {
                let (own, original) = (COUNTRIES.get(*own)?, COUNTRIES.get(*original)?);
                forms.add(own.name, original.name);
                forms.add(own.adjective, original.adjective);
            }
            _ => return None,
        }
        Some(forms)
    }
}
