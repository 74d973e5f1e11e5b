//! The identity of a place.

use inkveil_detect::Kind;
use inkveil_surrogates::{List, ListEntry};

use super::{Cast, NameForms, Source};
use crate::address::Draw;
use crate::resolve::{COUNTRIES, Country, Entities, KeptPlace, PlaceForm, PlaceName};

pub(super) enum PlaceIdentity {
    Country(usize),
    Named(String),
    /// A place of a sort that the lists do not have, for example the code of a state.
    Unknown,
}

impl Cast {
    pub(super) fn draw_place(&mut self, source: &Source<'_>, entities: &Entities, at: usize, ordinal: usize) {
        let (Some(place), Some(kept)) = (entities.places.get(at), entities.kept_of(at)) else { return };
        let address = Cast::address(source.scope, ordinal, place.canonical());
        let draw = |attempt| Draw::at(source.key, source.scope, &["place", &address], attempt);
        let name = match place {
            PlaceName::Country(country) => COUNTRIES.get(*country).map_or("", |country| country.name),
            PlaceName::Other(name, _) => name,
        };
        let lists = source.lists;
        let entry = |entries: &[ListEntry], attempt| {
            draw(attempt).pick_common(entries).map_or_else(String::new, |entry| entry.text.clone())
        };
        let identity = match kept {
            KeptPlace::Country | KeptPlace::Language => {
                let fits = |country: &&Country| kept == KeptPlace::Country || country.has_language();
                let countries: Vec<&Country> = COUNTRIES.iter().filter(fits).collect();
                let drawn = self.free(source, name, |attempt| {
                    let chosen = draw(attempt).below(countries.len());
                    countries.get(chosen).map_or_else(String::new, |country| country.name.to_owned())
                });
                // An earlier text may have given it a name of another sort.
                match COUNTRIES.iter().position(|country| country.name == drawn) {
                    Some(chosen) => PlaceIdentity::Country(chosen),
                    None => PlaceIdentity::Named(drawn),
                }
            }
            KeptPlace::Code => PlaceIdentity::Unknown,
            KeptPlace::Part(list) => {
                PlaceIdentity::Named(self.free(source, name, |attempt| entry(lists.of(list), attempt)))
            }
            KeptPlace::City(Some(size)) => PlaceIdentity::Named(
                self.free(source, name, |attempt| entry(lists.cities_of_size(size), attempt)),
            ),
            KeptPlace::City(None) => PlaceIdentity::Named(
                self.free(source, name, |attempt| entry(lists.of(List::Cities), attempt)),
            ),
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
            PlaceIdentity::Named(name) => name,
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
