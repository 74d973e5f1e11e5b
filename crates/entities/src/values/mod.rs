//! Dates, ages and amounts that keep their relations and hide their values.

mod age;
mod clock;
mod dose;
mod lone_day;
mod money;
mod relative;

use inkveil_detect::{Kind, Span, passages};
use inkveil_notation::{Date, DayOrder, PartialDate, Tongue, WrittenDate, day_order};
use inkveil_privacy::NoiseKey;

use crate::address::{Draw, Scope};
use crate::reveals::Reveal;

use clock::Clock;
use lone_day::LoneDay;
use relative::{Season, is_relative, is_weekdays};

pub use age::is_hour;
pub use dose::{is_quantity, is_unit};

/// The largest shift of dates, in days. The smallest is [`LEAST_DAYS`].
pub(crate) const MOST_DAYS: i64 = 730;
pub(crate) const LEAST_DAYS: i64 = 30;
/// The year of dates without one, if the text has no other.
const USUAL_YEAR: i32 = 2025;

/// Replaces dates, ages and amounts of one scope by values that keep their relations.
///
/// - Dates move by one secret number of days, from 30 to 730 in either direction. Order and intervals are
///   kept. A month moves with its 15th day and a year with its middle. A day without a month ("the 20th") is
///   the nearest one to the last date before it. Words that relate a date to another one ("last week") stay.
/// - Times of day move by one or two hours, so that none of a document passes midnight if that can be. Minutes stay.
/// - Ages move by one secret number of years, from 1 to 3 in either direction. Minors stay minors, and
///   adults stay adults.
/// - Amounts are multiplied by one secret factor between 3/4 and 4/3, and keep their rounding.
///
/// An attacker who knows one original date knows all of them, and the same holds for amounts. This is no
/// formal guarantee; [`Reveal`] states what is visible.
///
/// ```
/// use inkveil_detect::Kind;
/// use inkveil_entities::{Scope, Values};
/// use inkveil_privacy::NoiseKey;
///
/// let values = Values::draw(&NoiseKey::insecure_from_seed(1), Scope::Document(0), false);
/// let date = values.replacement(&Kind::Date, "27 May 2025").unwrap();
/// assert_ne!(date, "27 May 2025");
/// assert!(values.replacement(&Kind::Money, "£60,317").unwrap().starts_with('£'));
/// ```
#[derive(Clone)]
pub struct Values {
    days: i64,
    years: i64,
    hours: i64,
    factor: f64,
    order: DayOrder,
    /// The language of most of the text.
    tongue: Tongue,
    year: i32,
    /// The dates of the text that have a month, with their places.
    dates: Vec<(usize, PartialDate)>,
    /// Whether the shifts are those of one text, so that they may depend on it.
    of_one_text: bool,
}

impl Values {
    /// Draws the secret shifts of a scope. If weekdays are kept, dates move by whole weeks.
    pub fn draw(key: &NoiseKey, scope: Scope, keep_weekdays: bool) -> Self {
        let at = |what: &str| Draw::at(key, scope, &["values", what], 0);
        let mut days = at("days");
        let size = match keep_weekdays {
            // 35 to 728 days.
            true => 7 * (5 + days.below(100) as i64),
            false => LEAST_DAYS + days.below((MOST_DAYS - LEAST_DAYS + 1) as usize) as i64,
        };
        let sign = if days.below(2) == 0 { 1 } else { -1 };
        let mut years = at("years");
        let age_sign = if years.below(2) == 0 { 1 } else { -1 };
        let mut hours = at("hours");
        let hour_sign = if hours.below(2) == 0 { 1 } else { -1 };
        Self {
            days: sign * size,
            years: age_sign * (1 + years.below(3) as i64),
            hours: hour_sign * (1 + hours.below(2) as i64),
            factor: money::factor(&mut at("factor")),
            order: DayOrder::default(),
            tongue: Tongue::default(),
            year: USUAL_YEAR,
            dates: Vec::new(),
            of_one_text: matches!(scope, Scope::Document(_)),
        }
    }

