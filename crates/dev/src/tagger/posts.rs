//! Posts for training, repeated with other names. There are few labelled posts, and the names in them are
//! those of their year; what lasts is how people write about names.

use std::collections::HashMap;
use std::sync::Arc;

use inkveil_detect::Kind;
use inkveil_detect::train::{LabelledText, Shuffle};
use inkveil_surrogates::{Generator, Lists};

use super::augment::Augment;
use super::sources::TrainingTexts;

/// The share of names that a copy replaces.
const REPLACED: f64 = 0.6;
/// The share of replacements that come from lists and not from other labelled texts.
const FROM_LISTS: f64 = 0.4;

pub(crate) struct Posts<'a> {
    posts: &'a [LabelledText],
    copies: usize,
    emphasis: f32,
    /// The names of each kind in all labelled texts for training.
    names: HashMap<Kind, Vec<&'a str>>,
}

impl<'a> Posts<'a> {
    pub(crate) fn new(texts: &'a TrainingTexts, copies: usize, emphasis: f32) -> Self {
        let mut names: HashMap<Kind, Vec<&str>> = HashMap::new();
        for text in texts.edited.iter().chain(&texts.posts) {
            for (range, kind) in &text.spans {
                if let Some(kind @ (Kind::Person | Kind::Location | Kind::Organisation)) = kind {
                    let name = text.text[range.clone()].trim_start_matches(['#', '@']);
                    if (2..40).contains(&name.len()) {
                        names.entry(kind.clone()).or_default().push(name);
                    }
                }
            }
        }
        Posts { posts: &texts.posts, copies, emphasis, names }
    }

    /// The posts of an epoch: once as they are written, then with other names and spellings.
    pub(crate) fn epoch(&self, lists: &Arc<Lists>, seed: u64) -> Vec<LabelledText> {
        let mut random = Shuffle::new(seed);
        let mut words = Shuffle::new(seed ^ 0x5bd1);
        let mut generator = Generator::new(lists.clone(), move || words.word());
        let mut augment = Augment::new(seed ^ 0x1234);
        let mut made = Vec::with_capacity(self.posts.len() * self.copies);
        for post in self.posts {
            for copy in 0..self.copies {
                let mut text = match copy {
                    0 => post.clone(),
                    _ => augment.post(self.renamed(post, &mut random, &mut generator)),
                };
                text.emphasis = self.emphasis;
                made.push(text);
            }
        }
        made
    }

    /// Replaces some names by others of the same kind, in the casing of the original.
    fn renamed(&self, post: &LabelledText, random: &mut Shuffle, generator: &mut Generator) -> LabelledText {
        let (mut text, mut spans, mut at) = (String::new(), Vec::new(), 0);
        let mut sorted: Vec<_> = post.spans.iter().collect();
        sorted.sort_by_key(|(range, _)| range.start);
        for (range, kind) in sorted {
            if range.start < at {
                continue;
            }
            text.push_str(&post.text[at..range.start]);
            let start = text.len();
            let original = &post.text[range.clone()];
            let new = kind
                .as_ref()
                .filter(|_| random.chance(REPLACED))
                .and_then(|kind| self.other(kind, original, random, generator));
            text.push_str(new.as_deref().unwrap_or(original));
            spans.push((start..text.len(), kind.clone()));
            at = range.end;
        }
        text.push_str(&post.text[at..]);
        LabelledText { text, spans, ..post.clone() }
    }

    fn other(
        &self,
        kind: &Kind,
        original: &str,
        random: &mut Shuffle,
        generator: &mut Generator,
    ) -> Option<String> {
        let pick = random.word();
        let bare = original.trim_start_matches('#');
        let sign = &original[..original.len() - bare.len()];
        let name = if *kind == Kind::Username {
            return drawn(generator, "handle").map(|name| {
                if original.starts_with('@') { name } else { name.trim_start_matches('@').to_owned() }
            });
        } else if random.chance(FROM_LISTS) {
            let placeholder = match kind {
                Kind::Person if bare.contains(' ') => "name",
                Kind::Person => ["first", "first", "last"][(pick % 3) as usize],
                Kind::Location => ["city", "city", "state", "country", "place"][(pick % 5) as usize],
                Kind::Organisation => ["company", "school"][(pick % 2) as usize],
                _ => return None,
            };
            drawn(generator, placeholder)?
        } else {
            let names = self.names.get(kind)?;
            names.get(pick as usize % names.len().max(1))?.to_string()
        };
        let name = match casing(bare) {
            Some(false) => name.to_lowercase(),
            Some(true) => name.to_uppercase(),
            None => name,
        };
        // A hashtag is one word.
        let name = if sign.is_empty() { name } else { name.replace([' ', '.', '-', '\''], "") };
        Some(format!("{sign}{name}"))
    }
}

fn drawn(generator: &mut Generator, placeholder: &str) -> Option<String> {
    let parts = generator.value(placeholder)?;
    let text: String = parts.into_iter().map(|part| part.text).collect();
    (!text.is_empty()).then_some(text)
}

/// Whether a name is all in capitals (true) or all in small letters (false).
fn casing(name: &str) -> Option<bool> {
    let (upper, lower) = (name.contains(char::is_uppercase), name.contains(char::is_lowercase));
    match (upper, lower) {
        (false, true) => Some(false),
        (true, false) if name.len() > 3 => Some(true),
        _ => None,
    }
}
