//! A Delta table for the engine: the files of its newest version.

use std::fmt::{self, Display};
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result as DataFusionResult, ScalarValue, project_schema};
use datafusion::datasource::file_format::FileFormat as _;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectMeta, ObjectStore};

use super::log::{Add, Refusal, snapshot};
use super::schema::columns;
use crate::error::{Error, refused};

/// The newest version of a table when it was opened. A later version is not seen.
pub(crate) struct DeltaTable {
    store: ObjectStoreUrl,
    schema: TableSchema,
    files: Vec<PartitionedFile>,
}

impl DeltaTable {
    /// Opens the table at `root` of a store. `place` is its name in messages.
    ///
    /// # Errors
    /// If its log cannot be read, or the table needs what is not supported.
    pub(crate) async fn open(
        store: Arc<dyn ObjectStore>,
        url: ObjectStoreUrl,
        root: ObjectPath,
        place: impl Display,
    ) -> Result<Self, Error> {
        let told = |refusal: Refusal| refused(format!("the Delta table {place} cannot be read: {refusal}"));
        let found = snapshot(store.as_ref(), &root).await.map_err(told)?;
        let all = columns(&found.meta.schema_string).map_err(told)?;
        let mut partitions = Vec::new();
        for name in &found.meta.partition_columns {
            let field =
                all.field_with_name(name).map_err(|_| told("a column of its partitions is missing"))?;
            if field.data_type().is_nested() {
                return Err(told("a column of its partitions has a type that is not supported"));
            }
            partitions.push(Arc::new(field.clone().with_nullable(true)));
        }
        let is_in_files = |field: &&Arc<Field>| !found.meta.partition_columns.contains(field.name());
        let in_files: Vec<Arc<Field>> = all.fields().iter().filter(is_in_files).cloned().collect();
        if all.fields().is_empty() {
            return Err(told("it has no columns"));
        }
        let files = found.files.into_iter().map(|(place, add)| file(place, &add, &partitions));
        let files = files.collect::<Result<_, Refusal>>().map_err(told)?;
        let schema = TableSchema::builder(Arc::new(Schema::new(in_files)))
            .with_table_partition_cols(partitions)
            .build();
        Ok(Self { store: url, schema, files })
    }
}

fn file(place: ObjectPath, add: &Add, partitions: &[Arc<Field>]) -> Result<PartitionedFile, Refusal> {
    let values = partitions.iter().map(|field| {
        let value = add.partition_values.get(field.name()).and_then(Option::as_deref);
        partition_value(value, field.data_type())
    });
    let meta = ObjectMeta {
        location: place,
        // Files of a Delta table never change.
        last_modified: Default::default(),
        size: add.size,
        e_tag: None,
        version: None,
    };
    let values = values.collect::<Result<_, Refusal>>()?;
    Ok(PartitionedFile::new_from_meta(meta).with_partition_values(values))
}

/// The value of a column that is the same in all rows of a file. An empty text stands for null.
fn partition_value(value: Option<&str>, of_type: &DataType) -> Result<ScalarValue, Refusal> {
    const WRONG: Refusal = "a value of its partitions does not fit the type of its column";
    match value.filter(|value| !value.is_empty()) {
        Some(value) => ScalarValue::try_from_string(value.to_owned(), of_type).map_err(|_| WRONG),
        None => ScalarValue::try_from(of_type).map_err(|_| WRONG),
    }
}

#[async_trait]
impl TableProvider for DeltaTable {
    fn schema(&self) -> SchemaRef {
        self.schema.table_schema().clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        if self.files.is_empty() {
            return Ok(Arc::new(EmptyExec::new(project_schema(&self.schema(), projection)?)));
        }
        let format = ParquetFormat::default();
        let source = Arc::new(ParquetSource::new(self.schema.clone()));
        let groups = FileGroup::new(self.files.clone()).split_files(state.config().target_partitions());
        let config = FileScanConfigBuilder::new(self.store.clone(), source)
            .with_file_groups(groups)
            .with_projection_indices(projection.cloned())?
            .with_limit(limit)
            .build();
        format.create_physical_plan(state, config).await
    }
}

impl fmt::Debug for DeltaTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeltaTable({} files)", self.files.len())
    }
}
