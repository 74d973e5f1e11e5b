//! Why something was found, in words.

use inkveil_detect::{Source, Span};

/// A reason on one line, for example `rule iban, near "account", passed IBAN mod 97`.
pub(crate) fn words(span: &Span) -> String {
    let why = &span.why;
    let mut words = match why.source {
        Source::Deny => why.name.to_string(),
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
    if !why.also.is_empty() {
        words.push_str(&format!(", also {}", why.also.join(", ")));
    }
    words
}

/// The name of what found a span, as data formats have it.
pub(crate) fn source(span: &Span) -> &'static str {
    match span.why.source {
        Source::Deny => "deny",
        Source::User => "user",
        Source::Rule => "rule",
        Source::Gazetteer => "gazetteer",
        Source::Tagger => "tagger",
        _ => "other",
    }
}

/// A score with as many digits as mean something.
pub(crate) fn score(span: &Span) -> f32 {
    (span.score * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use inkveil_detect::{Kind, Why};

    use super::*;

    #[test]
    fn says_what_and_why() {
        let mut span = Span {
            start: 0,
            end: 4,
            kind: Kind::Iban,
            score: 0.98765,
            why: Why {
                source: Source::Rule,
                name: "iban".into(),
                context: None,
                validator: None,
                also: vec![],
            },
        };
        assert_eq!(words(&span), "rule iban");
        span.why.context = Some("account".into());
        span.why.validator = Some("IBAN mod 97".into());
        span.why.also = vec!["bank-account".into(), "tagger".into()];
        assert_eq!(
            words(&span),
            "rule iban, near \"account\", passed IBAN mod 97, also bank-account, tagger"
        );
        assert_eq!(score(&span), 0.988);
    }
}