    /// Reads from a text whether days or months are first, the language of its dates, and the year of dates
    /// without one.
    #[must_use]
    pub fn for_text(mut self, text: &str, spans: &[Span]) -> Self {
        let dates =
            || spans.iter().filter(|span| span.kind == Kind::Date).filter_map(|span| text.get(span.range()));
        self.order = day_order(dates()).unwrap_or_default();
        if self.of_one_text {
            let times: Vec<i64> = spans.iter().filter_map(|span| self.minutes(text, span)).collect();
            self.hours = clock::hours(self.hours, times.iter().copied());
        }
        if dates().any(|date| date.contains(char::is_alphabetic)) {
            let most = passages(text).into_iter().max_by_key(|passage| passage.range.len());
            self.tongue = most.map(|passage| Tongue::of_code(passage.language.code())).unwrap_or_default();
        }
        let spans = spans.iter().filter(|span| span.kind == Kind::Date);
        let parts = |span: &Span| {
            let date = text.get(span.range())?;
            Some((span.start, WrittenDate::read_in(date, self.order, self.tongue)?.parts()))
        };
        let read: Vec<(usize, PartialDate)> = spans.filter_map(parts).collect();
        let years = read.iter().filter_map(|(_, date)| date.year);
        self.year = years.max().unwrap_or(USUAL_YEAR);
        self.dates = read.into_iter().filter(|(_, date)| date.month.is_some()).collect();
        self
    }

    /// Returns the time of day that a span states.
    fn minutes(&self, text: &str, span: &Span) -> Option<i64> {
        let written = text.get(span.range())?;
        match span.kind {
            Kind::Time => Some(Clock::read(written)?.minutes()),
            Kind::Date => {
                let date = WrittenDate::read_in(written.trim(), self.order, self.tongue)?;
                Some(Clock::read_after_date(date.time())?.minutes())
            }
            _ => None,
        }
    }

    /// Returns the replacement of a value in its notation; none if the kind has no such values or the text
    /// cannot be read as one.
    pub fn replacement(&self, kind: &Kind, text: &str) -> Option<String> {
        self.replacement_at(kind, text, 0)
    }

    /// Returns the replacement of a value as [`replacement`](Self::replacement) does, at a place of the text
    /// that [`for_text`](Self::for_text) has read.
    pub fn replacement_at(&self, kind: &Kind, text: &str, place: usize) -> Option<String> {
        match kind {
            Kind::Date => self.dates(text, place),
            Kind::Time => match Clock::read(text) {
                Some(clock) => Some(clock.later(self.hours)),
                None => clock::later_hour(text, self.hours),
            },
            Kind::Age => age::moved(text, self.years),
            Kind::Money => money::scaled(text, self.factor),
            Kind::Medication | Kind::Health => dose::kept(text),
            Kind::Id => dose::kept_as_id(text),
            Kind::Trait => dose::kept_as_trait(text),
            _ => None,
        }
    }

    /// Returns whether a text of a kind can be read as a value.
    pub fn reads(kind: &Kind, text: &str) -> bool {
        let any = Self {
            days: 100,
            years: 1,
            hours: 1,
            factor: 1.2,
            order: DayOrder::default(),
            tongue: Tongue::default(),
            year: USUAL_YEAR,
            dates: Vec::new(),
            of_one_text: true,
        };
        any.replacement(kind, text).is_some()
    }

