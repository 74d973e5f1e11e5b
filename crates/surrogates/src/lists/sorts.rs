//! What the lists of this crate know of the name of a place.
//!
//! They are compiled in, because what a replacement depends on must not change with the lists of a pack.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::entries::letters;
use super::{List, ListEntry, Lists};

/// How large a city is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CitySize {
    /// More than about a million people.
    Large,
    /// More than about 100,000 people.
    Medium,
    /// Fewer people, or not in the list.
    Small,
}

/// The sort of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlaceSort {
    /// A part of a country: an entry of this list.
    Part(List),
    /// A city or any other place.
    City(CitySize),
}

/// The number of cities that are large, and of those that are large or medium. Larger cities are first in the
/// list: of GeoNames' cities 564 have more than a million people, and 6,204 more than 100,000.
const LARGE: usize = 560;
const MEDIUM: usize = 6_200;

const PARTS: [(List, &str); 4] = [
    (List::StatesUs, include_str!("../../lists/states-us.txt")),
    (List::Regions, include_str!("../../lists/regions.txt")),
    (List::CountiesUk, include_str!("../../lists/counties-uk.txt")),
    (List::CountiesUs, include_str!("../../lists/counties-us.txt")),
];

static CITIES: LazyLock<HashMap<String, CitySize>> = LazyLock::new(|| {
    let mut cities = HashMap::new();
    for (at, name) in names(include_str!("../../lists/cities.txt")).take(MEDIUM).enumerate() {
        // The larger of two cities of one name counts.
        cities.entry(name).or_insert(if at < LARGE { CitySize::Large } else { CitySize::Medium });
    }
    cities
});

static PARTS_BY_NAME: LazyLock<HashMap<String, List>> = LazyLock::new(|| {
    let mut parts = HashMap::new();
    for (list, text) in PARTS {
        for name in names(text) {
            parts.entry(name).or_insert(list);
        }
    }
    parts
});

static LANGUAGES: LazyLock<HashSet<String>> =
    LazyLock::new(|| names(include_str!("../../lists/languages.txt")).collect());

/// Returns whether a word is the name of a language.
///
/// ```
/// assert!(inkveil_surrogates::is_language("Turkish") && !inkveil_surrogates::is_language("Bolivian"));
/// ```
pub fn is_language(name: &str) -> bool {
    LANGUAGES.contains(&letters(name))
}

/// The letters of the first column of each line.
fn names(list: &str) -> impl Iterator<Item = String> {
    list.lines().filter_map(|line| line.split('\t').next()).map(|name| letters(name.trim()))
}

impl CitySize {
    /// Returns the size of a city by its name.
    pub fn of(name: &str) -> CitySize {
        CITIES.get(&letters(name)).copied().unwrap_or(CitySize::Small)
    }
}

impl PlaceSort {
    /// Returns the sort of a place by its name. A name that a city of the list shares with a region or county means
    /// the city, and one that it shares with a state means the state, unless the city is large.
    ///
    /// ```
    /// use inkveil_surrogates::{CitySize, List, PlaceSort};
    ///
    /// assert_eq!(PlaceSort::of("Vienna"), PlaceSort::City(CitySize::Large));
    /// assert_eq!(PlaceSort::of("Bavaria"), PlaceSort::Part(List::Regions));
    /// assert_eq!(PlaceSort::of("our village"), PlaceSort::City(CitySize::Small));
    /// ```
    pub fn of(name: &str) -> PlaceSort {
        match (CitySize::of(name), PARTS_BY_NAME.get(&letters(name))) {
            (size, None) | (size @ CitySize::Large, _) => PlaceSort::City(size),
            (_, Some(List::StatesUs)) => PlaceSort::Part(List::StatesUs),
            (size @ CitySize::Medium, Some(_)) => PlaceSort::City(size),
            (CitySize::Small, Some(list)) => PlaceSort::Part(*list),
        }
    }
}

impl Lists {
    /// Returns the cities of a size, largest first; all cities if the list has none of this size.
    pub fn cities_of_size(&self, size: CitySize) -> &[ListEntry] {
        let cities = self.of(List::Cities);
        let sizes = self.sizes.get_or_init(|| {
            [CitySize::Large, CitySize::Medium, CitySize::Small]
                .map(|size| cities.iter().filter(|city| CitySize::of(&city.text) == size).cloned().collect())
        });
        if sizes[size as usize].is_empty() { cities } else { &sizes[size as usize] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::our_lists;

    #[test]
    fn each_size_has_cities_to_draw_from() {
        let lists = our_lists();
        let [large, medium, small] =
            [CitySize::Large, CitySize::Medium, CitySize::Small].map(|size| lists.cities_of_size(size));
        assert!(large.len() > 400 && medium.len() > 4_000 && small.len() > 4_000);
        let has = |cities: &[ListEntry], name: &str| cities.iter().any(|city| city.text == name);
        assert!(has(large, "Madrid") && !has(medium, "Madrid"));
        assert!(has(medium, "Graz") && !has(small, "Graz"));
    }

    #[test]
    fn marks_and_case_do_not_matter() {
        assert_eq!(CitySize::of("SÃO PAULO"), CitySize::Large);
        assert_eq!(CitySize::of("sao paulo"), CitySize::Large);
        assert_eq!(PlaceSort::of("baden-wurttemberg"), PlaceSort::Part(List::Regions));
        assert_eq!(PlaceSort::of("Buckinghamshire"), PlaceSort::Part(List::CountiesUk));
        assert_eq!(PlaceSort::of("Ohio"), PlaceSort::Part(List::StatesUs));
        assert_eq!(PlaceSort::of("Utrecht"), PlaceSort::City(CitySize::Medium));
        assert_eq!(PlaceSort::of("Washington"), PlaceSort::Part(List::StatesUs));
    }
}
