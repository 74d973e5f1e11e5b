//! The word veil.

use std::path::PathBuf;
use std::sync::Arc;

use inkveil::documents;
use inkveil::release::{MemoryRelease, MemoryText, Ticket};
use inkveil::{BatchColumns, BatchRelease, TextTally, Veil, record_of_id};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use pyo3_arrow::input::AnyRecordBatch;
use pyo3_arrow::{PyRecordBatchReader, PyTable};

use crate::document::Removed;
use crate::errors::{Class, raised};
use crate::map::Map;
use crate::process::PerProcess;
use crate::reader::VeilingReader;
use crate::released::{Place, Released, places};
use crate::{document, settings, watch};

/// A released document; see [`TextVeil::document`].
type Document<'py> =
    (Bound<'py, PyBytes>, &'static str, &'static str, String, (String, String), Removed, Vec<Place>, Map);

/// The name in the ledger if none is given.
const DATASET: &str = "texts";

/// A veil over words and where it is charged.
#[pyclass(module = "inkveil._inkveil", frozen)]
pub(crate) struct TextVeil(Release);

enum Release {
    /// It charges each call.
    Own(PerProcess<MemoryRelease>),
    /// A part of a job that was charged. Its noise follows from the ids of rows.
    Job(Arc<MemoryRelease>),
}

#[pymethods]
impl TextVeil {
    /// Opens the models.
    #[new]
    #[pyo3(signature = (text, detect, restorable, key, seed, ledger, dataset, subject, ticket, copied))]
    #[expect(clippy::too_many_arguments, reason = "called by the package alone")]
    fn new(
        py: Python<'_>,
        text: &Bound<'_, PyDict>,
        detect: &Bound<'_, PyDict>,
        restorable: bool,
        key: Option<&[u8]>,
        seed: Option<u64>,
        ledger: &Bound<'_, PyAny>,
        dataset: Option<&str>,
        subject: Option<&str>,
        ticket: Option<&[u8]>,
        copied: bool,
    ) -> PyResult<Self> {
        let config = settings::text_config(text, detect)?;
        let mut builder = Veil::text().settings(config.settings);
        if restorable {
            builder = builder.restorable(true);
        }
        if let Some(pack) = config.pack {
            builder = builder.pack(pack);
        }
        if let Some(model) = config.model {
            builder = builder.model(model);
        }
        let key = settings::key(py, key, seed)?;
        let account = settings::account(ledger, dataset, subject)?;
        let ticket = ticket.map(Ticket::from_bytes).transpose().map_err(|error| raised(py, error))?;
        let release = watch::run(py, None, move |_| {
            let veil = Arc::new(builder.build()?);
            Ok(match &ticket {
                Some(ticket) => Release::Job(Arc::new(MemoryRelease::of_job(veil, ticket)?)),
                None => Release::Own(PerProcess::open(key, account, copied, |key, account| {
                    MemoryRelease::open(veil, key, account, DATASET)
                })?),
            })
        })?;
        Ok(Self(release))
    }

    /// Whether a ledger is charged.
    #[getter]
    fn is_charged(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.release_of_this_process(py)?.is_charged())
    }

    /// Releases texts.
    #[pyo3(signature = (texts, ids, tasks, progress))]
    fn release(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyList>,
        ids: Option<Vec<RowId>>,
        tasks: Option<&Bound<'_, PyList>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Released> {
        let texts = settings::texts(texts)?;
        let tasks = tasks.map(settings::texts).transpose()?;
        let unequal = ids.as_ref().is_some_and(|ids| ids.len() != texts.len())
            || tasks.as_ref().is_some_and(|tasks| tasks.len() != texts.len());
        if unequal {
            return Err(Class::Data.error(py, "there must be one id and one task for each text"));
        }
        let release = self.release_for(py, ids.is_some())?;
        let released = watch::run(py, progress, |watch| {
            let rows: Vec<MemoryText<'_>> = texts
                .iter()
                .enumerate()
                .map(|(index, text)| MemoryText {
                    text,
                    task: tasks.as_ref().map(|tasks| tasks[index].as_str()),
                    record: ids.as_ref().map(|ids| ids[index].record()),
                })
                .collect();
            release.release(&rows, watch, &watch.cancel)
        })?;
        Ok(Released::new(texts, released))
    }

    /// Releases a document: its bytes, media type, extension and text, its receipt as JSON and in words, what was
    /// removed, what is sensitive or was changed, and its replacements.
    #[pyo3(signature = (name, content, task))]
    fn document<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        content: &[u8],
        task: Option<&str>,
    ) -> PyResult<Document<'py>> {
        let format = document::format(py, name)?;
        let release = self.release_for(py, false)?;
        let (released, original) = watch::run(py, None, |watch| {
            let released = documents::veil(&release, content, format, task, watch, &watch.cancel)?;
            Ok((released, documents::text(content, format)?.text))
        })?;
        let places = places(&original, &released.text, &released.changes);
        Ok((
            document::bytes(py, &released.bytes),
            released.media_type,
            released.extension,
            released.text,
            (released.receipt.to_line(), released.receipt.render()),
            released.removed.into_iter().collect(),
            places,
            Map::new(released.pairs),
        ))
    }

    /// Veils tables of Arrow, and returns them with what their receipt is made from.
    #[pyo3(signature = (data, columns, id, task, receipts, progress))]
    #[expect(clippy::too_many_arguments, reason = "called by the package alone")]
    fn arrow(
        &self,
        py: Python<'_>,
        data: AnyRecordBatch,
        columns: Vec<String>,
        id: Option<String>,
        task: Option<String>,
        receipts: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(PyTable, String)> {
        let batches = self.batches(py, columns, id, task, receipts)?;
        let reader = data.into_reader()?;
        let schema = batches.schema(&reader.schema()).map_err(|error| raised(py, error))?;
        let (veiled, tally) = watch::run(py, progress, move |watch| {
            let (mut all, mut sum) = (Vec::new(), TextTally::default());
            for batch in reader {
                let (veiled, tally) = batches.veil(&crate::reader::read(batch)?, watch, &watch.cancel)?;
                sum.join(&tally);
                all.push(veiled);
            }
            Ok((all, sum))
        })?;
        Ok((PyTable::try_new(veiled, schema)?, line(&tally)))
    }

    /// Veils a stream of Arrow, batch by batch as it is read.
    #[pyo3(signature = (data, columns, id, task, receipts))]
    fn arrow_stream(
        &self,
        py: Python<'_>,
        data: AnyRecordBatch,
        columns: Vec<String>,
        id: Option<String>,
        task: Option<String>,
        receipts: bool,
    ) -> PyResult<PyRecordBatchReader> {
        let batches = self.batches(py, columns, id, task, receipts)?;
        let reader = VeilingReader::new(batches, data.into_reader()?).map_err(|error| raised(py, error))?;
        Ok(PyRecordBatchReader::new(Box::new(reader)))
    }

    /// Returns what tables would cost.
    #[pyo3(signature = (data, columns, id, task, progress))]
    fn plan(
        &self,
        py: Python<'_>,
        data: AnyRecordBatch,
        columns: Vec<String>,
        id: Option<String>,
        task: Option<String>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let batches = self.batches(py, columns, id, task, false)?;
        let reader = data.into_reader()?;
        batches.schema(&reader.schema()).map_err(|error| raised(py, error))?;
        let tally = watch::run(py, progress, move |watch| {
            let mut sum = TextTally::default();
            for batch in reader {
                sum.join(&batches.plan(&crate::reader::read(batch)?, watch, &watch.cancel)?);
            }
            Ok(sum)
        })?;
        Ok(line(&tally))
    }

    /// Returns the receipt of texts from what they cost, as JSON.
    fn receipt(&self, py: Python<'_>, tallies: Vec<String>) -> PyResult<String> {
        let tally = joined(py, &tallies)?;
        Ok(self.release_of_this_process(py)?.receipt(&tally).map_err(|error| raised(py, error))?.to_line())
    }

    /// Charges a whole job, and returns the ticket of its workers.
    fn charge_job<'py>(&self, py: Python<'py>, tallies: Vec<String>) -> PyResult<Bound<'py, PyBytes>> {
        let tally = joined(py, &tallies)?;
        let release = self.release_of_this_process(py)?;
        let ticket = watch::run(py, None, |watch| release.charge_job(&tally, watch))?;
        Ok(PyBytes::new(py, ticket.to_bytes().expose()))
    }
}

