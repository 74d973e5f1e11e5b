//! Any text as dates and numbers: what is read can be written, and a date that is written is read again as the same day.

use inkveil_notation::{
    Date, DayOrder, WrittenDate, day_order, number_from_words, number_in_words, number_variants, numbers,
};

use super::BORDER;

pub fn run(bytes: &[u8]) {
    let Ok(input) = std::str::from_utf8(bytes) else { return };
    let (one, other) = input.split_once(BORDER).unwrap_or((input, "27 May 2025"));
    for number in numbers(one) {
        assert!(one.get(number.range()).is_some_and(|written| !written.is_empty()));
        for units in [0, 1, 999, 1000, number.units(), u64::MAX] {
            assert!(number.write(units).contains(|c: char| c.is_ascii_digit()));
        }
    }
    number_variants(one, other);
    if let Some(number) = number_from_words(one) {
        let words = number_in_words(number).expect("what was read from words has words");
        assert_eq!(number_from_words(&words), Some(number));
    }
    day_order([one, other]);
    for order in [DayOrder::DayFirst, DayOrder::MonthFirst] {
        let Some(date) = WrittenDate::read(one, order) else { continue };
        if let Some(day) = date.date() {
            let again = WrittenDate::read(&date.write(day), order).expect("a date that was written");
            assert_eq!(again.date(), Some(day));
        }
        for (year, month, day) in [(1999, 12, 31), (2024, 2, 29), (2001, 1, 1)] {
            date.write(Date::new(year, month, day).expect("a day of the calendar"));
        }
        if let Some(second) = WrittenDate::read(other, order) {
            date.variants(&second, order);
        }
    }
}
