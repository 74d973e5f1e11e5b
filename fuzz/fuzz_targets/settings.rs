//! Any settings file is read or refused in words.
#![no_main]

use inkveil_detect::{Detector, Settings, Tier};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // Lists in files would read whatever the input names.
    if text.contains("file") {
        return;
    }
    match Settings::from_toml(text, "veil.toml") {
        Ok(mut settings) => {
            settings.tier = Tier::Rules;
            if let Ok(detector) = Detector::open(None, settings) {
                detector.detect(&["Ana pays 120 EUR to GB82 WEST 1234 5698 7654 32."]).unwrap();
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
