//! Which habits make a text stand out.
//!
//! A rate from a short text says little: one semicolon in 40 words is 25 per 1000, and may be the only one in a year. Two
//! things keep such accidents out:
//!
//! - The value is drawn toward the population's median before its percentile is taken, as if the writer had also written some
//!   text (100 words, 5 sentences, 3 choices, ...) like the median writer. The longer the text, the less this matters.
//! - The distance of the percentile from the middle is weighted by the evidence. For a rate that is how often the thing
//!   was seen or should have been seen: once is no habit, and the absence of what is rare is none either. For means and
//!   shares it is the number of occasions.

use std::ops::Range;

use super::example::Places;
use super::feature::{Feature, Group, Measure, Unit};
use super::population::Population;
use super::profile::Profile;
use super::table::features;

/// At most so many habits of one group, so that a list is varied.
const PER_GROUP: usize = 2;

/// Only what is among the outer fifths is a habit.
const LEAST_DISTANCE: f32 = 30.0;

/// A feature that so few texts of the population had is not compared.
const LEAST_TEXTS: u32 = 20;

/// What is less telling than this is not said: of 50, which would be the utmost place with all evidence.
const LEAST_TELLING: f64 = 12.0;

/// How often something is to be seen until half of its weight counts. Small words are in every text by chance; few of the
/// other things are.
fn half_evidence(group: Group) -> f64 {
    if group == Group::FunctionWords { 4.0 } else { 2.0 }
}

/// A habit by which a text stands out.
#[derive(Debug, Clone, PartialEq)]
pub struct Habit {
    /// The index of its feature.
    pub feature: usize,
    /// Its value in the text, as it is.
    pub value: f32,
    /// Where the value lies among writers, from 0 to 100, after it was drawn toward their median because the text is short.
    pub percentile: f32,
    /// A place in the text that shows it.
    pub example: Option<Range<usize>>,
}

impl Habit {
    /// Its feature; the first one if the index is that of none.
    pub fn feature(&self) -> &'static Feature {
        features().get(self.feature).unwrap_or(&features()[0])
    }
}

/// The habits by which a text stands out, the most telling first: at most `most`, and at most two of each group.
///
/// The profile is that of the text. Only what the text gave an occasion for is there, and only what lies in the lowest or
/// highest fifth of the population; an average text has few habits or none. See the page of [`features`](super) for an example.
pub fn habits(text: &str, profile: &Profile, population: &Population, most: usize) -> Vec<Habit> {
    let mut telling: Vec<(f64, Habit)> = (0..features().len())
        .filter_map(|index| weigh(index, profile, population))
        .filter(|(telling, habit)| {
            *telling >= LEAST_TELLING && (habit.percentile - 50.0).abs() >= LEAST_DISTANCE
        })
        .collect();
    // By weight, then in the order of the table, so that equal texts have equal lists.
    telling.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.feature.cmp(&y.feature)));

    let mut taken: Vec<Group> = Vec::new();
    let mut habits: Vec<Habit> = Vec::new();
    for (_, habit) in telling {
        let group = habit.feature().group;
        let full = taken.iter().filter(|&&other| other == group).count() >= PER_GROUP;
        if habits.len() < most && !full {
            taken.push(group);
            habits.push(habit);
        }
    }
    if !habits.is_empty() {
        let places = Places::of(text);
        for habit in &mut habits {
            habit.example = places.showing(habit.feature(), habit.percentile >= 50.0);
        }
    }
    habits
}

/// A feature as a habit, still without an example, and how telling it is.
fn weigh(index: usize, profile: &Profile, population: &Population) -> Option<(f64, Habit)> {
    let feature = features().get(index).filter(|feature| feature.shown)?;
    let value = profile.value(index)?;
    let median = f64::from(population.median(index).filter(|_| population.count(index) >= LEAST_TEXTS)?);
    let occasions = f64::from(profile.occasions(index));
    let prior = feature.measure.prior();
    let drawn = (f64::from(value) * occasions + median * prior) / (occasions + prior);
    let percentile = population.percentile(index, drawn as f32);
    let reliability = match feature.measure {
        Measure::Rate { .. } => {
            let times = f64::from(value).max(median) * occasions / 1000.0;
            times / (times + half_evidence(feature.group))
        }
        _ => occasions / (occasions + prior),
    };
    let telling = f64::from((percentile - 50.0).abs()) * reliability;
    Some((telling, Habit { feature: index, value, percentile, example: None }))
}

