//! Street addresses, postal codes and places.

use super::address_formats::{Country, OTHERS, UNITED_STATES};
use super::dates::ordinal;
use crate::generator::{Generator, ValuePart};
use crate::lists::{List, ListEntry};
use crate::shape::AddressForm;
use inkveil_detect::Kind;

impl Generator {
    /// Draws a whole address. Its parts have kinds; the separators between them have none.
    pub(crate) fn address(&mut self) -> Vec<ValuePart> {
        let country = self.country_of_address();
        let town = self.town(country);
        let layout = self.dice.one_of(country.layouts);
        self.laid_out(country, town, layout)
    }

    /// Draws an address with the same parts in the same order.
    pub(crate) fn address_like(&mut self, form: AddressForm) -> String {
        let AddressForm::Street { number_first, unit, town, code, lines } = form else {
            return match form {
                AddressForm::Building => self.building(),
                AddressForm::Unit => self.unit(),
                AddressForm::Box => format!("P.O. Box {}", self.dice.fill("%###")),
                _ => self.street_name(),
            };
        };
        let fits = |layout: &str, exactly: bool| {
            let order = if number_first { layout.contains("{n") } else { layout.contains(" n}") };
            let parts = layout.contains("{z}") == code && layout.contains("{u}") == unit;
            order && (!exactly || (parts && layout.contains('\n') == lines))
        };
        let mut layouts: Vec<(&'static Country, &'static str)> = countries()
            .flat_map(|country| country.layouts.iter().map(move |layout| (country, *layout)))
            .filter(|(_, layout)| fits(layout, false))
            .collect();
        if town && layouts.iter().any(|(_, layout)| fits(layout, true)) {
            layouts.retain(|(_, layout)| fits(layout, true));
        }
        let (country, layout) = self.dice.pick(&layouts).copied().unwrap_or((&UNITED_STATES, "{n s}, {c}"));
        let street = layout.split_inclusive('}').find(|part| part.contains(['n', 's'])).unwrap_or("{n s}");
        let street = street.get(street.find('{').unwrap_or(0)..).unwrap_or("{n s}").replace(',', "");
        let layout = match (town, unit) {
            (true, _) => layout.to_owned(),
            (false, true) => format!("{street}{}{{u}}", if lines { "\n" } else { ", " }),
            (false, false) => street,
        };
        let town = self.town(country);
        self.laid_out(country, town, &layout).into_iter().map(|part| part.text).collect()
    }

    fn laid_out(
        &mut self,
        country: &Country,
        (city, region, short): (String, String, String),
        layout: &str,
    ) -> Vec<ValuePart> {
        let mut parts = Vec::new();
        let mut rest = layout;
        while let Some((before, (part, after))) =
            rest.split_once('{').and_then(|(before, open)| Some((before, open.split_once('}')?)))
        {
            if !before.is_empty() {
                parts.push(ValuePart::plain(before));
            }
            let (text, kind) = match part {
                "u" => (self.unit(), Kind::Address),
                "c" => (city.clone(), Kind::Location),
                "r" => (region.clone(), Kind::Location),
                "rr" => (short.clone(), Kind::Location),
                "county" => (self.entry(List::CountiesUk), Kind::Location),
                "k" => (country.name.to_owned(), Kind::Location),
                "z" => (self.dice.fill_one(country.codes), Kind::PostalCode),
                order => (self.building_and_street(order, country.code), Kind::Address),
            };
            parts.push(ValuePart::of(text, kind));
            rest = after;
        }
        parts
    }

    /// Draws a building and its street: "12 Elm Road", "Kerkstraat 4".
    pub(crate) fn street(&mut self) -> String {
        let country = self.country_of_address();
        let order = match country.layouts.first() {
            Some(layout) if layout.contains("{s n}") => "s n",
            Some(layout) if layout.contains("{s, n}") => "s, n",
            _ => "n s",
        };
        match self.dice.below(40) {
            0 => format!("P.O. Box {}", self.dice.fill("%###")),
            1 => format!("PO Box {}", self.dice.fill("%##")),
            _ => self.building_and_street(order, country.code),
        }
    }

