//! What a mask is fitted for, and where it goes.

use std::path::{Path, PathBuf};

use inkveil_files::Output;
use inkveil_vector::{Concept, Mask};

use super::{FitEvent, FitEvents};
use crate::error::Error;

/// A concept or label, and the file of its mask. The file is opened before learning, so that no result is lost to a file
/// that cannot be written.
pub struct FitTarget {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) sha256: String,
    /// None if a column has the labels.
    pub(super) concept: Option<Concept>,
    pub(super) path: PathBuf,
    pub(super) output: Output,
}

impl FitTarget {
    /// The mask of a concept in a file. `replace` allows a file that exists.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn concept(concept: Concept, path: &Path, replace: bool) -> Result<Self, Error> {
        let output = Output::file(path, replace)?;
        let (name, summary, sha256) = (concept.name.clone(), concept.summary(), concept.sha256());
        Ok(Self { name, summary, sha256, concept: Some(concept), path: path.to_owned(), output })
    }

    /// The mask of a label that a column of the texts has.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn label(name: String, path: &Path, replace: bool) -> Result<Self, Error> {
        let output = Output::file(path, replace)?;
        let summary = "a label".to_owned();
        Ok(Self { name, summary, sha256: String::new(), concept: None, path: path.to_owned(), output })
    }

    /// The masks of concepts: one in a file, or several in a folder, which is made if needed.
    ///
    /// # Errors
    /// If a file cannot be written, or a name cannot be that of a file.
    pub fn concepts(concepts: Vec<Concept>, output: &Path, replace: bool) -> Result<Vec<Self>, Error> {
        let into_folder = concepts.len() > 1 || output.is_dir();
        let target = |concept: Concept| -> Result<Self, Error> {
            if !into_folder {
                return Self::concept(concept, output, replace);
            }
            let name = concept.mask_file()?;
            std::fs::create_dir_all(output).map_err(|error| Error::write(output, error))?;
            Self::concept(concept, &output.join(name), replace)
        };
        concepts.into_iter().map(target).collect()
    }

    /// Writes the mask to its file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(self, mask: &Mask, events: &mut FitEvents<'_>) -> Result<(), Error> {
        self.output.put(&mask.to_bytes()?)?;
        events(FitEvent::Written { mask, path: &self.path });
        Ok(())
    }
}
