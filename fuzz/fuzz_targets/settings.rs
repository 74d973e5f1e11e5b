//! Any settings file is read or refused in words, and what is read does its work on any text.
#![no_main]

use inkveil_detect::{Detector, Settings, Tier};
use libfuzzer_sys::fuzz_target;

/// Parts the settings from the text that they are used on; TOML cannot hold it.
const BORDER: char = '\0';

fuzz_target!(|input: &str| {
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
});
