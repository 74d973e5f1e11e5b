//! Forms of traits and ages.

use super::casing::Casing;
use inkveil_notation::NUMBER_WORDS;

/// The type of a trait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum TraitForm {
    Height(Length),
    Weight(Mass),
    BloodType,
    Gender(Casing),
    Marital(Casing),
    Colour(Casing),
    /// Origin, religion, language and all others.
    Origin(Casing),
}

/// The unit of a height.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Length {
    Feet,
    Centimetres,
    Metres,
}

/// The unit of a weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Mass {
    Kilograms,
    Pounds,
    Stones,
}

const GENDERS: &[&str] = &[
    "male",
    "female",
    "man",
    "woman",
    "boy",
    "girl",
    "binary",
    "nonbinary",
    "trans",
    "transgender",
    "cis",
    "cisgender",
    "gender",
    "genderfluid",
    "genderqueer",
    "agender",
    "intersex",
    "m",
    "f",
    "x",
];
const MARITAL: &[&str] = &[
    "single",
    "married",
    "unmarried",
    "divorced",
    "widowed",
    "separated",
    "engaged",
    "partnership",
    "partner",
    "cohabiting",
    "remarried",
];
const COLOURS: &[&str] = &[
    "blue", "brown", "green", "hazel", "grey", "gray", "amber", "violet", "black", "blond", "blonde", "red",
    "auburn", "chestnut",
];

impl TraitForm {
    pub(crate) fn of(text: &str) -> Self {
        let lower = text.trim().to_lowercase();
        if lower.chars().any(|c| c.is_ascii_digit()) {
            return measure(&lower);
        }
        let casing = Casing::of(text);
        let words = || lower.split(|c: char| !c.is_alphabetic());
        let among = |list: &[&str]| words().any(|word| list.contains(&word));
        match () {
            () if is_blood_type(&lower) => TraitForm::BloodType,
            () if among(GENDERS) => TraitForm::Gender(casing),
            () if among(MARITAL) => TraitForm::Marital(casing),
            () if among(COLOURS) => TraitForm::Colour(casing),
            () => TraitForm::Origin(casing),
        }
    }
}

/// Returns whether a number is a height or a weight, by its unit.
fn measure(lower: &str) -> TraitForm {
    let units = || lower.split(|c: char| !c.is_alphabetic());
    let unit = |names: &[&str]| units().any(|unit| names.contains(&unit));
    match () {
        () if unit(&["st", "stone", "stones"]) => TraitForm::Weight(Mass::Stones),
        () if unit(&["lb", "lbs", "pound", "pounds"]) => TraitForm::Weight(Mass::Pounds),
        () if unit(&["kg", "kgs", "kilo", "kilos", "kilogram", "kilograms"]) => {
            TraitForm::Weight(Mass::Kilograms)
        }
        () if lower.contains(['\'', '′', '’']) || unit(&["ft", "foot", "feet", "in", "inch", "inches"]) => {
            TraitForm::Height(Length::Feet)
        }
        () if unit(&["m", "metre", "metres", "meter", "meters"]) => TraitForm::Height(Length::Metres),
        () => TraitForm::Height(Length::Centimetres),
    }
}

fn is_blood_type(lower: &str) -> bool {
    const SIGNS: [&str; 9] = ["+", "-", "−", "rh+", "rh-", "pos", "neg", "positive", "negative"];
    let sign = lower.trim_start_matches(['a', 'b', 'o']);
    let group = lower.strip_suffix(sign).unwrap_or_default();
    ["a", "b", "ab", "o"].contains(&group) && SIGNS.contains(&sign.trim_start())
}

/// The notation of an age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct AgeForm {
    pub(crate) in_words: bool,
    pub(crate) tail: &'static str,
}

/// Texts after the number of years.
const TAILS: &[&str] = &[
    "",
    " years old",
    " year old",
    "-year-old",
    "-years-old",
    " years of age",
    " years",
    " year",
    " yrs old",
    " yrs",
    " yr",
    "yrs",
    "yo",
    " yo",
    " y/o",
    "y/o",
    "s",
];

impl AgeForm {
    /// The tail of a decade: "in her 40s".
    pub(crate) const DECADE: &'static str = "s";

    /// Months, weeks and days become years, because they would reveal a very young age.
    pub(crate) fn of(text: &str) -> Self {
        let lower = text.trim().to_lowercase();
        let digit = lower.find(|c: char| c.is_ascii_digit());
        let in_words = digit.is_none() && !lower.is_empty();
        let mut rest = lower.get(digit.unwrap_or(0)..).unwrap_or_default();
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        while let Some(after) = after_number(rest) {
            rest =
                after.strip_prefix(['-', ' ']).filter(|next| after_number(next).is_some()).unwrap_or(after);
        }
        let years =
            ["month", "week", "day"].iter().fold(rest.to_owned(), |rest, unit| rest.replace(unit, "year"));
        let tail = TAILS.iter().find(|tail| **tail == years).copied().unwrap_or_default();
        AgeForm { in_words: in_words && tail != AgeForm::DECADE, tail }
    }
}

/// Returns the text after a number word at the start.
fn after_number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    NUMBER_WORDS.contains(&word).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_traits() {
        let form = TraitForm::of;
        assert_eq!(form("5'11\""), TraitForm::Height(Length::Feet));
        assert_eq!(form("6 ft 1 in"), form("5'11\""));
        assert_eq!(form("178 cm"), TraitForm::Height(Length::Centimetres));
        assert_eq!(form("1.80 m"), TraitForm::Height(Length::Metres));
        assert_eq!(form("74 kg"), TraitForm::Weight(Mass::Kilograms));
        assert_eq!(form("11 st 4 lb"), TraitForm::Weight(Mass::Stones));
        for text in ["O+", "ab negative", "A-", "B Rh+"] {
            assert_eq!(form(text), TraitForm::BloodType, "{text}");
        }
        assert_eq!(form("Non-binary"), TraitForm::Gender(Casing::Capital));
        assert_eq!(form("light brown"), TraitForm::Colour(Casing::Lower));
        assert_eq!(form("divorced"), TraitForm::Marital(Casing::Lower));
        assert_eq!(form("Peruvian"), form("Lutheran"));
        assert_eq!(form("Baptist"), TraitForm::Origin(Casing::Capital));
        assert_eq!(form("bob"), TraitForm::Origin(Casing::Lower));
    }

    #[test]
    fn forms_of_ages() {
        let form = |text| (AgeForm::of(text).in_words, AgeForm::of(text).tail);
        assert_eq!(form("47"), (false, ""));
        assert_eq!(form("3-month-old"), (false, "-year-old"));
        assert_eq!(form("a 3-month-old"), form("47-year-old"));
        assert_eq!(form("47 Years Old"), (false, " years old"));
        assert_eq!(form("forty-seven years old"), (true, " years old"));
        assert_eq!(form("twenty one"), (true, ""));
        assert_eq!(form("40s"), (false, "s"));
        assert_eq!(form("47.5 moons"), (false, ""));
        assert_eq!(form("elderly"), (true, ""));
        assert_eq!(form(""), (false, ""));
    }
}
