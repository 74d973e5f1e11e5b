//! `embed(text)` and `veil_vector(vector, id)`.

use std::collections::BTreeMap;

use datafusion::arrow::array::{Array as _, ArrayRef, new_null_array};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;

use crate::ids::records;
use crate::texts::texts;
use crate::vectors::{Vectors, column};
use crate::work::Work;

/// Turns texts into vectors without noise.
pub(super) fn embed(work: &Work, input: &ArrayRef, out: &DataType) -> Result<ArrayRef> {
    let values = texts(input)?;
    // A text that stands in the query is in every row.
    let mut different: BTreeMap<&str, usize> = values.iter().flatten().map(|text| (*text, 0)).collect();
    different.values_mut().enumerate().for_each(|(at, place)| *place = at);
    let texts: Vec<&str> = different.keys().copied().collect();
    let (vectors, dim) = work.embed(&texts)?;
    let each: Vec<&[f32]> = vectors.chunks_exact(dim.max(1)).collect();
    let places = values.iter().flatten().filter_map(|text| different.get(text));
    let vectors = places.filter_map(|at| each.get(*at)).copied().flatten().copied().collect();
    column(out, vectors, dim, &is_given(&values))
}

/// Returns vectors of zeros in place of those of texts, where vectors are only counted. Encoding takes long.
pub(super) fn counted(work: &Work, input: &ArrayRef, out: &DataType) -> Result<ArrayRef> {
    let values = texts(input)?;
    let (dim, given) = (work.width()?, is_given(&values));
    let count = given.iter().filter(|is_given| **is_given).count();
    column(out, vec![0.0; count * dim], dim, &given)
}

fn is_given(values: &[Option<&str>]) -> Vec<bool> {
    values.iter().map(Option::is_some).collect()
}

/// Adds noise to a column of vectors, or only counts them. `name` is the name that its records of noise get, and `shown`
/// the name of the column for messages.
pub(super) fn veil(
    work: &Work,
    input: &ArrayRef,
    ids: &ArrayRef,
    name: Option<&str>,
    shown: &str,
    out: &DataType,
) -> Result<ArrayRef> {
    let mut vectors = Vectors::read(input, shown)?;
    let records = records(ids, name, |row| !input.is_null(row))?;
    let records: Vec<u64> = vectors.rows.iter().map(|row| records[*row]).collect();
    if !work.veil_vectors(&mut vectors, &records)? {
        return Ok(new_null_array(out, input.len()));
    }
    let is_vector: Vec<bool> = (0..input.len()).map(|row| !input.is_null(row)).collect();
    column(out, vectors.values, vectors.dim, &is_vector)
}
