//! How large a document may be.

/// How large a document may be. A document that exceeds a limit is refused, so a small file cannot fill the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest file, in bytes.
    pub bytes: u64,
    /// The most bytes that are unpacked from a file in all.
    pub unpacked: u64,
    /// The most bytes of one unpacked part with text.
    pub part: u64,
    /// The most parts of a packed file.
    pub parts: usize,
    /// The most levels of nested elements.
    pub depth: usize,
    /// The most elements, attributes and texts of one part.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 256 << 20,
            unpacked: 512 << 20,
            part: 128 << 20,
            parts: 10_000,
            depth: 200,
            nodes: 8_000_000,
        }
    }
}
