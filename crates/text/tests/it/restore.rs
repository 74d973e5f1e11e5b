//! Restorable replacements are restored byte for byte.

use inkveil_lexicon::LexiconKind;
use inkveil_privacy::NoiseKey;
use inkveil_restore::{ReplacementMap, RestoreOptions, Restorer};
use inkveil_text::{AtZero, Consistency, Document, Replacements, TextVeil, Veiled};

use crate::{LETTER, generated, open, settings, veil};

fn restorable(kind: LexiconKind, how: AtZero, scope: Consistency) -> TextVeil {
    let mut settings = settings(kind, "0,0,inf,inf");
    settings.at_zero = how;
    settings.consistent = scope;
    settings.restorable = true;
    open(settings)
}

fn map_of<'v>(veiled: impl IntoIterator<Item = &'v Veiled<'v>>) -> ReplacementMap {
    let mut pairs = ReplacementMap::builder();
    for replaced in veiled.into_iter().flat_map(Veiled::replacements) {
        pairs.add(replaced.replacement, replaced.original, replaced.kind).unwrap();
    }
    pairs.build()
}

fn restored(map: &ReplacementMap, text: &str) -> String {
    Restorer::new(map, RestoreOptions::default()).unwrap().restore_text(text).0
}

/// Counts over many documents.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    documents: usize,
    replaced: usize,
    /// The replacements that are placeholders.
    placeholders: usize,
    /// Documents that were changed.
    changed: usize,
    /// Documents that their own map does not restore.
    not_by_own: Vec<String>,
    /// Documents that the map of all documents does not restore.
    not_by_all: Vec<String>,
}

/// Veils generated documents in batches, and restores each with its own map and with the map of
/// all.
fn round(veil: &TextVeil, documents: std::ops::Range<u64>) -> Outcome {
    let texts: Vec<String> = documents.map(generated::document).collect();
    let key = NoiseKey::insecure_from_seed(17);
    let mut known = Replacements::default();
    let mut outcome = Outcome { documents: texts.len(), ..Outcome::default() };
    let mut all = ReplacementMap::builder();
    let mut released = Vec::new();
    for (batch, texts) in texts.chunks(500).enumerate() {
        let documents: Vec<Document<'_>> = texts.iter().map(|text| Document::new(text)).collect();
        let first = batch as u64 * 500;
        for veiled in veil.veil_all_with(&mut known, &documents, first, &key).unwrap() {
            let text = veiled.plan().text();
            outcome.replaced += veiled.replacements().count();
            outcome.placeholders += veiled.replacements().filter(|r| r.replacement.starts_with('[')).count();
            outcome.changed += usize::from(veiled.text() != text);
            let again = restored(&map_of([&veiled]), veiled.text());
            if again != text {
                outcome.not_by_own.push(format!("{text}\n{}\n{again}", veiled.text()));
            }
            for replaced in veiled.replacements() {
                all.add(replaced.replacement, replaced.original, replaced.kind).unwrap();
            }
            released.push((text.to_owned(), veiled.into_text()));
        }
    }
    if veil.settings().consistent == Consistency::Job {
        let map = all.build();
        let restorer = Restorer::new(&map, RestoreOptions::default()).unwrap();
        for (text, veiled) in released {
            let again = restorer.restore_text(&veiled).0;
            if again != text {
                outcome.not_by_all.push(format!("{text}\n{veiled}\n{again}"));
            }
        }
    }
    outcome
}

const WAYS: [(AtZero, Consistency); 4] = [
    (AtZero::Surrogate, Consistency::Document),
    (AtZero::Surrogate, Consistency::Job),
    (AtZero::Mask, Consistency::Document),
    (AtZero::Mask, Consistency::Job),
];

#[test]
fn generated_documents_are_restored() {
    for (how, scope) in WAYS {
        let outcome = round(&restorable(LexiconKind::Words, how, scope), 0..80);
        assert!(outcome.replaced > 300 && outcome.changed > 70, "{outcome:?}");
        assert_eq!(outcome.not_by_own, [""; 0], "{how:?} {scope:?}");
        // A later document may contain a surrogate that an earlier one drew. This shows that it is
        // rare.
        assert_eq!(outcome.not_by_all, [""; 0], "{how:?} {scope:?}");
        let most = if how == AtZero::Mask { outcome.replaced } else { outcome.replaced / 2 };
        assert!(outcome.placeholders <= most, "{how:?} {scope:?}: {}", outcome.placeholders);
    }
}

/// The same over 10,000 documents and both lexicons: `cargo test --release -p inkveil-text --test
/// it ten_thousand -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn ten_thousand_generated_documents_come_back() {
    for kind in crate::KINDS {
        for (how, scope) in WAYS {
            let start = std::time::Instant::now();
            let outcome = round(&restorable(kind, how, scope), 0..10_000);
            println!(
                "{kind}, {}, {}: {} documents, {} changed, {} places replaced, {} by placeholders, {} not restored by their own map ({:.0} s)",
                how.name(),
                scope.name(),
                outcome.documents,
                outcome.changed,
                outcome.replaced,
                outcome.placeholders,
                outcome.not_by_own.len(),
                start.elapsed().as_secs_f64(),
            );
            if scope == Consistency::Job {
                println!("  {} not restored by one map of all", outcome.not_by_all.len());
                outcome.not_by_all.iter().take(3).for_each(|text| println!("  {text:?}"));
            }
            assert_eq!(outcome.not_by_own, [""; 0]);
        }
    }
}

