//! Properties of all rules.

mod checks;

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;

use super::testing::RULES;
use super::*;
use crate::kind::Kind;
use crate::span::FoundBy;
use crate::span::Span;

fn find(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    RULES.find(text, &mut found);
    found
}

#[test]
fn every_rule_compiles_and_has_a_description() {
    // Patterns behind words are compiled when they are met first.
    RULES.compiled.led.iter().for_each(|led| drop(led.regex().clone()));
    let mut names = HashSet::new();
    for rule in RULES.rules() {
        assert!(names.insert(rule.name()), "two rules have the name {}", rule.name());
        assert!(rule.name().bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
        assert!(rule.about().ends_with('.'), "{}", rule.name());
        assert!((0.0..=1.0).contains(&rule.score()));
        assert!(!rule.forms.is_empty(), "{} has no form", rule.name());
        let context = rule.context_score().unwrap_or(0.0);
        let check = rule.check().map_or(0.0, |(_, score)| score);
        let best = rule.score().max(context).max(check);
        assert!(best >= 0.5, "{} never reaches the threshold", rule.name());
        if rule.needs_context() {
            assert!(rule.context_words().next().is_some());
        }
    }
}

#[test]
fn words_of_rules_can_be_looked_up() {
    for rule in RULES.rules() {
        for form in &rule.forms {
            let words = match form {
                rule::Form::Shape { words, .. } | rule::Form::Led { words, .. } => words,
                rule::Form::Parsed { trigger: rule::Trigger::Words(words), .. } => words,
                _ => continue,
            };
            for word in *words {
                // The scan splits at all other characters and looks words up in lower case.
                assert!(word.chars().all(|c| letters::is_word_char(c) && !c.is_ascii_digit()), "{word}");
                assert_eq!(word.to_ascii_lowercase(), *word);
            }
        }
    }
}

#[test]
fn a_set_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&*RULES);
}

#[test]
fn nothing_is_found_in_ordinary_prose() {
    for text in [
        "The committee met again and agreed that nothing had changed since the last meeting.",
        "Chapter 3, section 4.2.1 of version 1.2.3 covers items 1 to 10, i.e. the first half.",
        "She bought 12 apples, 3 pears and 1 melon; 4 of 5 were ripe, about 80% of all.",
        "See main.rs and Cargo.toml, e.g. line 120, or figure 2a. Then stop.",
        "He may march on, said the mark; the will is strong and the bill is paid.",
        "ISBN 978-3-16-148410-0 costs little.",
        "The ratio was 0.75 in 100 runs with 5000 samples, and 1,234,567 rows were read.",
    ] {
        let found: Vec<_> = find(text).into_iter().filter(|span| span.score >= 0.5).collect();
        assert!(found.is_empty(), "{text:?}: {:?}", shown(text, &found));
    }
}

fn shown<'a>(text: &'a str, found: &[Span]) -> Vec<(String, &'a str)> {
    found.iter().map(|span| (span.reason.name.to_string(), &text[span.range()])).collect()
}

#[test]
fn reasons_quote_the_rule_and_never_the_text() {
    let found = find("My CREDIT Card number: 4111 1111 1111 1111.");
    let card = found.iter().find(|span| span.kind == Kind::CreditCard).unwrap();
    assert_eq!(card.reason.found_by, FoundBy::Rule);
    assert_eq!(card.reason.validator.as_deref(), Some("Luhn and issuer"));
    let context = card.reason.context.as_deref().unwrap();
    assert!(RULES.rules().any(|rule| rule.context_words().any(|word| word == context)));
}

#[test]
fn rules_of_users_find_their_kinds() {
    let rules = RuleSet::builtin()
        .with(vec![
            Rule::pattern("badge", Kind::named("badge"), r"(?i)badge\s+(\d{4})|B-(\d{4})").scored(0.9),
            Rule::pattern("ward", Kind::named("ward"), r"\bW[1-9]\b").only_near(["ward"], 0.7),
        ])
        .unwrap();
    let mut found = Vec::new();
    rules.find("badge 1234 and B-5678; ward W3", &mut found);
    let own: Vec<_> = found
        .iter()
        .filter(|span| span.reason.found_by == FoundBy::User)
        .map(|span| (span.range(), span.kind.name()))
        .collect();
    assert_eq!(own, [(6..10, "badge"), (17..21, "badge"), (28..30, "ward")]);
    found.clear();
    rules.find("square W3", &mut found);
    assert!(found.iter().all(|span| span.reason.name != "ward"));
}

