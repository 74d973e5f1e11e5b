//! Texts inside Arrow columns, found and replaced along a path.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, LargeStringArray, OffsetSizeTrait, StructArray,
};
use arrow_schema::{DataType, Fields};

use super::columns::Columns;
use super::path::{ColumnPath, Step};
use crate::columnar::corrupt;
use crate::error::{Error, ErrorKind};

/// A text of a column, with its row.
pub(crate) struct Found {
    pub(crate) row: usize,
    pub(crate) text: String,
}

/// Fails if a path does not lead to texts in a column of this type.
pub(crate) fn check(path: &ColumnPath, column: &DataType) -> Result<(), Error> {
    let mut kind = column;
    for step in &path.steps {
        kind = match (step, kind) {
            (Step::Field(name), DataType::Struct(fields)) if is_twice(fields, name) => {
                return Err(ErrorKind::DuplicateField.into());
            }
            (Step::Field(name), DataType::Struct(fields)) => match fields.find(name) {
                Some((_, field)) => field.data_type(),
                None => {
                    let present = fields.iter().map(|field| field.name().clone()).collect();
                    return Err(ErrorKind::MissingField { present }.into());
                }
            },
            (
                Step::Each,
                DataType::List(inside) | DataType::LargeList(inside) | DataType::FixedSizeList(inside, _),
            ) => inside.data_type(),
            (Step::Element(_), _) => {
                return Err(Error::unsupported(
                    "one element of a list in a columnar file",
                    "write [] for each of them",
                ));
            }
            _ => return Err(ErrorKind::NotText.into()),
        };
    }
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(()),
        DataType::Dictionary(_, values) if matches!(**values, DataType::Utf8 | DataType::LargeUtf8) => Ok(()),
        _ => Err(ErrorKind::NotText.into()),
    }
}

/// Returns whether two fields have this name.
fn is_twice(fields: &Fields, name: &str) -> bool {
    fields.iter().filter(|field| field.name() == name).count() > 1
}

/// Returns whether a column of this type holds strings, at any depth.
pub(crate) fn holds_strings(column: &DataType) -> bool {
    match column {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::List(inside)
        | DataType::LargeList(inside)
        | DataType::ListView(inside)
        | DataType::LargeListView(inside)
        | DataType::FixedSizeList(inside, _)
        | DataType::Map(inside, _) => holds_strings(inside.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| holds_strings(field.data_type())),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| holds_strings(field.data_type())),
        DataType::Dictionary(_, values) => holds_strings(values),
        DataType::RunEndEncoded(_, values) => holds_strings(values.data_type()),
        _ => false,
    }
}

/// Returns the paths of all strings in a column.
///
/// # Errors
/// If there are strings that no path leads to, for example those of a map, or two fields have the same name.
pub(crate) fn string_paths(path: &ColumnPath, column: &DataType) -> Result<Vec<ColumnPath>, Error> {
    match column {
        _ if !holds_strings(column) => Ok(Vec::new()),
        DataType::Struct(fields) => {
            Columns::check_names(fields.iter().map(|field| field.name()))?;
            let inside = fields
                .iter()
                .map(|field| string_paths(&path.then(Step::Field(field.name().clone())), field.data_type()));
            Ok(inside.collect::<Result<Vec<_>, _>>()?.concat())
        }
        DataType::List(inside) | DataType::LargeList(inside) | DataType::FixedSizeList(inside, _) => {
            string_paths(&path.then(Step::Each), inside.data_type())
        }
        _ => {
            let readable = check(&ColumnPath::column(path.first()), column);
            readable.map(|()| vec![path.clone()]).map_err(|_| ErrorKind::Unreadable.into())
        }
    }
}

/// Appends the texts of a column, in order. A null is not a text.
pub(crate) fn collect(column: &ArrayRef, steps: &[Step], into: &mut Vec<Found>) -> Result<(), Error> {
    let rows: Vec<usize> = (0..column.len()).collect();
    walk(column, steps, &rows, into)
}

