//! Any inkveil.toml is read or refused in words, with all its mistakes at places that it has.

use inkveil_text::TextConfig;

pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // Lists in files would read whatever the input names.
    if text.contains("file") {
        return;
    }
    if let Err(error) = TextConfig::from_toml(text, "inkveil.toml") {
        let lines = text.matches('\n').count() + 1;
        assert!(!error.problems().is_empty() && !error.to_string().is_empty());
        assert!(error.problems().iter().all(|problem| problem.line().is_none_or(|line| line <= lines)));
    }
}
