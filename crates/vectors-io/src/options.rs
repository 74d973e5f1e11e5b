//! How vectors are read.

/// How to read vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// The field, column or tensor of the vectors. By default the only one that can hold vectors.
    pub column: Option<String>,
    /// The most rows in a batch. Batches of very long vectors have fewer.
    pub batch_rows: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { column: None, batch_rows: 1024 }
    }
}
