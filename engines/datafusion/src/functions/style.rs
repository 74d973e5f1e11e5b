//! `style_risk(text)`.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array};
use datafusion::common::Result;

use crate::texts::texts;
use crate::work::Work;

/// Measures how far the style of each text lies from the styles in the memory. A text that is too short or not English
/// has no risk.
pub(super) fn call(work: &Work, input: &ArrayRef) -> Result<ArrayRef> {
    let values = texts(input)?;
    let given: Vec<&str> = values.iter().flatten().copied().collect();
    let mut risks = work.style_risks(&given)?.into_iter();
    let column: Float64Array = values.iter().map(|text| text.and_then(|_| risks.next().flatten())).collect();
    Ok(Arc::new(column))
}
