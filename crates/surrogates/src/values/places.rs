//! Places and coordinates.

use crate::generator::Generator;
use crate::lists::{List, ListEntry};
use crate::shape::{CoordinateForm, Notation};

impl Generator {
    /// Draws a city. Those of the United States and the United Kingdom are more frequent, as in English
    /// texts.
    pub(crate) fn city(&mut self) -> String {
        match self.dice.below(10) {
            0..3 => self.city_of("US"),
            3 => self.city_of("GB"),
            _ => None,
        }
        .map_or_else(|| self.common_entry(List::Cities), |city| city.text)
    }

    /// Draws a city of a country, given by its two-letter code. Larger cities are more frequent.
    pub(crate) fn city_of(&mut self, country: &str) -> Option<ListEntry> {
        let lists = self.lists.clone();
        let at = self.dice.pick_common(lists.cities_of(country))?;
        lists.of(List::Cities).get(*at).cloned()
    }

    pub(crate) fn state(&mut self) -> String {
        match self.dice.below(10) {
            0..5 => self.entry(List::StatesUs),
            5..7 => self.state_code(),
            _ => self.entry(List::Regions),
        }
    }

    /// Draws the two-letter code of a state of the United States.
    pub(crate) fn state_code(&mut self) -> String {
        let lists = self.lists.clone();
        self.dice.pick(lists.of(List::StatesUs)).map_or_else(String::new, |row| row.column(0).to_owned())
    }

    pub(crate) fn county(&mut self) -> String {
        match self.dice.below(10) {
            0..4 => self.entry(List::CountiesUk),
            4..8 => self.entry(List::CountiesUs),
            _ => {
                let county = self.entry(List::CountiesUs);
                county.strip_suffix(" County").map(str::to_owned).unwrap_or(county)
            }
        }
    }

    pub(crate) fn place(&mut self) -> String {
        let name = match self.dice.below(10) {
            0..5 => return self.entry(List::Places),
            5..7 => self.entry(List::Streets),
            _ => self.person().family,
        };
        match self.dice.below(4) {
            0 => format!(
                "{} {name}",
                self.dice.one_of(&["Lake", "Mount", "Port", "Fort", "Cape", "Camp", "Glen"])
            ),
            1 => {
                format!("{name} {}", self.dice.one_of(&["Island", "Falls", "Bay", "Beach", "Creek", "Ridge"]))
            }
            2 => format!(
                "{name} {}",
                self.dice.one_of(&["Park", "Square", "Bridge", "Station", "Airport", "Mall"])
            ),
            _ => format!(
                "{name} {}",
                self.dice.one_of(&["National Park", "Heights", "Forest", "Valley", "River"])
            ),
        }
    }

    pub(crate) fn gps(&mut self) -> String {
        let (latitude, longitude) = self.angles();
        let places = self.dice.between(2, 6) as usize;
        let pair = |separator: &str| format!("{latitude:.places$}{separator}{longitude:.places$}");
        let north = if latitude < 0.0 { 'S' } else { 'N' };
        let east = if longitude < 0.0 { 'W' } else { 'E' };
        let (up, along) = (latitude.abs(), longitude.abs());
        match self.dice.below(12) {
            0..4 => pair(", "),
            4 => pair(","),
            5 => pair(" "),
            6..8 => format!("[{}]", pair(",")),
            8 => format!("({})", pair(", ")),
            9 => format!("{up:.places$}° {north}, {along:.places$}° {east}"),
            10 => format!("{} {}", sexagesimal(up, north), sexagesimal(along, east)),
            _ => format!("lat {latitude:.places$}, lon {longitude:.places$}"),
        }
    }

    /// Draws coordinates in the same notation. A single number is a latitude.
    pub(crate) fn gps_like(&mut self, form: CoordinateForm) -> String {
        let (latitude, longitude) = self.angles();
        let written = |angle: f64, [positive, negative]: [char; 2]| {
            let (size, side) = (angle.abs(), if angle < 0.0 { negative } else { positive });
            match form.notation {
                Notation::Decimal { places } => format!("{angle:.places$}"),
                Notation::Directed { places } => format!("{size:.places$}° {side}"),
                Notation::Sexagesimal => sexagesimal(size, side),
            }
        };
        let north = written(latitude, ['N', 'S']);
        match form.between {
            Some(between) => format!("{north}{between}{}", written(longitude, ['E', 'W'])),
            None => north,
        }
    }

    /// Draws a latitude and a longitude, rounded to millionths of a degree.
    fn angles(&mut self) -> (f64, f64) {
        let latitude = (self.dice.below(180_000_000) as f64 - 90_000_000.0) / 1e6;
        let longitude = (self.dice.below(360_000_000) as f64 - 180_000_000.0) / 1e6;
        (latitude, longitude)
    }
}

/// Writes degrees, minutes and seconds: 40°26'46"N.
fn sexagesimal(degrees: f64, side: char) -> String {
    let seconds = (degrees * 3600.0).round() as u32;
    format!("{}°{:02}'{:02}\"{side}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::generator;

    #[test]
    fn angles_are_written_in_minutes_and_seconds() {
        assert_eq!(sexagesimal(40.446_111, 'N'), "40°26'46\"N");
    }

    #[test]
    fn surrogates_of_coordinates_keep_their_notation() {
        let mut generator = generator(2);
        for text in [
            "40.7128, -74.0060",
            "40.71,-74.00",
            "40.7128° N, 74.0060° W",
            "40°26'46\"N 79°58'56\"W",
            "40.7128",
        ] {
            let form = CoordinateForm::of(text);
            for _ in 0..100 {
                let drawn = generator.gps_like(form);
                assert_eq!(CoordinateForm::of(&drawn), form, "{text}: {drawn}");
            }
        }
    }

    #[test]
    fn cities_are_in_the_requested_country() {
        let mut generator = generator(1);
        assert!((0..50).all(|_| generator.city_of("FR").is_some_and(|city| city.column(0) == "FR")));
        assert!(generator.city_of("no such country").is_none());
    }
}
