//! The table function `attack`: what attackers find in a release. The attack is that of `inkveil attack text`. This file
//! reads the texts and lists the counts.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{JoinType, Result, ScalarValue, TableReference};
use datafusion::execution::session_state::SessionState;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType, cast, ident};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{DataFrame, SessionContext};
use inkveil::{DEFAULT_PACK, names_folder, pack_folder};
use inkveil_eval::Watch;
use inkveil_eval::attack::{OpenTextAttack, ReleasedTexts, TextAttackReport, text as attack_text};
use inkveil_eval::metrics::Estimate;

use crate::error::{Error, refused};
use crate::settings::VeilOptions;
use crate::texts::{refuse_long, texts};

/// The most texts that are attacked, if a query gives no number. As in `inkveil attack text`.
const MOST: i64 = 2000;
/// The seed, if a query gives none.
const SEED: i64 = 1;

/// The table function.
#[derive(Debug)]
pub(crate) struct Attack {
    /// Stops running work when it is set.
    pub(crate) cancel: Arc<AtomicBool>,
    /// Whether queries see what a policy leaves of tables, so that there are no originals.
    pub(crate) has_policy: bool,
}

/// What a query asks for.
#[derive(Debug)]
struct Asked {
    originals: String,
    released: String,
    text: String,
    id: String,
    most: usize,
    seed: u64,
    cancel: Arc<AtomicBool>,
}

impl TableFunctionImpl for Attack {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        if self.has_policy {
            return Err(refused("attack() reads originals, which a query under a policy does not see").into());
        }
        let usage = || {
            refused(
                "attack() is called with names in quotes: attack('originals', 'released', 'column of texts', 'column of ids'), \
                 and with the most texts that are attacked and a seed after them, if you want others than 2000 and 1",
            )
        };
        let (names, numbers) = args.exprs().split_at_checked(4).ok_or_else(usage)?;
        let name = |at: usize| match names.get(at) {
            Some(Expr::Literal(value, _)) => {
                value.try_as_str().flatten().map(str::to_owned).ok_or_else(usage)
            }
            _ => Err(usage()),
        };
        let number = |at: usize, usual: i64, least: i64| match numbers.get(at) {
            None => Ok(usual),
            Some(Expr::Literal(ScalarValue::Int64(Some(given)), _)) if *given >= least => Ok(*given),
            Some(_) => Err(usage()),
        };
        if numbers.len() > 2 {
            return Err(usage().into());
        }
        Ok(Arc::new(AttackTable(Arc::new(Asked {
            originals: name(0)?,
            released: name(1)?,
            text: name(2)?,
            id: name(3)?,
            most: number(0, MOST, 2)?.unsigned_abs() as usize,
            seed: number(1, SEED, 0)?.unsigned_abs(),
            cancel: self.cancel.clone(),
        }))))
    }
}

#[derive(Debug)]
struct AttackTable(Arc<Asked>);

#[async_trait]
impl TableProvider for AttackTable {
    fn schema(&self) -> SchemaRef {
        let field = |name: &str, of: DataType| Field::new(name, of, true);
        Arc::new(Schema::new(vec![
            Field::new("measure", DataType::Utf8, false),
            field("name", DataType::Utf8),
            field("share", DataType::Float64),
            field("low", DataType::Float64),
            field("high", DataType::Float64),
            field("count", DataType::Int64),
            field("total", DataType::Int64),
        ]))
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(session) = state.as_any().downcast_ref::<SessionState>() else {
            return Err(refused("attack() needs a session with tables").into());
        };
        let context = SessionContext::new_with_state(session.clone());
        let originals = self.read(&context, &self.0.originals, ["id", "original"]).await?;
        let released = self.read(&context, &self.0.released, ["released_id", "released"]).await?;
        let pairs = originals.join(released, JoinType::Inner, &["id"], &["released_id"], None)?;
        let have_texts = ident("original").is_not_null().and(ident("released").is_not_null());
        // The seed draws from the rows in their order.
        let pairs = pairs.filter(have_texts)?.sort(vec![ident("id").sort(true, false)])?;
        let options = session.config_options().extensions.get::<VeilOptions>().cloned().unwrap_or_default();
        let run = Run {
            schema: self.schema(),
            asked: self.0.clone(),
            pairs: pairs.create_physical_plan().await?,
            options,
        };
        let table = StreamingTable::try_new(self.schema(), vec![Arc::new(run)])?;
        table.scan(state, projection, filters, limit).await
    }
}

