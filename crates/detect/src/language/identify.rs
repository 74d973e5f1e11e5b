//! The language of one passage.

use whatlang::Lang;

use super::Language;
use super::votes::Count;

/// Fewer letters do not decide anything without function words.
const FEWEST_LETTERS: usize = 40;
/// The share of letters from which on a passage is in none of the seven languages.
const FOREIGN: f32 = 0.02;
/// Votes that decide on their own.
const ENOUGH: f32 = 1.0;
/// How much more votes the first language needs than the second.
const AHEAD: f32 = 1.5;
/// The votes per word below which another language is plausible. Its short words may be function words
/// of one of the seven: Swedish "i" and "de".
const RARE: f32 = 0.12;
/// The confidence of the letters that decides without function words.
const SURE: f64 = 0.9;

/// Returns the language of a passage, or `None` if it does not show.
pub(super) fn identify(text: &str, count: &Count) -> Option<Language> {
    let foreign = count.foreign >= 2 && count.foreign as f32 >= FOREIGN * count.letters as f32;
    let (first, votes, second) = count.first();
    if !foreign && votes >= ENOUGH && votes >= AHEAD * second && votes >= 0.06 * count.words as f32 {
        return Some(first);
    }
    if count.letters < FEWEST_LETTERS {
        return None;
    }
    let found = whatlang::detect(text)?;
    let language = language_of(found.lang());
    let agrees = votes > 0.0 && language == first;
    // With hardly a function word, a long passage is in none of the seven languages.
    let plausible = match language.has_tagger() {
        true => !foreign && count.votes_of(language) * AHEAD >= votes,
        false => foreign || votes < RARE * count.words as f32,
    };
    // Another script is another language, although it may not be sure which one of several.
    let other_script = 2 * count.foreign >= count.letters;
    let sure = other_script || found.is_reliable() || found.confidence() >= SURE;
    (agrees && !foreign || plausible && sure).then_some(language)
}

fn language_of(lang: Lang) -> Language {
    match lang {
        Lang::Eng => Language::English,
        Lang::Deu => Language::German,
        Lang::Fra => Language::French,
        Lang::Spa => Language::Spanish,
        Lang::Ita => Language::Italian,
        Lang::Por => Language::Portuguese,
        Lang::Nld => Language::Dutch,
        other => Language::Other { code: other.code(), name: other.eng_name() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<&'static str> {
        identify(text, &Count::of(text)).map(Language::code)
    }

    #[test]
    fn short_passages_show_their_language_by_function_words() {
        assert_eq!(of("Ich wohne in der Hauptstraße 5."), Some("de"));
        assert_eq!(of("J'habite dans une petite rue avec ma sœur."), Some("fr"));
        assert_eq!(of("Vivo en una calle muy tranquila."), Some("es"));
        assert_eq!(of("Abito in una piccola via della città."), Some("it"));
        assert_eq!(of("Moro numa rua muito calma, mas não é longe."), Some("pt"));
        assert_eq!(of("Ik woon in een rustige straat bij het park."), Some("nl"));
        assert_eq!(of("She lives in a quiet street near the park."), Some("en"));
    }

    #[test]
    fn addresses_show_no_language() {
        for text in
            ["info@example.com", "https://portal.example.es/de/la", "user=la_de", "Mail: ana@example.com"]
        {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn names_and_numbers_show_no_language() {
        for text in ["", "Anna Schmidt", "10115 Berlin", "+49 30 1234567", "Dr. Müller", "Via Roma 1"] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn other_languages_are_named() {
        let polish = "Zażółć gęślą jaźń, a potem przyjdź do nas na kawę, bo dawno się nie widzieliśmy.";
        assert_eq!(of(polish), Some("pol"));
        let russian = "Меня зовут Анна, я живу в Москве и работаю врачом в большой больнице.";
        assert_eq!(of(russian), Some("rus"));
        let swedish = "Jag heter Anna och jag bor i Stockholm där jag arbetar som läkare på ett stort sjukhus. \
             Varje morgon går jag genom parken och dricker kaffe innan jag börjar arbeta.";
        assert_eq!(of(swedish), Some("swe"));
    }
}
