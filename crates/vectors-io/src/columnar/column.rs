//! The column of lists that holds the vectors, and the conversion of its lists to and from numbers.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, Float32Array, Float64Array, GenericListArray, OffsetSizeTrait,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, FieldRef, Schema};

use crate::error::{Error, ErrorKind};
use crate::float::{FloatType, all_to_f32, first_not_finite};
use inkveil_rows::columnar::corrupt;

/// The column of the vectors.
#[derive(Debug, Clone)]
pub(super) struct VectorColumn {
    pub(super) index: usize,
    pub(super) name: String,
    lists: Lists,
    item: FieldRef,
    float: FloatType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    /// Lists of one length, which the schema stores.
    Fixed(i32),
    List,
    LargeList,
}

impl VectorColumn {
    pub(super) fn choose(schema: &Schema, column: Option<&str>) -> Result<Self, Error> {
        let names = || schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        if let Some(name) = column {
            let mut named = schema.fields().iter().enumerate().filter(|(_, field)| field.name() == name);
            let (index, field) = match (named.next(), named.next()) {
                (Some(found), None) => found,
                (Some(_), Some(_)) => {
                    return Err(Error::from(ErrorKind::DuplicateField).in_field(Some(name)));
                }
                (None, _) => {
                    return Err(
                        Error::from(ErrorKind::MissingField { present: names() }).in_field(Some(name))
                    );
                }
            };
            return Self::new(index, name, field.data_type()).ok_or_else(|| {
                let what = format!("a column of type {}", kind_name(field.data_type()));
                Error::unsupported(what, "choose a list of float32 or float64, or cast it")
                    .in_field(Some(name))
            });
        }
        let mut found: Vec<Self> = schema
            .fields()
            .iter()
            .enumerate()
            .filter_map(|(index, field)| Self::new(index, field.name(), field.data_type()))
            .collect();
        match (found.pop(), found.is_empty()) {
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                found.push(last);
                let candidates = found.into_iter().map(|column| column.name).collect();
                Err(ErrorKind::Ambiguous { candidates }.into())
            }
            (None, _) => Err(ErrorKind::NoVectors { candidates: names() }.into()),
        }
    }

    fn new(index: usize, name: &str, data_type: &DataType) -> Option<Self> {
        let (lists, item) = match data_type {
            DataType::FixedSizeList(item, length) => (Lists::Fixed(*length), item),
            DataType::List(item) => (Lists::List, item),
            DataType::LargeList(item) => (Lists::LargeList, item),
            _ => return None,
        };
        let float = match item.data_type() {
            DataType::Float32 => FloatType::F32,
            DataType::Float64 => FloatType::F64,
            _ => return None,
        };
        Some(VectorColumn { index, name: name.to_owned(), lists, item: Arc::clone(item), float })
    }

    /// Returns the dimension, if the schema stores it.
    pub(super) fn fixed_dim(&self) -> Option<usize> {
        match self.lists {
            Lists::Fixed(length) => Some(usize::try_from(length).unwrap_or(0)),
            Lists::List | Lists::LargeList => None,
        }
    }

    /// Returns the length of the first list of an array.
    pub(super) fn first_length(&self, array: &ArrayRef) -> Result<usize, Error> {
        match &self.rows(array)?[..] {
            [] => Err(ErrorKind::Empty.into()),
            [(start, end), ..] => Ok(end.saturating_sub(*start)),
        }
    }

    /// Returns the numbers of all lists, which must have `dim` numbers each. `first_row` is for errors only.
    pub(super) fn values(&self, array: &ArrayRef, dim: usize, first_row: u64) -> Result<Vec<f64>, Error> {
        let rows = self.rows(array).map_err(|e| {
            let row = e.row().map_or(0, |row| row - 1);
            Error::from(e.kind().clone()).in_row(first_row + row)
        })?;
        let child = match self.lists {
            Lists::Fixed(_) => array.as_fixed_size_list_opt().map(FixedSizeListArray::values),
            Lists::List => array.as_list_opt::<i32>().map(GenericListArray::values),
            Lists::LargeList => array.as_list_opt::<i64>().map(GenericListArray::values),
        }
        .ok_or_else(wrong_type)?;
        let nulls = child.nulls().filter(|nulls| nulls.null_count() > 0);
        let mut values = Vec::with_capacity(rows.len().saturating_mul(dim).min(crate::batch::MAX_VALUES));
        for (row, (start, end)) in rows.into_iter().enumerate() {
            let refuse = |kind: ErrorKind| Error::from(kind).in_row(first_row + row as u64);
            if end.saturating_sub(start) != dim {
                return Err(refuse(ErrorKind::Ragged { expected: dim, found: end.saturating_sub(start) }));
            }
            let null = nulls.and_then(|nulls| (start..end).find(|i| *i < nulls.len() && nulls.is_null(*i)));
            if let Some(null) = null {
                return Err(refuse(ErrorKind::Null { index: Some(null - start) }));
            }
            match self.float {
                FloatType::F32 => {
                    let child = child.as_primitive_opt::<Float32Type>().ok_or_else(wrong_type)?;
                    let row = child.values().get(start..end).ok_or_else(wrong_type)?;
                    values.extend(row.iter().map(|value| f64::from(*value)));
                }
                _ => {
                    let child = child.as_primitive_opt::<Float64Type>().ok_or_else(wrong_type)?;
                    values.extend_from_slice(child.values().get(start..end).ok_or_else(wrong_type)?);
                }
            }
        }
        Ok(values)
    }

    /// Returns where each list starts and ends in the numbers. A null list is an error.
    fn rows(&self, array: &ArrayRef) -> Result<Vec<(usize, usize)>, Error> {
        let null = array.nulls().and_then(|nulls| nulls.iter().position(|valid| !valid));
        if let Some(row) = null {
            return Err(Error::from(ErrorKind::Null { index: None }).in_row(row as u64));
        }
        fn offsets<O: OffsetSizeTrait>(array: &ArrayRef) -> Option<Vec<(usize, usize)>> {
            let offsets = array.as_list_opt::<O>()?.offsets();
            Some(offsets.windows(2).map(|pair| (pair[0].as_usize(), pair[1].as_usize())).collect())
        }
        match self.lists {
            Lists::Fixed(length) => array.as_fixed_size_list_opt().map(|lists| {
                let length = usize::try_from(length).unwrap_or(0);
                let first = usize::try_from(lists.value_offset(0)).unwrap_or(0);
                (0..lists.len()).map(|row| (first + row * length, first + (row + 1) * length)).collect()
            }),
            Lists::List => offsets::<i32>(array),
            Lists::LargeList => offsets::<i64>(array),
        }
        .ok_or_else(wrong_type)
    }

    /// Returns lists of `dim` numbers each, of the type of this column.
    pub(super) fn lists(&self, values: &[f64], dim: usize, first_row: u64) -> Result<ArrayRef, Error> {
        let refuse = |position: usize| {
            let value = values.get(position).copied().unwrap_or(f64::NAN);
            let kind = self.float.refuse(position % dim.max(1), value);
            Error::from(kind).in_row(first_row + (position / dim.max(1)) as u64)
        };
        let child: ArrayRef = match self.float {
            FloatType::F32 => Arc::new(Float32Array::from(all_to_f32(values).map_err(refuse)?)),
            _ => match first_not_finite(values) {
                Some(position) => return Err(refuse(position)),
                None => Arc::new(Float64Array::from(values.to_vec())),
            },
        };
        let lengths = || std::iter::repeat_n(dim, values.len() / dim.max(1));
        let item = Arc::clone(&self.item);
        let lists: Result<ArrayRef, _> = match self.lists {
            Lists::Fixed(length) => FixedSizeListArray::try_new(item, length, child, None)
                .map(|lists| Arc::new(lists) as ArrayRef),
            Lists::List => {
                GenericListArray::<i32>::try_new(item, OffsetBuffer::from_lengths(lengths()), child, None)
                    .map(|lists| Arc::new(lists) as ArrayRef)
            }
            Lists::LargeList => {
                GenericListArray::<i64>::try_new(item, OffsetBuffer::from_lengths(lengths()), child, None)
                    .map(|lists| Arc::new(lists) as ArrayRef)
            }
        };
        lists.map_err(|_| wrong_type())
    }
}

