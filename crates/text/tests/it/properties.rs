//! Properties that hold for every text.

use std::collections::HashMap;

use inkveil_lexicon::LexiconKind;
use inkveil_privacy::NoiseKey;
use inkveil_text::{AtZero, Document, Group, Grouping, TextTally, Treatment};
use proptest::prelude::*;

use crate::{KINDS, LETTER, open, settings, shared, veil};

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_veiled(text in "\\PC{0,60}|.{0,80}|[A-Z][a-z]+ [0-9]{3,12} [a-z@.]{0,20}", seed: u64) {
        for kind in KINDS {
            let veiled = veil(shared(kind), &text, seed);
            prop_assert!(veiled.receipt().verify().is_empty());
            for index in 0..veiled.plan().units().len() {
                let _ = veiled.replacement(index);
            }
        }
    }

    #[test]
    fn with_infinite_budgets_nothing_changes(text in "\\PC{0,60}|.{0,80}") {
        for kind in KINDS {
            thread_local! {
                static KEEPERS: std::cell::RefCell<HashMap<&'static str, inkveil_text::TextVeil>> = Default::default();
            }
            KEEPERS.with_borrow_mut(|keepers| {
                let keeper = keepers.entry(kind.name()).or_insert_with(|| open(settings(kind, "inf,inf,inf,inf")));
                assert_eq!(veil(keeper, &text, 1).text(), text);
            });
        }
    }
}

#[test]
fn a_letter_keeps_its_form_and_loses_its_names() {
    for kind in KINDS {
        let veiled = veil(shared(kind), LETTER, 3);
        assert_eq!(veiled.text().matches('\n').count(), LETTER.matches('\n').count());
        for secret in ["912 345 678", "tomas@example.org", "3 March 2021", "🙂"] {
            assert!(!veiled.text().contains(secret), "{kind}: {secret}");
        }
        assert!(veiled.text().contains("[phone]") && veiled.text().contains("[email]"));
    }
}

#[test]
fn all_units_of_a_span_share_a_group() {
    for kind in KINDS {
        let plans = shared(kind).plan(&[Document::new(LETTER)]).unwrap();
        let mut groups: HashMap<usize, Group> = HashMap::new();
        let mut several = 0;
        for unit in plans[0].units() {
            if let Some(span) = unit.span {
                several += usize::from(groups.contains_key(&span));
                assert_eq!(*groups.entry(span).or_insert(unit.group), unit.group);
                assert!(unit.group.is_sensitive());
            }
        }
        assert!(several > 3, "the letter has spans of several units");
    }
}

#[test]
fn a_span_is_needed_if_a_part_of_it_is() {
    for kind in KINDS {
        let document = Document::new("She lives at 12 Hospital Road.").task("hospital");
        let plans = shared(kind).plan(&[document]).unwrap();
        let spans: Vec<Group> =
            plans[0].units().iter().filter(|unit| unit.span.is_some()).map(|unit| unit.group).collect();
        assert!(spans.len() >= 3 && spans.iter().all(|group| *group == Group::SensitiveNeeded), "{spans:?}");
    }
}

#[test]
fn receipts_add_up() {
    for kind in KINDS {
        let veil = shared(kind);
        let key = NoiseKey::insecure_from_seed(5);
        let documents = [Document::new(LETTER), Document::new("The knee hurts."), Document::new("")];
        let veiled = veil.veil_all(&documents, 0, &key).unwrap();
        let counts: u64 =
            veiled.iter().map(|veiled| veiled.plan().counts().iter().sum::<usize>() as u64).sum();
        let mut tally = TextTally::default();
        veiled.iter().for_each(|veiled| tally.add(veiled.plan()));
        let receipt = veil.receipt(&tally, None, &key).unwrap();
        assert!(receipt.verify().is_empty());
        assert_eq!(receipt.count(), counts);
        assert_eq!(receipt.count(), veiled.iter().map(|veiled| veiled.receipt().count()).sum::<u64>());
        let spent: f64 = veiled
            .iter()
            .flat_map(|veiled| veiled.plan().units())
            .filter(|unit| unit.treatment == Treatment::Noise)
            .map(|unit| unit.epsilon.get())
            .sum();
        assert!((receipt.total_epsilon().unwrap().get() - spent).abs() < 1e-6);
        let json = receipt.to_json();
        for word in ["knee", "Ines", "912 345", "Lake"] {
            assert!(!json.contains(word), "a receipt never holds the input");
        }
    }
}

