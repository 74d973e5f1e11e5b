//! Mentions resolved into entities, and identities written into texts.

#![allow(clippy::unwrap_used, clippy::panic)]

mod identities;
mod resolver;

use std::path::Path;
use std::sync::LazyLock;

use inkveil_detect::{FoundBy, Kind, Reason, Span};
use inkveil_entities::{Entities, EntityId, Identities, Resolver, Scope, Source};
use inkveil_privacy::NoiseKey;
use inkveil_surrogates::{Lists, Surrogates};

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let pack = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"));
    Lists::open(&pack.join(Surrogates::FILE)).unwrap()
});

/// A text with its spans.
struct Marked {
    text: String,
    spans: Vec<Span>,
    /// The label of each span: mentions of one entity have the same.
    labels: Vec<String>,
}

/// Reads a text in which mentions are marked: `{p1:Ana Novak}` is a mention of person 1.
fn marked(source: &str) -> Marked {
    let mut marked = Marked { text: String::new(), spans: Vec::new(), labels: Vec::new() };
    let mut rest = source;
    while let Some((before, after)) = rest.split_once('{') {
        marked.text.push_str(before);
        let (mention, after) = after.split_once('}').unwrap();
        let (label, name) = mention.split_once(':').unwrap();
        let kind = match label.chars().next().unwrap() {
            'p' => Kind::Person,
            't' => Kind::Title,
            'o' => Kind::Organisation,
            'l' => Kind::Location,
            'r' => Kind::Trait,
            'e' => Kind::Email,
            'u' => Kind::Username,
            'd' => Kind::Date,
            other => panic!("no kind {other}"),
        };
        let start = marked.text.len();
        marked.text.push_str(name);
        let reason = Reason {
            found_by: FoundBy::Tagger,
            name: "test".into(),
            context: None,
            validator: None,
            also: Vec::new(),
        };
        marked.spans.push(Span { start, end: marked.text.len(), kind, score: 1.0, reason });
        // The owner of an address is a person, and a country has its adjective.
        marked.labels.push(label.replace(['e', 'u'], "p").replace('r', "l"));
        rest = after;
    }
    marked.text.push_str(rest);
    marked
}

fn resolve(marked: &Marked) -> Entities {
    Resolver::default().resolve(&marked.text, &marked.spans)
}

fn ids(marked: &Marked) -> Vec<Option<EntityId>> {
    let entities = resolve(marked);
    (0..marked.spans.len()).map(|span| entities.of(span)).collect()
}

fn draw(marked: &Marked, seed: u64, scope: Scope) -> Identities {
    let key = NoiseKey::insecure_from_seed(seed);
    let source = Source { lists: &LISTS, key: &key, scope, is_free: &|_, _| true, known: &|_| None };
    Identities::draw(&source, &marked.text, &marked.spans, &resolve(marked))
}

/// Returns the replacement of each span.
fn replaced(source: &str, seed: u64, scope: Scope) -> Vec<String> {
    let marked = marked(source);
    let identities = draw(&marked, seed, scope);
    (0..marked.spans.len()).map(|span| identities.replacement(span).unwrap_or_default()).collect()
}
