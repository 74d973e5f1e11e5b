//! From the settings to the budgets of the groups.

use inkveil_lexicon::LexiconKind;
use inkveil_privacy::{Calibration, Epsilon};
use inkveil_text::mechanism::MechanismName;
use inkveil_text::{Budget, Budgets, Group, MechanismSettings, Preset, TextSettings, TextVeil, VeilNotes};

use crate::{KINDS, pack};

fn budgets(change: impl FnOnce(&mut TextSettings)) -> Result<Budgets, inkveil_text::Error> {
    let mut settings = TextSettings::default();
    change(&mut settings);
    Ok(TextVeil::open(&pack(), settings)?.budgets())
}

#[test]
fn presets_give_sensitive_words_the_smallest_budgets() {
    for kind in KINDS {
        for preset in Preset::ALL {
            let budgets = budgets(|settings| {
                settings.lexicon = Some(kind);
                settings.budget = Budget::Preset(preset);
            })
            .unwrap();
            let [needed_sensitive, sensitive, needed, neither] =
                Group::ALL.map(|group| budgets.of(group).get());
            assert!(
                sensitive <= needed_sensitive && needed_sensitive <= neither && neither <= needed,
                "{preset}: {budgets}"
            );
        }
    }
}

#[test]
fn paper_presets_have_the_budgets_of_the_paper() {
    let last = budgets(|settings| settings.budget = Budget::Preset("paper-5".parse().unwrap())).unwrap();
    assert_eq!(last.to_string(), "350, 250, 650, 550");
    let first = budgets(|settings| settings.budget = Budget::Preset("paper-1".parse().unwrap())).unwrap();
    assert_eq!(first.to_string(), "150, 50, 450, 350");
}

/// A target is read from the curve that is stored in the pack.
#[test]
fn a_target_is_met_on_the_curve() {
    let notes = VeilNotes::open(&pack()).unwrap();
    for kind in KINDS {
        let curve = &notes.of(kind).curves["polar"];
        for target in [0.02, 0.05, 0.2, 0.5] {
            let budgets = budgets(|settings| {
                settings.lexicon = Some(kind);
                settings.budget = Budget::TargetSurvival(target);
            })
            .unwrap();
            let epsilon = budgets.of(Group::SensitiveNeeded).get();
            let below = curve.iter().rfind(|point| point.epsilon <= epsilon).unwrap();
            let above = curve.iter().find(|point| point.epsilon > epsilon).unwrap();
            assert!(below.survival <= target && above.survival >= target - 0.01, "{epsilon}");
            assert!((budgets.of(Group::Sensitive).get() - epsilon / 2.0).abs() < 1e-9);
        }
    }
}

/// Calibrations describe the same noise by different numbers.
#[test]
fn a_target_is_the_same_noise_under_every_calibration() {
    let epsilon = |calibration: Calibration| {
        let budgets = budgets(|settings| {
            settings.lexicon = Some(LexiconKind::Words);
            settings.budget = Budget::TargetSurvival(0.1);
            settings.mechanism.calibration = calibration;
        });
        budgets.unwrap().of(Group::SensitiveNeeded).get()
    };
    let paper = epsilon(Calibration::Paper);
    assert!((epsilon(Calibration::Reference) / paper - std::f64::consts::PI).abs() < 1e-9);
    assert!(epsilon(Calibration::Pure) > paper);
}

#[test]
fn impossible_targets_are_refused_on_opening() {
    for change in [
        (|s: &mut TextSettings| s.budget = Budget::TargetSurvival(0.0)) as fn(&mut TextSettings),
        |s| s.budget = Budget::TargetSurvival(f64::NAN),
        |s| s.budget = Budget::Base(Epsilon::new(1e300).unwrap()),
        |s| s.at_zero = inkveil_text::AtZero::Fill,
        |s| {
            s.lexicon = Some(LexiconKind::Subword);
            s.task_vector = inkveil_text::TaskVector::Sentence;
        },
    ] {
        assert!(budgets(change).is_err());
    }
    assert!("1,2,3".parse::<Budgets>().is_err() && "1,2,3,-4".parse::<Budgets>().is_err());
}

/// Every mechanism has a curve in the pack, so every preset works with it.
#[test]
fn every_mechanism_has_a_curve() {
    for kind in KINDS {
        for name in MechanismName::ALL {
            let found = budgets(|settings| {
                settings.lexicon = Some(kind);
                settings.mechanism = MechanismSettings::of(*name);
            });
            assert!(found.is_ok(), "{kind} {name}: {found:?}");
        }
    }
}
