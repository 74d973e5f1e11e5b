//! Any text with any spans through entities, identities and values: nothing panics, and added spans are in order.

use std::sync::LazyLock;

use inkveil_detect::{EntryFlags, FoundBy, Kind, Reason, Span};
use inkveil_entities::{
    Article, Identities, Resolver, Scope, Source, Topic, Values, gender_of, names_of_people, plain_name,
    with_repeated_names,
};
use inkveil_privacy::NoiseKey;
use inkveil_surrogates::Lists;

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    Lists::open(&super::pack().join("surrogates.txt")).expect("the pack has lists of surrogates")
});

/// Begins and ends a span. The character after the beginning chooses its kind.
const MARK: char = '\u{1}';

/// The text without marks, and the spans that were marked.
fn marked(input: &str) -> (String, Vec<Span>) {
    let (mut text, mut spans) = (String::new(), Vec::new());
    for (index, piece) in input.split(MARK).enumerate() {
        let mut chars = piece.chars();
        let kind = if index % 2 == 1 { chars.next() } else { None };
        let start = text.len();
        text.push_str(chars.as_str());
        if let Some(kind) = kind.filter(|_| text.len() > start) {
            spans.push(Span {
                start,
                end: text.len(),
                kind: Kind::ALL[kind as usize % Kind::ALL.len()].clone(),
                score: 0.9,
                reason: Reason {
                    found_by: FoundBy::User,
                    name: "fuzz".into(),
                    context: None,
                    validator: None,
                    also: Vec::new(),
                },
            });
        }
    }
    (text, spans)
}

pub fn run(bytes: &[u8]) {
    let Ok(input) = std::str::from_utf8(bytes) else { return };
    let (text, spans) = marked(input);
    let entities = Resolver::default().resolve(&text, &spans);
    let key = NoiseKey::insecure_from_seed(7);
    for scope in [Scope::Document(3), Scope::Job] {
        let (lists, is_free) = (&*LISTS, |replacement: &str, original: &str| replacement != original);
        let source = Source { lists, key: &key, scope, is_free: &is_free, known: &|_| None };
        let identities = Identities::draw(&source, &text, &spans, &entities);
        for span in 0..spans.len() {
            assert!(identities.replacement(span).is_none_or(|written| !written.trim().is_empty()));
        }
        let values = Values::draw(&key, scope, true).for_text(&text, &spans);
        for span in &spans {
            values.replacement(&span.kind, &text[span.range()]);
        }
    }
    let again = Resolver::default().resolve(&text, &spans);
    assert_eq!(again.ids(), entities.ids());
    for span in &spans {
        let written = &text[span.range()];
        names_of_people(written);
        gender_of(written);
        plain_name(written);
        if let Some(topic) = Topic::of(&span.kind, written) {
            topic.draw(Article::before(&text, span.start), written, |most| most / 2);
        }
    }
    let all = with_repeated_names(&text, spans, &|_| EntryFlags::GIVEN | EntryFlags::FAMILY);
    assert!(all.iter().all(|span| text.get(span.range()).is_some_and(|found| !found.is_empty())));
}
