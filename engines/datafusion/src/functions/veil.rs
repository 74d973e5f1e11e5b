//! `veil(text, id, task)`.

use datafusion::arrow::array::{ArrayRef, new_null_array};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use inkveil::release::MemoryText;

use crate::ids::records;
use crate::texts::{column, texts};
use crate::work::Work;

/// Veils a column, or only counts what it would cost. `name` is the name that its records of noise get.
pub(super) fn call(
    work: &Work,
    input: &ArrayRef,
    ids: &ArrayRef,
    name: Option<&str>,
    tasks: Option<&ArrayRef>,
    out: &DataType,
) -> Result<ArrayRef> {
    let values = texts(input)?;
    let tasks = tasks.map(texts).transpose()?;
    let records = records(ids, name, |row| values[row].is_some())?;
    let text = |(row, text): (usize, &Option<_>)| {
        let task = tasks.as_ref().and_then(|tasks| tasks[row]);
        text.map(|text| MemoryText { text, task, record: Some(records[row]) })
    };
    let given: Vec<MemoryText<'_>> = values.iter().enumerate().filter_map(text).collect();
    let Some(released) = work.veil(&given)? else { return Ok(new_null_array(out, values.len())) };
    let mut released = released.into_iter();
    let veiled = values.iter().map(|text| text.and_then(|_| released.next())).collect();
    column::<String>(veiled, out)
}