/// `rows` holds the row of each value of `array`.
fn walk(array: &ArrayRef, steps: &[Step], rows: &[usize], into: &mut Vec<Found>) -> Result<(), Error> {
    match steps.split_first() {
        None => {
            let texts = strings(array)?;
            for (text, &row) in texts.iter().zip(rows) {
                if let Some(text) = text {
                    into.push(Found { row, text: text.to_owned() });
                }
            }
            Ok(())
        }
        Some((Step::Field(name), rest)) => {
            let inside = array.as_struct_opt().and_then(|fields| fields.column_by_name(name));
            walk(inside.ok_or(ErrorKind::NotText)?, rest, rows, into)
        }
        Some((Step::Each, rest)) => {
            let list = List::of(array)?;
            let inside: Vec<usize> = rows
                .iter()
                .enumerate()
                .flat_map(|(at, row)| std::iter::repeat_n(*row, list.len(at)))
                .collect();
            walk(&list.values, rest, &inside, into)
        }
        Some((Step::Element(_), _)) => Err(ErrorKind::NotText.into()),
    }
}

/// Returns the column with other texts, as many as [`collect`] found and in the same order.
pub(crate) fn replace(
    array: &ArrayRef,
    steps: &[Step],
    texts: &mut dyn Iterator<Item = Option<&str>>,
) -> Result<ArrayRef, Error> {
    let wrong = || corrupt("a column is not what its schema says");
    match steps.split_first() {
        None => {
            let before = strings(array)?;
            let after: LargeStringArray =
                before.iter().map(|text| text.and_then(|_| texts.next().flatten())).collect();
            arrow_cast::cast(&after, array.data_type()).map_err(|_| wrong())
        }
        Some((Step::Field(name), rest)) => {
            let fields = array.as_struct_opt().ok_or_else(wrong)?;
            let (index, _) = fields.fields().find(name).ok_or_else(wrong)?;
            let mut columns = fields.columns().to_vec();
            columns[index] = replace(&columns[index], rest, texts)?;
            let changed = StructArray::try_new(fields.fields().clone(), columns, fields.nulls().cloned());
            Ok(Arc::new(changed.map_err(|_| wrong())?))
        }
        Some((Step::Each, rest)) => {
            let list = List::of(array)?;
            let values = replace(&list.values, rest, texts)?;
            list.with(array, values)
        }
        Some((Step::Element(_), _)) => Err(wrong()),
    }
}

/// Converts strings of any Arrow type to one type.
fn strings(array: &ArrayRef) -> Result<LargeStringArray, Error> {
    let cast = arrow_cast::cast(array, &DataType::LargeUtf8).map_err(|_| Error::from(ErrorKind::NotText))?;
    cast.as_string_opt::<i64>().cloned().ok_or_else(|| ErrorKind::NotText.into())
}

/// The values of a slice of a list column, and the number of values of each row.
struct List {
    values: ArrayRef,
    lengths: Vec<usize>,
}

impl List {
    fn of(array: &ArrayRef) -> Result<Self, Error> {
        match array.data_type() {
            DataType::List(_) => Ok(Self::of_offsets(array.as_list::<i32>())),
            DataType::LargeList(_) => Ok(Self::of_offsets(array.as_list::<i64>())),
            DataType::FixedSizeList(_, length) => {
                let list = array.as_fixed_size_list();
                let length = usize::try_from(*length).unwrap_or(0);
                Ok(Self { values: Arc::clone(list.values()), lengths: vec![length; list.len()] })
            }
            _ => Err(ErrorKind::NotText.into()),
        }
    }

    fn of_offsets<O: OffsetSizeTrait>(list: &GenericListArray<O>) -> Self {
        let offsets = list.offsets();
        let (first, last) = (offsets[0].as_usize(), offsets[list.len()].as_usize());
        let values = list.values().slice(first, last - first);
        Self { values, lengths: offsets.lengths().collect() }
    }

    fn len(&self, row: usize) -> usize {
        self.lengths.get(row).copied().unwrap_or(0)
    }

