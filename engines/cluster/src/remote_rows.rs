//! The rows of a part that runs on the cluster, as a node of the plan here.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{StreamExt as _, TryStreamExt as _};
use inkveil_datafusion::remote::Tallies;
use tokio::sync::OnceCell;

use crate::client::Cluster;
use crate::job::{self, Finished, executor_lost};
use crate::told::Error;

/// The node. Its first partition that is asked for starts the job.
pub(crate) struct RemoteRows {
    cluster: Arc<Cluster>,
    part: Arc<dyn ExecutionPlan>,
    tallies: Tallies,
    finished: Arc<OnceCell<Result<Finished, String>>>,
}

impl RemoteRows {
    pub(crate) fn new(cluster: Arc<Cluster>, part: Arc<dyn ExecutionPlan>, tallies: Tallies) -> Self {
        Self { cluster, part, tallies, finished: Arc::default() }
    }
}

/// An error on its way through the engine.
fn carried(error: Error) -> DataFusionError {
    match error {
        Error::Query(error) => error.into(),
        error => inkveil_datafusion::Error::Refused(error.to_string()).into(),
    }
}

fn refused(message: &str) -> DataFusionError {
    inkveil_datafusion::Error::Refused(message.to_owned()).into()
}

impl ExecutionPlan for RemoteRows {
    fn name(&self) -> &'static str {
        "RemoteRows"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.part.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (cluster, part, tallies) = (self.cluster.clone(), self.part.clone(), self.tallies.clone());
        let (finished, schema) = (self.finished.clone(), self.schema());
        let batch_size = context.session_config().batch_size();
        let expected = schema.clone();
        let rows = async move {
            let run = || async {
                job::run(&cluster, &part, batch_size, &tallies).await.map_err(|error| error.to_string())
            };
            let finished = finished.get_or_init(run).await.as_ref().map_err(|message| refused(message))?;
            let (rows, count) = finished.rows(partition).await.map_err(carried)?;
            let state = (rows, count, expected);
            Ok::<_, DataFusionError>(futures::stream::try_unfold(
                state,
                |(mut rows, left, expected)| async move {
                    match rows.next().await {
                        Some(Ok(batch)) => {
                            // Fewer rows than the task has written would be lost, and more would be doubled.
                            let left = left
                                .checked_sub(batch.num_rows() as u64)
                                .ok_or_else(|| carried(executor_lost()))?;
                            Ok(Some((with_schema(&batch, &expected)?, (rows, left, expected))))
                        }
                        None if left == 0 => Ok(None),
                        None | Some(Err(_)) => Err(carried(executor_lost())),
                    }
                },
            ))
        };
        let rows = futures::stream::once(rows).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows.boxed())))
    }
}

/// Rows with the columns of the part. Dictionaries and the metadata of columns do not travel.
fn with_schema(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let wrong = |_| refused("an executor has returned other columns than the query has");
    let columns =
        batch.columns().iter().zip(schema.fields()).map(|(column, field)| cast(column, field.data_type()));
    let columns = columns.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    RecordBatch::try_new(schema.clone(), columns).map_err(wrong)
}

impl DisplayAs for RemoteRows {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RemoteRows")
    }
}

impl std::fmt::Debug for RemoteRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RemoteRows")
    }
}