    /// Returns what the replacement of a value of this kind reveals.
    pub fn reveals(kind: &Kind) -> &'static [Reveal] {
        match kind {
            Kind::Date => &[Reveal::DateIntervals],
            Kind::Age => &[Reveal::Ages],
            Kind::Money => &[Reveal::AmountRatios],
            Kind::Medication | Kind::Health | Kind::Id | Kind::Trait => &[Reveal::Quantities],
            Kind::Time => &[Reveal::Times],
            _ => &[],
        }
    }

    /// Moves a date, or both ends of a period: "2010–2014".
    fn dates(&self, text: &str, place: usize) -> Option<String> {
        let both = || {
            let sign =
                ["–", " - ", " to ", " until ", " and ", "-"].into_iter().find(|sign| text.contains(sign))?;
            let (from, to) = text.split_once(sign)?;
            // "to present" has one end.
            let end = |part: &str, beside: Option<PartialDate>| match part.trim().to_lowercase().as_str() {
                "present" | "now" | "today" | "date" => Some(part.to_owned()),
                _ => self.date(part, beside, place),
            };
            let (first, second) = (end(from, self.stated(to))?, end(to, self.stated(from))?);
            Some(format!("{first}{sign}{second}"))
        };
        self.date(text, None, place).or_else(both).or_else(|| self.listed_dates(text, place))
    }

    /// Moves each date of a list: "the 14th, the 17th and the 20th". A day without a month is near the one before it, and
    /// the first near the first date that has a month.
    fn listed_dates(&self, text: &str, place: usize) -> Option<String> {
        let next = |text: &str| {
            let found = [", ", " and ", " or ", " & "].into_iter();
            found.filter_map(|sign| Some((text.find(sign)?, sign))).min()
        };
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((at, sign)) = next(rest) {
            parts.push((&rest[..at], sign));
            rest = &rest[at + sign.len()..];
        }
        (!parts.is_empty()).then_some(())?;
        parts.push((rest, ""));
        let mut beside = parts.iter().find_map(|(part, _)| self.stated(part));
        let mut moved = String::new();
        for (part, sign) in parts {
            moved += &self.date(part, beside, place)?;
            moved += sign;
            beside = self.stated(part).or_else(|| self.lone_day(part, beside, place)).or(beside);
        }
        Some(moved)
    }

    /// Returns the parts of a date that states its month.
    fn stated(&self, text: &str) -> Option<PartialDate> {
        let parts = WrittenDate::read_in(text.trim(), self.order, self.tongue)?.parts();
        parts.month.is_some().then_some(parts)
    }

    /// Returns the day that a day without a month means: the nearest one to the date beside it, or to the last one before
    /// this place.
    fn lone_day(&self, text: &str, beside: Option<PartialDate>, place: usize) -> Option<PartialDate> {
        let before = || self.dates.iter().rev().find(|(start, _)| *start < place).or(self.dates.first());
        let known = beside.or_else(|| before().map(|(_, date)| *date)).unwrap_or_default();
        let date = LoneDay::read(text.trim())?.near(known, self.year)?;
        Some(PartialDate { year: Some(date.year()), month: Some(date.month()), day: Some(date.day()) })
    }

    /// Moves a date. `beside` is another date of the same period or list.
    fn date(&self, text: &str, beside: Option<PartialDate>, place: usize) -> Option<String> {
        let core = text.trim();
        let (before, after) = text.split_at(text.len() - text.trim_start().len());
        let after = after.get(core.len()..).unwrap_or_default();
        Some(format!("{before}{}{after}", self.trimmed_date(core, beside, place)?))
    }

    fn trimmed_date(&self, text: &str, beside: Option<PartialDate>, place: usize) -> Option<String> {
        // Relative to a date that moves with them.
        if is_relative(text) {
            return Some(text.to_owned());
        }
        if is_weekdays(text) {
            let (day, plural) = text.split_at(text.len() - 1);
            return Some(self.trimmed_date(day, beside, place)? + plural);
        }
        if let Some(season) = Season::read(text) {
            return Some(season.write(season.date(self.year)?.plus_days(self.days)));
        }
        if let Some(day) = LoneDay::read(text) {
            let parts = self.lone_day(text, beside, place)?;
            return Some(day.write(self.moved(parts, None)?));
        }
        let written = WrittenDate::read_in(text, self.order, self.tongue)?;
        let date = self.moved(written.parts(), written.weekday())?;
        if written.time().is_empty() {
            return Some(written.write(date));
        }
        let (time, days) = Clock::read_after_date(written.time())?.later_with_days(self.hours);
        Some(written.write_with_time(date.plus_days(days), &time))
    }

    fn moved(&self, parts: PartialDate, weekday: Option<usize>) -> Option<Date> {
        let date = match (parts.year, parts.month, parts.day) {
            (Some(year), Some(month), Some(day)) => Date::new(year, month, day)?,
            (Some(year), Some(month), None) => Date::new(year, month, 15)?,
            (Some(year), None, None) => Date::new(year, 7, 2)?,
            (None, Some(month), Some(day)) => self.in_a_year(month, day, weekday)?,
            (None, Some(month), None) => Date::new(self.year, month, 15)?,
            (None, None, None) => {
                // A weekday alone: any week that has it. 2024 starts on a Monday.
                Date::new(2024, 1, 1 + weekday? as u32)?
            }
            _ => return None,
        };
        Some(date.plus_days(self.days))
    }

    /// Returns a day without a year in the nearest year in which it has the stated weekday, so that it moves
    /// like weekdays that stand alone. If no near year has it, the weekday does not count.
    fn in_a_year(&self, month: u32, day: u32, weekday: Option<usize>) -> Option<Date> {
        let near = (0..=6).flat_map(|off| [self.year + off, self.year - off]);
        let mut dates = near.filter_map(|year| Date::new(year, month, day));
        let fitting = weekday.and_then(|weekday| dates.clone().find(|date| date.weekday() == weekday));
        fitting.or_else(|| dates.next())
    }
}

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Values(secret)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(seed: u64, weekdays: bool) -> Values {
        Values::draw(&NoiseKey::insecure_from_seed(seed), Scope::Document(0), weekdays)
    }

    #[test]
    fn weekdays_are_kept_if_asked_for() {
        for seed in 0..200 {
            let values = values(seed, true);
            assert!(values.days % 7 == 0 && (35..=728).contains(&values.days.abs()));
            assert_eq!(values.replacement(&Kind::Date, "Monday").as_deref(), Some("Monday"));
            let dated = values.replacement(&Kind::Date, "Tuesday, 27 May 2025").unwrap();
            assert!(dated.starts_with("Tuesday, "), "{dated}");
        }
    }

    #[test]
    fn shifts_stay_in_the_stated_ranges_and_reach_both_sides() {
        let drawn: Vec<Values> = (0..400).map(|seed| values(seed, false)).collect();
        assert!(drawn.iter().all(|v| (LEAST_DAYS..=MOST_DAYS).contains(&v.days.abs())));
        assert!(drawn.iter().any(|v| v.days > 400) && drawn.iter().any(|v| v.days < -400));
        assert!(drawn.iter().all(|v| (1..=3).contains(&v.years.abs())));
        assert!(
            drawn.iter().all(|v| (0.75..=4.0 / 3.0).contains(&v.factor) && (v.factor - 1.0).abs() > 0.04)
        );
    }

    #[test]
    fn a_day_without_a_month_moves_with_the_dates_around_it() {
        let text = "Admitted on 19 January 2025, worse on the 20th. Call on 28 February, visit on the 3rd.";
        let span = |mention: &str| {
            let start = text.find(mention).unwrap();
            let reason = inkveil_detect::Reason {
                found_by: inkveil_detect::FoundBy::Tagger,
                name: "test".into(),
                context: None,
                validator: None,
                also: Vec::new(),
            };
            Span { start, end: start + mention.len(), kind: Kind::Date, score: 1.0, reason }
        };
        let spans: Vec<Span> = ["19 January 2025", "the 20th", "28 February", "the 3rd"].map(span).into();
        for seed in 0..50 {
            let values = values(seed, false).for_text(text, &spans);
            let moved = |at: usize| {
                let span = &spans[at];
                values.replacement_at(&Kind::Date, &text[span.range()], span.start).unwrap()
            };
            let read = |text: &str| WrittenDate::read(text, DayOrder::DayFirst).unwrap().parts();
            let first = read(&moved(0));
            let next = Date::new(first.year.unwrap(), first.month.unwrap(), first.day.unwrap())
                .unwrap()
                .plus_days(1);
            assert_eq!(
                moved(1),
                format!("the {}{}", next.day(), inkveil_notation::ordinal_ending(next.day()))
            );
            let third = Date::new(2025, 3, 3).unwrap().plus_days(values.days);
            assert_eq!(
                moved(3),
                format!("the {}{}", third.day(), inkveil_notation::ordinal_ending(third.day()))
            );
        }
        assert!(Values::reads(&Kind::Date, "the 20th") && !Values::reads(&Kind::Date, "the 40th"));
    }

    #[test]
    fn a_stated_weekday_moves_like_one_that_stands_alone() {
        for seed in 0..50 {
            let values = values(seed, false);
            let moved = |text: &str| values.replacement(&Kind::Date, text).unwrap();
            for day in ["Monday", "Thursday", "Sunday"] {
                let dated = moved(&format!("{day} 12 March"));
                assert!(dated.starts_with(&moved(day)), "{dated}");
            }
            // No year has it.
            assert!(values.replacement(&Kind::Date, "30 February").is_none());
            assert!(values.replacement(&Kind::Date, "29 February").is_some());
        }
    }

    #[test]
    fn periods_and_days_of_every_week_move() {
        for seed in 0..50 {
            let values = values(seed, false);
            let moved = |text: &str| values.replacement(&Kind::Date, text).unwrap();
            let year = |text: &str| text.parse::<i32>().unwrap();
            let studies = moved("2010–2014");
            let (from, to) = studies.split_once('–').unwrap();
            assert!((year(to) - year(from) - 4).abs() <= 1, "{studies}");
            assert!((year(from) - 2010).abs() <= 2, "{studies}");
            assert!(moved("March 2020 to present").ends_with(" to present"));
            let days = moved("Sundays");
            assert_eq!(days.strip_suffix('s'), Some(moved("Sunday").as_str()));
            assert_eq!(moved("last Christmas"), "last Christmas");
            assert_eq!(moved("the latest"), "the latest");
            let [first, second, third] = ["1 May", "4 May", "9 June"].map(moved);
            assert_eq!(moved("1 May, 4 May and 9 June"), format!("{first}, {second} and {third}"));
        }
        let weekly = values(1, true);
        assert_eq!(weekly.replacement(&Kind::Date, "Sundays").as_deref(), Some("Sundays"));
    }

    #[test]
    fn weekdays_in_capitals_and_with_blanks_move() {
        for seed in 0..20 {
            let values = values(seed, false);
            let day = values.replacement(&Kind::Date, "Sunday").unwrap();
            assert_eq!(values.replacement(&Kind::Date, "SUNDAYS"), Some(format!("{}S", day.to_uppercase())));
            assert_eq!(values.replacement(&Kind::Date, " Sundays "), Some(format!(" {day}s ")));
            let listed = values.replacement(&Kind::Date, "Sundays , Sundays").unwrap();
            assert_eq!(listed, format!("{day}s , {day}s"));
        }
    }

    #[test]
    fn the_ends_of_a_period_and_the_days_of_a_list_stay_in_order() {
        let text = "We met on 20 January 2025. The course is from 28th to 30th April, also 14th, the 17th and 20 May.";
        let span = |mention: &str| {
            let start = text.find(mention).unwrap();
            let reason = inkveil_detect::Reason {
                found_by: inkveil_detect::FoundBy::Tagger,
                name: "test".into(),
                context: None,
                validator: None,
                also: Vec::new(),
            };
            Span { start, end: start + mention.len(), kind: Kind::Date, score: 1.0, reason }
        };
        let spans: Vec<Span> =
            ["20 January 2025", "28th to 30th April", "14th, the 17th and 20 May"].map(span).into();
        for seed in 0..200 {
            let values = values(seed, false).for_text(text, &spans);
            let moved = |at: usize| {
                let span: &Span = &spans[at];
                values.replacement_at(&Kind::Date, &text[span.range()], span.start).unwrap()
            };
            let day = |day: u32, month: u32| {
                let date = Date::new(2025, month, day).unwrap().plus_days(values.days);
                (date, format!("{}{}", date.day(), inkveil_notation::ordinal_ending(date.day())))
            };
            let (from, to) = (day(28, 4).1, moved(1));
            assert!(to.starts_with(&format!("{from} to {} ", day(30, 4).1)), "{to}");
            let listed = moved(2);
            let expected = format!("{}, the {} and {} ", day(14, 5).1, day(17, 5).1, day(20, 5).0.day());
            assert!(listed.starts_with(&expected), "{listed} {expected}");
        }
    }

    #[test]
    fn times_beside_dates_move_like_other_times() {
        for seed in 0..50 {
            let values = values(seed, false);
            let moved = |text: &str| values.replacement(&Kind::Date, text).unwrap();
            let (alone, stamp) = (moved("12/03/2025"), moved("12/03/2025, 12:02:11"));
            let hour = 12 + values.hours;
            assert_eq!(stamp, format!("{alone}, {hour:02}:02:11"));
        }
    }

    #[test]
    fn times_keep_their_order() {
        let text = "[19:02] hi [19:15] at 8pm [22:59] bye";
        let reason = inkveil_detect::Reason {
            found_by: inkveil_detect::FoundBy::Tagger,
            name: "test".into(),
            context: None,
            validator: None,
            also: Vec::new(),
        };
        let span = |time: &str| {
            let start = text.find(time).unwrap();
            Span { start, end: start + time.len(), kind: Kind::Time, score: 1.0, reason: reason.clone() }
        };
        let spans: Vec<Span> = ["19:02", "19:15", "8pm", "22:59"].map(span).into();
        for seed in 0..50 {
            let values = values(seed, false).for_text(text, &spans);
            let moved: Vec<i64> = spans
                .iter()
                .map(|span| values.replacement_at(&Kind::Time, &text[span.range()], span.start).unwrap())
                .map(|time| Clock::read(&time).unwrap().minutes())
                .collect();
            assert!(moved.is_sorted() && moved[3] - moved[0] == 237 && moved[0] != 19 * 60 + 2, "{moved:?}");
        }
    }

    #[test]
    fn other_kinds_and_unreadable_dates_are_left_to_surrogates() {
        let values = values(1, false);
        assert_eq!(values.replacement(&Kind::Phone, "020 7946 0018"), None);
        assert_eq!(values.replacement(&Kind::Date, "the summer before last"), None);
        assert_eq!(values.replacement(&Kind::Date, "yesterday").as_deref(), Some("yesterday"));
    }

    proptest! {
        #[test]
        fn order_and_intervals_of_dates_are_kept(seed in any::<u64>(), one in 0_i64..30_000, days in 0_i64..4000) {
            let values = values(seed, false);
            let write = |days| WrittenDate::read("27 May 2025", DayOrder::DayFirst).unwrap().write(Date::from_days(days));
            let moved = |days| {
                let text = values.replacement(&Kind::Date, &write(days)).unwrap();
                WrittenDate::read(&text, DayOrder::DayFirst).unwrap().date().unwrap().days()
            };
            prop_assert_eq!(moved(one + days) - moved(one), days);
            prop_assert!(moved(one) != one);
        }

        #[test]
        fn any_text_of_any_kind_is_accepted(text in "\\PC{0,40}", seed in any::<u64>()) {
            let values = values(seed, false);
            for kind in Kind::ALL {
                let _ = values.replacement(kind, &text);
            }
        }

        #[test]
        fn any_date_in_words_is_accepted(text in "( |,|–|the|and|to|SUNDAYS|Fridays|20th|1|May|spring|2025|12:30|pm){0,9}", seed in any::<u64>()) {
            let _ = values(seed, false).replacement(&Kind::Date, &text);
        }
    }
}
