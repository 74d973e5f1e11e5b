//! Everything that stands beside the vectors of a batch.

use std::ops::Range;

use arrow_array::ArrayRef;

/// Everything that stands beside the vectors of a batch.
pub(crate) enum Carry {
    Jsonl(JsonlCarry),
    Npy,
    /// Bytes of a safetensors file outside the tensor, which are copied. Such a batch has no rows.
    Verbatim(Vec<u8>),
    Tensor,
    Columnar(ColumnarCarry),
}

/// The text of some lines, and the ranges of the vectors in it.
pub(crate) struct JsonlCarry {
    pub(crate) text: Vec<u8>,
    pub(crate) vectors: Vec<Range<usize>>,
}

/// The other columns of a batch.
pub(crate) struct ColumnarCarry {
    /// All columns; the one of the vectors is missing.
    pub(crate) columns: Vec<Option<ArrayRef>>,
    /// Whether a row group of the input ends here.
    pub(crate) ends_group: bool,
}