fn wrong_type() -> Error {
    corrupt("the vectors are not what its schema says").into()
}

/// Returns a short name of a type. The full name may be pages long.
fn kind_name(data_type: &DataType) -> String {
    match data_type {
        DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) => {
            format!("list of {}", kind_name(item.data_type()))
        }
        DataType::Struct(_) => "struct".to_owned(),
        DataType::Dictionary(..) => "dictionary".to_owned(),
        other if other.is_nested() => "nested".to_owned(),
        other => other.to_string().to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_schema::Field;

    fn schema(fields: Vec<(&str, DataType)>) -> Schema {
        Schema::new(fields.into_iter().map(|(n, t)| Field::new(n, t, true)).collect::<Vec<_>>())
    }

    fn list(item: DataType) -> DataType {
        DataType::List(Arc::new(Field::new("item", item, true)))
    }

    #[test]
    fn chooses_the_column() {
        let one = schema(vec![
            ("id", DataType::Int64),
            ("v", list(DataType::Float32)),
            ("w", list(DataType::Int8)),
        ]);
        assert_eq!(VectorColumn::choose(&one, None).unwrap().index, 1);
        let wrong = VectorColumn::choose(&one, Some("w")).unwrap_err();
        assert!(wrong.to_string().contains("\"w\"") && wrong.to_string().contains("list of int8"), "{wrong}");
        let missing = VectorColumn::choose(&one, Some("x")).unwrap_err();
        assert!(matches!(missing.kind(), ErrorKind::MissingField { present } if present.len() == 3));
        let two = schema(vec![("v", list(DataType::Float32)), ("w", list(DataType::Float64))]);
        assert!(matches!(VectorColumn::choose(&two, None).unwrap_err().kind(), ErrorKind::Ambiguous { .. }));
        assert_eq!(VectorColumn::choose(&two, Some("w")).unwrap().index, 1);
        let none = schema(vec![("id", DataType::Int64)]);
        assert!(matches!(VectorColumn::choose(&none, None).unwrap_err().kind(), ErrorKind::NoVectors { .. }));
    }

    #[test]
    fn lists_come_back() {
        let item = || Arc::new(Field::new("item", DataType::Float64, false));
        for data_type in
            [DataType::FixedSizeList(item(), 2), DataType::List(item()), DataType::LargeList(item())]
        {
            let column = VectorColumn::choose(&schema(vec![("v", data_type.clone())]), None).unwrap();
            let array = column.lists(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 0).unwrap();
            assert_eq!(array.data_type(), &data_type);
            assert_eq!(column.first_length(&array).unwrap(), 2);
            // A slice starts in the middle of the numbers.
            assert_eq!(column.values(&array.slice(1, 2), 2, 0).unwrap(), [3.0, 4.0, 5.0, 6.0]);
            let ragged = column.values(&array, 3, 7).unwrap_err();
            assert_eq!(
                (ragged.kind(), ragged.row()),
                (&ErrorKind::Ragged { expected: 3, found: 2 }, Some(8))
            );
            assert!(column.lists(&[1.0, f64::NAN], 2, 0).is_err());
        }
    }
}
