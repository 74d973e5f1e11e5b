//! Any file of concepts is read or refused in words, with all its mistakes at places that it has.

use inkveil_vector::concepts_from_toml;

pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // Lists in files would read whatever the input names.
    if text.contains("file") {
        return;
    }
    match concepts_from_toml(text, "concepts.toml") {
        Ok(concepts) => assert!(concepts.iter().all(|concept| !concept.summary().is_empty())),
        Err(error) => {
            let lines = text.matches('\n').count() + 1;
            assert!(error.problems().iter().all(|problem| problem.line().is_none_or(|line| line <= lines)));
        }
    }
}
