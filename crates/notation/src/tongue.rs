//! The words of dates in several languages.

use crate::calendar::{MONTHS, WEEKDAYS};

/// A language whose dates are read and written.
///
/// ```
/// use inkveil_notation::{Date, DayOrder, Tongue, WrittenDate};
///
/// let written = WrittenDate::read_in("3. März 2024", DayOrder::DayFirst, Tongue::German).unwrap();
/// assert_eq!(written.write(Date::new(2023, 5, 12).unwrap()), "12. Mai 2023");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tongue {
    /// English.
    #[default]
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Italian.
    Italian,
    /// Portuguese.
    Portuguese,
    /// Dutch.
    Dutch,
}

impl Tongue {
    pub(crate) const ALL: [Tongue; 7] = [
        Tongue::English,
        Tongue::German,
        Tongue::French,
        Tongue::Spanish,
        Tongue::Italian,
        Tongue::Portuguese,
        Tongue::Dutch,
    ];

    /// Returns the language of this code of two letters; English if it has no tables here.
    pub fn of_code(code: &str) -> Self {
        match code {
            "de" => Tongue::German,
            "fr" => Tongue::French,
            "es" => Tongue::Spanish,
            "it" => Tongue::Italian,
            "pt" => Tongue::Portuguese,
            "nl" => Tongue::Dutch,
            _ => Tongue::English,
        }
    }

    pub(crate) fn months(self) -> [&'static str; 12] {
        match self {
            Tongue::English => MONTHS,
            Tongue::German => {
                words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
            }
            Tongue::French => {
                words("janvier février mars avril mai juin juillet août septembre octobre novembre décembre")
            }
            Tongue::Spanish => words(
                "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
            ),
            Tongue::Italian => words(
                "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
            ),
            Tongue::Portuguese => words(
                "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
            ),
            Tongue::Dutch => words(
                "januari februari maart april mei juni juli augustus september oktober november december",
            ),
        }
    }

    /// Short names of the months, without dots.
    pub(crate) fn short_months(self) -> [&'static str; 12] {
        match self {
            Tongue::English => words("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
            Tongue::German => words("Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez"),
            Tongue::French => words("janv févr mars avr mai juin juil août sept oct nov déc"),
            Tongue::Spanish => words("ene feb mar abr may jun jul ago sept oct nov dic"),
            Tongue::Italian => words("gen feb mar apr mag giu lug ago set ott nov dic"),
            Tongue::Portuguese => words("jan fev mar abr maio jun jul ago set out nov dez"),
            Tongue::Dutch => words("jan feb mrt apr mei jun jul aug sep okt nov dec"),
        }
    }

    /// The days of the week. Those of Portuguese are not one word each, so they are not read.
    pub(crate) fn weekdays(self) -> Option<[&'static str; 7]> {
        Some(match self {
            Tongue::English => WEEKDAYS,
            Tongue::German => words("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"),
            Tongue::French => words("lundi mardi mercredi jeudi vendredi samedi dimanche"),
            Tongue::Spanish => words("lunes martes miércoles jueves viernes sábado domingo"),
            Tongue::Italian => words("lunedì martedì mercoledì giovedì venerdì sabato domenica"),
            Tongue::Portuguese => return None,
            Tongue::Dutch => words("maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"),
        })
    }

    /// Words between the parts of a date.
    pub(crate) fn small_words(self) -> &'static [&'static str] {
        match self {
            Tongue::English => &["the", "of", "at", "t"],
            Tongue::German => &["den", "der", "am", "dem"],
            Tongue::French => &["le", "à"],
            Tongue::Spanish => &["de", "del", "el"],
            Tongue::Italian => &["il", "del", "di"],
            Tongue::Portuguese => &["de", "do"],
            Tongue::Dutch => &["de", "op"],
        }
    }

    /// Returns whether a word is the ending of a number.
    pub(crate) fn is_ending(self, word: &str) -> bool {
        match self {
            Tongue::English => ["st", "nd", "rd", "th"].contains(&word),
            _ => ["er", "º", "°"].contains(&word),
        }
    }

    /// Returns the ending of a day of the month. Other languages have one for the first day only.
    pub(crate) fn ending(self, day: u32) -> &'static str {
        match (self, day) {
            (Tongue::English, _) => crate::date::ordinal_ending(day),
            (Tongue::French, 1) => "er",
            (_, 1) => "º",
            _ => "",
        }
    }
}

/// Splits a list of words that are separated by spaces.
fn words<const N: usize>(list: &'static str) -> [&'static str; N] {
    let mut words = list.split(' ');
    std::array::from_fn(|_| words.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Date, DayOrder, WrittenDate};

    #[test]
    fn every_list_is_complete() {
        for tongue in Tongue::ALL {
            assert!(
                tongue.months().iter().chain(&tongue.short_months()).all(|name| !name.is_empty()),
                "{tongue:?}"
            );
            assert!(tongue.weekdays().into_iter().flatten().all(|name| !name.is_empty()), "{tongue:?}");
        }
    }

    #[test]
    fn dates_keep_the_notation_of_their_language() {
        let rewritten = |text: &str, code: &str| {
            let read = WrittenDate::read_in(text, DayOrder::DayFirst, Tongue::of_code(code));
            read.map(|read| read.write(Date::new(2026, 2, 3).unwrap()))
        };
        for (code, text, written) in [
            ("de", "12. März 2024", "3. Februar 2026"),
            ("de", "Montag, den 12. August 2024", "Dienstag, den 3. Februar 2026"),
            ("de", "14. Dez. 2008", "3. Feb. 2026"),
            ("fr", "1er juin 2024", "3 février 2026"),
            ("fr", "vendredi 18 décembre 2005", "mardi 3 février 2026"),
            ("es", "3 de mayo", "3 de febrero"),
            ("es", "10 de octubre de 1999", "3 de febrero de 2026"),
            ("it", "5 aprile 2020", "3 febbraio 2026"),
            ("pt", "22 de maio de 2011", "3 de fevereiro de 2026"),
            ("nl", "12 november 2024", "3 februari 2026"),
            ("nl", "12 April 2024", "3 Februari 2026"),
            ("de", "12 May 2024", "3 February 2026"),
            ("en", "12 mars 2024", "3 février 2026"),
        ] {
            assert_eq!(rewritten(text, code).as_deref(), Some(written), "{text}");
        }
        let first = WrittenDate::read_in("12 juin 2024", DayOrder::DayFirst, Tongue::French).unwrap();
        assert_eq!(first.write(Date::new(2024, 5, 1).unwrap()), "1 mai 2024");
        assert_eq!(rewritten("nächsten Sommer", "de"), None);
    }
}
