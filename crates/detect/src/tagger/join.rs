//! Parts of one name that the tagger of the languages gave different kinds.

use crate::kind::Kind;
use crate::span::Span;

/// Words between the parts of a name.
const PARTICLES: [&str; 16] = [
    "de", "da", "do", "dos", "das", "del", "la", "los", "las", "di", "du", "van", "von", "der", "den", "ter",
];

/// Words between "I" and a name. Others may be names in small letters: "ben" is a word of Italian.
const AFTER_I: [&str; 16] = [
    "am", "was", "have", "had", "met", "saw", "asked", "told", "spoke", "to", "with", "and", "the", "my",
    "know", "called",
];

/// Joins spans that touch within a line and of which one is a person's name: in "Larissa Sgario" the tagger may take
/// the second word for a company. `spans` must be sorted.
pub(crate) fn joined(text: &str, spans: Vec<Span>) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if is_one_name(text, last, &span) => {
                // The reason of the person is the reason of the name.
                let (first, person) = (last.start, last.kind == Kind::Person);
                let end = span.end;
                if !person {
                    *last = span;
                }
                (last.start, last.end) = (first, end);
            }
            _ => joined.push(span),
        }
    }
    joined
}

/// Narrows a name that starts with "I" to the first word after it that may be a name: the tagger of the languages takes
/// the whole of "I am Ben Cole", or "I" alone, for a name. None if no name is left. Other findings stay.
pub(crate) fn narrowed(text: &str, span: Span) -> Option<Span> {
    let written = text.get(span.range()).unwrap_or_default();
    let mut words = words_with_offsets(written);
    if span.kind != Kind::Person || words.next().is_none_or(|(_, word)| word != "I") {
        return Some(span);
    }
    let may_be_name = |&(_, word): &(usize, &str)| !AFTER_I.contains(&word);
    let (start, _) = words.find(may_be_name)?;
    Some(Span { start: span.start + start, ..span })
}

fn words_with_offsets(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    text.split(' ').scan(0, |at, word| {
        let start = *at;
        *at += word.len() + 1;
        Some((start, word))
    })
}

fn is_one_name(text: &str, one: &Span, other: &Span) -> bool {
    let written = |span: &Span| text.get(span.range()).unwrap_or_default();
    let is_word = |span: &Span| {
        let word = written(span);
        matches!(span.kind, Kind::Location | Kind::Organisation)
            && !word.contains(char::is_whitespace)
            && word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’' | '.'))
            && word.starts_with(char::is_uppercase)
    };
    let is_person = |span: &Span| span.kind == Kind::Person;
    let between = text.get(one.end..other.start).unwrap_or_default();
    let touches = between == " "
        || between
            .strip_prefix(' ')
            .and_then(|rest| rest.strip_suffix(' '))
            .is_some_and(|rest| rest.split(' ').all(|word| PARTICLES.contains(&word)));
    touches
        && written(other).starts_with(char::is_uppercase)
        && (is_person(one) && (is_person(other) || is_word(other)) || is_word(one) && is_person(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::{FoundBy, Reason};

    fn of(marked: &[(&str, Option<Kind>)]) -> Vec<(String, Kind)> {
        let (mut text, mut spans) = (String::new(), Vec::new());
        for (part, kind) in marked {
            let start = text.len();
            text.push_str(part);
            if let Some(kind) = kind {
                let reason = Reason::new(FoundBy::Tagger, "languages");
                spans.push(Span { start, end: text.len(), kind: kind.clone(), score: 0.9, reason });
            }
        }
        joined(&text, spans).into_iter().map(|span| (text[span.range()].to_owned(), span.kind)).collect()
    }

    #[test]
    fn a_name_does_not_contain_the_words_before_it() {
        let narrow = |text: &'static str| {
            let reason = Reason::new(FoundBy::Tagger, "languages");
            let span = Span { start: 0, end: text.len(), kind: Kind::Person, score: 0.99, reason };
            narrowed(text, span).map(|span| &text[span.range()])
        };
        assert_eq!(narrow("I am Ben Cole"), Some("Ben Cole"));
        assert_eq!(narrow("I Ben"), Some("Ben"));
        assert_eq!(narrow("I"), None);
        assert_eq!(narrow("I am"), None);
        assert_eq!(narrow("I am ben cole"), Some("ben cole"));
        assert_eq!(narrow("I am anna Smith"), Some("anna Smith"));
        assert_eq!(narrow("I met Ben Cole"), Some("Ben Cole"));
        let reason = Reason::new(FoundBy::Tagger, "languages");
        let health = Span { start: 0, end: 18, kind: Kind::Health, score: 0.9, reason };
        assert_eq!(narrowed("I sintomi di Crohn", health.clone()), Some(health));
        for whole in ["Ana de la Cruz", "ben cole", "Karl und Ida", "Ida"] {
            assert_eq!(narrow(whole), Some(whole));
        }
    }

    #[test]
    fn the_parts_of_a_name_become_one() {
        use Kind::{Location, Organisation, Person};
        let space = || (" ", None);
        let whole = |text: &str| vec![(text.to_owned(), Person)];
        let person = |text| (text, Some(Person));
        assert_eq!(
            of(&[person("Larissa"), space(), ("Sgario", Some(Organisation))]),
            whole("Larissa Sgario")
        );
        assert_eq!(of(&[("Amândio", Some(Location)), space(), person("Cunha")]), whole("Amândio Cunha"));
        assert_eq!(
            of(&[person("Larissa Viana"), (" de la ", None), person("Paz")]),
            whole("Larissa Viana de la Paz")
        );
        for between in ["\n", ", ", " e ", " in ", ""] {
            assert_eq!(
                of(&[person("Ana"), (between, None), ("Porto", Some(Location))]).len(),
                2,
                "{between}"
            );
        }
        let pair = |a, b| of(&[a, space(), b]).len();
        assert_eq!(pair(("Porto", Some(Location)), ("Banco", Some(Organisation))), 2);
        assert_eq!(pair(person("Ana"), ("Banco Real", Some(Organisation))), 2);
        assert_eq!(pair(person("Ana"), ("12", Some(Organisation))), 2);
    }
}
