//! Any inkveil.toml is read or refused in words, with all its mistakes at places that it has.
#![no_main]

use inkveil_text::TextConfig;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // Lists in files would read whatever the input names.
    if text.contains("file") {
        return;
    }
    if let Err(error) = TextConfig::from_toml(text, "inkveil.toml") {
        let lines = text.matches('\n').count() + 1;
        assert!(!error.problems().is_empty() && !error.to_string().is_empty());
        assert!(error.problems().iter().all(|problem| problem.line().is_none_or(|line| line <= lines)));
    }
});
