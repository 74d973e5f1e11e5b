//! Traits of people, and ages.

use crate::generator::Generator;
use crate::lists::List;
use crate::numbers::in_words;
use crate::shape::{AgeForm, Length, Mass, TraitForm};

impl Generator {
    pub(crate) fn height(&mut self) -> String {
        let (feet, inches) = (self.dice.between(4, 6), self.dice.between(0, 11));
        let centimetres = self.dice.between(142, 204);
        match self.dice.below(12) {
            0..3 => format!("{feet}'{inches}\""),
            3 => format!("{feet}' {inches}\""),
            4 => format!("{feet} ft {inches} in"),
            5 => format!("{feet} feet {inches} inches"),
            6 => format!("{feet}ft {inches}in"),
            7..9 => format!("{centimetres} cm"),
            9 => format!("{centimetres}cm"),
            10 => format!("{}.{:02} m", centimetres / 100, centimetres % 100),
            _ => format!("{}.{:02} metres", centimetres / 100, centimetres % 100),
        }
    }

    pub(crate) fn weight(&mut self) -> String {
        let kilos = self.dice.between(42, 130);
        let pounds = self.dice.between(95, 290);
        match self.dice.below(10) {
            0..3 => format!("{kilos} kg"),
            3 => format!("{kilos}kg"),
            4 => format!("{kilos}.{} kg", self.dice.between(0, 9)),
            5 => format!("{kilos} kilograms"),
            6..8 => format!("{pounds} lbs"),
            8 => format!("{pounds} pounds"),
            _ => format!("{} st {} lb", self.dice.between(7, 18), self.dice.between(0, 13)),
        }
    }

    pub(crate) fn blood_type(&mut self) -> String {
        let group = self.dice.one_of(&["A", "B", "AB", "O"]);
        let sign = self.dice.one_of(&["+", "-", "+", "-", " positive", " negative", " Rh+", "−"]);
        format!("{group}{sign}")
    }

    pub(crate) fn origin(&mut self) -> String {
        match self.dice.below(8) {
            0 => format!(
                "{}-American",
                self.dice.one_of(&[
                    "Italian", "Irish", "Chinese", "Korean", "Mexican", "Cuban", "Indian", "Polish"
                ])
            ),
            1 => self.entry(List::Languages),
            _ => self.entry(List::Nationalities),
        }
    }

    pub(crate) fn age(&mut self) -> String {
        let years = self.dice.between(1, 99);
        match self.dice.below(16) {
            0..5 => years.to_string(),
            5..7 => format!("{years} years old"),
            7..9 => format!("{years}-year-old"),
            9 => format!("{years} years"),
            10 => format!("{years} yrs"),
            11 => format!("{years}yo"),
            12 => format!("{years} y/o"),
            13 => format!("{}-month-old", self.dice.between(1, 23)),
            14 => format!("{} months old", self.dice.between(2, 23)),
            _ => in_words(years),
        }
    }

    /// Draws a trait of the same type, in the same unit.
    pub(crate) fn trait_like(&mut self, form: TraitForm) -> String {
        match form {
            TraitForm::Height(length) => {
                let centimetres = self.dice.between(150, 199);
                let inches = centimetres * 100 / 254;
                match length {
                    Length::Feet => format!("{}'{}\"", inches / 12, inches % 12),
                    Length::Centimetres => format!("{centimetres} cm"),
                    Length::Metres => format!("1.{:02} m", centimetres % 100),
                }
            }
            TraitForm::Weight(mass) => {
                let kilograms = self.dice.between(48, 110);
                let pounds = kilograms * 22 / 10;
                match mass {
                    Mass::Kilograms => format!("{kilograms} kg"),
                    Mass::Pounds => format!("{pounds} lbs"),
                    Mass::Stones => format!("{} st {} lb", pounds / 14, pounds % 14),
                }
            }
            TraitForm::BloodType => self.blood_type(),
            TraitForm::Gender(casing) => casing.apply(self.common_entry(List::Genders)),
            TraitForm::Marital(casing) => casing.apply(self.entry(List::Marital)),
            TraitForm::Colour(casing) => casing.apply(self.entry(List::EyeColours)),
            TraitForm::Origin(casing) => casing.apply(self.entry(List::Nationalities)),
        }
    }

    /// Draws the age of an adult.
    pub(crate) fn age_like(&mut self, form: AgeForm) -> String {
        let years = self.dice.between(18, 89);
        match form.tail {
            AgeForm::DECADE => format!("{}0s", self.dice.between(2, 8)),
            tail if form.in_words => format!("{}{tail}", in_words(years)),
            tail => format!("{years}{tail}"),
        }
    }
}
