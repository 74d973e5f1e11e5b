//! The checkpoints of a training run: its curve and the state of its optimiser.

use std::path::{Path, PathBuf};

use inkveil_nn::train::AdamW;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind};

/// The checkpoint of a run. It lies beside the result until the run is complete.
pub(super) struct Checkpoint {
    file: PathBuf,
    /// The checksum of everything that determines the run.
    run: String,
}

#[derive(Serialize, Deserialize)]
struct State<P> {
    run: String,
    curve: Vec<P>,
}

impl Checkpoint {
    pub(super) fn new(out: &Path, run: String) -> Self {
        Self { file: checkpoint_of(out), run }
    }

    /// Restores the optimiser and returns the curve so far; none if there is no checkpoint.
    ///
    /// # Errors
    /// If the checkpoint belongs to another run.
    pub(super) fn restore<P: DeserializeOwned>(
        &self,
        optimiser: &mut AdamW,
    ) -> Result<Option<Vec<P>>, Error> {
        if !self.file.is_file() {
            return Ok(None);
        }
        let state: State<P> = optimiser.restore(&self.file)?;
        match state.run == self.run {
            true => Ok(Some(state.curve)),
            false => Err(Error::file(
                &self.file,
                "it is a checkpoint of other texts or settings; remove it, or train with the same texts and settings",
            )),
        }
    }

    /// Reports the last point of the curve. Writes the checkpoint if it is `due` or the run is stopped.
    ///
    /// # Errors
    /// If the file cannot be written, or `report` returned false.
    pub(super) fn report<P: Clone + Serialize>(
        &self,
        optimiser: &AdamW,
        curve: &[P],
        due: bool,
        report: &mut dyn FnMut(&P) -> bool,
    ) -> Result<(), Error> {
        let continues = curve.last().is_none_or(report);
        if due || !continues {
            self.save(optimiser, curve)?;
        }
        match continues {
            true => Ok(()),
            false => Err(ErrorKind::Stopped.into()),
        }
    }

    pub(super) fn save<P: Clone + Serialize>(&self, optimiser: &AdamW, curve: &[P]) -> Result<(), Error> {
        Ok(optimiser.save(&self.file, &State { run: self.run.clone(), curve: curve.to_vec() })?)
    }
}

/// Returns the checkpoint file of a training run that writes `out`.
pub fn checkpoint_of(out: &Path) -> PathBuf {
    out.with_extension("checkpoint")
}
