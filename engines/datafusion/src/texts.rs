//! Columns of texts, whatever their type.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, LargeStringArray, StringArray, StringViewArray, new_null_array,
};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::cast::{as_large_string_array, as_string_array, as_string_view_array};
use datafusion::common::{Result, exec_err};
use inkveil::rows::RecordOptions;

use crate::error::{Error, refused};

/// The type of texts that a function returns for a column of this type, if it is a column of texts.
pub(crate) fn text_type(of: &DataType) -> Option<DataType> {
    match of {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(of.clone()),
        DataType::Dictionary(_, values) => text_type(values),
        DataType::Null => Some(DataType::Utf8),
        _ => None,
    }
}

/// The texts of a column. They are not copied.
pub(crate) fn texts(column: &ArrayRef) -> Result<Vec<Option<&str>>> {
    Ok(match column.data_type() {
        DataType::Utf8 => as_string_array(column)?.iter().collect(),
        DataType::LargeUtf8 => as_large_string_array(column)?.iter().collect(),
        DataType::Utf8View => as_string_view_array(column)?.iter().collect(),
        DataType::Null => vec![None; column.len()],
        _ => return exec_err!("a column does not hold texts"),
    })
}

/// Refuses a column with a text that is longer than the longest that the facade veils from a table in a file. Work on a
/// text needs many times its length in memory. `name` is the name of the column, for messages.
pub(crate) fn refuse_long(column: &ArrayRef, name: &str) -> Result<(), Error> {
    let longest = RecordOptions::default().longest_text;
    let is_long = texts(column).is_ok_and(|texts| texts.iter().flatten().any(|text| text.len() > longest));
    match is_long {
        true => Err(refused(format!(
            "{name} has a text that is longer than {longest} bytes; split it, or leave out its row: WHERE \
             octet_length(text) <= {longest}"
        ))),
        false => Ok(()),
    }
}

/// A column of texts of this type.
pub(crate) fn column<S: AsRef<str>>(values: Vec<Option<S>>, of: &DataType) -> Result<ArrayRef> {
    let bytes: usize = values.iter().flatten().map(|text| text.as_ref().len()).sum();
    Ok(match of {
        // A longer column would overflow its 32-bit offsets.
        DataType::Utf8 if i32::try_from(bytes).is_ok() => {
            Arc::new(values.into_iter().collect::<StringArray>())
        }
        DataType::LargeUtf8 => Arc::new(values.into_iter().collect::<LargeStringArray>()),
        DataType::Utf8View => Arc::new(values.into_iter().collect::<StringViewArray>()),
        DataType::Null => new_null_array(of, values.len()),
        _ => {
            return exec_err!(
                "a column of texts of one batch is larger than 2 GB; set a smaller datafusion.execution.batch_size"
            );
        }
    })
}
