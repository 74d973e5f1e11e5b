//! Ages.

use inkveil_notation::{number_from_words, number_in_words, numbers};

use crate::letters::Case;

/// The age in years from which on a person is an adult.
const ADULT: i64 = 18;
const OLDEST: i64 = 105;
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// Returns an age that is this number of years older, in its notation. Ages in months, weeks or days move by one.
pub(super) fn moved(text: &str, years: i64) -> Option<String> {
    let small_unit = ["month", "week", "day", "mo "].iter().any(|unit| text.to_lowercase().contains(unit));
    let new = |age: i64| match small_unit {
        true => (age + years.signum()).max(1),
        false => new_age(age, years),
    };
    // "73F" is an age and a gender.
    let gender = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if matches!(gender, "M" | "F" | "m" | "f") {
        return Some(moved(text.strip_suffix(gender)?, years)? + gender);
    }
    if let [number] = numbers(text).as_slice() {
        if number.decimals() > 0 || number.units() > 150 {
            return None;
        }
        let written = number.write(new(number.units() as i64) as u64);
        return Some(format!("{}{written}{}", &text[..number.range().start], &text[number.range().end..]));
    }
    let words = text.split(' ').collect::<Vec<_>>();
    let at = words.iter().position(|word| number_from_words(word).is_some_and(|number| number > 0))?;
    let age = number_from_words(words[at])?;
    let written = Case::of(words[at]).apply(&number_in_words(new(age.into()) as u32)?);
    let first_upper = words[at].starts_with(char::is_uppercase);
    let mut chars = written.chars();
    let written = match chars.next().filter(|_| first_upper) {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => written,
    };
    let mut words: Vec<&str> = words;
    words[at] = &written;
    Some(words.join(" "))
}

fn new_age(age: i64, years: i64) -> i64 {
    let moved = age + years;
    match age < ADULT {
        // Small children move by one year.
        true if age < 5 => (age + years.signum()).max(1),
        true => moved.clamp(1, ADULT - 1),
        false => moved.clamp(ADULT, OLDEST.max(age)),
    }
}

/// Returns whether a place of a text that detection takes for an age may be an hour: the 3 of "ring me at 3".
pub fn is_hour(text: &str, range: std::ops::Range<usize>) -> bool {
    let before = text.get(..range.start).unwrap_or_default();
    // An age in words moves as an age, which is also an hour.
    let hour: Option<u32> = text.get(range.clone()).and_then(|hour| hour.parse().ok());
    let after = text.get(range.end..).unwrap_or_default().trim_start();
    let is_of_years = ["year", "month", "-", "yo"].iter().any(|word| after.starts_with(word));
    // "at 7 Larch Court" is an address.
    let is_street = after.starts_with(char::is_uppercase) && !DAYS.iter().any(|day| after.starts_with(day));
    before.ends_with(" at ")
        && hour.is_some_and(|hour| (1..=12).contains(&hour))
        && !is_of_years
        && !is_street
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_not_ages() {
        for (text, expected) in [
            ("ring me at 3 on Friday", true),
            ("ring me at 31 on Friday", false),
            ("he is 3 now", false),
            ("come at 3 Thursday", true),
            ("lives at 3 Larch Court", false),
            ("at 3 years", false),
            ("left at 3 years of age", false),
        ] {
            let start = text.find('3').unwrap();
            let end = start + text[start..].chars().take_while(char::is_ascii_digit).count();
            assert_eq!(is_hour(text, start..end), expected, "{text}");
        }
    }

    #[test]
    fn ages_keep_their_notation() {
        for (text, years, expected) in [
            ("47", 2, "49"),
            ("47 years old", -3, "44 years old"),
            ("forty-seven", 3, "fifty"),
            ("Forty-seven years old", 1, "Forty-eight years old"),
            ("17", 3, "17"),
            ("18", -3, "18"),
            ("3-month-old", -2, "2-month-old"),
            ("2", -3, "1"),
            ("73F", 2, "75F"),
        ] {
            assert_eq!(moved(text, years).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(moved("F", 2), None);
        assert_eq!(moved("in her mid-forties", 2), None);
        assert_eq!(moved("aged 12 and 14", 2), None);
    }
}
