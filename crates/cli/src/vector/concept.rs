//! Concepts from arguments or a file.

use std::path::Path;

use anyhow::{Context as _, ensure};
use inkveil::vectors::{Concept, open_concepts};

use crate::args::ConceptArgs;

/// Returns the concepts that the arguments name, at least one.
pub(super) fn all(args: &ConceptArgs) -> anyhow::Result<Vec<Concept>> {
    if let Some(file) = &args.concepts {
        return Ok(open_concepts(file, args.name.as_deref())?);
    }
    let mut words = args.words.clone();
    if let Some(file) = &args.words_file {
        words.extend(words_in(file)?);
        ensure!(!words.is_empty(), "{}: it contains no words", file.display());
    }
    let mut concept = Concept::of(args.kinds.clone(), words, args.patterns.clone(), args.tier);
    ensure!(
        !concept.is_empty(),
        "name what to protect: --kind person, --word, --words-file, --pattern or --concepts (see --help)"
    );
    if let Some(name) = &args.name {
        concept.name.clone_from(name);
    }
    Ok(vec![concept])
}

/// Returns the one concept that the arguments name.
pub(super) fn one(args: &ConceptArgs) -> anyhow::Result<Concept> {
    let mut concepts = all(args)?;
    ensure!(concepts.len() == 1, "the file has {} concepts; choose one with --name", concepts.len());
    concepts.pop().context("the file has no concept")
}

/// The words of a file, one to a line.
fn words_in(file: &Path) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(text.lines().map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect())
}
