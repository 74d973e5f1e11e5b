//! Concepts from flags or a file.

use anyhow::{Context as _, bail, ensure};
use inkveil_vector::{Concept, concepts_from_toml};

use super::texts;
use crate::args::ConceptArgs;

/// The concepts that are asked for; at least one.
pub(super) fn all(args: &ConceptArgs) -> anyhow::Result<Vec<Concept>> {
    if let Some(file) = &args.concepts {
        let text = inkveil_settings::read_file(file)?;
        let mut concepts = concepts_from_toml(&text, file)?;
        if let Some(name) = &args.name {
            concepts.retain(|concept| concept.name == *name);
            ensure!(!concepts.is_empty(), "{}: no concept is called {name:?}", file.display());
        }
        return Ok(concepts);
    }
    let mut words = args.words.clone();
    if let Some(file) = &args.words_file {
        words.extend(texts::words(file)?);
        ensure!(!words.is_empty(), "{}: there are no words in it", file.display());
    }
    if args.kinds.is_empty() && words.is_empty() && args.patterns.is_empty() {
        bail!(
            "say what to protect: --kind person, --word, --words-file, --pattern or --concepts (see --help)"
        );
    }
    let kinds: Vec<&str> = args.kinds.iter().map(|kind| kind.name()).collect();
    let usual = if kinds.is_empty() { "words".to_owned() } else { kinds.join("-") };
    let mut concept = Concept::named(args.name.clone().unwrap_or(usual));
    (concept.kinds, concept.words) = (args.kinds.clone(), words);
    (concept.patterns, concept.tier) = (args.patterns.clone(), args.tier);
    Ok(vec![concept])
}

/// The one concept that is asked for.
pub(super) fn one(args: &ConceptArgs) -> anyhow::Result<Concept> {
    let mut concepts = all(args)?;
    ensure!(concepts.len() == 1, "the file has {} concepts; say which with --name", concepts.len());
    concepts.pop().context("the file has no concept")
}