impl TextVeil {
    fn release_of_this_process(&self, py: Python<'_>) -> PyResult<Arc<MemoryRelease>> {
        match &self.0 {
            Release::Job(release) => Ok(release.clone()),
            Release::Own(release) => release.get(py, |parent, key, account| {
                MemoryRelease::open(parent.veil().clone(), key, account, DATASET)
            }),
        }
    }

    /// The release for texts with ids, or without them.
    fn release_for(&self, py: Python<'_>, has_ids: bool) -> PyResult<Arc<MemoryRelease>> {
        if let Release::Own(release) = &self.0 {
            release.check_ids(py, has_ids)?;
        }
        self.release_of_this_process(py)
    }

    fn batches(
        &self,
        py: Python<'_>,
        texts: Vec<String>,
        id: Option<String>,
        task: Option<String>,
        receipts: bool,
    ) -> PyResult<BatchRelease> {
        let release = self.release_for(py, id.is_some())?;
        Ok(BatchRelease::new(release, BatchColumns { texts, id, task, receipts }))
    }
}

/// The id of a row.
#[derive(FromPyObject)]
pub(crate) enum RowId {
    Number(i64),
    Large(u64),
    Name(String),
}

impl RowId {
    pub(crate) fn record(&self) -> u64 {
        match self {
            Self::Number(number) => number.cast_unsigned(),
            Self::Large(number) => *number,
            Self::Name(name) => record_of_id(name, None),
        }
    }
}

fn line(tally: &TextTally) -> String {
    // Numbers and names of kinds can always be written.
    serde_json::to_string(tally).unwrap_or_default()
}

fn joined(py: Python<'_>, tallies: &[String]) -> PyResult<TextTally> {
    let mut sum = TextTally::default();
    for tally in tallies {
        let wrong = |_| Class::Data.error(py, "the cost of a part of the job cannot be read");
        sum.join(&serde_json::from_str(tally).map_err(wrong)?);
    }
    Ok(sum)
}

/// Names the folder with the packs of the package.
#[pyfunction]
pub(crate) fn set_models_folder(folder: PathBuf) {
    inkveil::pack::set_library_folder(folder);
}

/// Returns a fresh noise key.
#[pyfunction]
pub(crate) fn new_key(py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
    let key = inkveil::NoiseKey::fresh().map_err(|error| raised(py, error))?;
    Ok(PyBytes::new(py, key.keep().expose()))
}
