//! The four variants of the published code and its two baselines: groups and mean ε on our own
//! passages.

use inkveil_privacy::Epsilon;
use inkveil_text::mechanism::MechanismName;
use inkveil_text::{AtZero, Budget, Budgets, Document, MechanismSettings, TextSettings, Treatment};

use crate::open;

const PASSAGES: [(&str, &str); 3] = [
    (
        "In 1884 the clockmaker Elsbeth Harrow moved to the town of Quillmere, where she built a tower clock \
         that could be heard from twelve villages.",
        "Where did the clockmaker build the tower clock?",
    ),
    (
        "The blue moss of the Vantry hills grows only on stones that face north, and shepherds have used it \
         as a remedy for fever since the reign of Queen Odile.",
        "What do shepherds use as a remedy for fever?",
    ),
    (
        "On 2 May 1911 the ferry Marigold sank in Lake Tessin with forty barrels of salt; nobody was hurt.",
        "When did the ferry sink?",
    ),
];

fn variants() -> Vec<(&'static str, TextSettings)> {
    let polar = TextSettings::as_published();
    let mut laplace = TextSettings::as_published();
    laplace.mechanism = MechanismSettings {
        nearest_by: inkveil_text::NearestBy::Euclidean,
        ..MechanismSettings::of(MechanismName::LaplaceL1)
    };
    let finite: Budgets = "150,50,450,350".parse().unwrap();
    let passing: Budgets = "150,50,inf,inf".parse().unwrap();
    let nothing: Budgets = "0,0,inf,inf".parse().unwrap();
    let with = |base: &TextSettings, budgets: Budgets, how: AtZero| {
        let mut settings = base.clone();
        (settings.budget, settings.at_zero) = (Budget::Each(budgets), how);
        settings
    };
    vec![
        ("polar", with(&polar, finite, AtZero::Mask)),
        ("polar, inf passes", with(&polar, passing, AtZero::Mask)),
        ("laplace", with(&laplace, finite, AtZero::Mask)),
        ("laplace, inf passes", with(&laplace, passing, AtZero::Mask)),
        ("mask", with(&polar, nothing, AtZero::Mask)),
        ("drop", with(&polar, nothing, AtZero::Drop)),
    ]
}

/// The groups do not depend on the mechanism. The mean follows from the groups and the budgets.
#[test]
fn groups_and_mean_epsilon_equal_the_published_ones() {
    let mut lines = Vec::new();
    for (name, settings) in variants() {
        let veil = open(settings);
        let documents: Vec<Document<'_>> =
            PASSAGES.iter().map(|(passage, question)| Document::new(passage).task(question)).collect();
        for plan in veil.plan(&documents).unwrap() {
            let mean = plan.mean_epsilon().map_or(0.0, Epsilon::get);
            lines.push(format!("{name}: {:?} {mean:.2}", plan.reference_counts()));
        }
    }
    assert_eq!(lines.join("\n"), include_str!("published.txt").trim_end());
}

#[test]
fn variants_mask_drop_or_keep_words() {
    for (name, settings) in variants() {
        let veil = open(settings);
        let (passage, question) = PASSAGES[0];
        let key = inkveil_privacy::NoiseKey::insecure_from_seed(1);
        let veiled = veil.veil_all(&[Document::new(passage).task(question)], 0, &key).unwrap().remove(0);
        let plan = veiled.plan();
        match name {
            "polar" | "laplace" => {
                assert!(plan.units().iter().all(|unit| unit.treatment == Treatment::Noise), "{name}");
            }
            _ => {
                for (index, unit) in plan.units().iter().enumerate() {
                    let kept = unit.treatment == Treatment::Kept;
                    assert_eq!(kept, !unit.group.is_sensitive(), "{name}");
                    assert!(!kept || veiled.survived(index));
                }
            }
        }
        assert_eq!(name == "mask", veiled.text().contains("[person]"), "{name}");
    }
}
