//! Why a word counts as sensitive, in words.

use inkveil::detect::{Source, Span};

/// Why something was found, for example `rule iban, passed mod 97`.
pub(super) fn of_span(span: &Span) -> String {
    let why = &span.why;
    let mut words = match why.source {
        Source::User => format!("your own {}", why.name),
        Source::Rule => format!("rule {}", why.name),
        Source::Gazetteer => format!("list {}", why.name),
        Source::Tagger => format!("tagger {}", why.name),
        _ => why.name.to_string(),
    };
    if let Some(context) = &why.context {
        words.push_str(&format!(", near {context:?}"));
    }
    if let Some(validator) = &why.validator {
        words.push_str(&format!(", passed {validator}"));
    }
    words
}

/// Why a word is sensitive where its context does not count.
pub(super) fn of_word_alone() -> String {
    "lists and rules for words alone".to_owned()
}

#[cfg(test)]
mod tests {
    use inkveil::detect::{Kind, Why};

    use super::*;

    #[test]
    fn says_what_found_it_and_what_spoke_for_it() {
        let why = Why {
            source: Source::Rule,
            name: "iban".into(),
            context: Some("account".into()),
            validator: Some("mod 97".into()),
            also: vec![],
        };
        let span = Span { start: 0, end: 4, kind: Kind::Iban, score: 1.0, why };
        assert_eq!(of_span(&span), "rule iban, near \"account\", passed mod 97");
    }
}
