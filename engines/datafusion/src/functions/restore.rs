//! `restore(text)`.

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;

use crate::texts::{column, texts};
use crate::work::Work;

/// Puts originals back.
pub(super) fn call(work: &Work, input: &ArrayRef, out: &DataType) -> Result<ArrayRef> {
    let restored = texts(input)?.into_iter().map(|text| text.map(|text| work.restore(text)).transpose());
    column::<String>(restored.collect::<Result<_, _>>()?, out)
}
