//! The columns of a Delta table, from the JSON in its log.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use serde_json::Value;

use super::log::Refusal;

const WRONG: Refusal = "its log has columns of a type that is not supported";

/// Reads the columns.
pub(super) fn columns(json: &str) -> Result<Schema, Refusal> {
    let value: Value = serde_json::from_str(json).map_err(|_| WRONG)?;
    Ok(Schema::new(fields(&value)?))
}

fn fields(value: &Value) -> Result<Vec<Field>, Refusal> {
    let all = value.get("fields").and_then(Value::as_array).ok_or(WRONG)?;
    all.iter().map(|one| field(text(one, "name")?, one, "type", "nullable")).collect()
}

fn field(name: &str, value: &Value, of_type: &str, nullable: &str) -> Result<Field, Refusal> {
    let nullable = value.get(nullable).and_then(Value::as_bool).unwrap_or(true);
    Ok(Field::new(name, data_type(value.get(of_type).ok_or(WRONG)?)?, nullable))
}

fn text<'v>(value: &'v Value, key: &str) -> Result<&'v str, Refusal> {
    value.get(key).and_then(Value::as_str).ok_or(WRONG)
}

fn data_type(value: &Value) -> Result<DataType, Refusal> {
    if let Some(name) = value.as_str() {
        return primitive(name);
    }
    match text(value, "type")? {
        "struct" => Ok(DataType::Struct(fields(value)?.into())),
        "array" => Ok(DataType::List(Arc::new(field("element", value, "elementType", "containsNull")?))),
        "map" => {
            let key = field("key", value, "keyType", "")?.with_nullable(false);
            let entry = field("value", value, "valueType", "valueContainsNull")?;
            let entries = Field::new("key_value", DataType::Struct(vec![key, entry].into()), false);
            Ok(DataType::Map(Arc::new(entries), false))
        }
        _ => Err(WRONG),
    }
}

fn primitive(name: &str) -> Result<DataType, Refusal> {
    let utc = || Some("UTC".into());
    Ok(match name {
        "string" => DataType::Utf8,
        "long" => DataType::Int64,
        "integer" => DataType::Int32,
        "short" => DataType::Int16,
        "byte" => DataType::Int8,
        "float" => DataType::Float32,
        "double" => DataType::Float64,
        "boolean" => DataType::Boolean,
        "binary" => DataType::Binary,
        "date" => DataType::Date32,
        "timestamp" => DataType::Timestamp(TimeUnit::Microsecond, utc()),
        "timestamp_ntz" => DataType::Timestamp(TimeUnit::Microsecond, None),
        decimal => {
            let inside = decimal.strip_prefix("decimal(").and_then(|rest| rest.strip_suffix(')'));
            let (precision, scale) = inside.and_then(|inside| inside.split_once(',')).ok_or(WRONG)?;
            let precision = precision.trim().parse().map_err(|_| WRONG)?;
            let scale = scale.trim().parse().map_err(|_| WRONG)?;
            // The widest decimal of Delta.
            let fits = (1..=38).contains(&precision) && (0..=38).contains(&scale);
            if !fits {
                return Err(WRONG);
            }
            DataType::Decimal128(precision, scale)
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed step is a failed test
    use super::*;

    #[test]
    fn types_are_those_of_the_log() {
        let schema = columns(
            "{\"type\":\"struct\",\"fields\":[\
             {\"name\":\"id\",\"type\":\"long\",\"nullable\":false,\"metadata\":{}},\
             {\"name\":\"sum\",\"type\":\"decimal(10, 2)\",\"nullable\":true,\"metadata\":{}},\
             {\"name\":\"tags\",\"type\":{\"type\":\"array\",\"elementType\":\"string\",\"containsNull\":true}},\
             {\"name\":\"more\",\"type\":{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":{\"type\":\"struct\",\
             \"fields\":[]},\"valueContainsNull\":true}}]}",
        )
        .unwrap();
        assert_eq!(schema.field(0), &Field::new("id", DataType::Int64, false));
        assert_eq!(schema.field(1).data_type(), &DataType::Decimal128(10, 2));
        assert!(matches!(schema.field(2).data_type(), DataType::List(_)));
        assert!(matches!(schema.field(3).data_type(), DataType::Map(..)));
    }

    #[test]
    fn other_types_are_refused() {
        for wrong in ["variant", "decimal(99,2)", "decimal(5,-3)", "decimal", "interval"] {
            let json = format!("{{\"fields\":[{{\"name\":\"a\",\"type\":\"{wrong}\"}}]}}");
            assert!(columns(&json).is_err(), "{wrong}");
        }
        for wrong in
            ["", "[]", "{\"fields\":[{}]}", "{\"fields\":[{\"name\":\"a\",\"type\":{\"type\":\"set\"}}]}"]
        {
            assert!(columns(wrong).is_err(), "{wrong}");
        }
    }
}
