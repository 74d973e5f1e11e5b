//! Queries whose functions run on other machines. A query is checked, counted and charged here, as every query. Then a
//! [`Placement`] gives parts of its physical plan to workers, which need a note for each function.

mod note;
mod worker;

use std::sync::Arc;

use datafusion::common::DataFusionError;
use datafusion::logical_expr::ScalarUDF;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::ExecutionPlan;
use inkveil::TextTally;
use serde::{Deserialize, Serialize};

use crate::error::{Error, refused};
use crate::functions::{Function, Kind, function_of};
use crate::work::Work;

pub(crate) use note::Job;
pub use worker::Worker;

/// Decides which parts of a query run on other machines.
pub trait Placement: Send + Sync {
    /// Checks the plan of a query before it is counted and charged. Its functions have no key yet.
    ///
    /// # Errors
    /// If parts of it cannot run elsewhere.
    fn check(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<(), Error>;

    /// Changes the plan of a query that was charged. `tallies` takes what the workers have released.
    ///
    /// # Errors
    /// If parts of it cannot run elsewhere.
    fn place(&self, plan: Arc<dyn ExecutionPlan>, tallies: Tallies) -> Result<Arc<dyn ExecutionPlan>, Error>;
}

/// A call of one of the functions in a physical plan.
#[derive(Debug, Clone, Copy)]
pub struct RemoteCall<'p> {
    kind: Kind,
    args: &'p [Arc<dyn PhysicalExpr>],
}

impl<'p> RemoteCall<'p> {
    /// The call that an expression is.
    pub fn of(expr: &'p Arc<dyn PhysicalExpr>) -> Option<Self> {
        let call = expr.downcast_ref::<ScalarFunctionExpr>()?;
        let kind = function_of(call.fun())?.kind();
        Some(Self { kind, args: call.args() })
    }

    /// The name of the function.
    pub fn name(self) -> &'static str {
        self.kind.name()
    }

    /// Whether what it returns leaves this machine and is charged.
    pub fn releases(self) -> bool {
        self.kind.releases()
    }

    /// Whether workers can compute it.
    pub fn is_for_workers(self) -> bool {
        worker::is_known(self.kind)
    }

    /// The id of the row, if the function takes one.
    pub fn id(self) -> Option<&'p Arc<dyn PhysicalExpr>> {
        self.kind.is_noisy().then(|| self.args.get(1)).flatten()
    }
}

/// What workers have released, on its way into the receipt.
#[derive(Clone)]
pub struct Tallies {
    work: Arc<Work>,
    charged: Option<TextTally>,
}

impl Tallies {
    pub(crate) fn new(work: Arc<Work>, charged: Option<TextTally>) -> Self {
        Self { work, charged }
    }

    /// Adds what all tasks of a part have released. One text for each task.
    ///
    /// # Errors
    /// If one cannot be read, or they exceed what was charged. The rows may not be used then.
    pub fn add(&self, tasks: &[Vec<u8>]) -> Result<(), Error> {
        for task in tasks {
            let tally: TaskTally = serde_json::from_slice(task)
                .map_err(|_| refused("a task did not say what it has released; its rows are not used"))?;
            self.work.add_remote(&tally)?;
        }
        match &self.charged {
            Some(charged) if !charged.covers(&self.work.tally()) => {
                Err(Error::Inkveil(inkveil::ErrorKind::MoreThanCharged.into()))
            }
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Tallies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tallies")
    }
}

/// What a task has released. It holds counts only.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskTally {
    pub(crate) texts: TextTally,
    /// The length of the vectors and their number.
    pub(crate) vectors: Option<(usize, u64)>,
    pub(crate) masked: u64,
}

/// The bytes that a worker needs to compute a function of a query that was charged. **Private**: they hold the key of the
/// noise. None for functions of the engine.
///
/// # Errors
/// If the function has no key, or workers cannot compute it.
pub fn note_of(function: &ScalarUDF) -> Option<Result<inkveil::privacy::Secret<Vec<u8>>, Error>> {
    function_of(function).map(note::encoded)
}

/// What the functions of a plan have released in this process, for [`Tallies::add`].
///
/// # Errors
/// If it cannot be written.
pub fn tally_of(plan: &Arc<dyn ExecutionPlan>) -> Result<Vec<u8>, Error> {
    let mut sum = TaskTally::default();
    for work in works_of(plan)? {
        work.report(&mut sum)?;
    }
    serde_json::to_vec(&sum).map_err(|_| refused("what a task has released cannot be written"))
}

/// Stops the functions of a plan.
pub fn cancel(plan: &Arc<dyn ExecutionPlan>) {
    for work in works_of(plan).unwrap_or_default() {
        work.cancel();
    }
}

/// What failed, without a message of the engine, which may quote a row.
pub fn told(error: &DataFusionError) -> Error {
    Error::of_run(error)
}

/// The work of each call in a plan, once.
fn works_of(plan: &Arc<dyn ExecutionPlan>) -> Result<Vec<Arc<Work>>, Error> {
    use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
    let mut found: Vec<Arc<Work>> = Vec::new();
    let add = |function: &Function, found: &mut Vec<Arc<Work>>| {
        if let Some(work) = function.work()
            && !found.iter().any(|known| Arc::ptr_eq(known, work))
        {
            found.push(work.clone());
        }
    };
    plan.apply(|node| {
        node.apply_expressions(&mut |expr| {
            expr.apply(|part| {
                if let Some(call) = part.downcast_ref::<ScalarFunctionExpr>()
                    && let Some(function) = function_of(call.fun())
                {
                    add(function, &mut found);
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })
    .map_err(|error| Error::of_run(&error))?;
    Ok(found)
}
