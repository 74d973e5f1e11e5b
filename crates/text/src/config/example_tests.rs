//! The example says the defaults, and every choice that it offers can be made.

use super::TextConfig;

const EXAMPLE: &str = TextConfig::EXAMPLE;

fn read(text: &str) -> TextConfig {
    TextConfig::from_toml(text, "example.toml").unwrap_or_else(|error| panic!("{error}\n\n{text}"))
}

/// The settings that the example offers in comments: `# key = value`.
fn offered() -> Vec<(&'static str, &'static str)> {
    let choice = |line: &'static str| {
        let choice = line.strip_prefix("# ")?;
        let key = choice.split_once(" = ")?.0;
        let is_key = key.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        is_key.then_some((key, choice))
    };
    EXAMPLE.lines().filter_map(choice).collect()
}

#[test]
fn the_example_says_the_defaults() {
    assert_eq!(read(EXAMPLE), TextConfig::default());
}

/// Mechanisms by the settings that they alone read.
const OWNERS: [(&str, &str); 5] = [
    ("certify", "exponential"),
    ("radial-epsilon", "polar-radial"),
    ("nearest-by", "laplace-l1"),
    ("ellipse", "mahalanobis"),
    ("failure", "tem"),
];

#[test]
fn every_choice_that_the_example_offers_can_be_made() {
    let budgets = ["epsilon", "budgets", "uniform", "target-survival"];
    for (key, choice) in offered() {
        let mut text = EXAMPLE.replace(&format!("# {choice}"), choice);
        if budgets.contains(&key) {
            text = text.replace("\npreset = ", "\n# preset = ");
        }
        if let Some((_, mechanism)) = OWNERS.iter().find(|(own, _)| *own == key) {
            text = text.replace("mechanism = \"polar\"", &format!("mechanism = \"{mechanism}\""));
            if key != "radial-epsilon" {
                text = text.replace("\ncalibration = ", "\n# calibration = ");
            }
        }
        // What belongs to the tables at the end needs all of its table.
        if ["phone", "name", "kind", "pattern"].contains(&key) {
            continue;
        }
        assert_ne!(read(&text), TextConfig::default(), "{key} changes nothing");
    }
}

#[test]
fn the_tables_that_the_example_offers_can_be_made() {
    let (start, tables) = EXAMPLE.split_once("# [detect.thresholds]").unwrap();
    let tables = format!("# [detect.thresholds]{tables}").replace("\n# ", "\n");
    let config = read(&format!("{start}{}", tables.strip_prefix("# ").unwrap()));
    assert_eq!((config.settings.detect.rules.len(), config.settings.detect.thresholds.len()), (1, 1));
}

#[test]
fn the_example_names_every_setting() {
    // A key that no table has is answered with all that it has.
    let error = TextConfig::from_toml("[text]\nzzzzzzzzzzzzzzzzzzzz = 1\n", "x.toml").unwrap_err();
    let all = error.problems()[0].advice().unwrap().strip_prefix("use one of ").unwrap();
    for key in all.split(", ") {
        let line = |line: &str| line.strip_prefix("# ").unwrap_or(line).starts_with(&format!("{key} = "));
        assert!(EXAMPLE.lines().any(line), "{key} is not in the example");
    }
    assert!(all.split(", ").count() > 20);
}
