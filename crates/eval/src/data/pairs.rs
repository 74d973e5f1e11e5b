//! Pairs of sentences with scores.

use std::path::Path;

use super::files::{FileHashes, note_hash};
use super::spec::SetSpec;
use crate::Error;
use crate::sts::{self, SentencePair};

/// A test set of sentence pairs. It has no `Debug`, which would print texts.
#[derive(Clone, PartialEq)]
pub struct ScoredPairs {
    /// Its name.
    pub name: String,
    /// The pairs.
    pub pairs: Vec<SentencePair>,
    /// The checksums of the files.
    pub files: FileHashes,
}

impl ScoredPairs {
    pub(super) fn read(name: &str, spec: &SetSpec, folder: &Path) -> Result<Self, Error> {
        let pairs = match spec.pairs.as_deref() {
            Some("sts12") => sts::read_sts12(folder)?,
            Some("stsb") => sts::read_stsb(folder)?,
            Some(_) => return Err(Error::format("pairs must have the layout sts12 or stsb").in_file(folder)),
            None => return Err(Error::argument(format!("the test set {name:?} has no pairs of sentences"))),
        };
        let mut files = FileHashes::new();
        for file in sts::files(folder)? {
            let shown = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
            note_hash(&file, &shown, &mut files)?;
        }
        if let Some(rows) = spec.rows.filter(|rows| *rows != pairs.len() as u64) {
            return Err(Error::format(format!(
                "{} pairs, but there should be {rows}; check that it is the right version and that all archives are unpacked",
                pairs.len()
            ))
            .in_file(folder));
        }
        Ok(Self { name: name.to_owned(), pairs, files })
    }
}