#[test]
fn rules_of_users_take_checks_and_context_words() {
    let card = Rule::pattern("loyalty", Kind::named("loyalty"), "[0-9]{8}").checked_by("luhn").unwrap();
    let words = BTreeMap::from([("loyalty".to_owned(), vec!["bonus".to_owned()])]);
    let rules = RuleSet::builtin().with(vec![card.scored(0.6)]).unwrap().with_context(&words).unwrap();
    let mut found = Vec::new();
    rules.find("bonus 12345674 and 12345675", &mut found);
    found.retain(|span| span.reason.name == "loyalty");
    assert_eq!((found.len(), found[0].range()), (1, 6..14));
    assert_eq!(found[0].reason.context.as_deref(), Some("bonus"));
    assert_eq!(found[0].reason.validator.as_deref(), Some("Luhn"));
    assert!(found[0].score > 0.85);

    let unknown = Rule::pattern("x", Kind::Id, "x").checked_by("nothing").unwrap_err();
    assert!(matches!(unknown.kind(), RuleErrorKind::UnknownCheck { .. }));
    let nowhere = BTreeMap::from([("nothing".to_owned(), vec!["x".to_owned()])]);
    let error = RuleSet::builtin().with_context(&nowhere).unwrap_err();
    assert_eq!((error.rule(), error.kind()), ("nothing", &RuleErrorKind::UnknownRule));
}

#[test]
fn invalid_rules_of_users_are_refused() {
    let refused = |rule: Rule| RuleSet::builtin().with(vec![rule]).unwrap_err();
    let pattern = |pattern: String| Rule::pattern("mine", Kind::Id, pattern);
    assert!(matches!(refused(pattern("a(".into())).kind(), RuleErrorKind::Pattern { .. }));
    assert!(matches!(refused(pattern("a".repeat(5000))).kind(), RuleErrorKind::TooLarge { .. }));
    assert!(matches!(refused(pattern(r"(?:\w{500}){500}".into())).kind(), RuleErrorKind::TooLarge { .. }));
    assert!(matches!(refused(pattern("a*".into())).kind(), RuleErrorKind::Empty));
    assert!(matches!(refused(Rule::pattern("iban", Kind::Id, "a")).kind(), RuleErrorKind::Duplicate));
    assert!(matches!(refused(Rule::pattern("", Kind::Id, "a")).kind(), RuleErrorKind::Name { .. }));
    assert!(matches!(refused(pattern("a".into()).near([""], 0.9)).kind(), RuleErrorKind::Context { .. }));
    assert_eq!(
        refused(pattern("a(".into())).to_string(),
        "rule \"mine\": the pattern is not a regular expression: unclosed group"
    );
}

/// Without a time limit: a quadratic rule would take minutes.
fn fill_and_find(fills: &[&str], bytes: usize) {
    for fill in fills {
        find(&fill.repeat(bytes / fill.len()));
    }
}

#[test]
fn a_repeated_text_takes_linear_time() {
    let fills =
        ["1", "a", "@", "1.", "a@", "a.", "a@a.", "://", ".", "-", "*", "eyJ", "0x", "é", "march ", " "];
    fill_and_find(&fills, 1 << 20);
}

#[test]
fn hostile_repetitions_take_linear_time() {
    let fills = [
        "1 ",
        "1-",
        "1:",
        "1/",
        "(1",
        "+1 ",
        "a://",
        "* ",
        "eyJ-",
        "eyJaaaaaaaaaa.",
        "password:",
        "password is ",
        "1 march ",
        "12 a ",
        "$1,",
        "é1 ",
        "Mozilla/5.0 (",
        "1 x st ",
        "::",
        "a:",
        "[at] ",
        "a at a dot ",
        "-----BEGIN ",
        "AB12 ",
        "4111 ",
        "a-",
        "straße 1 ",
        "Straße-",
        "A Street ",
        "user:",
        "order #",
        "a_at_a_",
        "eyJaaaaaaaaaa.b.",
        "a.bc?",
        "secret=",
        "${password:",
        "-----BEGIN PRIVATE KEY-----",
        "oauth2TokenKey1_",
        "api_key_PROD=12ab34cd56ef,",
    ];
    fill_and_find(&fills, 1 << 17);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn spans_of_any_text_are_on_character_boundaries(text in any_text()) {
        let found = find(&text);
        for span in &found {
            prop_assert!(span.start < span.end && span.end <= text.len());
            prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
            prop_assert!((0.0..=1.0).contains(&span.score));
        }
        prop_assert_eq!(&found, &find(&text));
    }
}

/// Draws arbitrary texts, and texts of pieces at which rules start.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "+",
        "(",
        ")",
        "-",
        ".",
        " ",
        ":",
        "/",
        "@",
        "1",
        "12",
        "2021",
        "a",
        "AB",
        "é",
        "ß",
        "—",
        "\u{a0}",
        "€",
        "$",
        "march",
        "3rd",
        "street",
        "password",
        "is",
        "www",
        "com",
        "at",
        "[at]",
        "dot",
        "://",
        "user",
        "eyJ",
        "0x",
        "Straße",
        "ssn",
        "card",
        "4111",
        "\n",
        "\"",
        "=",
        "电",
        "#",
        "order",
        "AKIA",
        "-----BEGIN",
        "Mozilla",
        "'",
    ]);
    prop_oneof![".{0,80}", prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())]
}