    pub(crate) fn street_name(&mut self) -> String {
        let code = self.country_of_address().code;
        self.street_in(code)
    }

    pub(crate) fn building(&mut self) -> String {
        self.dice.fill_one(&[
            "%", "%#", "%#", "%#", "%##", "%##", "%##", "%###", "%###", "%####", "%#@", "%#a", "%#-%#",
            "%#/%", "%##b",
        ])
    }

    pub(crate) fn unit(&mut self) -> String {
        const WORDS: &[&str] = &[
            "Apt. ",
            "Apt. ",
            "Apt ",
            "Apartment ",
            "Suite ",
            "Suite ",
            "Ste ",
            "Ste. ",
            "Unit ",
            "Flat ",
            "Flat ",
            "Floor ",
            "Room ",
            "Rm ",
            "#",
            "# ",
            "Building ",
            "Bldg ",
            "Block ",
            "Lot ",
            "Level ",
            "Tower ",
            "House ",
            "No. ",
            "Box ",
        ];
        match self.dice.below(15) {
            0 => format!("{} Floor", ordinal(self.dice.between(1, 40))),
            1 => format!("#{}", self.dice.fill("##-%##")),
            _ => {
                let word = self.dice.one_of(WORDS);
                format!(
                    "{word}{}",
                    self.dice.fill_one(&["%", "%#", "%#", "%##", "%##", "%@", "@", "%#@", "%##@", "@%"])
                )
            }
        }
    }

    pub(crate) fn zip(&mut self) -> String {
        let country = self.country_of_address();
        self.dice.fill_one(country.codes)
    }

    /// Returns the United States in half of all cases, another country otherwise.
    fn country_of_address(&mut self) -> &'static Country {
        match self.dice.chance(50) {
            true => &UNITED_STATES,
            false => self.dice.pick_weighted(OTHERS).unwrap_or(&UNITED_STATES),
        }
    }

    /// Returns a city of the country, its region and the short form of the region.
    fn town(&mut self, country: &Country) -> (String, String, String) {
        let lists = self.lists.clone();
        let Some(town) = self.city_of(country.code) else {
            return (self.city(), self.entry(List::Regions), self.entry(List::Regions));
        };
        let state = town.column(0).split_once('-').map(|(_, state)| state);
        let named = lists.of(List::StatesUs).iter().find(|row| Some(row.column(0)) == state);
        let (region, short) = match (named, self.dice.pick(country.regions)) {
            (Some(state), _) => (state.text.clone(), state.column(0).to_owned()),
            (None, Some((region, short))) => ((*region).to_owned(), (*short).to_owned()),
            (None, None) => (self.entry(List::Regions), self.entry(List::Regions)),
        };
        (town.text.clone(), region, short)
    }

    /// Replaces `n` in the order by a building and `s` by a street.
    fn building_and_street(&mut self, order: &str, country: &str) -> String {
        let mut text = String::new();
        for c in order.chars() {
            match c {
                'n' => text.push_str(&self.building()),
                's' => text.push_str(&self.street_in(country)),
                other => text.push(other),
            }
        }
        text
    }

    fn street_in(&mut self, country: &str) -> String {
        let lists = self.lists.clone();
        let foreign: Vec<&ListEntry> =
            lists.of(List::StreetsForeign).iter().filter(|row| row.column(0) == country).collect();
        if let Some(row) = self.dice.pick(&foreign).filter(|_| self.dice.chance(70)) {
            return row.text.clone();
        }
        if !foreign.is_empty() {
            return self.street_after_a_person(country);
        }
        let name = match self.dice.below(10) {
            0..6 => self.entry(List::Streets),
            6..8 => self.person().family,
            8 => self.person().given,
            _ => ordinal(self.dice.between(1, 120)),
        };
        let kind = match self.dice.below(3) {
            0 => {
                self.dice.one_of(&["Street", "St", "Road", "Rd", "Avenue", "Ave", "Lane", "Drive"]).to_owned()
            }
            _ => self.entry(List::StreetTypes),
        };
        match self.dice.below(12) {
            0 => format!(
                "{} {name} {kind}",
                self.dice.one_of(&["N", "S", "E", "W", "North", "South", "East", "West"])
            ),
            1 => format!("{name} {kind} {}", self.dice.one_of(&["N", "S", "NE", "NW", "SE", "SW", "West"])),
            _ => format!("{name} {kind}"),
        }
    }

    /// Draws a street named after a person, with a word for street of the country.
    fn street_after_a_person(&mut self, country: &str) -> String {
        let name = self.person().family;
        match country {
            "DE" => {
                format!("{name}{}", self.dice.one_of(&["straße", "str.", "weg", "gasse", "allee", "platz"]))
            }
            "FR" => {
                format!("{} {name}", self.dice.one_of(&["rue", "avenue", "boulevard", "place", "chemin"]))
            }
            "ES" | "MX" => {
                format!("{} {name}", self.dice.one_of(&["Calle", "Avenida", "Paseo", "Plaza", "C/"]))
            }
            "IT" => format!("{} {name}", self.dice.one_of(&["Via", "Viale", "Corso", "Piazza"])),
            "NL" => format!("{name}{}", self.dice.one_of(&["straat", "laan", "weg", "plein", "gracht"])),
            "BR" => format!("{} {name}", self.dice.one_of(&["Rua", "Avenida", "Travessa", "Alameda"])),
            "SE" => format!("{name}{}", self.dice.one_of(&["gatan", "vägen", "gränd"])),
            "PL" => format!("ul. {name}"),
            "JP" => format!("{name}-{}", self.dice.one_of(&["cho", "machi", "dori"])),
            _ => format!("{name} {}", self.dice.one_of(&["Road", "Street", "Avenue", "Lane"])),
        }
    }
}

