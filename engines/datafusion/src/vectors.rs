//! Columns of vectors: lists of numbers.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray as _, FixedSizeListArray, Float32Array, GenericListArray, OffsetSizeTrait,
};
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float32Type};
use datafusion::common::{Result, exec_err};

use crate::error::{Error, refused};

/// The type of the vectors of texts.
pub(crate) fn embedding_type() -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Float32, true)))
}

/// The type of vectors that a function reads and returns for a column of this type, if it is a column of vectors. Numbers
/// become 32-bit numbers.
pub(crate) fn vector_type(of: &DataType) -> Option<DataType> {
    let narrow = |item: &FieldRef| {
        let is_number = item.data_type().is_numeric();
        is_number.then(|| Arc::new(item.as_ref().clone().with_data_type(DataType::Float32)))
    };
    Some(match of {
        DataType::List(item) => DataType::List(narrow(item)?),
        DataType::LargeList(item) => DataType::LargeList(narrow(item)?),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(narrow(item)?, *length),
        DataType::Null => embedding_type(),
        _ => return None,
    })
}

/// The vectors of a column, one after the other.
pub(crate) struct Vectors {
    /// The numbers of all vectors that are not null.
    pub(crate) values: Vec<f32>,
    /// The length of each vector. 0 if there is none.
    pub(crate) dim: usize,
    /// The rows that have a vector.
    pub(crate) rows: Vec<usize>,
}

impl Vectors {
    /// Reads a column. `name` is its name, for messages.
    ///
    /// # Errors
    /// If the vectors differ in length, one is empty, or a number is null or not finite.
    pub(crate) fn read(column: &ArrayRef, name: &str) -> Result<Self, Error> {
        let mut vectors = Self { values: Vec::new(), dim: 0, rows: Vec::new() };
        for row in 0..column.len() {
            let Some(vector) = vector(column, row) else { continue };
            let numbers = vector
                .as_primitive_opt::<Float32Type>()
                .ok_or_else(|| refused(format!("{name} does not hold vectors of numbers")))?;
            if vectors.rows.is_empty() {
                vectors.dim = numbers.len();
            }
            if numbers.is_empty() || numbers.len() != vectors.dim {
                return Err(refused(format!(
                    "{name} has vectors of several lengths, or an empty one; vectors of a column have one length"
                )));
            }
            if numbers.null_count() > 0 || numbers.values().iter().any(|number| !number.is_finite()) {
                return Err(refused(format!(
                    "{name} has a vector with a number that is null or not finite; correct it or leave out its row"
                )));
            }
            vectors.values.extend_from_slice(numbers.values());
            vectors.rows.push(row);
        }
        Ok(vectors)
    }
}

/// The vector of a row.
fn vector(column: &ArrayRef, row: usize) -> Option<ArrayRef> {
    if column.is_null(row) {
        return None;
    }
    match column.data_type() {
        DataType::List(_) => Some(column.as_list::<i32>().value(row)),
        DataType::LargeList(_) => Some(column.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => Some(column.as_fixed_size_list().value(row)),
        _ => None,
    }
}

/// A column of vectors of this type. `is_vector` tells which rows have one.
pub(crate) fn column(of: &DataType, values: Vec<f32>, dim: usize, is_vector: &[bool]) -> Result<ArrayRef> {
    let nulls = is_vector.contains(&false).then(|| NullBuffer::from(is_vector));
    match of {
        DataType::List(item) => list::<i32>(item, values, dim, is_vector, nulls),
        DataType::LargeList(item) => list::<i64>(item, values, dim, is_vector, nulls),
        DataType::FixedSizeList(item, length) => {
            let width = usize::try_from(*length).unwrap_or_default();
            let mut vectors = values.chunks_exact(width.max(1));
            let mut padded = Vec::with_capacity(width * is_vector.len());
            for is_vector in is_vector {
                // A null has numbers, too, that are never read.
                match is_vector.then(|| vectors.next()).flatten() {
                    Some(vector) => padded.extend_from_slice(vector),
                    None => padded.resize(padded.len() + width, 0.0),
                }
            }
            let padded = Arc::new(Float32Array::from(padded));
            Ok(Arc::new(FixedSizeListArray::try_new(item.clone(), *length, padded, nulls)?))
        }
        _ => exec_err!("a column does not hold vectors"),
    }
}

fn list<O: OffsetSizeTrait>(
    item: &FieldRef,
    values: Vec<f32>,
    dim: usize,
    is_vector: &[bool],
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    // Longer columns would overflow their offsets.
    if O::from_usize(values.len()).is_none() {
        return exec_err!(
            "a column of vectors of one batch is too long; set a smaller datafusion.execution.batch_size"
        );
    }
    let lengths = is_vector.iter().map(|is_vector| if *is_vector { dim } else { 0 });
    let offsets = OffsetBuffer::<O>::from_lengths(lengths);
    let values = Arc::new(Float32Array::from(values));
    Ok(Arc::new(GenericListArray::<O>::try_new(item.clone(), offsets, values, nulls)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_vectors_is_read_and_written_with_its_nulls() {
        let item = Arc::new(Field::new("element", DataType::Float32, false));
        let is_vector = [true, false, true];
        for kind in [
            DataType::List(item.clone()),
            DataType::LargeList(item.clone()),
            DataType::FixedSizeList(item.clone(), 2),
        ] {
            let written = column(&kind, vec![1.0, 2.0, 3.0, 4.0], 2, &is_vector).unwrap();
            assert_eq!((written.data_type(), written.null_count()), (&kind, 1));
            let read = Vectors::read(&written, "v").unwrap();
            assert_eq!((read.values, read.dim, read.rows), (vec![1.0, 2.0, 3.0, 4.0], 2, vec![0, 2]));
            // A part of a column is read from its own start.
            let read = Vectors::read(&written.slice(2, 1), "v").unwrap();
            assert_eq!((read.values, read.rows), (vec![3.0, 4.0], vec![0]));
            assert_eq!(vector_type(&kind), Some(kind));
        }
    }

    #[test]
    fn vectors_that_cannot_be_veiled_are_refused() {
        let of = |rows: Vec<Option<Vec<Option<f32>>>>| -> ArrayRef {
            Arc::new(datafusion::arrow::array::ListArray::from_iter_primitive::<Float32Type, _, _>(rows))
        };
        for wrong in [
            of(vec![Some(vec![Some(1.0)]), Some(vec![Some(1.0), Some(2.0)])]),
            of(vec![Some(vec![])]),
            of(vec![Some(vec![None])]),
            of(vec![Some(vec![Some(f32::NAN)])]),
            of(vec![Some(vec![Some(f32::INFINITY)])]),
        ] {
            assert!(Vectors::read(&wrong, "v").is_err());
        }
        assert!(vector_type(&DataType::Utf8).is_none());
        let texts = DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)));
        assert!(vector_type(&texts).is_none());
    }
}