#[test]
fn every_unit_has_exactly_one_replacement() {
    for kind in KINDS {
        for name in inkveil_text::mechanism::MechanismName::ALL {
            let mut settings = settings(kind, "30,30,30,30");
            settings.mechanism = inkveil_text::MechanismSettings::of(*name);
            let text = "My knee has been hurting for some weeks now, doctor.";
            let veiled = veil(&open(settings), text, 9);
            for (index, unit) in veiled.plan().units().iter().enumerate() {
                if unit.treatment == Treatment::Noise {
                    let replacement = veiled.replacement(index);
                    assert!(!replacement.is_empty() && !replacement.contains(char::is_whitespace), "{name}");
                }
            }
        }
    }
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let texts: Vec<String> =
        (0..40).map(|i| format!("{LETTER} Number {i} of the letters about the knee.")).collect();
    let documents: Vec<Document<'_>> = texts.iter().map(|text| Document::new(text)).collect();
    let run = |threads: usize, split: usize| -> Vec<String> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let key = NoiseKey::insecure_from_seed(11);
            let (first, second) = documents.split_at(split);
            let veil = shared(LexiconKind::Words);
            let mut all = veil.veil_all(first, 0, &key).unwrap();
            all.extend(veil.veil_all(second, split as u64, &key).unwrap());
            all.into_iter().map(|veiled| veiled.into_text()).collect()
        })
    };
    let one = run(1, 40);
    assert_eq!(one, run(4, 40));
    assert_eq!(one, run(2, 13), "nor does it depend on how documents are batched");
}

#[test]
fn debug_output_shows_no_text() {
    let veil = shared(LexiconKind::Words);
    let veiled = crate::veil(veil, LETTER, 3);
    let shown = format!("{veil:?} {veiled:?} {:?} {:?}", veiled.plan(), Document::new(LETTER));
    for word in ["knee", "Ines", "912"] {
        assert!(!shown.contains(word));
    }
}

/// Under public grouping the group of a word does not depend on its context.
#[test]
fn public_groups_depend_on_the_word_alone() {
    for kind in KINDS {
        let mut settings = settings(kind, "60,20,140,110");
        settings.grouping = Grouping::Public;
        settings.at_zero = AtZero::Drop;
        let veil = open(settings);
        let texts = ["Ana met a doctor in Lisbon", "doctor Lisbon", "a Lisbon doctor met Ana and met Ana"];
        let documents: Vec<Document<'_>> = texts.iter().map(|text| Document::new(text)).collect();
        let mut groups: HashMap<String, Group> = HashMap::new();
        for (plan, text) in veil.plan(&documents).unwrap().iter().zip(texts) {
            for unit in plan.units() {
                let word = text[unit.range.clone()].to_lowercase();
                assert_eq!(*groups.entry(word).or_insert(unit.group), unit.group);
            }
        }
        assert!(groups["lisbon"].is_sensitive() && !groups["doctor"].is_sensitive());
    }
}

#[test]
fn without_a_task_no_word_is_needed_and_the_receipt_states_it() {
    let mut settings = settings(LexiconKind::Words, "60,20,140,110");
    settings.tasks.clear();
    let veiled_text = open(settings);
    let veiled = veil(&veiled_text, LETTER, 1);
    assert!(veiled.plan().units().iter().all(|unit| !unit.group.is_needed()));
    assert!(!veiled.plan().has_task());
    assert!(veiled.receipt().render().contains("no task was given"));
}
