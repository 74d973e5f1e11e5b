//! `detect(text)` and `pii_kinds(text)`. Neither returns text.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Float32Builder, ListBuilder, StringBuilder, StructBuilder, UInt64Builder,
};
use datafusion::arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::{Result, internal_err};
use inkveil::detect::Span;

use crate::texts::texts;
use crate::work::Work;

fn fields() -> Fields {
    Fields::from(vec![
        Field::new("kind", DataType::Utf8, true),
        Field::new("start", DataType::UInt64, true),
        Field::new("end", DataType::UInt64, true),
        Field::new("score", DataType::Float32, true),
    ])
}

pub(super) fn findings_type() -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Struct(fields()), true)))
}

pub(super) fn kinds_type() -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)))
}

/// Lists what detection finds. Places are in characters.
pub(super) fn findings(work: &Work, input: &ArrayRef) -> Result<ArrayRef> {
    let values = texts(input)?;
    let mut found = detected(work, &values)?.into_iter();
    let mut list = ListBuilder::new(StructBuilder::from_fields(fields(), values.len()));
    for text in values {
        let Some((text, spans)) = text.zip(text.and_then(|_| found.next())) else {
            list.append(false);
            continue;
        };
        let (mut at, mut count) = (0, 0);
        for span in &spans {
            // Spans come in the order of their starts.
            count += characters(text, at, span.start);
            at = span.start;
            append(list.values(), span, count, count + characters(text, span.start, span.end))?;
        }
        list.append(true);
    }
    Ok(Arc::new(list.finish()))
}

fn append(row: &mut StructBuilder, span: &Span, start: u64, end: u64) -> Result<()> {
    let Some(kind) = row.field_builder::<StringBuilder>(0) else {
        return internal_err!("a finding begins with its kind");
    };
    kind.append_value(span.kind.name());
    for (field, value) in [(1, start), (2, end)] {
        if let Some(places) = row.field_builder::<UInt64Builder>(field) {
            places.append_value(value);
        }
    }
    if let Some(score) = row.field_builder::<Float32Builder>(3) {
        score.append_value(span.rounded_score());
    }
    row.append(true);
    Ok(())
}

/// The number of characters between two bytes.
fn characters(text: &str, from: usize, to: usize) -> u64 {
    text.get(from..to).map_or(0, |part| part.chars().count() as u64)
}

/// Lists the kinds of what detection finds, each once.
pub(super) fn kinds(work: &Work, input: &ArrayRef) -> Result<ArrayRef> {
    let values = texts(input)?;
    let mut found = detected(work, &values)?.into_iter();
    let mut list = ListBuilder::new(StringBuilder::new());
    for text in values {
        let Some(spans) = text.and_then(|_| found.next()) else {
            list.append(false);
            continue;
        };
        let names: BTreeSet<&str> = spans.iter().map(|span| span.kind.name()).collect();
        names.into_iter().for_each(|name| list.values().append_value(name));
        list.append(true);
    }
    Ok(Arc::new(list.finish()))
}

fn detected(work: &Work, values: &[Option<&str>]) -> Result<Vec<Vec<Span>>> {
    let given: Vec<&str> = values.iter().flatten().copied().collect();
    Ok(work.detect(&given)?)
}
