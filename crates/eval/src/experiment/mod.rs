//! Experiments: a file describes what is measured, and every run gives the same cells.
//!
//! An experiment ([`Experiment`], a TOML file) has cells, and a cell is measured once for each
//! seed. Measurements are kept in a [`MeasurementStore`] under a checksum of everything that
//! determines them. So an interrupted run resumes, and a changed experiment measures only what
//! changed.

mod answering;
mod checksum;
mod context;
mod lexicons;
mod limits;
mod recorder;
mod spec;
mod store;
mod style;
mod text;
mod vectors;

pub use answering::AnsweringModel;
pub use context::RunContext;
pub use lexicons::OpenLexicons;
pub use recorder::RunProgress;
pub use spec::{Experiment, QuickLimits};
pub use store::MeasurementStore;
pub use style::{Choice, RewriteGrid, StyleStudy};
pub use text::{Allocation, TaskModel, TextGrid, TextStudy};
pub use vectors::{
    AttackerName, AttackerStrength, EpsilonScale, InversionStudy, MaskTarget, QueryName, SplitName,
    StoreName, Told, VectorGrid, VectorStudy, WordGroups,
};

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use crate::Error;
use crate::data::Catalogue;
use crate::results::Results;
use recorder::CellRecorder;

/// Runs an experiment. `progress` is called before every measurement and during long ones. After
/// `cancel` becomes true the run stops soon; finished measurements are stored.
///
/// # Errors
/// If data or a model is missing, a model fails, or the run was cancelled.
pub fn run(
    experiment: &Experiment,
    context: &RunContext<'_>,
    progress: &mut (dyn FnMut(&RunProgress) + Send),
    cancel: &AtomicBool,
) -> Result<Results, Error> {
    experiment.check()?;
    let store = MeasurementStore::open(context.store)?;
    let mut results = Results {
        name: experiment.name.clone(),
        title: experiment.title.clone(),
        command: context.command.to_owned(),
        commit: context.commit.to_owned(),
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
    let mut recorder = CellRecorder::new(&experiment.seeds, &store, &mut results, progress, cancel);
    if let Some(study) = &experiment.text {
        text::run(study, &sets, context, &mut recorder)?;
    }
    if let Some(study) = &experiment.vectors {
        vectors::run(study, &sets, context, &mut recorder)?;
    }
    if let Some(study) = &experiment.style {
        style::run(study, &sets, context, &mut recorder)?;
    }
    recorder.finish();
    Ok(results)
}
