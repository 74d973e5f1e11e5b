//! Street names that end in their type: `Hauptstraße 12`, `Keizersgracht 174`, `Drottninggatan 71`.

use std::ops::Range;

use crate::rules::letters::{char_at, is_word_char};

/// Endings of street names in German, Dutch, the Nordic languages and Hungarian.
const SUFFIXES: &str = "\
    straße strasse str gasse weg platz allee ufer damm chaussee promenade steig stieg straat laan plein \
    gracht kade singel dijk dreef hof gatan gata vägen gaten veien vegen vej gade allé katu kuja utca";

/// Other words with these endings.
const NOT_STREETS: &str = "brigade norweg bischof friedhof bahnhof käufer läufer verkäufer";

/// The longest name in characters.
const LONGEST_NAME: usize = 60;

/// Finds `Hauptstraße 12`, `Hauptstr. 12a`, `Konrad-Adenauer-Straße 7` and `Lange Straße 3`.
pub(super) fn suffixed_street(text: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let rest = &text[start..];
    let length = rest.find(|c: char| !is_word_char(c)).unwrap_or(rest.len());
    let word = rest[..length].to_lowercase();
    let Some(prefix) = SUFFIXES.split(' ').find_map(|suffix| word.strip_suffix(suffix)) else { return };
    let begin = match prefix.chars().count() {
        0 => name_before(text, start),
        // `weg 3` and `unweg 3` are not names.
        1 | 2 => None,
        _ if NOT_STREETS.split(' ').any(|known| known == word) => None,
        // In lower case only the longer endings are accepted.
        count if count >= word.chars().count() - 3 && !rest.starts_with(char::is_uppercase) => None,
        _ => Some(start - joined_before(text, start)),
    };
    let after = rest[length..].strip_prefix('.').unwrap_or(&rest[length..]);
    let after = after.strip_prefix(' ').unwrap_or(after);
    let number = text.len() - after.len();
    if let (Some(begin), Some(end)) = (begin, number_end(text, number)) {
        found.push(begin..end);
    }
}

/// Returns the start of a capitalised name before the word at `start`.
fn name_before(text: &str, start: usize) -> Option<usize> {
    let before = text[..start].strip_suffix([' ', '-'])?;
    let begin = before.len() - joined_before(text, before.len());
    (begin < before.len() && before[begin..].starts_with(char::is_uppercase)).then_some(begin)
}

/// Returns the number of bytes of words and hyphens that end at `at`.
fn joined_before(text: &str, at: usize) -> usize {
    let joined = |c: &char| is_word_char(*c) || *c == '-';
    text[..at].chars().rev().take(LONGEST_NAME).take_while(joined).map(char::len_utf8).sum()
}

/// Returns the end of the house number that starts at `start`: `12`, `12a`, `71-73`.
fn number_end(text: &str, start: usize) -> Option<usize> {
    let digits =
        |from: usize| text.as_bytes()[from..].iter().take(5).take_while(|b| b.is_ascii_digit()).count();
    let count = digits(start);
    let mut end = start + count;
    if !(1..=4).contains(&count) {
        return None;
    }
    match char_at(text, end) {
        Some(c) if c.is_ascii_alphabetic() && !char_at(text, end + 1).is_some_and(is_word_char) => end += 1,
        Some('-' | '/') if digits(end + 1) > 0 => end += 1 + digits(end + 1),
        _ => {}
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn streets() {
        finds(
            "street-suffix",
            &[
                "in der [[Hauptstraße 12]]",
                "[[Hauptstr. 12a]], Berlin",
                "[[hauptstraße 5]]",
                "[[Lange Straße 3]].",
                "[[Konrad-Adenauer-Straße 7]]",
                "[[Keizersgracht 174]]",
                "[[Drottninggatan 71-73]]",
                "am [[Müllerweg 4]]",
            ],
        );
        ignores(
            "street-suffix",
            &[
                "die Straße 12 ",
                "Hauptstraße",
                "Engineering 101",
                "Hauptstraße 12345",
                "Brigade 12",
                "the 12 Straße",
                "unterweg 12",
                "Monitoring 3",
            ],
        );
    }
}
