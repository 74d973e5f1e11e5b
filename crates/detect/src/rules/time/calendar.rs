//! Names of months and days, and checks of dates.

use crate::rules::rule::Verdict;

/// The full names of the months.
pub(in crate::rules) const FULL_MONTHS: &[&str] = MONTHS.split_at(12).0;

/// Names of months at the start of a date, for the scan. The full names come first.
pub(super) const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
];

pub(super) const WEEKDAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "tues",
    "wed",
    "thu",
    "thur",
    "thurs",
    "fri",
    "sat",
    "sun",
];

/// English months in full or short, with an optional dot.
pub(super) const MONTH: &str = "\
    (?i:jan(?:uary|\\.)?|feb(?:ruary|\\.)?|mar(?:ch|\\.)?|apr(?:il|\\.)?|may|june?|jun\\.|july?|jul\\.\
    |aug(?:ust|\\.)?|september|sept?\\.?|oct(?:ober|\\.)?|nov(?:ember|\\.)?|dec(?:ember|\\.)?)";

/// Months in German, French, Spanish, Italian, Dutch, Portuguese and the Nordic languages.
pub(super) const FOREIGN_MONTH: &str = "(?i:\
    januar|jänner|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin\
    |juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio\
    |agosto|septiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio\
    |settembre|ottobre|dicembre|januari|februari|maart|mei|augustus|augusti|janeiro|fevereiro|março\
    |maio|junho|julho|setembro|outubro|novembro|dezembro|desember|maj)";

/// Short months of these languages, with their dot.
pub(super) const FOREIGN_SHORT_MONTH: &str = "(?i:\
    mär\\.|mrz\\.|okt\\.|dez\\.|janv\\.|févr\\.|avr\\.|juil\\.|déc\\.|ene\\.|abr\\.|ago\\.|dic\\.|gen\\.|mag\\.\
    |giu\\.|lug\\.|set\\.|ott\\.|fev\\.|out\\.|mrt\\.)";

/// Words for the scan: months of these languages that English does not have.
pub(super) const FOREIGN_MONTHS: &[&str] = &[
    "januar",
    "jänner",
    "februar",
    "märz",
    "juni",
    "juli",
    "oktober",
    "dezember",
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
    "gennaio",
    "febbraio",
    "aprile",
    "maggio",
    "giugno",
    "luglio",
    "settembre",
    "ottobre",
    "dicembre",
    "januari",
    "februari",
    "maart",
    "mei",
    "augustus",
    "janeiro",
    "fevereiro",
    "março",
    "maio",
    "junho",
    "julho",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
];

/// Days of the week of these languages, in full.
pub(super) const FOREIGN_WEEKDAYS: &[&str] = &[
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "samstag",
    "sonnabend",
    "sonntag",
    "lundi",
    "mardi",
    "mercredi",
    "jeudi",
    "vendredi",
    "samedi",
    "dimanche",
    "lunes",
    "martes",
    "miércoles",
    "jueves",
    "viernes",
    "sábado",
    "domingo",
    "lunedì",
    "martedì",
    "mercoledì",
    "giovedì",
    "venerdì",
    "sabato",
    "domenica",
    "segunda",
    "terça",
    "quarta",
    "quinta",
    "sexta",
    "maandag",
    "dinsdag",
    "woensdag",
    "donderdag",
    "vrijdag",
    "zaterdag",
    "zondag",
];

pub(super) const WEEKDAY: &str = "\
    (?i:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?\
    |sun(?:day)?)";

/// Returns whether a year is plausible in a text.
pub(super) fn is_year(year: u32) -> bool {
    (1800..=2199).contains(&year)
}

/// Checks a date in digits: the year first, or day and month in either order.
pub(super) fn numeric_date(text: &str) -> Verdict {
    // German dates may have a space after each dot.
    let separates = |c: &char| !c.is_ascii_digit() && *c != '\'' && !c.is_whitespace();
    let separators: Vec<char> = text.chars().filter(separates).collect();
    let numbers: Vec<(u32, usize)> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|number| !number.is_empty())
        .filter_map(|number| Some((number.parse().ok()?, number.len())))
        .collect();
    let [(first, first_width), (second, second_width), (third, third_width)] = numbers[..] else {
        return Verdict::Invalid;
    };
    if separators.len() != 2 || separators[0] != separators[1] {
        return Verdict::Invalid;
    }
    let day_and_month = |a: u32, b: u32| (1..=31).contains(&a) && (1..=12).contains(&b);
    match (first_width, third_width) {
        (4, _) if is_year(first) && day_and_month(third, second) => Verdict::Valid,
        (4, _) => Verdict::Invalid,
        _ if !day_and_month(first, second) && !day_and_month(second, first) => Verdict::Invalid,
        (_, 4) if is_year(third) => Verdict::Valid,
        (_, 4) => Verdict::Invalid,
        // A year of two digits is accepted with slashes or padded numbers. Otherwise it may be a version or
        // a score.
        _ if separators[0] == '/' || (first_width == 2 && second_width == 2 && separators[0] == '.') => {
            Verdict::Valid
        }
        _ => Verdict::Unsure,
    }
}

/// Checks the day and the year of a date with the name of a month.
pub(super) fn named_date(text: &str) -> Verdict {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    let possible = numbers.all(|number| {
        number.parse().is_ok_and(|value: u32| match number.len() {
            4 => is_year(value),
            2 if text.contains('\'') => true,
            1 | 2 => (1..=31).contains(&value) || text.contains('-') || text.contains('.'),
            _ => false,
        })
    });
    if possible { Verdict::Valid } else { Verdict::Invalid }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_dates() {
        assert_eq!(numeric_date("2021-03-04"), Verdict::Valid);
        assert_eq!(numeric_date("12/31/1999"), Verdict::Valid);
        assert_eq!(numeric_date("31.12.99"), Verdict::Valid);
        assert_eq!(numeric_date("3. 4. 2022"), Verdict::Valid);
        assert_eq!(numeric_date("1.2.21"), Verdict::Unsure);
        assert_eq!(numeric_date("13/13/2021"), Verdict::Invalid);
        assert_eq!(numeric_date("2021-03/04"), Verdict::Invalid);
        assert_eq!(numeric_date("1/2/0999"), Verdict::Invalid);
    }
}
