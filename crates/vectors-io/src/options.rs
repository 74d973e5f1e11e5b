//! How vectors are read.

/// How to read vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// The field, column or tensor that holds the vectors; found by itself where there is only one.
    pub column: Option<String>,
    /// The most rows in a batch. Batches of very long vectors have fewer.
    pub batch_rows: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { column: None, batch_rows: 1024 }
    }
}