#[test]
fn both_lexicons_can_be_restored() {
    for kind in crate::KINDS {
        for (how, scope) in WAYS {
            let veil = restorable(kind, how, scope);
            let veiled = crate::veil(&veil, LETTER, 3);
            assert_ne!(veiled.text(), LETTER);
            assert_eq!(restored(&map_of([&veiled]), veiled.text()), LETTER, "{kind} {how:?} {scope:?}");
        }
    }
}

/// Words that are replaced because they are not in the lexicon are restored too; noised words are
/// not.
#[test]
fn with_noise_all_replacements_are_restored() {
    let mut settings = settings(LexiconKind::Words, "30,0,60,40");
    settings.at_zero = AtZero::Surrogate;
    settings.restorable = true;
    let veil = open(settings);
    for number in 0..40 {
        let text = format!("{} The zorblaxian quux ♥ 48151623 pays.", generated::document(number));
        let veiled = crate::veil(&veil, &text, number);
        let back = restored(&map_of([&veiled]), veiled.text());
        for replaced in veiled.replacements() {
            assert!(back.contains(replaced.original), "{back}");
        }
    }
}

/// A surrogate may be the name of somebody else in the private text, as long as that name is replaced
/// too. Drawing again would show that the name is in the text.
#[test]
fn a_surrogate_is_not_rejected_because_the_private_text_contains_it() {
    for scope in [Consistency::Document, Consistency::Job] {
        let veil = restorable(LexiconKind::Words, AtZero::Surrogate, scope);
        let mut met = 0;
        for seed in 0..20 {
            let first = crate::veil(&veil, "Ask Ana Lima about Bob Reyes.", seed);
            let surrogate = first.replacements().next().unwrap().replacement.to_owned();
            let text = format!("Ask Ana Lima about {surrogate}.");
            let second = crate::veil(&veil, &text, seed);
            // Only texts in which the surrogate is detected as a name, too.
            if second.replacements().count() == 2 {
                met += 1;
                assert_eq!(second.replacements().next().unwrap().replacement, surrogate);
                assert_eq!(restored(&map_of([&second]), second.text()), text);
            }
        }
        assert!(met > 10, "{met}");
    }
}

/// A surrogate that the released text contains is drawn again: restoring could not tell them apart.
#[test]
fn a_surrogate_is_rejected_if_the_released_text_contains_it() {
    let veil = restorable(LexiconKind::Words, AtZero::Surrogate, Consistency::Document);
    for seed in 0..5 {
        let first = crate::veil(&veil, "Ask Ana Lima.", seed);
        let surrogate = first.replacements().next().unwrap().replacement.to_owned();
        let text = format!("Ask Ana Lima or file {}.", surrogate.to_lowercase());
        let second = crate::veil(&veil, &text, seed);
        assert_eq!(restored(&map_of([&second]), second.text()), text);
    }
}

/// Placeholders that a document contains are kept.
#[test]
fn placeholders_in_the_original_are_kept() {
    let veil = restorable(LexiconKind::Words, AtZero::Mask, Consistency::Document);
    let text = "Ask [person 1] or [Person\n2] about Ana Lima and Bob Reyes, ANA LIMA and ana lima.";
    let veiled = crate::veil(&veil, text, 1);
    assert!(!veiled.text().contains("Reyes"), "{}", veiled.text());
    assert_eq!(restored(&map_of([&veiled]), veiled.text()), text, "{}", veiled.text());
}

/// A job that is resumed with its released pairs continues as if it had not been interrupted.
#[test]
fn a_job_can_be_resumed_anywhere() {
    let veil = restorable(LexiconKind::Words, AtZero::Surrogate, Consistency::Job);
    let texts: Vec<String> = (0..60).map(generated::document).collect();
    let documents: Vec<Document<'_>> = texts.iter().map(|text| Document::new(text)).collect();
    let key = NoiseKey::insecure_from_seed(5);
    let whole = veil.veil_all(&documents, 0, &key).unwrap();
    let mut known = Replacements::default();
    for (done, (document, expected)) in documents.iter().zip(&whole).enumerate() {
        if done % 7 == 0 {
            known = Replacements::default();
            for replaced in
                whole[..done].iter().flat_map(|veiled| veiled.replacements().chain(veiled.forms()))
            {
                known.remember(replaced.replacement, replaced.original, replaced.kind);
            }
        }
        let one = std::slice::from_ref(document);
        let veiled = veil.veil_all_with(&mut known, one, done as u64, &key).unwrap();
        assert_eq!(veiled[0].text(), expected.text());
    }
}

#[test]
fn pairs_hold_originals_and_debug_output_hides_them() {
    let mut settings = settings(LexiconKind::Words, "0,0,inf,inf");
    settings.consistent = Consistency::Document;
    let veiled_by = open(settings);
    let veiled = veil(&veiled_by, "Ask Ana Lima or write to ana@example.org.", 1);
    let pairs: Vec<_> = veiled.replacements().map(|r| (r.replacement, r.original, r.kind)).collect();
    assert_eq!(pairs, [("[person 1]", "Ana Lima", "person"), ("[email 1]", "ana@example.org", "email")]);
    assert!(!format!("{:?}", veiled.replacements().collect::<Vec<_>>()).contains("Ana"));
}

#[test]
fn dropped_words_cannot_be_restored() {
    for how in [AtZero::Drop, AtZero::Fill] {
        for restorable in [true, false] {
            let mut settings = settings(LexiconKind::Words, "0,0,inf,inf");
            (settings.at_zero, settings.restorable) = (how, restorable);
            settings.consistent = if restorable { Consistency::None } else { Consistency::Job };
            let error = TextVeil::open(&crate::pack(), settings).unwrap_err();
            assert!(error.to_string().contains("mask or surrogate"), "{error}");
        }
    }
}
