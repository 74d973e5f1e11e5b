//! Valid settings files, and the messages for invalid ones.

use inkveil_detect::Tier;
use inkveil_privacy::Epsilon;
use proptest::prelude::*;

use super::*;
use crate::{Budget, Budgets, MechanismSettings, Preset};

fn read(text: &str) -> TextConfig {
    TextConfig::from_toml(text, "inkveil.toml").unwrap()
}

/// The settings of a table `text` with these lines.
fn settings(lines: &str) -> TextSettings {
    read(&format!("[text]\n{lines}")).settings
}

fn refused(text: &str) -> String {
    TextConfig::from_toml(text, "inkveil.toml").unwrap_err().to_string()
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

#[test]
fn an_empty_file_is_the_default() {
    for text in
        ["", "# nothing\n", "[text]\n", "[detect]\n", "[text]\n[detect]\n", "[text]\nas-published = false\n"]
    {
        assert_eq!(read(text), TextConfig::default(), "{text}");
    }
}

#[test]
fn all_settings_are_read() {
    let config = read(
        r#"
        [text]
        pack = "en"
        model = "smollm2"
        lexicon = "words"
        tasks = ["What helps against a sore knee?", "Sum it up."]
        task-vector = "sentence"
        relevance = { quantile = 0.8 }
        grouping = "public"
        budgets = [50, 0, 100.5, "inf"]
        mechanism = "polar-radial"
        calibration = "pure"
        radial-epsilon = 10
        at-zero = "fill"
        shape = "exact"
        identifiers = "noise"
        punctuation = "noise"
        casing = "vocabulary"

        [detect]
        tier = "rules"
        threshold = 0.7
        "#,
    );
    let mut detect = inkveil_detect::Settings::of(Tier::Rules);
    detect.threshold = 0.7;
    let expected = TextSettings {
        lexicon: Some(LexiconKind::Words),
        tasks: vec!["What helps against a sore knee?".to_owned(), "Sum it up.".to_owned()],
        task_vector: TaskVector::Sentence,
        threshold: Some(Threshold::Quantile(0.8)),
        grouping: Grouping::Public,
        budget: Budget::Each(Budgets::new([epsilon(50.0), Epsilon::ZERO, epsilon(100.5), Epsilon::INFINITE])),
        mechanism: MechanismSettings {
            calibration: Calibration::Pure,
            radial_epsilon: epsilon(10.0),
            ..MechanismSettings::of(MechanismName::PolarRadial)
        },
        at_zero: AtZero::Fill,
        shape: ShapeLevel::Exact,
        identifiers: Identifiers::Noise,
        punctuation: Punctuation::Noise,
        casing: CasingPolicy::AsVocabulary,
        detect,
        ..TextSettings::default()
    };
    assert_eq!((config.pack.as_deref(), config.model.as_deref()), (Some("en"), Some("smollm2")));
    assert_eq!(config.settings, expected);
}

#[test]
fn all_forms_of_a_budget_are_read() {
    for (line, expected) in [
        ("preset = \"corpus\"", Budget::Preset(Preset::Corpus)),
        ("preset = \"paper-3\"", Budget::Preset("paper-3".parse().unwrap())),
        ("epsilon = 25", Budget::Base(epsilon(25.0))),
        ("epsilon = 0.5", Budget::Base(epsilon(0.5))),
        ("epsilon = \"inf\"", Budget::Base(Epsilon::INFINITE)),
        ("uniform = 0", Budget::Uniform(Epsilon::ZERO)),
        ("uniform = -0.0", Budget::Uniform(Epsilon::ZERO)),
        ("uniform = \"∞\"", Budget::Uniform(Epsilon::INFINITE)),
        ("budgets = [1, 2, 3, 4]", Budget::Each("1,2,3,4".parse().unwrap())),
        ("target-survival = 0.05", Budget::TargetSurvival(0.05)),
    ] {
        assert_eq!(settings(line).budget, expected, "{line}");
    }
}

#[test]
fn every_choice_can_be_named() {
    for preset in Preset::ALL {
        assert_eq!(settings(&format!("preset = \"{preset}\"")).budget, Budget::Preset(preset));
    }
    for name in MechanismName::ALL {
        assert_eq!(settings(&format!("mechanism = \"{name}\"")).mechanism, MechanismSettings::of(*name));
    }
    for calibration in Calibration::ALL {
        let lines = format!("calibration = \"{calibration}\"");
        assert_eq!(settings(&lines).mechanism.calibration, calibration);
    }
    for by in NearestBy::ALL {
        let lines = format!("mechanism = \"laplace-l1\"\nnearest-by = \"{}\"", by.name());
        assert_eq!(settings(&lines).mechanism.nearest_by, by);
    }
    for kind in [LexiconKind::Words, LexiconKind::Subword] {
        assert_eq!(settings(&format!("lexicon = \"{kind}\"")).lexicon, Some(kind));
    }
    for by in TaskVector::ALL {
        assert_eq!(settings(&format!("task-vector = \"{}\"", by.name())).task_vector, by);
    }
    for by in Grouping::ALL {
        assert_eq!(settings(&format!("grouping = \"{}\"", by.name())).grouping, by);
    }
    for how in AtZero::ALL {
        assert_eq!(settings(&format!("at-zero = \"{}\"", how.name())).at_zero, how);
    }
    for scope in Consistency::ALL {
        assert_eq!(settings(&format!("consistent = \"{}\"", scope.name())).consistent, scope);
    }
    for links in Links::ALL {
        assert_eq!(settings(&format!("link = \"{}\"", links.name())).link, links);
    }
    for how in Identifiers::ALL {
        assert_eq!(settings(&format!("identifiers = \"{}\"", how.name())).identifiers, how);
    }
    for how in Punctuation::ALL {
        assert_eq!(settings(&format!("punctuation = \"{}\"", how.name())).punctuation, how);
    }
    for (name, casing) in [("original", CasingPolicy::AsOriginal), ("vocabulary", CasingPolicy::AsVocabulary)]
    {
        assert_eq!(settings(&format!("casing = \"{name}\"")).casing, casing);
    }
    assert_eq!(settings("mechanism = \"mahalanobis\"\nellipse = 0").mechanism.ellipse, 0.0);
    assert_eq!(settings("mechanism = \"tem\"\nfailure = 0.01").mechanism.failure, 0.01);
    assert_eq!(settings("relevance = { cosine = -0.5 }").threshold, Some(Threshold::Cosine(-0.5)));
}

#[test]
fn settings_override_the_published_ones() {
    assert_eq!(settings("as-published = true"), TextSettings::as_published());
    let mut expected = TextSettings::as_published();
    expected.punctuation = Punctuation::Keep;
    expected.apply(Preset::Strict);
    // Settings of another mechanism that the user did not write are not a mistake.
    expected.mechanism.name = MechanismName::Exponential;
    let lines =
        "punctuation = \"keep\"\npreset = \"strict\"\nas-published = true\nmechanism = \"exponential\"\n";
    assert_eq!(settings(lines), expected);
}

#[test]
fn ten_mistakes_are_reported_together() {
    let text = r#"preset = "corpus"

[text]
pakc = "en"
lexicon = "wrods"
tasks = "What helps?"
relevance = { quantile = 1.5 }
epsilon = -25
uniform = 3
mechanism = "exponential"
ellipse = 0.2
at-zero = "erase"

[detect]
tier = "fsat"
"#;
    assert_eq!(
        refused(text),
        r#"inkveil.toml:1:1: preset is a setting of text
  |
1 | preset = "corpus"
  | ^^^^^^
  = put it below a line [text]

inkveil.toml:4:1: there is no setting of text "pakc"
  |
4 | pakc = "en"
  | ^^^^
  = did you mean "pack"?

inkveil.toml:5:11: there is no lexicon "wrods"
  |
5 | lexicon = "wrods"
  |           ^^^^^^^
  = did you mean "words"?

inkveil.toml:6:9: this is a text
  |
6 | tasks = "What helps?"
  |         ^^^^^^^^^^^^^
  = write a list in square brackets

inkveil.toml:7:26: this is more than 1
  |
7 | relevance = { quantile = 1.5 }
  |                          ^^^
  = write a number from 0 to 1

inkveil.toml:8:1: only one budget is allowed, but there is also uniform on line 9
  |
8 | epsilon = -25
  | ^^^^^^^
  = keep one of them

inkveil.toml:8:11: this is less than 0
  |
8 | epsilon = -25
  |           ^^^
  = write a number of at least 0, or "inf" in quotes for no noise

inkveil.toml:9:1: only one budget is allowed, but there is also epsilon on line 8
  |
9 | uniform = 3
  | ^^^^^^^
  = keep one of them

inkveil.toml:11:1: ellipse is for mahalanobis, but the mechanism is exponential
   |
11 | ellipse = 0.2
   | ^^^^^^^
   = remove it, or choose mechanism = "mahalanobis"

inkveil.toml:12:11: there is no way to replace "erase"
   |
12 | at-zero = "erase"
   |           ^^^^^^^
   = use one of mask, drop, surrogate, fill

inkveil.toml:15:8: there is no tier "fsat"
   |
15 | tier = "fsat"
   |        ^^^^^^
   = did you mean "fast"?"#
    );
}

#[test]
fn each_of_three_budgets_names_the_others() {
    let error = refused("[text]\nuniform = 3\npreset = \"corpus\"\nbudgets = [1, 2, 3, 4]\n");
    for line in [
        "inkveil.toml:2:1: only one budget is allowed, but there is also preset on line 3 and budgets on line 4\n",
        "inkveil.toml:3:1: only one budget is allowed, but there is also uniform on line 2 and budgets on line 4\n",
        "inkveil.toml:4:1: only one budget is allowed, but there is also uniform on line 2 and preset on line 3\n",
    ] {
        assert!(error.contains(line), "{error}");
    }
}

/// A setting of one mechanism is refused with every other mechanism, and also without a mechanism
/// if the default one does not read it.
#[test]
fn a_setting_of_another_mechanism_is_refused() {
    let owned: [(&str, &[&str]); 5] = [
        ("calibration = \"paper\"", &["polar", "polar-radial"]),
        ("nearest-by = \"cosine\"", &["laplace-l1"]),
        ("ellipse = 0.2", &["mahalanobis"]),
        ("failure = 0.001", &["tem"]),
        ("radial-epsilon = 10", &["polar-radial"]),
    ];
    for (line, owners) in owned {
        let key = line.split(' ').next().unwrap();
        for name in MechanismName::ALL {
            let text = format!("[text]\n{line}\nmechanism = \"{name}\"\n");
            let read = TextConfig::from_toml(&text, "inkveil.toml");
            assert_eq!(read.is_ok(), owners.contains(&name.name()), "{text}");
            if let Err(error) = read {
                assert_eq!(error.problems().len(), 1, "{error}");
                assert!(
                    error.problems()[0].what().starts_with(&format!("{key} is for {}", owners[0])),
                    "{error}"
                );
                assert!(error.problems()[0].advice().unwrap().contains(owners[0]), "{error}");
            }
        }
        let alone = TextConfig::from_toml(&format!("[text]\n{line}\n"), "inkveil.toml");
        assert_eq!(alone.is_ok(), owners.contains(&"polar"), "{line}");
        // The intended mechanism is not known, so nothing else is reported.
        let error = TextConfig::from_toml(&format!("[text]\n{line}\nmechanism = \"pole\"\n"), "inkveil.toml")
            .unwrap_err();
        assert_eq!(error.problems().len(), 1, "{error}");
    }
}

#[test]
fn invalid_settings_are_refused() {
    for (text, expected) in [
        ("text = 3", "1:8: this is a number\n"),
        ("[[text]]\n", "1:1: this is a list\n"),
        ("[txet]\n", "1:2: there is no table \"txet\"\n"),
        ("[style]\n", "= use one of text, detect"),
        ("detect = []", "1:10: this is a list\n"),
        ("[detect]\nkinds = [\"persn\"]", "2:10: there is no kind \"persn\"\n"),
        ("[text]\npack = 3", "2:8: this is a number\n"),
        ("[text]\npack = \" \"", "2:8: this is empty\n"),
        ("[text]\nmodel = false", "2:9: this is true or false\n"),
        ("[text]\nlexicon = \"letters\"", "= use one of words, subword"),
        ("[text]\ntasks = [\"\"]", "2:10: this is empty\n"),
        ("[text]\ntasks = [7]", "2:10: this is a number\n"),
        ("[text]\ntask-vector = \"token\"", "= did you mean \"tokens\"?"),
        ("[text]\ntask_vector = \"tokens\"", "= did you mean \"task-vector\"?"),
        (
            "[text]\nlexicon = \"subword\"\ntask-vector = \"sentence\"",
            "3:15: the sentence vector of a task needs",
        ),
        ("[text]\nas-published = true\ntask-vector = \"sentence\"", "= choose lexicon = \"words\", or"),
        ("[text]\nrelevance = 0.9", "2:13: this is a number\n"),
        ("[text]\nrelevance = {}", "2:13: relevance is a quantile or a cosine\n"),
        (
            "[text]\nrelevance = { quantile = 0.9, cosine = 0.5 }",
            "2:13: relevance is a quantile or a cosine\n",
        ),
        ("[text]\nrelevance = { cosine = -1.1 }", "2:24: this is less than -1\n"),
        ("[text]\nrelevance = { quantil = 0.9 }", "= did you mean \"quantile\"?"),
        ("[text]\ngrouping = \"words\"", "2:12: there is no grouping \"words\"\n"),
        ("[text]\npreset = \"paper-6\"", "2:10: there is no preset \"paper-6\"\n"),
        ("[text]\npreset = 1", "2:10: this is a number\n"),
        ("[text]\nepsilon = \"much\"", "2:11: this is a text\n"),
        ("[text]\nepsilon = inf", "2:11: this is not a finite number\n"),
        ("[text]\nepsilon = 1e999", "2:11: this is not a finite number\n"),
        ("[text]\nepsilon = nan", "2:11: this is not a finite number\n"),
        ("[text]\nepsilon = 0x10", "2:11: this is not a decimal number\n"),
        ("[text]\nepsilon = 1e308", "2:11: this is too large to multiply by 4\n"),
        ("[text]\nuniform = [1]", "2:11: this is not a decimal number\n"),
        ("[text]\nuniform = -1e-9", "= write a number of at least 0, or \"inf\" in quotes"),
        ("[text]\nbudgets = 3", "2:11: this is a number\n"),
        ("[text]\nbudgets = [1, 2, 3]", "2:11: there are four groups, but this list has 3\n"),
        ("[text]\nbudgets = []", "2:11: there are four groups, but this list has 0\n"),
        ("[text]\nbudgets = [1, 2, -3, 4]", "2:18: this is less than 0\n"),
        ("[text]\nbudgets = [1, 2, 3, 4, \"x\"]", "2:24: this is a text\n"),
        ("[text]\ntarget-survival = 0", "2:19: this is not above 0\n"),
        ("[text]\ntarget-survival = 1", "2:19: this is not below 1\n"),
        ("[text]\nmechanism = \"poler\"", "= did you mean \"polar\"?"),
        ("[text]\ncalibration = \"papr\"", "= did you mean \"paper\"?"),
        (
            "[text]\nmechanism = \"laplace-l1\"\nnearest-by = \"euclid\"",
            "3:14: there is no way to find the nearest word \"euclid\"\n",
        ),
        ("[text]\nmechanism = \"polar-radial\"\nradial-epsilon = 0", "3:18: this is not above 0\n"),
        ("[text]\nmechanism = \"polar-radial\"\nradial-epsilon = -1", "3:18: this is less than 0\n"),
        ("[text]\nmechanism = \"mahalanobis\"\nellipse = 1", "3:11: this is not below 1\n"),
        ("[text]\nmechanism = \"tem\"\nfailure = 0", "3:11: this is not above 0\n"),
        ("[text]\nconsistent = \"documents\"", "= did you mean \"document\"?"),
        (
            "[text]\nat-zero = \"drop\"\nconsistent = \"job\"",
            "3:14: replacements cannot be consistent with at-zero = \"drop\"\n",
        ),
        ("[text]\nidentifiers = \"noises\"", "= did you mean \"noise\"?"),
        ("[text]\npunctuation = \"drop\"", "= use one of keep, noise"),
        ("[text]\ncasing = \"lower\"", "= use one of original, vocabulary"),
        ("[text]\nas-published = \"yes\"", "2:16: this is a text\n"),
        ("[text]\npack = \"a\"\npack = \"b\"", "this is not TOML: "),
        ("[text\n", "this is not TOML: "),
    ] {
        let said = refused(text);
        assert!(said.contains(expected), "{text}\n{said}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = TextConfig::open("no-such-folder/inkveil.toml").unwrap_err();
    assert!(error.to_string().starts_with("no-such-folder/inkveil.toml: cannot read it: "), "{error}");
}

proptest! {
    /// Reading any file ends with settings or with problems that have a message.
    #[test]
    fn no_file_ends_the_program(
        lines in proptest::collection::vec(prop_oneof![
            2 => Just("[text]".to_owned()),
            6 => (proptest::sample::select(KEYS.to_vec()), "[\\[\\]{}\"'a-z0-9.=, é+-]{0,20}")
                .prop_map(|(key, value)| format!("{key} = {value}")),
            6 => (
                proptest::sample::select(KEYS.to_vec()),
                "(1|0x1|-2\\.5|1e999|inf|nan|true|'é'|\"inf\"|\"polar\"|\\[1, 'inf', 0, 2\\]|\\{ cosine = 1 \\}|1999-12-31)",
            )
                .prop_map(|(key, value)| format!("{key} = {value}")),
            1 => "\\[\\[?(text|detect|é)\\]?\\]",
            1 => "\\PC{0,30}",
        ], 0..8),
    ) {
        if let Err(error) = TextConfig::from_toml(&lines.join("\n"), "inkveil.toml") {
            prop_assert!(!error.problems().is_empty());
            prop_assert!(error.to_string().starts_with("inkveil.toml:"));
        }
    }
}