/// A habit in words: what, how much, and compared with whom.
///
/// ```
/// use inkveil_style::features::{Habit, features, sentence};
///
/// let feature = features().iter().position(|feature| feature.name == "semicolon").unwrap();
/// let habit = Habit { feature, value: 12.41, percentile: 97.3, example: None };
/// assert_eq!(sentence(&habit), "semicolons: 12.4 per 1000 words, more than 97 % of writers");
/// ```
pub fn sentence(habit: &Habit) -> String {
    let Some(feature) = features().get(habit.feature) else { return String::new() };
    let value = habit.value;
    let amount = match feature.unit {
        Unit::PerThousandWords => format!("{value:.1} per 1000 words"),
        Unit::PerThousandLetters => format!("{value:.1} per 1000 letters"),
        Unit::PerThousandCharacters => format!("{value:.1} per 1000 characters"),
        Unit::Share => format!("{:.0} %", 100.0 * value),
        Unit::Words | Unit::Letters | Unit::Sentences => format!("{value:.1}"),
    };
    let amount = amount.replacen(".0 ", " ", 1);
    // Nobody is known to be beyond all others.
    let others = |percent: f32| percent.floor().clamp(1.0, 99.0);
    let compared = if habit.percentile >= 50.0 {
        format!("more than {} % of writers", others(habit.percentile))
    } else {
        format!("less than {} % of writers", others(100.0 - habit.percentile))
    };
    format!("{}: {amount}, {compared}", feature.label)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: [&str; 4] = [
        "We went to the lake, and it was cold. The water had been clear for weeks. Nobody swam that day.",
        "She reads in the evening. Her brother cooks, sings and sleeps. They do not talk about work at home.",
        "The train was late again! I waited for an hour, then I walked. It rained the whole time.",
        "He bought a small house near the coast. It has two rooms; the roof leaks. He likes it there.",
    ];

    fn population() -> Population {
        let profiles: Vec<Profile> = PLAIN.iter().cycle().take(80).map(|text| Profile::of(text)).collect();
        Population::of(&profiles)
    }

    fn index(name: &str) -> usize {
        features().iter().position(|feature| feature.name == name).expect(name)
    }

    #[test]
    fn what_stands_out_is_found() {
        let text = "i dont know!! its late!! i told u, i cant come!! so tired tbh!! ".repeat(4);
        let found = habits(&text, &Profile::of(&text), &population(), 8);
        let names: Vec<&str> = found.iter().map(|habit| habit.feature().name).collect();
        assert!(names.contains(&"many-exclamations"), "{names:?}");
        assert!(names.contains(&"lower-case-i") || names.contains(&"lower-case-starts"), "{names:?}");
        assert!(found.len() <= 8);
        let loud = found.iter().find(|habit| habit.feature().name == "many-exclamations").unwrap();
        assert!(loud.percentile > 95.0);
        assert!(text[loud.example.clone().unwrap()].contains("!!"));
        for group in found.iter().map(|habit| habit.feature().group) {
            assert!(found.iter().filter(|habit| habit.feature().group == group).count() <= PER_GROUP);
        }
        assert!(found.iter().all(|habit| habit.feature().shown));
    }

    #[test]
    fn once_says_less_than_often() {
        let population = population();
        let plain =
            "They sat by the old wall and talked of the sea, the boats, the long winter and the wind. ";
        let once = format!("{plain}You & me.");
        let often = format!("{plain}You & me & them & us. ").repeat(4);
        let weight = |text: &str| weigh(index("ampersand"), &Profile::of(text), &population).unwrap().0;
        assert!(weight(&once) < 0.5 * weight(&often), "{} {}", weight(&once), weight(&often));
    }

    #[test]
    fn short_texts_are_drawn_toward_the_median() {
        let with_commas = |commas: usize| "one, ".repeat(commas) + &"one ".repeat(100 - commas);
        let profiles: Vec<Profile> = (0..=40).map(|commas| Profile::of(&with_commas(commas))).collect();
        let population = Population::of(&profiles);
        let percentile =
            |text: &str| weigh(index("comma"), &Profile::of(text), &population).unwrap().1.percentile;
        // The same rate, of three commas and of sixty: far above the median of 20 in 100.
        let short = "one, two, three, four five six seven.";
        assert!(percentile(short) < 60.0);
        assert!(percentile(&[short; 20].join(" ")) > 75.0);
    }

    #[test]
    fn nothing_known_is_no_habit() {
        let empty = Population::of(&[]);
        let text = PLAIN[0];
        assert!(habits(text, &Profile::of(text), &empty, 9).is_empty());
        assert!(habits("", &Profile::of(""), &population(), 9).is_empty());
        assert!(habits(text, &Profile::of(text), &population(), 0).is_empty());
    }

    #[test]
    fn one_small_word_is_no_habit() {
        let words = |text: &str| {
            let found = habits(text, &Profile::of(text), &population(), 20);
            found.into_iter().filter(|habit| habit.feature().group == Group::FunctionWords).count()
        };
        assert_eq!(words("Had lunch with Sam, though upon reflection, soup."), 0);
        assert!(words(&"Had lunch with Sam, though upon reflection, soup. ".repeat(6)) > 0);
    }

    #[test]
    fn in_words() {
        let habit =
            |name, value, percentile| Habit { feature: index(name), value, percentile, example: None };
        assert_eq!(
            sentence(&habit("semicolon", 0.0, 4.6)),
            "semicolons: 0 per 1000 words, less than 95 % of writers"
        );
        assert_eq!(
            sentence(&habit("lower-case-i", 0.826, 100.0)),
            "“i” instead of “I”: 83 %, more than 99 % of writers"
        );
        assert_eq!(
            sentence(&habit("sentence-words", 27.04, 88.0)),
            "words per sentence: 27.0, more than 88 % of writers"
        );
        assert_eq!(sentence(&Habit { feature: usize::MAX, ..habit("comma", 0.0, 0.0) }), "");
    }
}
