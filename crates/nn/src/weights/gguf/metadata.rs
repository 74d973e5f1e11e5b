//! The settings of the model and its tokenizer in the header.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cursor::{Cursor, FORMAT};
use crate::weights::file::FileBytes;
use crate::{Error, ErrorKind};

/// Named settings. Arrays, which may be long, stay in the file until they are requested.
pub(crate) struct Metadata {
    values: BTreeMap<String, Value>,
    bytes: Arc<FileBytes>,
}

enum Value {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Flag(bool),
    Text(String),
    Array { element: u32, count: u64, position: usize },
}

const TEXT: u32 = 8;
const ARRAY: u32 = 9;

impl Metadata {
    pub(super) fn read(cursor: &mut Cursor<'_>, count: u64, bytes: Arc<FileBytes>) -> Result<Self, Error> {
        let mut values = BTreeMap::new();
        for _ in 0..count {
            let key = cursor.text()?.to_owned();
            let kind = cursor.u32()?;
            let value = match kind {
                ARRAY => skip_array(cursor)?,
                _ => scalar(cursor, kind)?,
            };
            if values.insert(key, value).is_some() {
                return Err(Error::corrupt(FORMAT, "a setting occurs twice"));
            }
        }
        Ok(Metadata { values, bytes })
    }

    /// Returns a count or an id, or `None` if it is missing or negative.
    pub(crate) fn unsigned(&self, key: &str) -> Option<u64> {
        match *self.values.get(key)? {
            Value::Unsigned(value) => Some(value),
            Value::Signed(value) => value.try_into().ok(),
            _ => None,
        }
    }

    pub(crate) fn float(&self, key: &str) -> Option<f64> {
        match *self.values.get(key)? {
            Value::Float(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        match *self.values.get(key)? {
            Value::Flag(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.values.get(key)? {
            Value::Text(value) => Some(value),
            _ => None,
        }
    }

    /// Returns all texts of an array, or `None` if there is no such array.
    pub(crate) fn texts(&self, key: &str) -> Result<Option<Vec<&str>>, Error> {
        self.array(key, |element| element == TEXT, |cursor, _| cursor.text())
    }

    /// Returns all integers of an array, or `None` if there is no such array.
    pub(crate) fn integers(&self, key: &str) -> Result<Option<Vec<i64>>, Error> {
        self.array(
            key,
            |_| true,
            |cursor, element| match scalar(cursor, element)? {
                Value::Unsigned(value) => i64::try_from(value)
                    .map_err(|_| Error::corrupt(FORMAT, "an integer in its header is too large")),
                Value::Signed(value) => Ok(value),
                _ => Err(Error::corrupt(FORMAT, "an array in its header should be of integers")),
            },
        )
    }

    fn array<'a, T>(
        &'a self,
        key: &str,
        fits: impl Fn(u32) -> bool,
        read: impl Fn(&mut Cursor<'a>, u32) -> Result<T, Error>,
    ) -> Result<Option<Vec<T>>, Error> {
        match self.values.get(key) {
            Some(&Value::Array { element, count, position }) if fits(element) => {
                let mut cursor = Cursor::at(&self.bytes, position);
                (0..count).map(|_| read(&mut cursor, element)).collect::<Result<_, _>>().map(Some)
            }
            _ => Ok(None),
        }
    }
}

fn scalar(cursor: &mut Cursor<'_>, kind: u32) -> Result<Value, Error> {
    Ok(match kind {
        0 => Value::Unsigned(u8::from_le_bytes(cursor.array()?).into()),
        1 => Value::Signed(i8::from_le_bytes(cursor.array()?).into()),
        2 => Value::Unsigned(u16::from_le_bytes(cursor.array()?).into()),
        3 => Value::Signed(i16::from_le_bytes(cursor.array()?).into()),
        4 => Value::Unsigned(cursor.u32()?.into()),
        5 => Value::Signed(i32::from_le_bytes(cursor.array()?).into()),
        6 => Value::Float(f32::from_le_bytes(cursor.array()?).into()),
        7 => match cursor.array::<1>()? {
            [0] => Value::Flag(false),
            [1] => Value::Flag(true),
            _ => return Err(Error::corrupt(FORMAT, "a flag in its header is neither true nor false")),
        },
        TEXT => Value::Text(cursor.text()?.to_owned()),
        10 => Value::Unsigned(cursor.u64()?),
        11 => Value::Signed(i64::from_le_bytes(cursor.array()?)),
        12 => Value::Float(f64::from_le_bytes(cursor.array()?)),
        _ => return Err(Error::corrupt(FORMAT, format!("a setting has the unknown type {kind}"))),
    })
}

/// Skips an array after checking that it is inside the file.
fn skip_array(cursor: &mut Cursor<'_>) -> Result<Value, Error> {
    let (element, count) = (cursor.u32()?, cursor.u64()?);
    let position = cursor.position();
    let width = match element {
        0 | 1 | 7 => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 => 8,
        TEXT => {
            for _ in 0..count {
                cursor.text()?;
            }
            return Ok(Value::Array { element, count, position });
        }
        ARRAY => {
            return Err(ErrorKind::Unsupported {
                what: "an array of arrays in a GGUF header".to_owned(),
                advice: "convert the model again with a recent converter",
            }
            .into());
        }
        _ => return Err(Error::corrupt(FORMAT, format!("an array has the unknown type {element}"))),
    };
    let size = usize::try_from(count).ok().and_then(|count| count.checked_mul(width)).unwrap_or(usize::MAX);
    cursor.take(size)?;
    Ok(Value::Array { element, count, position })
}