    /// Returns the list with other values.
    fn with(&self, array: &ArrayRef, values: ArrayRef) -> Result<ArrayRef, Error> {
        let wrong = |_| corrupt("a column is not what its schema says");
        let lengths = || arrow_buffer::OffsetBuffer::from_lengths(self.lengths.iter().copied());
        let nulls = array.nulls().cloned();
        Ok(match array.data_type() {
            DataType::List(field) => Arc::new(
                GenericListArray::<i32>::try_new(Arc::clone(field), lengths(), values, nulls)
                    .map_err(wrong)?,
            ),
            DataType::LargeList(field) => {
                let offsets = arrow_buffer::OffsetBuffer::from_lengths(self.lengths.iter().copied());
                Arc::new(
                    GenericListArray::<i64>::try_new(Arc::clone(field), offsets, values, nulls)
                        .map_err(wrong)?,
                )
            }
            DataType::FixedSizeList(field, length) => Arc::new(
                FixedSizeListArray::try_new(Arc::clone(field), *length, values, nulls).map_err(wrong)?,
            ),
            _ => return Err(ErrorKind::NotText.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::builder::{ListBuilder, StringBuilder};
    use arrow_array::{DictionaryArray, StringArray, StringViewArray, types::Int32Type};

    use super::*;

    fn round(array: ArrayRef, path: &str) -> Vec<(usize, String)> {
        let path: ColumnPath = path.parse().unwrap();
        check(&path, array.data_type()).unwrap();
        let mut found = Vec::new();
        collect(&array, &path.steps, &mut found).unwrap();
        let same: Vec<String> = found.iter().map(|found| found.text.clone()).collect();
        let back = replace(&array, &path.steps, &mut same.iter().map(|text| Some(text.as_str()))).unwrap();
        assert_eq!(&back, &array);
        let upper: Vec<String> = same.iter().map(|text| text.to_uppercase()).collect();
        let changed =
            replace(&array, &path.steps, &mut upper.iter().map(|text| Some(text.as_str()))).unwrap();
        let mut again = Vec::new();
        collect(&changed, &path.steps, &mut again).unwrap();
        assert_eq!(
            again.iter().map(|found| &found.text).collect::<Vec<_>>(),
            upper.iter().collect::<Vec<_>>()
        );
        assert_eq!(changed.data_type(), array.data_type());
        found.into_iter().map(|found| (found.row, found.text)).collect()
    }

    #[test]
    fn texts_of_all_kinds_are_found_and_replaced() {
        let plain = vec![Some("a"), None, Some("b")];
        let expected = vec![(0, "a".to_owned()), (2, "b".to_owned())];
        assert_eq!(round(Arc::new(StringArray::from(plain.clone())), "t"), expected);
        assert_eq!(round(Arc::new(StringViewArray::from(plain.clone())), "t"), expected);
        let dictionary: DictionaryArray<Int32Type> = plain.into_iter().collect();
        assert_eq!(round(Arc::new(dictionary), "t"), expected);
        let mut lists = ListBuilder::new(StringBuilder::new());
        for row in [vec!["x"], vec![], vec!["y", "z"]] {
            row.iter().for_each(|text| lists.values().append_value(text));
            lists.append(true);
        }
        let lists: ArrayRef = Arc::new(lists.finish());
        assert_eq!(round(Arc::clone(&lists), "t[]"), [(0, "x".into()), (2, "y".into()), (2, "z".into())]);
        assert_eq!(round(lists.slice(1, 2), "t[]"), [(1, "y".into()), (1, "z".into())]);
        let inside: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), Some("b")]));
        let field = Arc::new(arrow_schema::Field::new("text", DataType::Utf8, true));
        let fields: ArrayRef = Arc::new(StructArray::from(vec![(field, inside)]));
        assert_eq!(round(Arc::clone(&fields), "t.text"), [(0, "a".into()), (1, "b".into())]);
        let paths = string_paths(&"t".parse().unwrap(), fields.data_type()).unwrap();
        assert_eq!(paths, ["t.text".parse().unwrap()]);
        assert_eq!(string_paths(&"t".parse().unwrap(), lists.data_type()).unwrap()[0].to_string(), "t[]");
        assert!(string_paths(&"t".parse().unwrap(), &DataType::Int32).unwrap().is_empty());
        let twice = DataType::Struct(Fields::from(vec![
            arrow_schema::Field::new("text", DataType::Utf8, true),
            arrow_schema::Field::new("text", DataType::Utf8, true),
        ]));
        assert_eq!(check(&"t.text".parse().unwrap(), &twice).unwrap_err().kind(), &ErrorKind::DuplicateField);
        assert!(check(&"t.other".parse().unwrap(), fields.data_type()).is_err());
        assert!(check(&"t".parse().unwrap(), fields.data_type()).is_err());
    }
}
