//! The layout is what two texts must share for a guarantee to compare them.

use std::collections::HashMap;

use inkveil_lexicon::LexiconKind;
use inkveil_text::{
    AtZero, Consistency, Decoding, Document, Group, Grouping, Layout, ShapeLevel, TextSettings, TextVeil,
};

use crate::{KINDS, open, settings, veil};

fn layout(veil: &TextVeil, text: &str) -> Layout {
    veil.layout(&veil.plan(&[Document::new(text)]).unwrap()[0])
}

/// Texts that differ in names, codes, known and unknown words, case and endings.
fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for name in ["Ana Lima", "Bob Reyes", "ANA LIMA"] {
        for word in ["river", "doctor", "River"] {
            for other in ["zorblax", "quuxify", "window's"] {
                for code in ["48151623", "90210777", "7"] {
                    texts.push(format!("Ask {name} about the {word} {other}: {code}."));
                }
            }
        }
    }
    texts
}

/// Asserts that texts with the same layout have the same release under the same key.
fn layouts_decide(mut settings: TextSettings) {
    settings.tasks.clear();
    let opened = open(settings.clone());
    let mut released: HashMap<Layout, String> = HashMap::new();
    let texts = texts();
    for text in &texts {
        let veiled = veil(&opened, text, 7);
        let expected =
            released.entry(opened.layout(veiled.plan())).or_insert_with(|| veiled.text().to_owned());
        assert_eq!(veiled.text(), expected, "{settings:?}");
    }
    assert!(released.len() > 1 && released.len() < texts.len(), "{} {settings:?}", released.len());
}

/// At ε = 0 the release depends on the layout and the key alone.
#[test]
fn texts_with_the_same_layout_have_the_same_release_at_zero() {
    for kind in KINDS {
        for how in [AtZero::Mask, AtZero::Drop, AtZero::Surrogate] {
            for shape in ShapeLevel::ALL {
                let mut settings = settings(kind, "0,0,0,0");
                (settings.at_zero, settings.shape) = (how, shape);
                layouts_decide(settings);
            }
        }
    }
}

/// Two texts with the same groups whose words get different treatments have disjoint releases.
#[test]
fn equal_groups_are_not_equal_layouts() {
    let mut settings = settings(LexiconKind::Words, "60,20,140,110");
    settings.tasks.clear();
    let opened = open(settings);
    let groups = |text: &str| -> Vec<Group> {
        opened.plan(&[Document::new(text)]).unwrap()[0].units().iter().map(|unit| unit.group).collect()
    };
    let (known, unknown) = ("The kettle is warm.", "The zorblax is warm.");
    assert_eq!(groups(known), groups(unknown));
    assert_ne!(layout(&opened, known), layout(&opened, unknown));
    assert_eq!(layout(&opened, known), layout(&opened, "The river is warm."));
    for other in
        ["The Kettle is warm.", "The kettle's is warm.", "The kettle is warm!", "The kettle  is warm."]
    {
        assert_ne!(layout(&opened, known), layout(&opened, other), "{other}");
    }
}

/// If replacements are consistent, the repetitions of originals show.
#[test]
fn repetitions_belong_to_the_layout_of_consistent_replacements() {
    let same = "Write to ana@example.org, then to ana@example.org.";
    let others = "Write to ana@example.org, then to bob@example.org.";
    for (scope, differ) in [(Consistency::None, false), (Consistency::Document, true)] {
        let mut settings = settings(LexiconKind::Words, "0,0,inf,inf");
        settings.consistent = scope;
        settings.tasks.clear();
        let opened = open(settings);
        assert_eq!(layout(&opened, same) != layout(&opened, others), differ, "{scope:?}");
    }
}

#[test]
fn the_receipt_states_what_is_compared() {
    for grouping in Grouping::ALL {
        let mut settings = settings(LexiconKind::Words, "60,0,140,110");
        settings.at_zero = AtZero::Surrogate;
        settings.grouping = grouping;
        let opened = open(settings);
        let veiled = veil(&opened, "Ask Ana Lima in Lisbon about the sore knee 4815.", 1);
        let (json, shown) = (veiled.receipt().to_json(), veiled.receipt().render());
        assert!(json.contains("\"neighbours\": \"same-layout\""), "{json}");
        assert!(json.contains("\"neighbours\": \"same-shape\""), "{json}");
        for words in [
            "compares      texts of the same layout: ",
            "not covered   the layout",
            "not covered   the exact number of words in each group",
            "ε = 0 between originals of the same kind and shape",
            "surrogates of kind person: reveal whether it is one word or several",
        ] {
            assert!(shown.contains(words), "{words}\n{shown}");
        }
        assert!(!shown.contains("any two texts"), "{shown}");
    }
}

/// The chances and the ε of other mechanisms are on the receipt of the default settings.
#[test]
fn the_receipt_explains_its_budgets() {
    let mut settings = settings(LexiconKind::Words, "0,0,119,119");
    settings.decoding = Some(Decoding::Nearest);
    let opened = open(settings);
    let veiled = veil(&opened, "Ask Ana Lima about the river.", 1);
    let receipt = veiled.receipt();
    let noised = receipt.groups().iter().find(|group| group.epsilon().get() > 0.0).unwrap();
    let survival = noised.survival().unwrap();
    assert!((0.88..0.92).contains(&survival), "nine of ten words survive at this budget: {survival}");
    let names: Vec<&str> = noised.alternatives().iter().map(|other| other.mechanism.as_str()).collect();
    assert!(names.starts_with(&["randomized-response", "exponential"]), "{names:?}");
    let worst = noised.worst_case_epsilon().unwrap().get();
    assert!(noised.alternatives()[1].worst_case_epsilon.unwrap().get() < worst / 3.0);
    assert!(noised.certainty().unwrap().typical.unwrap() > 0.5);
    let replaced = receipt.groups().iter().find(|group| group.epsilon().is_zero()).unwrap();
    assert_eq!(replaced.certainty().unwrap().worst, Some(0.5));
    let shown = receipt.render();
    assert!(shown.lines().nth(1).unwrap().contains("each equally likely"), "{shown}");
}
