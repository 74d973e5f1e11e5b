//! Dates in words: those relative to another date, and seasons.

use inkveil_notation::Date;

use crate::letters::Case;

/// Words that relate a date to another one, and holidays, which say nothing about the year. Holidays of one religion are
/// not here, because they tell what somebody believes.
const RELATIONS: &[&str] = &[
    "today",
    "yesterday",
    "tomorrow",
    "tonight",
    "now",
    "last",
    "next",
    "this",
    "past",
    "previous",
    "coming",
    "following",
    "ago",
    "earlier",
    "later",
    "latest",
    "earliest",
    "christmas",
    "easter",
    "thanksgiving",
    "halloween",
];
/// Words beside them.
const BESIDE: &[&str] = &[
    "a",
    "an",
    "the",
    "of",
    "few",
    "couple",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "several",
    "day",
    "days",
    "week",
    "weeks",
    "weekend",
    "month",
    "months",
    "year",
    "years",
    "morning",
    "afternoon",
    "evening",
    "night",
];
/// Words beside a season.
const BESIDE_SEASONS: &[&str] = &["early", "late", "mid", "the", "of", "in"];

/// The first months of the seasons, and their names.
const SEASONS: [(u32, &str); 5] = [(3, "spring"), (6, "summer"), (9, "autumn"), (12, "winter"), (9, "fall")];

/// Returns whether a text only relates a date to another one, which moves with it: "last week", "two days ago".
pub(super) fn is_relative(text: &str) -> bool {
    let is = |list: &[&str], word: &str| list.iter().any(|known| word.eq_ignore_ascii_case(known));
    let words = || text.split([' ', '-', '\u{a0}']).filter(|word| !word.is_empty());
    words().any(|word| is(RELATIONS, word)) && words().all(|word| is(RELATIONS, word) || is(BESIDE, word))
}

/// Returns whether a text is the name of a weekday in the plural: "Sundays".
pub(super) fn is_weekdays(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays"]
        .contains(&lower.as_str())
}

/// A season with the words around it: "last Autumn", "spring 2024".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Season<'t> {
    text: &'t str,
    word: &'t str,
    month: u32,
    year: Option<&'t str>,
}

impl<'t> Season<'t> {
    /// Reads a season; none if the text says anything else.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let (mut season, mut year) = (None, None);
        for word in text.split([' ', '-']) {
            let lower = word.to_lowercase();
            let named = SEASONS.iter().find(|(_, name)| *name == lower).map(|(month, _)| *month);
            match named {
                Some(month) if season.is_none() => season = Some((word, month)),
                _ if word.len() == 4 && word.chars().all(|c| c.is_ascii_digit()) && year.is_none() => {
                    year = Some(word);
                }
                _ if is_relative(word) || BESIDE_SEASONS.contains(&lower.as_str()) => {}
                _ => return None,
            }
        }
        let (word, month) = season?;
        Some(Self { text, word, month, year })
    }

    /// Returns its middle.
    pub(super) fn date(self, usual_year: i32) -> Option<Date> {
        let year = self.year.and_then(|year| year.parse().ok()).unwrap_or(usual_year);
        Some(Date::new(year, self.month, 15)?.plus_days(30))
    }

    /// Writes the season of another date in this notation.
    pub(super) fn write(self, date: Date) -> String {
        let first = match date.month() {
            month @ (3..=11) => month - month % 3,
            _ => 12,
        };
        let is_fall = self.word.eq_ignore_ascii_case("fall");
        let names = SEASONS.iter().filter(|(month, name)| *month == first && (*name == "fall") == is_fall);
        let any = || SEASONS.iter().find(|(month, _)| *month == first);
        let name = names.clone().next().or_else(any).map_or("", |(_, name)| *name);
        let name = match Case::of(self.word) {
            Case::Name => {
                name.get(..1).unwrap_or_default().to_uppercase() + name.get(1..).unwrap_or_default()
            }
            case => case.apply(name),
        };
        // The middle of a winter is in the year after its start.
        let written = self.text.replacen(self.word, &name, 1);
        match self.year {
            Some(year) => written.replacen(year, &format!("{:04}", date.plus_days(-30).year()), 1),
            None => written,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_told_from_dates() {
        for text in ["last", "Last week", "two days ago", "this morning", "the next few months", "today"] {
            assert!(is_relative(text), "{text}");
        }
        for text in ["the summer before last", "week", "two", "last May", "30", "", "the day of the fair"] {
            assert!(!is_relative(text), "{text}");
        }
    }

    #[test]
    fn seasons_move_with_dates() {
        let moved = |text: &str, days: i64| {
            let season = Season::read(text)?;
            Some(season.write(season.date(2024)?.plus_days(days)))
        };
        assert_eq!(moved("last Autumn", 90).as_deref(), Some("last Winter"));
        assert_eq!(moved("spring 2024", 365).as_deref(), Some("spring 2025"));
        assert_eq!(moved("winter 2024", 0).as_deref(), Some("winter 2024"));
        assert_eq!(moved("WINTER", -90).as_deref(), Some("AUTUMN"));
        assert_eq!(moved("Fall", 0).as_deref(), Some("Fall"));
        assert_eq!(moved("fall", -90).as_deref(), Some("summer"));
        for other in ["Autumn Lynch", "May", "summer 20", "summer summer", ""] {
            assert_eq!(Season::read(other), None, "{other}");
        }
    }
}
