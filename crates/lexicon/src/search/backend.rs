//! The fast products that make shortlists.

/// The fast product that makes the shortlist. The result does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// 8-bit integers: the fastest on processors that multiply them in hardware.
    Int8,
    /// 16-bit brain floats: shorter shortlists for rows with a few very large coordinates.
    Bf16,
    /// 32-bit floats, without packing the table.
    F32,
}