fn countries() -> impl Iterator<Item = &'static Country> {
    std::iter::once(&UNITED_STATES).chain(OTHERS.iter().map(|(_, country)| country))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::generator;

    #[test]
    fn addresses_have_a_street_and_a_place_with_their_kinds() {
        let mut generator = generator(1);
        let mut lines = 0;
        for _ in 0..500 {
            let parts = generator.address();
            for kind in [Kind::Address, Kind::Location] {
                assert!(parts.iter().any(|part| part.kind.as_ref() == Some(&kind)), "{parts:?}");
            }
            assert!(parts.iter().all(|part| !part.text.is_empty() && !part.text.contains('{')), "{parts:?}");
            lines += usize::from(parts.iter().any(|part| part.text == "\n"));
        }
        assert!((50..350).contains(&lines), "{lines}");
    }

    #[test]
    fn surrogates_of_addresses_have_the_same_parts() {
        let mut generator = generator(3);
        for text in [
            "12",
            "P.O. Box 12",
            "12 Elm Road",
            "Kerkstraat 4",
            "12 Elm Road, Flat 3",
            "12 Elm Road, Leeds",
            "12 Elm Road, Springfield, IL 62701",
            "12 Elm Road\nLeeds\nLS1 4AP",
            "Kerkstraat 4, 1234 AB Utrecht",
        ] {
            let form = AddressForm::of(text);
            let lines = text.contains('\n');
            for _ in 0..100 {
                let address = generator.address_like(form);
                assert_eq!(address.contains('\n'), lines, "{text}: {address}");
                assert!(text.contains(',') || lines || !address.contains(','), "{text}: {address}");
                assert!(!address.contains(['{', '}']), "{address}");
            }
        }
    }

    #[test]
    fn a_city_of_the_united_states_has_its_own_state() {
        let mut generator = generator(2);
        for _ in 0..20 {
            let (city, state, short) = generator.town(&UNITED_STATES);
            let code = format!("US-{short}");
            let lists = generator.lists.clone();
            assert!(lists.of(List::Cities).iter().any(|row| row.text == city && row.column(0) == code));
            assert!(lists.of(List::StatesUs).iter().any(|row| row.text == state && row.column(0) == short));
        }
    }
}
