//! The data of a study: pairs of sentences, documents with queries, or other texts.

use std::collections::BTreeSet;
use std::path::Path;

use inkveil_detect::Kind;

use super::spec::WordGroups;
use crate::Error;
use crate::data::{Catalogue, FileHashes, LabelledSet, MarkedSet, ScoredPairs, SearchSet};

/// The sensitive kinds of a set without listed or marked words.
pub(super) const NAMES: [Kind; 3] = [Kind::Person, Kind::Location, Kind::Organisation];

/// The data of a test set.
pub(super) enum VectorData {
    Pairs(ScoredPairs),
    Search(SearchSet),
    Marked(MarkedSet),
    /// The labels are not used.
    Labelled(LabelledSet),
}

impl VectorData {
    pub(super) fn read(name: &str, sets: &Catalogue, data: &Path) -> Result<Self, Error> {
        let spec = sets.get(name)?;
        Ok(if spec.search.is_some() || !spec.questions.is_empty() {
            Self::Search(sets.search(name, data)?)
        } else if spec.marked.is_some() {
            Self::Marked(sets.marked(name, data)?)
        } else if !spec.test.is_empty() {
            Self::Labelled(sets.labelled(name, data)?)
        } else {
            Self::Pairs(sets.pairs(name, data)?)
        })
    }

    pub(super) fn files(&self) -> &FileHashes {
        match self {
            Self::Pairs(set) => &set.files,
            Self::Search(set) => &set.files,
            Self::Marked(set) => &set.files,
            Self::Labelled(set) => &set.files,
        }
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Pairs(set) => set.pairs.len(),
            Self::Search(set) => set.task.documents.len(),
            Self::Marked(set) => set.texts.len(),
            Self::Labelled(set) => set.train.texts.len() + set.test.texts.len(),
        }
    }

    /// The groups of the sensitive words.
    pub(super) fn groups(&self, words: Option<&WordGroups>) -> Vec<String> {
        match (self, words) {
            (Self::Marked(set), _) => {
                let kinds: BTreeSet<&str> =
                    set.marks.iter().flatten().map(|(_, kind, _)| kind.name()).collect();
                kinds.into_iter().map(str::to_owned).collect()
            }
            (_, Some(words)) => words.keys().cloned().collect(),
            _ => NAMES.iter().map(|kind| kind.name().to_owned()).collect(),
        }
    }
}
