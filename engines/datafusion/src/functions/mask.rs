//! `mask(text)`.

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;

use crate::texts::{column, texts};
use crate::work::Work;

/// Replaces what detection finds by placeholders.
pub(super) fn call(work: &Work, input: &ArrayRef, out: &DataType) -> Result<ArrayRef> {
    let values = texts(input)?;
    let given: Vec<&str> = values.iter().flatten().copied().collect();
    let mut masked = work.mask(&given)?.into_iter();
    column::<String>(values.iter().map(|text| text.and_then(|_| masked.next())).collect(), out)
}
