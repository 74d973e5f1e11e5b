//! Measures how many entities get exactly one identity, and how many share one with another entity.

use std::collections::{BTreeMap, BTreeSet};

use inkveil_entities::{EntityId, Resolver};
use inkveil_surrogates::Lists;

use super::GeneratedArgs;
use super::documents::{Document, ORGANISATIONS, document};
use super::gold;

/// Counts over entities with at least one mention.
#[derive(Default)]
struct Counts {
    entities: usize,
    /// All mentions have the same identity, and no other entity has it.
    one_identity: usize,
    /// Mentions have several identities.
    split: usize,
    /// Another entity has the same identity.
    merged: usize,
    /// Of those, the ones with a mention that is written like one of the other entity.
    same_name: usize,
    mentions: usize,
}

pub(super) fn run(args: &GeneratedArgs, lists: &Lists) -> anyhow::Result<()> {
    let mut counts: [Counts; 3] = Default::default();
    let mut shown = 0;
    let documents: Vec<Document> = match &args.gold {
        // Training uses the others.
        Some(file) => gold::read(file)?.into_iter().skip(1).step_by(2).collect(),
        None => (0..args.documents).map(|number| document(lists, args.seed, number, true)).collect(),
    };
    for (number, document) in documents.iter().enumerate() {
        let wrong = count(document, &mut counts);
        if !wrong.is_empty() && shown < args.show {
            shown += 1;
            println!("--- document {number}: {wrong:?}\n{}\n", document.text);
        }
    }
    match &args.gold {
        Some(_) => println!("{} documents of the file", documents.len()),
        None => println!("{} documents, seed {}, held-out names", args.documents, args.seed),
    }
    let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    for (name, counts) in ["people", "organisations", "places"].iter().zip(&counts) {
        println!(
            "{name}: {} entities, {} mentions; exactly one identity {:.2} %, several {:.2} %, wrongly merged {:.2} % (the same written name {:.2} %)",
            counts.entities,
            counts.mentions,
            share(counts.one_identity, counts.entities),
            share(counts.split, counts.entities),
            share(counts.merged, counts.entities),
            share(counts.same_name, counts.entities)
        );
    }
    let all = |of: fn(&Counts) -> usize| counts.iter().map(of).sum::<usize>();
    println!(
        "all: {} entities; exactly one identity {:.2} %, several {:.2} %, wrongly merged {:.2} % (the same written name {:.2} %)",
        all(|c| c.entities),
        share(all(|c| c.one_identity), all(|c| c.entities)),
        share(all(|c| c.split), all(|c| c.entities)),
        share(all(|c| c.merged), all(|c| c.entities)),
        share(all(|c| c.same_name), all(|c| c.entities))
    );
    Ok(())
}

/// Counts the entities of a document. Returns the mentions of those that were resolved wrongly.
fn count(document: &Document, counts: &mut [Counts; 3]) -> Vec<String> {
    let entities = Resolver::default().resolve(&document.text, &document.spans);
    let mut found: BTreeMap<usize, BTreeSet<Option<EntityId>>> = BTreeMap::new();
    for (span, label) in document.labels.iter().enumerate() {
        if let Some(label) = label {
            found.entry(*label).or_default().insert(entities.of(span));
            counts[(*label / ORGANISATIONS).min(2)].mentions += 1;
        }
    }
    let mut wrong = Vec::new();
    for (label, ids) in &found {
        let counts = &mut counts[(*label / ORGANISATIONS).min(2)];
        counts.entities += 1;
        let shares = |id: &Option<EntityId>| {
            id.is_some() && found.iter().any(|(other, theirs)| other != label && theirs.contains(id))
        };
        let merged = ids.iter().any(shares);
        let texts_of = |label: usize| -> BTreeSet<&str> {
            let of = |span: &usize| document.labels[*span] == Some(label);
            (0..document.spans.len())
                .filter(of)
                .map(|span| &document.text[document.spans[span].range()])
                .collect()
        };
        let own = texts_of(*label);
        let namesake = |(other, theirs): (&usize, &BTreeSet<Option<EntityId>>)| {
            other != label && !theirs.is_disjoint(ids) && !texts_of(*other).is_disjoint(&own)
        };
        let same_name = merged && found.iter().any(namesake);
        let one = ids.len() == 1 && !ids.contains(&None);
        counts.one_identity += usize::from(one && !merged);
        counts.split += usize::from(!one);
        counts.merged += usize::from(merged);
        counts.same_name += usize::from(same_name);
        if !one || merged {
            let of = |span: &usize| document.labels[*span] == Some(*label);
            let texts = (0..document.spans.len()).filter(of).map(|span| {
                let text = &document.text[document.spans[span].range()];
                format!("{text}={:?}", entities.of(span))
            });
            wrong.push(texts.collect::<Vec<_>>().join(", "));
        }
    }
    wrong
}
