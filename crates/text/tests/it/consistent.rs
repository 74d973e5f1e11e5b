//! Consistent replacements: the same original gets the same replacement.

use std::collections::{HashMap, HashSet};

use inkveil_lexicon::LexiconKind;
use inkveil_privacy::NoiseKey;
use inkveil_text::{AtZero, Consistency, Document, TextVeil};

use crate::{KINDS, open, settings};

fn consistent(kind: LexiconKind, how: AtZero, scope: Consistency) -> TextVeil {
    let mut settings = settings(kind, "0,0,inf,inf");
    settings.at_zero = how;
    settings.consistent = scope;
    open(settings)
}

fn texts(veil: &TextVeil, texts: &[&str], seed: u64) -> Vec<String> {
    let documents: Vec<Document<'_>> = texts.iter().map(|text| Document::new(text)).collect();
    let veiled = veil.veil_all(&documents, 0, &NoiseKey::insecure_from_seed(seed)).unwrap();
    veiled.into_iter().map(|veiled| veiled.into_text()).collect()
}

const TWICE: &str = "Ask Ana Lima or Bob Reyes. Then ANA LIMA answers at ana@example.org, not Bob Reyes.";

#[test]
fn placeholders_within_a_document_are_numbered() {
    for kind in KINDS {
        let veil = consistent(kind, AtZero::Mask, Consistency::Document);
        let expected = "Ask [person 1] or [person 2]. Then [person 1] answers at [email 1], not [person 2].";
        assert_eq!(texts(&veil, &[TWICE, TWICE], 1), [expected; 2]);
    }
}

#[test]
fn placeholders_within_a_job_have_codes() {
    let veil = consistent(LexiconKind::Words, AtZero::Mask, Consistency::Job);
    let other = "It was Bob Reyes.";
    let released = texts(&veil, &[TWICE, other], 1);
    let codes: Vec<&str> = released[0].match_indices('[').map(|(at, _)| &released[0][at..at + 14]).collect();
    assert_eq!((codes[0], codes[1]), (codes[2], codes[4]));
    assert_ne!(codes[0], codes[1]);
    assert_eq!(released[1], format!("It was {}.", codes[1]));
    assert_eq!(texts(&veil, &[other], 1)[0], released[1], "wherever it stands in the job");
    assert_ne!(texts(&veil, &[other], 2)[0], released[1], "another job, another code");
}

#[test]
fn surrogates_depend_on_the_entity() {
    for scope in [Consistency::Document, Consistency::Job] {
        let veil = consistent(LexiconKind::Words, AtZero::Surrogate, scope);
        let documents: Vec<Document<'_>> = [TWICE, TWICE, TWICE].map(Document::new).to_vec();
        let veiled = veil.veil_all(&documents, 0, &NoiseKey::insecure_from_seed(1)).unwrap();
        let mut seen = HashSet::new();
        for veiled in &veiled {
            let pairs: Vec<_> = veiled.replacements().collect();
            assert_eq!(pairs[0].replacement.to_uppercase(), pairs[2].replacement, "the same, in its case");
            assert_eq!(pairs[1].replacement, pairs[4].replacement);
            assert_ne!(pairs[0].replacement, pairs[1].replacement);
            seen.insert(pairs[0].replacement.to_owned());
        }
        assert_eq!(seen.len() == 1, scope == Consistency::Job, "{scope:?}: {}", seen.len());
    }
}

/// Without the key, the replacement of one name reveals nothing about that of another: over many
/// keys, nearly all pairs are unique.
#[test]
fn replacements_of_different_entities_are_independent() {
    let veil = consistent(LexiconKind::Words, AtZero::Surrogate, Consistency::Job);
    let mut after: HashMap<String, HashSet<String>> = HashMap::new();
    for seed in 0..60 {
        let released = texts(&veil, &["Ask Ana Lima.", "Ask Bob Reyes."], seed);
        after.entry(released[0].clone()).or_default().insert(released[1].clone());
    }
    assert!(after.len() > 50);
}

#[test]
fn the_receipt_states_that_repetitions_are_visible() {
    for (scope, words) in [
        (Consistency::Document, "repetitions: places of a document with the same original"),
        (Consistency::Job, "in everything released by this job"),
    ] {
        let veil = consistent(LexiconKind::Words, AtZero::Mask, scope);
        let veiled = crate::veil(&veil, TWICE, 1);
        assert!(veiled.receipt().verify().is_empty());
        assert!(
            veiled.receipt().render().replace("\n", " ").contains(words),
            "{}",
            veiled.receipt().render()
        );
        assert!(veiled.receipt().to_json().contains("consistency of replacements"));
    }
    let plain = crate::veil(&consistent(LexiconKind::Words, AtZero::Mask, Consistency::None), TWICE, 1);
    assert!(!plain.receipt().to_json().contains("consistency of replacements"));
}

#[test]
fn without_a_scope_placeholders_have_no_number() {
    let veil = consistent(LexiconKind::Words, AtZero::Mask, Consistency::None);
    let released = texts(&veil, &[TWICE], 1);
    assert_eq!(released[0], "Ask [person] or [person]. Then [person] answers at [email], not [person].");
}
