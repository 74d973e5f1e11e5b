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
    // A dictionary and a column of nulls have nulls that are not in the array itself.
    let nulls = ids.logical_nulls();
    if nulls.is_some_and(|nulls| (0..ids.len()).any(|row| nulls.is_null(row) && is_needed(row))) {
        return Err(refused(
            "the id of a row is null, so its noise could not be repeated; give every row an id",
        ));
    }
    let wrong = || refused("an id is a whole number or a text");
    let of_number = |id: u64| match column {
        None => id,
        Some(_) => record_of_id(&id.to_string(), column),
    };
    let kind = ids.data_type();
    if kind.is_unsigned_integer() {
        let ids = cast(ids, &DataType::UInt64).map_err(|_| wrong())?;
        return Ok(ids.as_primitive::<UInt64Type>().values().iter().map(|id| of_number(*id)).collect());
    }
    if kind.is_signed_integer() {
        // A negative id wraps around to a large one.
        let ids = cast(ids, &DataType::Int64).map_err(|_| wrong())?;
        let ids = ids.as_primitive::<Int64Type>().values().iter();
        return Ok(ids.map(|id| of_number(id.cast_unsigned())).collect());
    }
    let ids = match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => ids.clone(),
        _ => cast(ids, &DataType::LargeUtf8).map_err(|_| wrong())?,
    };
    let texts = texts(&ids).map_err(|_| wrong())?;
    // Bytes that are no text become null. Their rows would share an id.
    if texts.iter().enumerate().any(|(row, id)| id.is_none() && is_needed(row)) {
        return Err(wrong());
    }
    Ok(texts.into_iter().map(|id| record_of_id(id.unwrap_or_default(), column)).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed step is a failed test
    use std::sync::Arc;

    use datafusion::arrow::array::{
        BinaryArray, DictionaryArray, Int32Array, NullArray, StringArray, StringViewArray,
    };

    use super::*;

    #[test]
    fn ids_that_rows_would_share_are_refused() {
        let bytes: ArrayRef = Arc::new(BinaryArray::from_iter_values([[0xff_u8, 1], [0xff, 2]]));
        let hidden = StringArray::from(vec![Some("one"), None]);
        let keys = Int32Array::from(vec![0, 1, 1]);
        let dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(hidden)));
        assert_eq!(dictionary.null_count(), 0);
        for ids in [bytes, dictionary, Arc::new(NullArray::new(3))] {
            assert!(records(&ids, None, |_| true).is_err(), "{}", ids.data_type());
            assert!(records(&ids, Some("body"), |row| row == 1).is_err(), "{}", ids.data_type());
        }
    }

    #[test]
    fn a_dictionary_of_texts_gives_the_records_of_its_texts() {
        let texts: ArrayRef = Arc::new(StringViewArray::from(vec!["two", "one", "two"]));
        let keys = Int32Array::from(vec![1, 0, 1]);
        let values = StringArray::from(vec!["one", "two"]);
        let dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(values)));
        assert_eq!(records(&dictionary, None, |_| true).unwrap(), records(&texts, None, |_| true).unwrap());
    }
}
