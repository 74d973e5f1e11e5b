//! Experiments: a file says what is measured, and whoever runs it gets the same cells.
//!
//! An experiment ([`Experiment`], a TOML file) has cells; a cell is measured once for each seed. What was measured is kept in a [`Store`] under a
//! checksum of everything that decides it, so a run that was stopped goes on where it was, and a changed experiment measures only what
//! changed.

mod cells;
mod identity;
mod lexicons;
mod reader;
mod spec;
mod store;
mod style;
mod text;
mod vectors;

pub use cells::Report;
pub use lexicons::Lexicons;
pub use reader::Reader;
pub use spec::{Allocation, Experiment, Grid, TaskModel, TextStudy};
pub use store::Store;
pub use style::{RewriteGrid, StyleStudy};
pub use vectors::{Aim, Groups, Inversion, Reading, Scale, VectorGrid, VectorStudy};

use std::collections::BTreeMap;
use std::path::Path;

use inkveil_nn::Device;
use serde::Serialize;

use crate::Error;
use crate::attack::Base;
use crate::data::Catalogue;
use crate::report::Results;
use cells::Cells;
use identity::identity;

/// Where things are, and what may be left out.
#[derive(Debug, Clone, Copy)]
pub struct Bench<'a> {
    /// The directory of test sets.
    pub data: &'a Path,
    /// The folder of the pack whose words are noised.
    pub pack: &'a Path,
    /// The folder of the pack that knows names.
    pub names: &'a Path,
    /// The lexicons of the first pack that were opened so far.
    pub lexicons: &'a Lexicons,
    /// Answers the questions of sets that have some.
    pub reader: Option<&'a Reader>,
    /// The language model that rewrites texts, or that those begin from who write sentences from vectors.
    pub base: Option<&'a Base>,
    /// Where models are tuned.
    pub device: &'a Device,
    /// Where cells are kept, and models that were tuned.
    pub store: &'a Path,
    /// The command that runs it, and the commit it was built from, for the results.
    pub command: &'a str,
    /// The commit.
    pub commit: &'a str,
}

impl Bench<'_> {
    /// Which packs these are and, if it takes part in what is measured, which language model.
    fn identity(&self, with_base: bool) -> Result<impl Serialize + use<>, Error> {
        let base = self.base.filter(|_| with_base).map(|base| identity(&base.path)).transpose()?;
        Ok((identity(self.pack)?, identity(self.names)?, base))
    }
}

/// How far a run has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Measurements that are done.
    pub done: usize,
    /// All of them.
    pub total: usize,
    /// How many of those that are done had been measured before.
    pub kept: usize,
    /// What is measured now.
    pub now: String,
}

/// Runs an experiment; `report` is told of every measurement and stops the run by saying `false`. What was measured before that is kept.
///
/// # Errors
/// If the experiment asks for something that is not there, a model fails, or it was stopped.
pub fn run(experiment: &Experiment, bench: &Bench<'_>, report: &mut Report<'_>) -> Result<Results, Error> {
    experiment.check()?;
    let store = Store::open(bench.store)?;
    let mut results = Results {
        name: experiment.name.clone(),
        title: experiment.title.clone(),
        command: bench.command.to_owned(),
        commit: bench.commit.to_owned(),
        made: None,
        seeds: experiment.seeds.clone(),
        data: BTreeMap::new(),
        settings: experiment.to_toml()?,
        notes: experiment.notes.clone(),
        cells: Vec::new(),
        tables: experiment.tables.clone(),
        plots: experiment.plots.clone(),
        findings: Vec::new(),
    };
    let mut sets = Catalogue::known();
    sets.add(Catalogue::new(experiment.sets.clone()));
    let mut cells = Cells::new(&experiment.seeds, &store, &mut results, report);
    if let Some(study) = &experiment.text {
        text::run(study, &sets, bench, &mut cells)?;
    }
    if let Some(study) = &experiment.vectors {
        vectors::run(study, &sets, bench, &mut cells)?;
    }
    if let Some(study) = &experiment.style {
        style::run(study, &sets, bench, &mut cells)?;
    }
    cells.finish();
    Ok(results)
}
