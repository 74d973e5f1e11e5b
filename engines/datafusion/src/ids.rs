//! Ids of rows as records of noise, as the facade reads them.

use datafusion::arrow::array::{Array, ArrayRef, AsArray as _};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type, UInt64Type};
use inkveil::record_of_id;

use crate::error::{Error, refused};
use crate::texts::texts;

/// The record of each row, as `BatchRelease` makes it: of its id, and of the name of the column if several columns are
/// veiled. Rows without a text need no id.
pub(crate) fn records(
    ids: &ArrayRef,
    column: Option<&str>,
    is_needed: impl Fn(usize) -> bool,
) -> Result<Vec<u64>, Error> {
    if ids.null_count() > 0 && (0..ids.len()).any(|row| ids.is_null(row) && is_needed(row)) {
        return Err(refused(
            "the id of a row is null, so its noise could not be repeated; give every row an id",
        ));
    }
    let wrong = |_| refused("an id is a whole number or a text");
    let of_number = |id: u64| match column {
        None => id,
        Some(_) => record_of_id(&id.to_string(), column),
    };
    let kind = ids.data_type();
    if kind.is_unsigned_integer() {
        let ids = cast(ids, &DataType::UInt64).map_err(wrong)?;
        return Ok(ids.as_primitive::<UInt64Type>().values().iter().map(|id| of_number(*id)).collect());
    }
    if kind.is_signed_integer() {
        // A negative id wraps around to a large one.
        let ids = cast(ids, &DataType::Int64).map_err(wrong)?;
        let ids = ids.as_primitive::<Int64Type>().values().iter();
        return Ok(ids.map(|id| of_number(id.cast_unsigned())).collect());
    }
    let ids = match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => ids.clone(),
        _ => cast(ids, &DataType::LargeUtf8).map_err(wrong)?,
    };
    let texts = texts(&ids).map_err(|_| refused("an id is a whole number or a text"))?;
    Ok(texts.into_iter().map(|id| record_of_id(id.unwrap_or_default(), column)).collect())
}
