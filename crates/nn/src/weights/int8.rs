//! Eight bits per number and one scale per row: a quarter of the size of `f32`.

use std::borrow::Cow;

use super::stored::as_f32;
use crate::{Error, ErrorKind};

/// A matrix of 8-bit integers with a scale per row: entry (i, j) is `scales[i]` times integer (i,
/// j).
#[derive(Debug, Clone, PartialEq)]
pub struct Int8Rows<'a> {
    /// The integers, row by row.
    pub values: &'a [i8],
    /// One finite scale per row.
    pub scales: Cow<'a, [f32]>,
}

impl Int8Rows<'_> {
    /// Returns the matrix in `f32`, row by row.
    ///
    /// ```
    /// use inkveil_nn::Int8Rows;
    ///
    /// let rows = Int8Rows { values: &[2, -4, 1, 1], scales: [0.5, 3.0].as_slice().into() };
    /// assert_eq!(rows.widen(), [1.0, -2.0, 3.0, 3.0]);
    /// ```
    pub fn widen(&self) -> Vec<f32> {
        // A matrix without rows has no scales; one without columns has no integers.
        let columns = self.values.len().checked_div(self.scales.len()).unwrap_or(0).max(1);
        let rows = self.values.chunks_exact(columns).zip(&*self.scales);
        rows.flat_map(|(row, scale)| row.iter().map(move |&value| scale * f32::from(value))).collect()
    }
}

/// Reads the matrix `name` from its bytes and the shape and bytes of its scales.
pub(super) fn rows<'a>(
    name: &str,
    shape: &[usize],
    bytes: &'a [u8],
    scales: Option<(&[usize], &'a [u8])>,
) -> Result<Int8Rows<'a>, Error> {
    let scale = || format!("{name}.scale");
    let [height, _] = *shape else {
        return Err(ErrorKind::Unsupported {
            what: format!("the tensor {name:?} of 8-bit integers, which is not a matrix,"),
            advice: "convert the weights to f32 or f16",
        }
        .into());
    };
    let Some((found, scales)) = scales else {
        return Err(ErrorKind::MissingTensor { name: scale() }.into());
    };
    if found != [height] {
        return Err(ErrorKind::Shape { name: scale(), expected: vec![height], found: found.to_vec() }.into());
    }
    let scales = as_f32(scales);
    if scales.iter().any(|scale| !scale.is_finite()) {
        return Err(Error::corrupt(
            "int8 weights",
            format!("a scale in {:?} is not a finite number", scale()),
        ));
    }
    Ok(Int8Rows { values: bytemuck::cast_slice(bytes), scales })
}
