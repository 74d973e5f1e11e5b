//! Any settings file is read or refused in words, and what is read does its work on any text.

use inkveil_detect::{Detector, Settings, Tier};

use super::BORDER;

pub fn run(bytes: &[u8]) {
    let Ok(input) = std::str::from_utf8(bytes) else { return };
    let (toml, text) =
        input.split_once(BORDER).unwrap_or((input, "Ana pays 120 EUR to GB82 WEST 1234 5698 7654 32."));
    // Lists in files would read whatever the input names.
    if toml.contains("file") {
        return;
    }
    match Settings::from_toml(toml, "veil.toml") {
        Ok(mut settings) => {
            settings.tier = Tier::Rules;
            if let Ok(detector) = Detector::open(None, settings) {
                let spans = detector.detect(&[text]).unwrap().remove(0);
                assert!(
                    spans.iter().all(|span| text.get(span.range()).is_some_and(|found| !found.is_empty()))
                );
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
