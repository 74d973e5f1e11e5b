//! The habits by which a text stands out.
//!
//! A rate from a short text has little evidence. One semicolon in 40 words is 25 per 1000, and may
//! be the only one in a year. Two rules exclude such accidents:
//!
//! - The value is shrunk toward the population's median before its percentile is taken, as if the
//!   author had also written some text (100 words, 5 sentences, 3 choices, …) like the median
//!   author. The effect is smaller for longer texts.
//! - The distance of the percentile from the middle is weighted by the evidence. For a rate, the
//!   evidence is how often the thing occurred or was expected: one occurrence is no habit, and
//!   neither is the absence of a rare thing. For means and shares it is the number of occasions.

use std::ops::Range;

use super::example::Places;
use super::feature::{Feature, FeatureGroup, FeatureUnit, Measure};
use super::population::Population;
use super::profile::Profile;
use super::table::features;

/// The largest number of habits of one group, so that a list is varied.
const PER_GROUP: usize = 2;

/// A habit lies in the lowest or highest fifth.
const LEAST_DISTANCE: f32 = 30.0;

/// A feature that fewer texts of the population have is not compared.
const LEAST_TEXTS: u32 = 20;

/// The smallest weight of a habit. The largest possible weight is 50.
const LEAST_TELLING: f64 = 12.0;

/// The number of occurrences at which half of the weight counts. It is larger for function words,
/// which are in every text by chance.
fn half_evidence(group: FeatureGroup) -> f64 {
    if group == FeatureGroup::FunctionWords { 4.0 } else { 2.0 }
}

/// A habit by which a text stands out.
#[derive(Debug, Clone, PartialEq)]
pub struct Habit {
    /// The index of its feature.
    pub feature: usize,
    /// Its value in the text.
    pub value: f32,
    /// The percentile of the value among authors, from 0 to 100, after shrinking toward their
    /// median.
    pub percentile: f32,
    /// A place in the text that shows it.
    pub example: Option<Range<usize>>,
}

impl Habit {
    /// Returns its feature; the first one if the index is out of range.
    pub fn feature(&self) -> &'static Feature {
        features().get(self.feature).unwrap_or(&features()[0])
    }
}

/// Returns the habits by which a text stands out, strongest first: at most `most`, and at most two
/// of each group.
///
/// The profile must be that of the text. A habit needs an occasion in the text and lies in the
/// lowest or highest fifth of the population, so an average text has few habits or none. The page
/// of [`features`](super) has an example.
pub fn habits(text: &str, profile: &Profile, population: &Population, most: usize) -> Vec<Habit> {
    let mut telling: Vec<(f64, Habit)> = (0..features().len())
        .filter_map(|index| weigh(index, profile, population))
        .filter(|(telling, habit)| {
            *telling >= LEAST_TELLING && (habit.percentile - 50.0).abs() >= LEAST_DISTANCE
        })
        .collect();
    // By weight, then in the order of the table, so that the list is deterministic.
    telling.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.feature.cmp(&y.feature)));

    let mut taken: Vec<FeatureGroup> = Vec::new();
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

/// Returns a feature as a habit without an example, and its weight.
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

/// Returns a habit in words: its label, its value, and the comparison with other authors.
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
        FeatureUnit::PerThousandWords => format!("{value:.1} per 1000 words"),
        FeatureUnit::PerThousandLetters => format!("{value:.1} per 1000 letters"),
        FeatureUnit::PerThousandCharacters => format!("{value:.1} per 1000 characters"),
        FeatureUnit::Share => format!("{:.0} %", 100.0 * value),
        FeatureUnit::Words | FeatureUnit::Letters | FeatureUnit::Sentences => format!("{value:.1}"),
    };
    let amount = amount.replacen(".0 ", " ", 1);
    // A percentile is never shown as 0 or 100.
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
    fn outstanding_habits_are_found() {
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
    fn one_occurrence_is_weaker_evidence_than_many() {
        let population = population();
        let plain =
            "They sat by the old wall and talked of the sea, the boats, the long winter and the wind. ";
        let once = format!("{plain}You & me.");
        let often = format!("{plain}You & me & them & us. ").repeat(4);
        let weight = |text: &str| weigh(index("ampersand"), &Profile::of(text), &population).unwrap().0;
        assert!(weight(&once) < 0.5 * weight(&often), "{} {}", weight(&once), weight(&often));
    }

    #[test]
    fn short_texts_are_shrunk_toward_the_median() {
        let with_commas = |commas: usize| "one, ".repeat(commas) + &"one ".repeat(100 - commas);
        let profiles: Vec<Profile> = (0..=40).map(|commas| Profile::of(&with_commas(commas))).collect();
        let population = Population::of(&profiles);
        let percentile =
            |text: &str| weigh(index("comma"), &Profile::of(text), &population).unwrap().1.percentile;
        // The same rate from three commas and from sixty. It is far above the median of 20 in 100.
        let short = "one, two, three, four five six seven.";
        assert!(percentile(short) < 60.0);
        assert!(percentile(&[short; 20].join(" ")) > 75.0);
    }

    #[test]
    fn an_unknown_population_gives_no_habits() {
        let empty = Population::of(&[]);
        let text = PLAIN[0];
        assert!(habits(text, &Profile::of(text), &empty, 9).is_empty());
        assert!(habits("", &Profile::of(""), &population(), 9).is_empty());
        assert!(habits(text, &Profile::of(text), &population(), 0).is_empty());
    }

    #[test]
    fn one_function_word_is_no_habit() {
        let words = |text: &str| {
            let found = habits(text, &Profile::of(text), &population(), 20);
            found.into_iter().filter(|habit| habit.feature().group == FeatureGroup::FunctionWords).count()
        };
        assert_eq!(words("Had lunch with Sam, though upon reflection, soup."), 0);
        assert!(words(&"Had lunch with Sam, though upon reflection, soup. ".repeat(6)) > 0);
    }

    #[test]
    fn habits_are_described_in_words() {
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