impl AttackTable {
    /// The ids and the texts of a table, under these names.
    async fn read(&self, context: &SessionContext, table: &str, names: [&str; 2]) -> Result<DataFrame> {
        let Ok(rows) = context.table(TableReference::bare(table)).await else {
            return Err(refused(format!("attack() finds no table named {table}")).into());
        };
        let given = [&self.0.id, &self.0.text];
        if let Some(name) = given.iter().find(|name| !rows.schema().has_column_with_unqualified_name(name)) {
            return Err(refused(format!("attack(): the table {table} has no column {name}")).into());
        }
        let columns = given.into_iter().zip(names);
        let columns = columns.map(|(given, name)| cast(ident(given), DataType::LargeUtf8).alias(name));
        rows.select(columns.collect::<Vec<_>>())
    }
}

/// An attack that runs when its rows are read.
struct Run {
    schema: SchemaRef,
    asked: Arc<Asked>,
    pairs: Arc<dyn ExecutionPlan>,
    options: VeilOptions,
}

impl PartitionStream for Run {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (schema, asked) = (self.schema.clone(), self.asked.clone());
        let (pairs, options) = (self.pairs.clone(), self.options.clone());
        let rows = async move {
            let batches = collect(pairs, context).await?;
            let attack =
                move || -> Result<RecordBatch> { listed(schema, &attacked(&batches, &asked, &options)?) };
            match tokio::task::spawn_blocking(attack).await {
                Ok(rows) => rows,
                Err(_) => Err(refused("the attack stopped").into()),
            }
        };
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), futures::stream::once(rows)))
    }
}

fn attacked(
    batches: &[RecordBatch],
    asked: &Asked,
    options: &VeilOptions,
) -> Result<TextAttackReport, Error> {
    let (mut ids, mut originals, mut released) = (Vec::new(), Vec::new(), Vec::new());
    for batch in batches {
        // The columns are those of the join: id and original, id and released.
        for (at, into) in [(0, &mut ids), (1, &mut originals), (3, &mut released)] {
            refuse_long(batch.column(at), &format!("the column {} of attack()", ["id", "text"][at.min(1)]))?;
            into.extend(
                texts(batch.column(at)).map_err(|error| Error::of_run(&error))?.into_iter().flatten(),
            );
        }
    }
    if ids.iter().collect::<HashSet<_>>().len() != ids.len() {
        return Err(refused("attack() pairs rows by their ids, and an id is there more than once"));
    }
    let pack = pack_folder(options.text_config()?.pack.as_deref().unwrap_or(DEFAULT_PACK))?;
    let open = OpenTextAttack::open(&pack, &names_folder(&pack)?)?;
    let watch = Watch { progress: &|_| {}, cancel: &asked.cancel };
    let texts = ReleasedTexts::new(&originals, &released)?;
    Ok(attack_text(&texts, &open.models(None, &[]), asked.most, asked.seed, &watch)?)
}

/// The report as rows.
fn listed(schema: SchemaRef, report: &TextAttackReport) -> Result<RecordBatch> {
    type Row<'r> = (&'static str, Option<&'r str>, Option<Estimate>, Option<f64>, Option<u32>, Option<u32>);
    let count = |count: usize| u32::try_from(count).ok();
    let values = Some(report.sensitive_values);
    let mut rows: Vec<Row<'_>> = vec![
        ("verdict", Some(report.verdict().name()), Some(report.best()), None, None, values),
        ("texts", None, None, None, count(report.attacked_texts), count(report.texts)),
        ("linked", None, None, Some(report.linked_to_original), None, count(report.linked_texts)),
        ("survived", None, Some(report.survival), None, None, values),
    ];
    let found = report.found.iter();
    rows.extend(found.map(|(name, found)| ("found", Some(name.name()), Some(*found), None, None, values)));
    rows.extend(report.found_in_part.map(|found| ("found in part", None, Some(found), None, None, None)));
    let kinds = report.kinds.iter();
    rows.extend(
        kinds.map(|(kind, found)| ("kind", Some(&**kind), None, None, Some(found.found), Some(found.values))),
    );
    let numbers = |of: &dyn Fn(&Row<'_>) -> Option<f64>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<Float64Array>())
    };
    let counts = |of: &dyn Fn(&Row<'_>) -> Option<u32>| -> ArrayRef {
        Arc::new(rows.iter().map(|row| of(row).map(i64::from)).collect::<Int64Array>())
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.0))),
        Arc::new(rows.iter().map(|row| row.1).collect::<StringArray>()),
        numbers(&|row| row.2.map(|estimate| estimate.mean).or(row.3)),
        numbers(&|row| row.2.map(|estimate| estimate.low)),
        numbers(&|row| row.2.map(|estimate| estimate.high)),
        counts(&|row| row.4),
        counts(&|row| row.5),
    ];
    Ok(RecordBatch::try_new(schema, columns)?)
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Attack({}, {})", self.asked.originals, self.asked.released)
    }
}
